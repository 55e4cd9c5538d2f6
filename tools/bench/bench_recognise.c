/* furrow bench recognise: times the recognition of a matrix as a stencil. It is compared with a
 * product by the kernel that auto chooses for the matrix, and with a product by the recognised
 * stencil. Also times the refusal of the matrix of a smaller grid with shuffled points. */
#include "bench.h"

#include <furrow/author/context.h>
#include <furrow/author/recognised.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "random.h"

/* The number of runs, of which the shortest counts, and the products of a batch on a GPU. */
#define ROUNDS 9
#define PRODUCTS 20

typedef struct recognise_case {
    bench *b;
    const char *name;
    grid_request grid;
    bool variable;
    fur_csr *a;
    fur_spmv *plan;
    fur_recognised *stencil;
    fur_recognise_report report;
    fur_vector *x;
    fur_vector *y;
    /* Times in seconds; INFINITY before the first run. */
    double recognise;
    double refuse;
    double csr;
    double product;
} recognise_case;

static fur_status fail_name(const recognise_case *c)
{
    return fur_context_fail(c->b->context, FUR_INVALID,
                            "'%s' is not a stencil; use P-point:N with P = 3, 5, 7, 9, 13, 19 or "
                            "27, such as 7-point:100; append :periodic or :variable if needed",
                            c->name);
}

/* Sets the request from a name such as 7-point:256 or 7-point:256:periodic. */
static fur_status parse(recognise_case *c)
{
    fur_stencil_definition d;
    char *end = NULL;
    long points = strtol(c->name, &end, 10);
    long long n = 0;
    if (strncmp(end, "-point:", 7) == 0)
        n = strtoll(end + 7, &end, 10);
    bool periodic = strcmp(end, ":periodic") == 0;
    c->variable = strcmp(end, ":variable") == 0;
    bool known = periodic || c->variable || *end == '\0';
    if (!known || n < 1 || points < 0 || points > INT32_MAX ||
        !fur_stencil_named((int)points, &d) || pow((double)n, d.axes) > INT32_MAX)
        return fail_name(c);
    c->grid = grid_none();
    c->grid.points = (int)points;
    c->grid.extents = d.axes;
    c->grid.boundaries = d.axes;
    for (int axis = 0; axis < d.axes; axis++) {
        c->grid.extent[axis] = n;
        c->grid.boundary[axis] = periodic ? FUR_BOUNDARY_PERIODIC : FUR_BOUNDARY_DIRICHLET;
    }
    return FUR_OK;
}

static fur_status assemble(const recognise_case *c, const grid_request *grid, fur_csr **out)
{
    fur_stencil *stencil = NULL;
    FUR_TRY(grid_create_stencil(c->b->context, grid, NULL, &stencil));
    fur_status status = fur_stencil_assemble(stencil, out);
    fur_stencil_destroy(stencil);
    return status;
}

/* Sets new values, all of which differ. */
static fur_status set_values(const recognise_case *c)
{
    fur_csr_view view = *fur_csr_get(c->a);
    fur_context *context = c->b->context;
    fur_vector *values = NULL;
    double *entries = malloc((size_t)view.entries * sizeof *entries + 1);
    if (!entries)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "out of memory");
    for (int64_t k = 0; k < view.entries; k++)
        entries[k] = 1.0 / (double)(k + 1);
    fur_status status =
        fur_vector_wrap(context, FUR_F64, view.entries, (void *)(uintptr_t)view.values,
                        FUR_OWNERSHIP_BORROW, &values);
    if (status == FUR_OK)
        status = fur_vector_upload(entries, values);
    fur_vector_destroy(values);
    free(entries);
    return status;
}

/* Returns a random permutation of 0 .. n-1 (Fisher, Yates 1938), or NULL if memory is exhausted. */
static int32_t *shuffle(int64_t n)
{
    uint64_t state = 1;
    int32_t *order = malloc((size_t)n * sizeof *order);
    for (int64_t i = 0; order && i < n; i++) {
        int64_t other = (int64_t)(random_next(&state) % (uint64_t)(i + 1));
        order[i] = (int32_t)i;
        order[i] = order[other];
        order[other] = (int32_t)i;
    }
    return order;
}

static fur_status permute(const recognise_case *c, const fur_csr *a, fur_csr **out)
{
    fur_context *context = c->b->context;
    int64_t rows = fur_csr_get(a)->rows;
    fur_permutation *order = NULL;
    int32_t *numbers = shuffle(rows);
    if (!numbers)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "out of memory");
    fur_status status = fur_permutation_create(context, rows, numbers, &order);
    if (status == FUR_OK)
        status = fur_csr_permute(a, order, order, out);
    fur_permutation_destroy(order);
    free(numbers);
    return status;
}

/* Makes the matrix of a grid with half the points along each axis, in shuffled order. */
static fur_status make_shuffled(const recognise_case *c, fur_csr **out)
{
    grid_request half = c->grid;
    fur_csr *a = NULL;
    for (int axis = 0; axis < half.extents; axis++)
        half.extent[axis] = (half.extent[axis] + 1) / 2;
    FUR_TRY(assemble(c, &half, &a));
    fur_status status = permute(c, a, out);
    fur_csr_destroy(a);
    return status;
}

