/* furrow bench spmv: every kernel and auto, compared with the plain CSR loop. */
#include "bench.h"

#include <furrow/author/kernels.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"

/* The plain loop's copy of the matrix. Its memory is from malloc and first touched by the threads
 * that use it, as in a program without this library. */
typedef struct plain_matrix {
    fur_context *context;
    int64_t rows;
    int32_t *offsets;
    int32_t *columns;
    double *values;
    double *x;
    double *y;
} plain_matrix;

typedef struct product {
    fur_spmv *plan;
    const fur_vector *x;
    fur_vector *y;
} product;

typedef struct spmv_case {
    bench *b;
    const char *name;
    fur_csr *a;
    fur_csr *lower; /* half of a symmetric A; NULL: A is not symmetric */
    fur_vector *x;
    fur_vector *y;
    plain_matrix plain;
    int count; /* number of products */
    product products[RACE_CONTENDERS];
    char names[RACE_CONTENDERS][32];
} spmv_case;

static void run_plain(void *self)
{
    const plain_matrix *p = self;
    plain_spmv(p->context, p->rows, p->offsets, p->columns, p->values, p->x, p->y);
}

static void run_product(void *self)
{
    const product *p = self;
    fur_spmv_apply(p->plan, fur_real(1), p->x, fur_real(0), p->y);
}

static void copy_rows(void *self, int64_t begin, int64_t end)
{
    const spmv_case *c = self;
    const plain_matrix *p = &c->plain;
    fur_csr_view a = *fur_csr_get(c->a);
    const int32_t *offsets = a.offsets;
    const double *values = a.values;
    for (int64_t i = begin; i < end; i++) {
        p->offsets[i + 1] = offsets[i + 1];
        p->y[i] = 0;
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++) {
            p->columns[k] = a.columns[k];
            p->values[k] = values[k];
        }
    }
}

static fur_status make_plain(spmv_case *c)
{
    fur_csr_view a = *fur_csr_get(c->a);
    const double *x = fur_vector_const_data(c->x);
    plain_matrix *p = &c->plain;
    p->context = c->b->context;
    p->rows = a.rows;
    p->offsets = malloc(((size_t)a.rows + 1) * sizeof *p->offsets);
    p->columns = malloc((size_t)a.entries * sizeof *p->columns + 1);
    p->values = malloc((size_t)a.entries * sizeof *p->values + 1);
    p->x = malloc((size_t)a.cols * sizeof *p->x + 1);
    p->y = malloc((size_t)a.rows * sizeof *p->y + 1);
    if (!p->offsets || !p->columns || !p->values || !p->x || !p->y) {
        return fur_context_fail(c->b->context, FUR_OUT_OF_MEMORY,
                                "out of memory for the plain loop's copy of %s", c->name);
    }
    memcpy(p->x, x, (size_t)a.cols * sizeof *x);
    p->offsets[0] = 0;
    plain_for(p->context, a.rows, copy_rows, c);
    return FUR_OK;
}

static void free_plain(plain_matrix *p)
{
    free(p->offsets);
    free(p->columns);
    free(p->values);
    free(p->x);
    free(p->y);
}

/* Adds a plan to the case. A kernel that refuses the matrix is reported and left out. */
static fur_status add_plan(spmv_case *c, const fur_csr *a, fur_spmv_options options,
                           const char *label)
{
    product *p = &c->products[c->count];
    options.size = sizeof options;
    fur_status status = fur_spmv_plan(a, &options, &p->plan);
    if (status == FUR_UNSUPPORTED) {
        fprintf(stderr, "%s: %s\n", c->name, fur_context_error(c->b->context));
        return FUR_OK;
    }
    if (status == FUR_OK) {
        p->x = c->x;
        p->y = c->y;
        snprintf(c->names[c->count++], sizeof c->names[0], "%s", label);
    }
    return status;
}

/* Adds the product by half of a symmetric matrix. */
static fur_status add_half(spmv_case *c)
{
    fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
    fur_csr_view a = *fur_csr_get(c->a);
    if (a.rows != a.cols)
        return FUR_OK;
    FUR_TRY(fur_csr_find_asymmetry(c->a, FUR_SYMMETRY_SYMMETRIC, &found));
    if (found.found)
        return FUR_OK;
    FUR_TRY(fur_csr_band(c->a, INT64_MIN, 0, &c->lower));
    return add_plan(c, c->lower, (fur_spmv_options){.half = FUR_HALF_SYMMETRIC}, "half");
}

