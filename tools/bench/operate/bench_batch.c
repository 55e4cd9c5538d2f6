/* furrow bench batch: products, conjugate gradients and elimination for many small systems at once,
 * compared with loops over prepared single systems. A case is ROWSxSYSTEMS. Its products and solves
 * use five diagonals, as on a grid of five points. Its eliminations use three. The times are for
 * all systems. */
#include <furrow/author/context.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "batch_single.h"
#include "output.h"
#include "wall_race.h"

/* All systems in one batch. */
typedef struct together {
    fur_csr *pattern;
    fur_vectors *values;
    fur_vectors *b;
    fur_vectors *x;
    fur_batch *batch;
    fur_batch_solver *solver; /* NULL: a product */
} together;

static fur_status run_together(void *self)
{
    const together *t = self;
    if (!t->solver)
        return fur_batch_apply(t->batch, fur_real(1), t->b, fur_real(0), t->x);
    fur_batch_report report = FUR_DEFAULT(fur_batch_report);
    FUR_TRY(fur_vectors_fill(t->x, fur_real(0)));
    FUR_TRY(fur_batch_solve(t->solver, t->b, t->x, NULL, &report));
    return report.first_unsolved < 0
               ? FUR_OK
               : fur_context_fail(fur_batch_context(t->batch), FUR_INVALID,
                                  "system %lld of the batch is not solved: %s",
                                  (long long)report.first_unsolved,
                                  fur_outcome_name(report.outcome));
}

/* Makes a block on the device with the entries of consecutive systems. */
static fur_status make_block(fur_context *context, int64_t rows, int64_t count,
                             const double *entries, fur_vectors **out)
{
    fur_vectors_view view = {.size = sizeof view,
                             .rows = rows,
                             .cols = count,
                             .value_type = FUR_F64,
                             .layout = FUR_LAYOUT_COLUMNS,
                             .data = (void *)(uintptr_t)entries};
    fur_vectors *columns = NULL;
    fur_vectors *made = NULL;
    FUR_TRY(fur_vectors_wrap(context, &view, FUR_OWNERSHIP_COPY, &columns));
    fur_status status = fur_vectors_create(context, FUR_F64, rows, count, FUR_LAYOUT_ROWS, &made);
    if (status == FUR_OK)
        status = fur_vectors_copy(columns, made);
    fur_vectors_destroy(columns);
    if (status == FUR_OK)
        *out = made;
    else
        fur_vectors_destroy(made);
    return status;
}

static fur_status make_together(fur_context *context, const batch_systems *s, const char *method,
                                together *out)
{
    fur_batch_solver_options options = {.size = sizeof options, .method = method};
    FUR_TRY(batch_pattern(context, s, &out->pattern));
    FUR_TRY(make_block(context, s->entries, s->count, s->values, &out->values));
    FUR_TRY(make_block(context, s->rows, s->count, s->b, &out->b));
    FUR_TRY(make_block(context, s->rows, s->count, s->b, &out->x));
    FUR_TRY(fur_batch_create(out->pattern, out->values, &out->batch));
    return method ? fur_batch_solver_create(out->batch, &options, &out->solver) : FUR_OK;
}

static void release_together(together *t)
{
    fur_batch_solver_destroy(t->solver);
    fur_batch_destroy(t->batch);
    fur_vectors_destroy(t->x);
    fur_vectors_destroy(t->b);
    fur_vectors_destroy(t->values);
    fur_csr_destroy(t->pattern);
}

/* Compares column s of the batch's result with the result of a single system. The bits must
 * agree. */
static fur_status check(const together *t, const batch_singles *singles, const char *what)
{
    const fur_vectors_view *v = fur_vectors_get(t->x);
    double *all = malloc((size_t)(v->rows * v->cols) * sizeof *all);
    double *one = malloc((size_t)v->rows * sizeof *one);
    int64_t wrong = -1;
    fur_status status = all && one ? fur_vectors_download(t->x, all) : FUR_OUT_OF_MEMORY;
    for (int64_t s = 0; s < v->cols && status == FUR_OK && wrong < 0; s++) {
        status = batch_single_result(singles, s, one);
        for (int64_t i = 0; i < v->rows; i++)
            wrong = all[i * v->cols + s] != one[i] ? s : wrong;
    }
    free(one);
    free(all);
    FUR_TRY(status);
    return wrong < 0 ? FUR_OK
                     : fur_context_fail(fur_batch_context(t->batch), FUR_INVALID,
                                        "%s: the bits of system %lld differ from a single solve",
                                        what, (long long)wrong);
}

