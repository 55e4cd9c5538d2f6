/* A stencil against its matrix: times the same operator with and without a matrix. Both results
 * have the same bits. The stencil reads x and writes y. The product with the matrix also reads the
 * matrix.
 *
 *     cc stencil_race.c $(pkg-config --cflags --libs furrow) -lm -o race && ./race 200 200 200 */
#include "example.h"

#include <furrow/author/kernels.h>

#include <math.h>
#include <string.h>

int main(int argc, char **argv)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64};
    fur_stencil *stencil;
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *by_stencil, *by_matrix;
    double seconds[2];
    for (int axis = 0; axis < 3; axis++) {
        d.extent[axis] = argc == 4 ? strtoll(argv[1 + axis], NULL, 10) : 0;
        if (d.extent[axis] < 1 || d.extent[axis] > 2000)
            return fprintf(stderr, "usage: stencil_race NX NY NZ, each from 1 to 2000\n"), 2;
    }
    must(fur_context_create(NULL, &context));
    fur_stencil_named(7, &d);
    must(fur_stencil_create(context, &d, &stencil));
    must(fur_stencil_assemble(stencil, &matrix));
    must(fur_spmv_plan(matrix, NULL, &plan));
    must(fur_operator_from_stencil(stencil, &by_stencil));
    must(fur_operator_from_spmv(plan, &by_matrix));

    /* The shortest time of a product by each operator. Both run in turn for about a second. */
    must(fur_operator_race((const fur_operator *[]){by_stencil, by_matrix}, 1, seconds));
    const fur_stencil_report *s = fur_stencil_describe(stencil);
    const fur_spmv_report *m = fur_spmv_describe(plan);
    double points = (double)s->rows;
    printf("form     kernel       ns a point   bytes a point\n");
    printf("stencil  %-12s %10.2f   %13.1f\n", s->kernel, 1e9 * seconds[0] / points,
           (double)s->bytes / points);
    printf("matrix   %-12s %10.2f   %13.1f\n", m->kernel, 1e9 * seconds[1] / points,
           (double)m->bytes / points);
    printf("the stencil is %.1f times as fast\n", seconds[1] / seconds[0]);

    fur_vector *x = new_vector(s->rows, 0), *y = new_vector(s->rows, 0);
    fur_vector *z = new_vector(s->rows, 0);
    double *entries = fur_vector_data(x);
    for (int64_t i = 0; i < s->rows; i++)
        entries[i] = sin((double)i);
    must(fur_operator_apply(by_stencil, x, y));
    must(fur_operator_apply(by_matrix, x, z));
    int same = memcmp(fur_vector_const_data(y), fur_vector_const_data(z),
                      (size_t)s->rows * sizeof(double)) == 0;
    printf("results: %s\n", same ? "the same bits" : "WRONG, bits differ");

    fur_vector_destroy(z), fur_vector_destroy(y), fur_vector_destroy(x);
    fur_operator_destroy(by_matrix), fur_operator_destroy(by_stencil), fur_spmv_destroy(plan);
    fur_csr_destroy(matrix), fur_stencil_destroy(stencil), fur_context_destroy(context);
    return !same;
}
