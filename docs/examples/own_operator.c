/* Conjugate gradients with a user-defined operator A = K + u u^T: a sparse matrix and a term of
 * rank one. As a matrix, A would be dense. A solver needs the product of the operator and, for
 * Jacobi's preconditioner, its diagonal. The formula of Sherman and Morrison checks the solution,
 * from two solves with K alone.
 *
 *     cc own_operator.c $(pkg-config --cflags --libs furrow) -lm -o own && ./own plate.mtx */
#include "example.h"

#include <furrow/author/operator.h>

/* A = K + u u^T */
typedef struct updated {
    const fur_operator *k;
    const fur_vector *u;
    fur_vector *squares; /* u_i^2 */
} updated;

/* y = K x + (u, x) u. The library calls it, so it returns a failure to the library. */
static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    const updated *a = user;
    fur_scalar ux;
    fur_status status = fur_operator_apply(a->k, x, y);
    if (status == FUR_OK)
        status = fur_dot(a->u, x, &ux);
    return status == FUR_OK ? fur_axpby(ux, a->u, fur_real(1), y) : status;
}

/* d_i = K(i, i) + u_i^2 */
static fur_status diagonal(void *user, fur_vector *d)
{
    const updated *a = user;
    fur_status status = fur_operator_diagonal(a->k, d);
    return status == FUR_OK ? fur_axpby(fur_real(1), a->squares, fur_real(1), d) : status;
}

int main(int argc, char **argv)
{
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *k, *a;
    fur_scalar uz, uw;
    double largest, difference;
    if (argc != 2)
        return fprintf(stderr, "usage: own_operator MATRIX.mtx, positive definite\n"), 2;
    must(fur_context_create(NULL, &context));
    must(fur_mtx_read_csr(context, argv[1], NULL, &matrix));
    must(fur_spmv_plan(matrix, NULL, &plan));
    must(fur_operator_from_spmv(plan, &k));
    int64_t n = fur_operator_rows(k);
    fur_vector *b = new_vector(n, 1), *u = new_vector(n, 0), *squares = new_vector(n, 0);
    double *entries = fur_vector_data(u);
    for (int64_t i = 0; i < n; i++)
        entries[i] = 1.0 / (double)(1 + i % 7);
    must(fur_multiply_elementwise(u, u, squares));
    updated update = {k, u, squares};
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = n,
                                          .cols = n,
                                          .value_type = FUR_F64,
                                          .user = &update,
                                          .apply = apply,
                                          .diagonal = diagonal};
    must(fur_operator_create(context, &definition, &a));

    /* x = z - w (u, z) / (1 + (u, w)), where K z = b and K w = u */
    fur_vector *x = conjugate_gradients(a, b, 1e-12);
    fur_vector *z = conjugate_gradients(k, b, 1e-12), *w = conjugate_gradients(k, u, 1e-12);
    must(fur_dot(u, z, &uz));
    must(fur_dot(u, w, &uw));
    must(fur_axpby(fur_real(-uz.re / (1 + uw.re)), w, fur_real(1), z));
    must(fur_norm_max(x, &largest));
    must(fur_axpby(fur_real(-1 / largest), x, fur_real(1 / largest), z));
    must(fur_norm_max(z, &difference));
    int right = difference < 1e-9;
    printf("off by %.1e: %s\n", difference, right ? "right" : "WRONG");

    fur_vector_destroy(w), fur_vector_destroy(z), fur_vector_destroy(x);
    fur_operator_destroy(a), fur_vector_destroy(squares), fur_vector_destroy(u);
    fur_vector_destroy(b), fur_operator_destroy(k), fur_spmv_destroy(plan);
    fur_csr_destroy(matrix), fur_context_destroy(context);
    return !right;
}
