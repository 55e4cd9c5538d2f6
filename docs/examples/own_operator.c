/* Conjugate gradients with an operator of one's own: A = K + u u^T, a sparse matrix and a term of
 * rank one, which as a matrix would have no zeros. A solver needs its product and, for Jacobi's
 * preconditioner, its diagonal. The solution is checked by the formula of Sherman and Morrison,
 * from two solves with K alone.
 *
 *     cc own_operator.c $(pkg-config --cflags --libs furrow) -lm -o own && ./own plate.mtx */
#include <furrow/furrow.h>

#include <stdio.h>

/* A = K + u u^T */
typedef struct updated {
    const fur_operator *k;
    const fur_vector *u;
} updated;

/* y = K x + (u, x) u */
static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    const updated *a = user;
    fur_scalar ux;
    fur_status status = fur_operator_apply(a->k, x, y);
    if (status == FUR_OK)
        status = fur_dot(a->u, x, &ux);
    if (status == FUR_OK)
        status = fur_axpby(ux, a->u, fur_real(1), y);
    return status;
}

/* d_i = K(i, i) + u_i^2 */
static fur_status diagonal(void *user, fur_vector *d)
{
    const updated *a = user;
    fur_vector *squares = NULL;
    fur_status status = fur_operator_diagonal(a->k, d);
    if (status == FUR_OK)
        status = fur_vector_create(fur_vector_context(d), FUR_F64, fur_vector_size(d), &squares);
    if (status == FUR_OK)
        status = fur_multiply_elementwise(a->u, a->u, squares);
    if (status == FUR_OK)
        status = fur_axpby(fur_real(1), squares, fur_real(1), d);
    fur_vector_destroy(squares);
    return status;
}

/* x = A^-1 b by conjugate gradients with Jacobi's preconditioner. */
static int solve(fur_context *context, const fur_operator *a, const fur_vector *b, fur_vector *x)
{
    fur_operator *jacobi = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    int failed = (int)fur_operator_jacobi(a, &jacobi);
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi, .rtol = 1e-12};
    failed = failed || fur_solver_create(a, &options, &solver) ||
             fur_solver_solve(solver, b, x, &report);
    if (!failed)
        printf("%s in %lld iterations, residual %.1e\n", fur_outcome_name(report.outcome),
               (long long)report.iterations, report.residual);
    if (!failed && report.outcome != FUR_OUTCOME_CONVERGED)
        failed = (int)fur_context_fail(context, FUR_INVALID, "not solved");
    fur_solver_destroy(solver), fur_operator_destroy(jacobi);
    return failed;
}

enum { U, B, X, Z, W, VECTORS };

typedef struct problem {
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *k;
    fur_operator *a;
    updated update;
    fur_vector *v[VECTORS];
} problem;

static int make_problem(fur_context *context, const char *path, problem *p)
{
    if (fur_mtx_read_csr(context, path, NULL, &p->matrix) ||
        fur_spmv_plan(p->matrix, NULL, &p->plan) || fur_operator_from_spmv(p->plan, &p->k))
        return 1;
    int64_t n = fur_operator_rows(p->k);
    for (int i = 0; i < VECTORS; i++)
        if (fur_vector_create(context, FUR_F64, n, &p->v[i]))
            return 1;
    double *u = fur_vector_data(p->v[U]);
    double *b = fur_vector_data(p->v[B]);
    for (int64_t i = 0; i < n; i++) {
        u[i] = 1.0 / (double)(1 + i % 7);
        b[i] = 1;
    }
    p->update = (updated){.k = p->k, .u = p->v[U]};
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = n,
                                          .cols = n,
                                          .value_type = FUR_F64,
                                          .user = &p->update,
                                          .apply = apply,
                                          .diagonal = diagonal};
    return (int)fur_operator_create(context, &definition, &p->a);
}

/* *difference = the largest entry of x - (z - w (u, z) / (1 + (u, w))) over the largest of x, for
 * K z = b and K w = u. */
static int compare(fur_context *context, problem *p, double *difference)
{
    fur_scalar uz, uw;
    double largest;
    if (solve(context, p->k, p->v[B], p->v[Z]) || solve(context, p->k, p->v[U], p->v[W]) ||
        fur_dot(p->v[U], p->v[Z], &uz) || fur_dot(p->v[U], p->v[W], &uw))
        return 1;
    return fur_axpby(fur_real(-uz.re / (1 + uw.re)), p->v[W], fur_real(1), p->v[Z]) ||
           fur_norm_max(p->v[X], &largest) ||
           fur_axpby(fur_real(1 / largest), p->v[X], fur_real(-1 / largest), p->v[Z]) ||
           fur_norm_max(p->v[Z], difference);
}

int main(int argc, char **argv)
{
    fur_context *context = NULL;
    problem p = {0};
    double difference = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: own_operator MATRIX.mtx, symmetric and positive definite\n");
        return 2;
    }
    int failed = fur_context_create(NULL, &context) || make_problem(context, argv[1], &p) ||
                 solve(context, p.a, p.v[B], p.v[X]) || compare(context, &p, &difference);
    if (failed)
        fprintf(stderr, "%s\n", fur_context_error(context));
    else {
        failed = !(difference < 1e-9);
        printf("off by %.1e: %s\n", difference, failed ? "WRONG" : "right");
    }
    fur_operator_destroy(p.a), fur_operator_destroy(p.k), fur_spmv_destroy(p.plan);
    for (int i = 0; i < VECTORS; i++)
        fur_vector_destroy(p.v[i]);
    fur_csr_destroy(p.matrix), fur_context_destroy(context);
    return failed;
}
