/* Functions that the examples share. A call that fails ends the program with its sentence:
 *
 *     must(fur_spmv_plan(a, NULL, &plan));
 *
 * A library would release its objects and return the status to its caller instead. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <furrow/furrow.h>

#include <stdio.h>
#include <stdlib.h>

/* The context of all objects. NULL until the program has made it. */
static fur_context *context;

static inline void must(fur_status status)
{
    if (status == FUR_OK)
        return;
    fprintf(stderr, "%s\n", fur_context_error(context));
    exit(1);
}

/* Returns a vector of doubles with one value in all entries. */
static inline fur_vector *new_vector(int64_t size, double value)
{
    fur_vector *x;
    must(fur_vector_create(context, FUR_F64, size, &x));
    must(fur_vector_fill(x, fur_real(value)));
    return x;
}

/* Returns x = A^-1 b by conjugate gradients with Jacobi's preconditioner, to a residual of
 * ||b - A x|| <= rtol ||b||. */
static inline fur_vector *conjugate_gradients(const fur_operator *a, const fur_vector *b,
                                              double rtol)
{
    fur_vector *x = new_vector(fur_operator_rows(a), 0);
    fur_operator *jacobi;
    fur_solver *solver;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    must(fur_operator_jacobi(a, &jacobi));
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi, .rtol = rtol};
    must(fur_solver_create(a, &options, &solver));
    must(fur_solver_solve(solver, b, x, &report));
    printf("%s in %lld iterations, residual %.1e\n", fur_outcome_name(report.outcome),
           (long long)report.iterations, report.residual);
    if (!fur_outcome_solved(report.outcome))
        must(fur_context_fail(context, FUR_INVALID, "the system is not solved"));
    fur_solver_destroy(solver), fur_operator_destroy(jacobi);
    return x;
}

#endif
