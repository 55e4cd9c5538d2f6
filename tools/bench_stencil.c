/* furrow bench stencil: every kernel, and the stencil as a matrix, against a copy, which moves as
 * many bytes as a stencil must. */
#include "bench.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"

typedef struct stencil_product {
    fur_stencil *stencil;
    const fur_vector *x;
    fur_vector *y;
} stencil_product;

typedef struct matrix_product {
    fur_csr *a;
    fur_spmv *plan;
    const fur_vector *x;
    fur_vector *y;
} matrix_product;

typedef struct stencil_case {
    bench *b;
    const char *name;
    fur_stencil_definition definition;
    fur_vector *x;
    fur_vector *y;
    fur_vector *expected; /* by the reference */
    matrix_product matrix;
    int count; /* of stencils */
    stencil_product stencils[RACE_CONTENDERS];
} stencil_case;

static void run_copy(void *self)
{
    const stencil_case *c = self;
    plain_copy(fur_vector_size(c->x), fur_vector_const_data(c->x), fur_vector_data(c->y));
}

static void run_matrix(void *self)
{
    const matrix_product *p = self;
    fur_spmv_apply(p->plan, fur_real(1), p->x, fur_real(0), p->y);
}

static void run_stencil(void *self)
{
    const stencil_product *p = self;
    fur_stencil_apply(p->stencil, fur_real(1), p->x, fur_real(0), p->y);
}

/* Sets the definition from a name such as 7-point:256. */
static fur_status parse(stencil_case *c)
{
    char *end = NULL;
    fur_stencil_definition *d = &c->definition;
    const long points = strtol(c->name, &end, 10);
    long long n = 0;
    if (strncmp(end, "-point:", 7) == 0) {
        n = strtoll(end + 7, &end, 10);
    }
    *d = (fur_stencil_definition){.size = sizeof *d, .value = FUR_F64, .extent = {n, n, n}};
    if (*end != '\0' || n < 1 || points < 0 || points > INT32_MAX ||
        !fur_stencil_named((int)points, d) || pow((double)n, d->axes) > INT32_MAX) {
        return fur_context_fail(c->b->context, FUR_INVALID,
                                "'%s' is no stencil; use 3-point:N, 5-point:N, 7-point:N, "
                                "9-point:N, 13-point:N, 19-point:N or 27-point:N with at most "
                                "2^31-1 points in the grid",
                                c->name);
    }
    return FUR_OK;
}

static fur_status make_vectors(stencil_case *c, int64_t rows)
{
    COMMAND_TRY(fur_vector_create(c->b->context, FUR_F64, rows, &c->x));
    COMMAND_TRY(fur_vector_create(c->b->context, FUR_F64, rows, &c->y));
    COMMAND_TRY(fur_vector_create(c->b->context, FUR_F64, rows, &c->expected));
    double *x = fur_vector_data(c->x);
    for (int64_t i = 0; i < rows; i++) {
        x[i] = (double)(i % 17) * 0.25 - 1.5;
    }
    return FUR_OK;
}

static fur_status make_stencils(stencil_case *c)
{
    fur_context *context = c->b->context;
    const int kernels = fur_stencil_kernel_count(context);
    for (int i = 0; i < kernels && i < RACE_CONTENDERS - 2; i++) {
        fur_stencil_kernel_info kernel;
        stencil_product *p = &c->stencils[c->count];
        COMMAND_TRY(fur_stencil_kernel_get(context, i, &kernel));
        c->definition.kernel = kernel.name;
        COMMAND_TRY(fur_stencil_create(context, &c->definition, &p->stencil));
        p->x = c->x;
        p->y = c->y;
        c->count++;
    }
    return FUR_OK;
}

static fur_status make_matrix(stencil_case *c)
{
    const fur_spmv_options options = {.size = sizeof options, .measure = 1};
    matrix_product *p = &c->matrix;
    COMMAND_TRY(fur_stencil_assemble(c->stencils[0].stencil, &p->a));
    COMMAND_TRY(fur_spmv_plan(p->a, &options, &p->plan));
    p->x = c->x;
    p->y = c->y;
    return FUR_OK;
}

/* At Dirichlet boundaries all have the same bits. */
static fur_status check(const stencil_case *c, const char *who)
{
    const size_t bytes = (size_t)fur_vector_size(c->y) * sizeof(double);
    if (memcmp(fur_vector_const_data(c->y), fur_vector_const_data(c->expected), bytes) == 0) {
        return FUR_OK;
    }
    return fur_context_fail(c->b->context, FUR_INVALID, "%s: %s differs from the reference",
                            c->name, who);
}

static fur_status check_all(stencil_case *c)
{
    run_stencil(&c->stencils[0]);
    COMMAND_TRY(fur_vector_copy(c->y, c->expected));
    run_matrix(&c->matrix);
    COMMAND_TRY(check(c, "the matrix's product"));
    for (int i = 1; i < c->count; i++) {
        COMMAND_TRY(fur_vector_fill(c->y, fur_real(NAN)));
        run_stencil(&c->stencils[i]);
        COMMAND_TRY(check(c, fur_stencil_describe(c->stencils[i].stencil).kernel));
    }
    return FUR_OK;
}

/* The first contender is the copy: ratios are shares of its speed. */
static void run_race(stencil_case *c)
{
    race r = {0};
    double bytes[RACE_CONTENDERS] = {0};
    const char *notes[RACE_CONTENDERS] = {0};
    char texts[RACE_CONTENDERS][64];
    race_add(&r, "copy", run_copy, c);
    bytes[0] = (double)(2 * fur_vector_size(c->x) * (int64_t)sizeof(double));
    race_add(&r, "csr", run_matrix, &c->matrix);
    const fur_spmv_report matrix = fur_spmv_describe(c->matrix.plan);
    bytes[1] = (double)matrix.bytes;
    notes[1] = matrix.kernel;
    for (int i = 1; i < c->count; i++) { /* the reference is not raced: it has one thread */
        const fur_stencil_report report = fur_stencil_describe(c->stencils[i].stencil);
        bytes[r.count] = (double)report.bytes;
        race_add(&r, report.kernel, run_stencil, &c->stencils[i]);
    }
    race_run(&r, c->b->seconds, c->b->reader, c->b->reader_count);
    for (int i = 2; i < r.count; i++) {
        snprintf(texts[i], sizeof texts[i], "%.0f%% of the copy, %.2fx csr",
                 100 * r.contenders[i].ratio, race_ratio(&r, 1, i));
        notes[i] = texts[i];
    }
    bench_report(c->b, c->name, &r, bytes, notes);
}

static fur_status run_steps(stencil_case *c)
{
    COMMAND_TRY(parse(c));
    int64_t rows = 1;
    for (int axis = 0; axis < c->definition.axes; axis++) {
        rows *= c->definition.extent[axis];
    }
    COMMAND_TRY(make_vectors(c, rows));
    COMMAND_TRY(make_stencils(c));
    COMMAND_TRY(make_matrix(c));
    COMMAND_TRY(check_all(c));
    run_race(c);
    return FUR_OK;
}

fur_status bench_stencil(bench *b, const char *name)
{
    stencil_case c = {.b = b, .name = name};
    omp_set_num_threads(fur_context_threads(b->context));
    const fur_status status = run_steps(&c);
    fur_spmv_destroy(c.matrix.plan);
    fur_csr_destroy(c.matrix.a);
    for (int i = 0; i < c.count; i++) {
        fur_stencil_destroy(c.stencils[i].stencil);
    }
    fur_vector_destroy(c.expected);
    fur_vector_destroy(c.y);
    fur_vector_destroy(c.x);
    return status;
}