/* Times one recognition of a matrix, and keeps the result if it is the fastest. *found = the
 * recognised object. */
static fur_status time_recognition(const fur_csr *a, fur_recognise_report *report,
                                   fur_recognised **found, double *least)
{
    fur_context *context = fur_csr_context(a);
    FUR_TRY(fur_context_synchronize(context));
    double start = fur_seconds();
    *report = FUR_DEFAULT(fur_recognise_report);
    FUR_TRY(fur_stencil_recognise(a, NULL, report, found));
    FUR_TRY(fur_context_synchronize(context));
    *least = fmin(*least, fur_seconds() - start);
    return FUR_OK;
}

static fur_status time_refusal(recognise_case *c)
{
    fur_csr *shuffled = NULL;
    FUR_TRY(make_shuffled(c, &shuffled));
    fur_status status = FUR_OK;
    for (int round = 0; round < ROUNDS && status == FUR_OK; round++) {
        fur_recognised *found = NULL;
        fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
        status = time_recognition(shuffled, &report, &found, &c->refuse);
        fur_recognised_destroy(found);
    }
    fur_csr_destroy(shuffled);
    return status;
}

static fur_status multiply(const recognise_case *c, bool by_stencil)
{
    return by_stencil ? fur_recognised_apply(c->stencil, fur_real(1), c->x, fur_real(0), c->y)
                      : fur_spmv_apply(c->plan, fur_real(1), c->x, fur_real(0), c->y);
}

static fur_status time_products(const recognise_case *c, bool by_stencil, double *least)
{
    fur_context *context = c->b->context;
    int count = strcmp(fur_context_device(context), "cpu") == 0 ? 1 : PRODUCTS;
    FUR_TRY(fur_context_synchronize(context));
    double start = fur_seconds();
    for (int i = 0; i < count; i++)
        FUR_TRY(multiply(c, by_stencil));
    FUR_TRY(fur_context_synchronize(context));
    *least = fmin(*least, (fur_seconds() - start) / count);
    return FUR_OK;
}

/* Runs in turn: a recognition, products with the matrix, and products with the recognised
 * stencil. */
static fur_status time_all(recognise_case *c)
{
    for (int round = 0; round < ROUNDS; round++) {
        fur_recognised_destroy(c->stencil);
        c->stencil = NULL;
        FUR_TRY(time_recognition(c->a, &c->report, &c->stencil, &c->recognise));
        FUR_TRY(time_products(c, false, &c->csr));
        if (c->stencil)
            FUR_TRY(time_products(c, true, &c->product));
    }
    return FUR_OK;
}

static void report(const recognise_case *c)
{
    const char *kernel = fur_spmv_describe(c->plan)->kernel;
    if (!c->b->common->json) {
        printf("\n%s: %s\n", c->name, c->report.reason);
        printf("  %-22s %12.3f ms, %.1f products of csr\n", "recognition", 1e3 * c->recognise,
               c->recognise / c->csr);
        printf("  %-22s %12.3f us\n", "refusal", 1e6 * c->refuse);
        printf("  %-22s %12.3f ms  %s\n", "product, csr", 1e3 * c->csr, kernel);
        if (c->stencil)
            printf("  %-22s %12.3f ms\n", "product, recognised", 1e3 * c->product);
        fflush(stdout);
    }
    output_append(c->b->results,
                  json_pack("{s:o, s:o, s:b, s:I, s:f, s:f, s:f, s:o, s:f}", "case",
                            output_string(c->name), "recognition", output_string(c->report.reason),
                            "recognised", c->report.recognised, "rows_differing",
                            (json_int_t)c->report.rows_differing, "seconds_recognise", c->recognise,
                            "seconds_refuse", c->refuse, "seconds_csr", c->csr, "kernel",
                            output_string(kernel), "seconds_recognised",
                            c->stencil ? c->product : 0.0));
}

static fur_status run_steps(recognise_case *c)
{
    fur_context *context = c->b->context;
    FUR_TRY(parse(c));
    FUR_TRY(assemble(c, &c->grid, &c->a));
    if (c->variable)
        FUR_TRY(set_values(c));
    int64_t rows = fur_csr_get(c->a)->rows;
    FUR_TRY(fur_vector_create(context, FUR_F64, rows, &c->x));
    FUR_TRY(fur_vector_create(context, FUR_F64, rows, &c->y));
    FUR_TRY(fur_vector_fill(c->x, fur_real(1)));
    FUR_TRY(fur_spmv_plan(c->a, NULL, &c->plan));
    FUR_TRY(time_refusal(c));
    FUR_TRY(time_all(c));
    report(c);
    return FUR_OK;
}

fur_status bench_recognise(bench *b, const char *name)
{
    recognise_case c = {.b = b,
                        .name = name,
                        .recognise = INFINITY,
                        .refuse = INFINITY,
                        .csr = INFINITY,
                        .product = INFINITY};
    fur_status status = run_steps(&c);
    fur_recognised_destroy(c.stencil);
    fur_spmv_destroy(c.plan);
    fur_vector_destroy(c.y);
    fur_vector_destroy(c.x);
    fur_csr_destroy(c.a);
    return status;
}
