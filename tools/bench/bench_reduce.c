/* furrow bench reduce: dot products and norms, compared with the plain loop and with OpenBLAS, if
 * it is installed. */
#include "bench.h"

#include <furrow/author/context.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plain.h"

typedef double blas_dot(int n, const double *x, int incx, const double *y, int incy);
typedef double blas_norm2(int n, const double *x, int incx);

/* The data of a contender. `result` is the result of its last run. */
typedef struct reduction {
    int64_t n;
    fur_vector *x;
    fur_vector *y;
    blas_dot *dot;
    blas_norm2 *norm2;
    double result;
} reduction;

static const double *data(const fur_vector *v)
{
    return fur_vector_const_data(v);
}

static void run_plain_dot(void *self)
{
    reduction *r = self;
    r->result = plain_dot(fur_vector_context(r->x), r->n, data(r->x), data(r->y));
}

static void run_blas_dot(void *self)
{
    reduction *r = self;
    r->result = r->dot((int)r->n, data(r->x), 1, data(r->y), 1);
}

static void run_dot(void *self)
{
    reduction *r = self;
    fur_scalar sum;
    fur_dot(r->x, r->y, &sum);
    r->result = sum.re;
}

static void run_plain_norm2(void *self)
{
    reduction *r = self;
    r->result = sqrt(plain_dot(fur_vector_context(r->x), r->n, data(r->x), data(r->x)));
}

static void run_blas_norm2(void *self)
{
    reduction *r = self;
    r->result = r->norm2((int)r->n, data(r->x), 1);
}

static void run_norm2(void *self)
{
    reduction *r = self;
    fur_norm2(r->x, &r->result);
}

static void run_norm1(void *self)
{
    reduction *r = self;
    fur_norm1(r->x, &r->result);
}

static void run_norm_max(void *self)
{
    reduction *r = self;
    fur_norm_max(r->x, &r->result);
}

/* Loads OpenBLAS. If it is not installed, it is left out. */
static void find_blas(reduction *r, int threads)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    void (*set_threads)(int) = NULL;
    *(void **)&r->dot = dlsym(library, "cblas_ddot");
    *(void **)&r->norm2 = dlsym(library, "cblas_dnrm2");
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    if (set_threads)
        set_threads(threads);
}

typedef struct line {
    const char *name;
    void (*run)(void *self);
    int vectors; /* number of vectors that are read */
    int flops;   /* per entry */
    enum { OURS, PLAIN, BLAS } whose;
} line;

static const line dots[] = {{"plain dot", run_plain_dot, 2, 2, PLAIN},
                            {"OpenBLAS ddot", run_blas_dot, 2, 2, BLAS},
                            {"fur_dot", run_dot, 2, 2, OURS}};
static const line norms[] = {{"plain norm 2, unsafe", run_plain_norm2, 1, 2, PLAIN},
                             {"OpenBLAS dnrm2", run_blas_norm2, 1, 2, BLAS},
                             {"fur_norm2", run_norm2, 1, 2, OURS}};
static const line others[] = {{"fur_norm1", run_norm1, 1, 1, OURS},
                              {"fur_norm_max", run_norm_max, 1, 0, OURS}};

/* Races some lines. All of them except those named `others` must agree with the first. */
static fur_status run_lines(bench *b, const char *name, reduction *r, const line *lines, int count)
{
    char title[64];
    race lanes = {.rounds = b->rounds};
    double first = NAN;
    for (int i = 0; i < count; i++) {
        if (lines[i].whose == BLAS && (!r->dot || !r->norm2 || r->n > INT32_MAX))
            continue;
        lines[i].run(r);
        first = i == 0 ? r->result : first;
        if (lines != others && !(fabs(r->result - first) <= 0x1p-52 * (double)r->n * first)) {
            return fur_context_fail(b->context, FUR_INVALID, "%s gives %.17g, %s %.17g",
                                    lines[i].name, r->result, lines[0].name, first);
        }
        *race_add(&lanes, lines[i].name, lines[i].run, r) =
            (race_about){.role = lines[i].whose == OURS ? RACE_KERNEL : RACE_PEER,
                         .exact = true,
                         .bytes = (double)(lines[i].vectors * r->n * 8),
                         .flops = (double)(lines[i].flops * r->n)};
    }
    race_run(&lanes, b->seconds, &b->timing->reader);
    snprintf(title, sizeof title, "%lld entries, %s", (long long)r->n, name);
    bench_report(b, json_pack("{s:s}", "case", title), &lanes);
    return FUR_OK;
}

static fur_status run_steps(bench *b, reduction *r)
{
    FUR_TRY(fur_vector_create(b->context, FUR_F64, r->n, &r->x));
    FUR_TRY(fur_vector_create(b->context, FUR_F64, r->n, &r->y));
    double *x = fur_vector_data(r->x);
    double *y = fur_vector_data(r->y);
    for (int64_t i = 0; i < r->n; i++) {
        x[i] = 1 + (double)(i % 17) * 0.25;
        y[i] = 1 + (double)(i % 13) * 0.5;
    }
    FUR_TRY(run_lines(b, "dot", r, dots, sizeof dots / sizeof *dots));
    FUR_TRY(run_lines(b, "norm 2", r, norms, sizeof norms / sizeof *norms));
    return run_lines(b, "other norms", r, others, sizeof others / sizeof *others);
}

fur_status bench_reduce(bench *b, const char *name)
{
    char *end = NULL;
    reduction r = {.n = strtoll(name, &end, 10)};
    if (*end != '\0' || r.n < 1 || r.n > INT64_C(1) << 33) {
        return fur_context_fail(b->context, FUR_INVALID,
                                "'%s' is not a vector length; use a number from 1 to 2^33", name);
    }
    find_blas(&r, fur_context_threads(b->context));
    fur_status status = run_steps(b, &r);
    fur_vector_destroy(r.y);
    fur_vector_destroy(r.x);
    return status;
}
