/* A stencil against its matrix: the same operator without and with a matrix, raced, with the same
 * bits in both results. The stencil reads x and writes y; the matrix is read on top of that.
 *
 *     cc stencil_race.c $(pkg-config --cflags --libs furrow) -lm -o race && ./race 200 200 200 */
#include <furrow/furrow.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 10

typedef struct race {
    fur_stencil *stencil;
    fur_csr *matrix;
    fur_spmv *plan;
    fur_vector *x;
    fur_vector *by_stencil;
    fur_vector *by_matrix;
} race;

static int make_race(fur_context *context, const int64_t extent[3], race *r)
{
    int64_t points = extent[0] * extent[1] * extent[2];
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64};
    memcpy(d.extent, extent, sizeof d.extent);
    fur_stencil_named(7, &d);
    if (fur_stencil_create(context, &d, &r->stencil) ||
        fur_stencil_assemble(r->stencil, &r->matrix) || fur_spmv_plan(r->matrix, NULL, &r->plan) ||
        fur_vector_create(context, FUR_F64, points, &r->x) ||
        fur_vector_create(context, FUR_F64, points, &r->by_stencil) ||
        fur_vector_create(context, FUR_F64, points, &r->by_matrix))
        return 1;
    double *x = fur_vector_data(r->x);
    for (int64_t i = 0; i < points; i++)
        x[i] = sin((double)i);
    return 0;
}

static int multiply_by_stencil(const race *r)
{
    return (int)fur_stencil_apply(r->stencil, fur_real(1), r->x, fur_real(0), r->by_stencil);
}

static int multiply_by_matrix(const race *r)
{
    return (int)fur_spmv_apply(r->plan, fur_real(1), r->x, fur_real(0), r->by_matrix);
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The least seconds of some products. */
static int measure(int (*multiply)(const race *r), const race *r, double *least)
{
    *least = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double start = seconds();
        if (multiply(r))
            return 1;
        *least = fmin(*least, seconds() - start);
    }
    return 0;
}

static int run(const race *r)
{
    double with_stencil, with_matrix;
    if (measure(multiply_by_stencil, r, &with_stencil) ||
        measure(multiply_by_matrix, r, &with_matrix))
        return 1;
    const fur_stencil_report *s = fur_stencil_describe(r->stencil);
    const fur_spmv_report *m = fur_spmv_describe(r->plan);
    double points = (double)s->rows;
    printf("form     kernel       ns a point   bytes a point\n");
    printf("stencil  %-12s %10.2f   %13.1f\n", s->kernel, 1e9 * with_stencil / points,
           (double)s->bytes / points);
    printf("matrix   %-12s %10.2f   %13.1f\n", m->kernel, 1e9 * with_matrix / points,
           (double)m->bytes / points);
    printf("the stencil is %.1f times as fast\n", with_matrix / with_stencil);
    return 0;
}

static int check(const race *r)
{
    size_t bytes = (size_t)fur_vector_size(r->x) * sizeof(double);
    int same = memcmp(fur_vector_const_data(r->by_stencil), fur_vector_const_data(r->by_matrix),
                      bytes) == 0;
    printf("results: %s\n", same ? "the same bits" : "WRONG, bits differ");
    return !same;
}

static void destroy(race *r)
{
    fur_vector_destroy(r->by_matrix), fur_vector_destroy(r->by_stencil), fur_vector_destroy(r->x);
    fur_spmv_destroy(r->plan), fur_csr_destroy(r->matrix), fur_stencil_destroy(r->stencil);
}

int main(int argc, char **argv)
{
    int64_t extent[3];
    for (int axis = 0; axis < 3; axis++) {
        extent[axis] = argc == 4 ? strtoll(argv[1 + axis], NULL, 10) : 0;
        if (extent[axis] < 1 || extent[axis] > 2000) {
            fprintf(stderr, "usage: stencil_race NX NY NZ, each from 1 to 2000\n");
            return 2;
        }
    }
    fur_context *context = NULL;
    race r = {0};
    int failed = fur_context_create(NULL, &context) || make_race(context, extent, &r) || run(&r);
    if (failed)
        fprintf(stderr, "%s\n", fur_context_error(context));
    else
        failed = check(&r);
    destroy(&r);
    fur_context_destroy(context);
    return failed;
}
