/* furrow bench trisolve: solves with the lower triangle of a matrix by every schedule, for one
 * right-hand side and for eight at once, compared with the plain serial loop. The times are for one
 * solve, or for eight. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MANY 8

/* The plain loop's copy of the lower triangle, with the diagonal last in each row. */
typedef struct plain_triangle {
    int64_t rows;
    int32_t *offsets;
    int32_t *columns;
    double *values;
    const double *b;
    double *x;
} plain_triangle;

typedef struct solves {
    fur_trsv *plan;
    int count;
    const fur_vector *b[MANY];
    fur_vector *x[MANY];
} solves;

typedef struct trisolve_case {
    bench *b;
    const char *name;
    fur_csr *a;
    fur_vector *right[MANY];
    fur_vector *left[MANY];
    plain_triangle plain;
    solves each[5];
    char names[5][32];
    int count;
} trisolve_case;

static void run_plain(void *self)
{
    const plain_triangle *t = self;
    for (int64_t i = 0; i < t->rows; i++) {
        double sum = t->b[i];
        int32_t k = t->offsets[i];
        for (; k < t->offsets[i + 1] - 1; k++)
            sum -= t->values[k] * t->x[t->columns[k]];
        t->x[i] = sum / t->values[k];
    }
}

static void run_solves(void *self)
{
    const solves *s = self;
    fur_trsv_apply_many(s->plan, fur_real(1), s->count, s->b, s->x);
}

static fur_status make_plain(trisolve_case *c)
{
    fur_csr_view a = *fur_csr_get(c->a);
    plain_triangle *t = &c->plain;
    const int32_t *offsets = a.offsets;
    const double *values = a.values;
    int32_t next = 0;
    t->rows = a.rows;
    t->offsets = calloc((size_t)a.rows + 1, sizeof *t->offsets);
    t->columns = calloc((size_t)a.entries, sizeof *t->columns);
    t->values = calloc((size_t)a.entries, sizeof *t->values);
    t->x = calloc((size_t)a.rows, sizeof *t->x);
    t->b = fur_vector_const_data(c->right[0]);
    if (!t->offsets || !t->columns || !t->values || !t->x)
        return fur_context_fail(c->b->context, FUR_OUT_OF_MEMORY,
                                "out of memory for the plain loop's copy of %s", c->name);
    for (int64_t i = 0; i < a.rows; i++) {
        t->offsets[i] = next;
        for (int32_t k = offsets[i]; k < offsets[i + 1] && a.columns[k] <= i; k++) {
            t->columns[next] = a.columns[k];
            t->values[next++] = values[k];
        }
    }
    t->offsets[a.rows] = next;
    return FUR_OK;
}

static fur_status add(trisolve_case *c, const char *schedule, const char *name, int count)
{
    solves *s = &c->each[c->count];
    fur_trsv_options options = {.size = sizeof options, .schedule = schedule, .many = count > 1};
    FUR_TRY(
        fur_trsv_plan(c->a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, &options, &s->plan));
    s->count = count;
    for (int k = 0; k < MANY; k++) {
        s->b[k] = c->right[k];
        s->x[k] = c->left[k];
    }
    snprintf(c->names[c->count++], sizeof c->names[0], "%s", name);
    return FUR_OK;
}

/* Checks that x of the last solve agrees with the plain loop's. Both solve systems that differ from
 * the given one by a few roundings. The difference of the solutions depends on the condition
 * number. */
static fur_status check(const trisolve_case *c, int index)
{
    const plain_triangle *t = &c->plain;
    const double *x = fur_vector_const_data(c->left[0]);
    for (int64_t i = 0; i < t->rows; i++)
        if (!(fabs(x[i] - t->x[i]) <= 1e-8 * (1 + fabs(t->x[i]))))
            return fur_context_fail(
                c->b->context, FUR_INVALID,
                "%s: %s gives %.17g in row %lld, but the plain loop gives %.17g", c->name,
                c->names[index], x[i], (long long)i, t->x[i]);
    return FUR_OK;
}

static fur_status check_all(trisolve_case *c)
{
    run_plain(&c->plain);
    for (int i = 0; i < c->count; i++) {
        fur_vector_fill(c->left[0], fur_real(NAN));
        run_solves(&c->each[i]);
        FUR_TRY(check(c, i));
    }
    return FUR_OK;
}

static void run_race(trisolve_case *c)
{
    race r = {.rounds = c->b->rounds};
    double bytes = (double)fur_trsv_describe(c->each[0].plan)->bytes;
    *race_add(&r, "plain loop", run_plain, &c->plain) =
        (race_about){.role = RACE_PEER, .bytes = bytes};
    for (int i = 0; i < c->count; i++) {
        const fur_trsv_report *report = fur_trsv_describe(c->each[i].plan);
        double vectors = 2.0 * (double)(c->each[i].count - 1) * (double)c->plain.rows * 8;
        race_about *about = race_add(&r, c->names[i], run_solves, &c->each[i]);
        *about = (race_about){.role = i == 0 ? RACE_AUTO : RACE_KERNEL,
                              .kernel = report->schedule,
                              .exact = true,
                              .bytes = (double)report->bytes + vectors,
                              .plan_seconds = report->seconds_plan};
        snprintf(about->note, sizeof about->note, "%s, %lld levels, %lld tasks, plan %.3g ms",
                 report->schedule, (long long)report->levels, (long long)report->tasks,
                 1e3 * report->seconds_plan);
    }
    race_run(&r, c->b->seconds, &c->b->timing->reader);
    bench_report(c->b, bench_matrix(c->name, c->a), &r);
}

static fur_status make_vectors(trisolve_case *c)
{
    int64_t n = fur_csr_get(c->a)->rows;
    for (int k = 0; k < MANY; k++) {
        FUR_TRY(bench_numbers(c->b->context, n, k + 1, 1, &c->right[k]));
        FUR_TRY(fur_vector_create(c->b->context, FUR_F64, n, &c->left[k]));
    }
    return FUR_OK;
}

static fur_status run_steps(trisolve_case *c)
{
    FUR_TRY(bench_load(c->b, c->b->context, c->name, &c->a));
    fur_csr_view a = *fur_csr_get(c->a);
    if (a.value_type != FUR_F64 || a.offset_type != FUR_I32 || a.entries == 0)
        return fur_context_fail(c->b->context, FUR_UNSUPPORTED,
                                "%s: the plain loop needs a real matrix with 1 to 2^31-1 entries",
                                c->name);
    FUR_TRY(make_vectors(c));
    FUR_TRY(add(c, "auto", "auto", 1));
    FUR_TRY(add(c, "serial", "serial", 1));
    FUR_TRY(add(c, "blocks", "blocks", 1));
    FUR_TRY(add(c, "levels", "levels", 1));
    FUR_TRY(add(c, "auto", "auto, 8 at once", MANY));
    FUR_TRY(make_plain(c));
    FUR_TRY(check_all(c));
    run_race(c);
    return FUR_OK;
}

fur_status bench_trisolve(bench *b, const char *name)
{
    trisolve_case c = {.b = b, .name = name};
    fur_status status = run_steps(&c);
    for (int i = 0; i < c.count; i++)
        fur_trsv_destroy(c.each[i].plan);
    for (int k = 0; k < MANY; k++) {
        fur_vector_destroy(c.left[k]);
        fur_vector_destroy(c.right[k]);
    }
    free(c.plain.x);
    free(c.plain.values);
    free(c.plain.columns);
    free(c.plain.offsets);
    fur_csr_destroy(c.a);
    return status;
}