static fur_status add_plans(spmv_case *c)
{
    const fur_kernel_info *kernel;
    for (int i = 0; i < RACE_CONTENDERS - 4 && (kernel = fur_spmv_kernel_at(c->b->context, i)); i++)
        FUR_TRY(add_plan(c, c->a, (fur_spmv_options){.kernel = kernel->name}, kernel->name));
    FUR_TRY(add_half(c));
    FUR_TRY(add_plan(c, c->a, (fur_spmv_options){.kernel = "auto"}, "auto"));
    return add_plan(c, c->a, (fur_spmv_options){.measure = 1}, "auto, measured");
}

/* Finds the largest difference of y from the plain loop's result, relative to the row's sum of
 * |a||x|. The bound is n eps for a row of n entries, for each result. */
static fur_status check(const spmv_case *c, int index)
{
    fur_csr_view a = *fur_csr_get(c->a);
    const plain_matrix *p = &c->plain;
    const double *y = fur_vector_const_data(c->y);
    for (int64_t i = 0; i < a.rows; i++) {
        double size = 0;
        for (int32_t k = p->offsets[i]; k < p->offsets[i + 1]; k++)
            size += fabs(p->values[k] * p->x[p->columns[k]]);
        double bound = 0x1p-52 * (p->offsets[i + 1] - p->offsets[i] + 1) * size;
        if (!(fabs(y[i] - p->y[i]) <= bound)) {
            return fur_context_fail(
                c->b->context, FUR_INVALID,
                "%s: %s gives %.17g in row %lld, but the plain loop gives %.17g", c->name,
                c->names[index], y[i], (long long)i, p->y[i]);
        }
    }
    return FUR_OK;
}

static fur_status check_all(spmv_case *c)
{
    run_plain(&c->plain);
    for (int i = 0; i < c->count; i++) {
        fur_vector_fill(c->y, fur_real(NAN));
        run_product(&c->products[i]);
        FUR_TRY(check(c, i));
    }
    return FUR_OK;
}

static void add_product(spmv_case *c, race *r, int index)
{
    product *p = &c->products[index];
    fur_spmv_report report = *fur_spmv_describe(p->plan);
    race_about *about = race_add(r, c->names[index], run_product, p);
    *about = bench_product(c->names[index], c->a, p->plan);
    about->bytes = (double)report.bytes;
    about->plan_seconds = report.seconds_plan;
    snprintf(about->note, sizeof about->note, "%s%s%.0f%% of CSR's bytes, plan %.3g ms",
             about->role == RACE_AUTO ? report.kernel : "", about->role == RACE_AUTO ? ", " : "",
             100.0 * (double)report.bytes / (double)report.csr_bytes, 1e3 * report.seconds_plan);
}

static void run_race(spmv_case *c)
{
    race r = {.rounds = c->b->rounds};
    *race_add(&r, "plain loop", run_plain, &c->plain) =
        (race_about){.role = RACE_PEER,
                     .bytes = (double)fur_spmv_describe(c->products[0].plan)->csr_bytes,
                     .flops = 2 * (double)fur_csr_get(c->a)->entries};
    for (int i = 1; i < c->count; i++) /* the reference is not raced, because it has one thread */
        add_product(c, &r, i);
    race_run(&r, c->b->seconds, &c->b->timing->reader);
    bench_report(c->b, bench_matrix(c->name, c->a), &r);
}

static fur_status make_vectors(spmv_case *c)
{
    fur_csr_view a = *fur_csr_get(c->a);
    FUR_TRY(fur_vector_create(c->b->context, FUR_F64, a.cols, &c->x));
    FUR_TRY(fur_vector_create(c->b->context, FUR_F64, a.rows, &c->y));
    double *x = fur_vector_data(c->x);
    for (int64_t i = 0; i < a.cols; i++)
        x[i] = (double)(i % 17) * 0.25 - 1.5;
    return FUR_OK;
}

static fur_status run_steps(spmv_case *c)
{
    FUR_TRY(bench_load(c->b, c->b->context, c->name, &c->a));
    fur_csr_view a = *fur_csr_get(c->a);
    if (a.value_type != FUR_F64 || a.offset_type != FUR_I32 || a.entries == 0) {
        return fur_context_fail(c->b->context, FUR_UNSUPPORTED,
                                "%s: the plain loop needs a real matrix with 1 to 2^31-1 entries",
                                c->name);
    }
    FUR_TRY(make_vectors(c));
    FUR_TRY(make_plain(c));
    FUR_TRY(add_plans(c));
    FUR_TRY(check_all(c));
    run_race(c);
    return FUR_OK;
}

fur_status bench_spmv(bench *b, const char *name)
{
    spmv_case c = {.b = b, .name = name};
    fur_status status = run_steps(&c);
    for (int i = 0; i < c.count; i++)
        fur_spmv_destroy(c.products[i].plan);
    free_plain(&c.plain);
    fur_vector_destroy(c.y);
    fur_vector_destroy(c.x);
    fur_csr_destroy(c.lower);
    fur_csr_destroy(c.a);
    return status;
}