/* The contenders: the batch, a loop over single systems, and a loop with one of them that takes new
 * values. */
static const struct {
    const char *names[3];
    const char *method;
    batch_run *single;
    batch_run *reused; /* NULL: not raced */
} races[] = {
    {{"loop of products", "batch: products", "one plan, new values"},
     NULL,
     batch_single_multiply,
     batch_reused_multiply},
    {{"loop of cg", "batch: cg", "one solver, new values"}, "cg", batch_single_cg, batch_reused_cg},
    {{"loop of eliminations", "batch: band", NULL}, "band", batch_single_band, NULL},
};
#define RACES ((int)(sizeof races / sizeof *races))

typedef struct batch_case {
    batch_systems systems[RACES];
    batch_singles singles[RACES];
    together all[RACES];
    wall_race race;
} batch_case;

/* Adds the loop over single systems, and the batch, which is compared with it. */
static void add(batch_case *c, int i)
{
    const batch_systems *s = &c->systems[i];
    double bytes = 8 * (double)s->count * (double)(s->entries + 2 * s->rows);
    int loop = c->race.count;
    *wall_race_add(&c->race, races[i].names[0], races[i].single, &c->singles[i], loop) =
        (race_about){.role = RACE_PEER, .bytes = bytes};
    *wall_race_add(&c->race, races[i].names[1], run_together, &c->all[i], loop) =
        (race_about){.role = RACE_KERNEL, .exact = true, .bytes = bytes};
    if (races[i].reused)
        *wall_race_add(&c->race, races[i].names[2], races[i].reused, &c->singles[i], loop) =
            (race_about){.role = RACE_PEER, .bytes = bytes};
}

static fur_status prepare(bench *b, batch_case *c, int64_t rows, int64_t count)
{
    for (int i = 0; i < RACES; i++) {
        int64_t far =
            races[i].single == batch_single_band ? 0 : (int64_t)lround(sqrt((double)rows));
        FUR_TRY(batch_systems_make(b->context, rows, count, far, &c->systems[i]));
        FUR_TRY(make_together(b->context, &c->systems[i], races[i].method, &c->all[i]));
        FUR_TRY(batch_singles_make(b->context, &c->systems[i], races[i].method, &c->singles[i]));
        add(c, i);
        FUR_TRY(run_together(&c->all[i]));
        FUR_TRY(races[i].single(&c->singles[i]));
        FUR_TRY(check(&c->all[i], &c->singles[i], races[i].names[1]));
    }
    if (fur_context_host(b->context) == b->context)
        wall_race_add(&c->race, "plain loop, band", batch_plain_band, &c->systems[RACES - 1],
                      c->race.count - 1)
            ->role = RACE_PEER;
    return FUR_OK;
}

static fur_status run_case(bench *b, const char *name, batch_case *c)
{
    long long rows;
    long long count;
    char end;
    if (sscanf(name, "%lldx%lld%c", &rows, &count, &end) != 2 || rows < 4 || count < 1)
        return fur_context_fail(b->context, FUR_INVALID,
                                "\"%s\" is not a batch; use ROWSxSYSTEMS, such as 1000x1000", name);
    FUR_TRY(prepare(b, c, rows, count));
    return wall_race_run(b, &c->race,
                         json_pack("{s:o, s:I, s:I}", "case", output_string(name), "rows",
                                   (json_int_t)rows, "systems", (json_int_t)count));
}

fur_status bench_batch(bench *b, const char *name)
{
    batch_case *c = calloc(1, sizeof *c);
    if (!c)
        return fur_context_fail(b->context, FUR_OUT_OF_MEMORY, "out of memory for %s", name);
    fur_status status = run_case(b, name, c);
    for (int i = 0; i < RACES; i++) {
        batch_singles_release(&c->singles[i]);
        release_together(&c->all[i]);
        batch_systems_release(&c->systems[i]);
    }
    free(c);
    return status;
}
