/* Solves with a positive definite matrix from a file by conjugate gradients with algebraic
 * multigrid. Prints the hierarchy, and compares the iterations with Jacobi's preconditioner. Then
 * it gives the hierarchy new values.
 *
 *     cc amg.c $(pkg-config --cflags --libs furrow) -lm -o amg && ./amg plate.mtx */
#include "example.h"

#include <furrow/author/precond.h>

static void print_levels(const fur_amg *amg)
{
    const fur_amg_level *level;
    for (int i = 0; (level = fur_amg_level_at(amg, i)); i++)
        printf("level %d: %lld rows, %lld entries\n", i, (long long)fur_csr_get(level->a)->rows,
               (long long)fur_csr_get(level->a)->entries);
    printf("together %.2f times the entries of A\n", fur_amg_describe(amg)->operator_complexity);
}

/* Returns the iterations of cg from x = 0 with a preconditioner. Ends the program if cg fails. */
static long long solve(const fur_operator *a, const fur_operator *m, const fur_vector *b)
{
    fur_vector *x = new_vector(fur_operator_rows(a), 0);
    fur_solver *solver;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver_options options = {.size = sizeof options, .preconditioner = m, .rtol = 1e-8};
    must(fur_solver_create(a, &options, &solver));
    must(fur_solver_solve(solver, b, x, &report));
    if (!fur_outcome_solved(report.outcome))
        must(fur_context_fail(context, FUR_INVALID, "the system is not solved"));
    fur_solver_destroy(solver), fur_vector_destroy(x);
    return (long long)report.iterations;
}

int main(int argc, char **argv)
{
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *a, *jacobi, *cycle;
    fur_amg *amg;
    fur_vector *twice;
    if (argc != 2)
        return fprintf(stderr, "usage: amg MATRIX.mtx, positive definite\n"), 2;
    must(fur_context_create(NULL, &context));
    must(fur_mtx_read_csr(context, argv[1], NULL, &matrix));
    must(fur_spmv_plan(matrix, NULL, &plan));
    must(fur_operator_from_spmv(plan, &a));
    must(fur_operator_jacobi(a, &jacobi));
    must(fur_amg_create(matrix, NULL, &amg));
    must(fur_operator_from_amg(amg, &cycle));
    print_levels(amg);

    fur_vector *b = new_vector(fur_operator_rows(a), 1);
    long long with_levels = solve(a, cycle, b), with_jacobi = solve(a, jacobi, b);
    printf("iterations: %lld with multigrid, %lld with Jacobi's\n", with_levels, with_jacobi);

    /* A becomes 2 A. Plan, preconditioner and hierarchy update themselves. M is halved, so the
     * number of iterations is the same. */
    twice = new_vector(fur_operator_rows(a), 2);
    must(fur_csr_scale(matrix, twice, NULL));
    long long again = solve(a, cycle, b);
    printf("with new values: %lld\n", again);
    int right = with_levels < with_jacobi && again == with_levels;
    printf("%s\n", right ? "right" : "WRONG");

    fur_vector_destroy(twice), fur_vector_destroy(b);
    fur_operator_destroy(cycle), fur_amg_destroy(amg), fur_operator_destroy(jacobi);
    fur_operator_destroy(a), fur_spmv_destroy(plan), fur_csr_destroy(matrix);
    fur_context_destroy(context);
    return !right;
}
