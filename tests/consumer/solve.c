/* Builds a 3 x 3 matrix, multiplies, solves by conjugate gradients and checks both results. */
#include <furrow/furrow.h>

#include <stdio.h>
#include <stdlib.h>

static fur_context *context;

static void check(fur_status status)
{
    if (status == FUR_OK)
        return;
    fprintf(stderr, "%s: %s\n", fur_status_name(status), fur_context_error(context));
    exit(1);
}

/* Prints x and returns the maximum of |x_i - expected_i|. */
static double difference(const char *name, const fur_vector *x, const double *expected)
{
    const double *entries = fur_vector_const_data(x);
    double worst = 0;
    printf("%s =", name);
    for (int64_t i = 0; i < fur_vector_size(x); i++) {
        printf(" %g", entries[i]);
        double error = entries[i] - expected[i];
        if (!(error <= worst && -error <= worst))
            worst = error < 0 ? -error : error;
    }
    printf("\n");
    return worst;
}

int main(void)
{
    const int32_t rows[] = {0, 0, 1, 1, 1, 2, 2};
    const int32_t cols[] = {0, 1, 0, 1, 2, 1, 2};
    const double values[] = {4, -1, -1, 4, -1, -1, 4};
    const fur_coo_view entries = {sizeof entries, 3, 3, 7, FUR_F64, rows, cols, values};
    const double ones[] = {1, 1, 1}, product[] = {3, 2, 3};
    fur_csr *a = NULL;
    fur_spmv *plan = NULL;
    fur_operator *op = NULL, *jacobi = NULL;
    fur_vector *x = NULL, *y = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);

    check(fur_context_create(NULL, &context));
    check(fur_csr_from_coo(context, &entries, FUR_DUPLICATES_SUM, &a));
    check(fur_vector_create(context, FUR_F64, 3, &x));
    check(fur_vector_create(context, FUR_F64, 3, &y));
    check(fur_vector_fill(x, fur_real(1)));
    check(fur_spmv_plan(a, NULL, &plan));
    check(fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    double multiplied = difference("A x", y, product);

    check(fur_operator_from_spmv(plan, &op));
    check(fur_operator_jacobi(op, &jacobi));
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi};
    check(fur_solver_create(op, &options, &solver));
    check(fur_vector_fill(x, fur_real(0)));
    check(fur_solver_solve(solver, y, x, &report));
    double solved = difference("A^-1 A x", x, ones);
    printf("furrow %s: %s, residual %g\n", fur_version(), fur_outcome_name(report.outcome),
           report.residual);

    fur_solver_destroy(solver);
    fur_operator_destroy(jacobi);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return report.outcome == FUR_OUTCOME_CONVERGED && multiplied <= 0 && solved < 1e-9 ? 0 : 1;
}
