/* Computes the smallest eigenvalue of a large sparse matrix by inverse iteration. Each step solves
 * A y = x by conjugate gradients, preconditioned by multigrid. A is the negative Laplacian of 5
 * points, as an operator without a matrix. Its smallest eigenvalue is known, so the program checks
 * the result.
 *
 *     cc eigenvalue.c $(pkg-config --cflags --libs furrow) -lm -o eigenvalue && ./eigenvalue */
#include "example.h"

#include <math.h>

#define NX 300
#define NY 200

/* The smallest eigenvalue of the second difference 2, -1 on n points. */
static double smallest(int n)
{
    double s = sin(acos(-1) / (2 * (n + 1)));
    return 4 * s * s;
}

/* y = A^-1 x, then x = y / ||y||. Returns Rayleigh's quotient (y, A y) / (y, y), with A y = x. The
 * next solve starts from y = x / quotient, which is close to its solution. */
static double step(fur_solver *solver, fur_vector *x, fur_vector *y)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_scalar yx;
    double norm;
    must(fur_solver_solve(solver, x, y, &report));
    if (report.outcome != FUR_OUTCOME_CONVERGED)
        must(fur_context_fail(context, FUR_INVALID, "a solve ended as: %s",
                              fur_outcome_name(report.outcome)));
    must(fur_dot(y, x, &yx));
    must(fur_norm2(y, &norm));
    double quotient = yx.re / (norm * norm);
    must(fur_axpby(fur_real(1 / norm), y, fur_real(0), x));
    must(fur_axpby(fur_real(1 / quotient), x, fur_real(0), y));
    printf("lambda = %.15f after a solve in %lld iterations\n", quotient,
           (long long)report.iterations);
    return quotient;
}

int main(void)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {NX, NY}};
    fur_stencil *stencil;
    fur_operator *a, *preconditioner;
    fur_multigrid *multigrid;
    fur_solver *solver;
    double value = 0, before = -1;
    must(fur_context_create(NULL, &context));
    fur_stencil_named(5, &d);
    must(fur_stencil_create(context, &d, &stencil));
    must(fur_operator_from_stencil(stencil, &a));
    must(fur_multigrid_create(stencil, NULL, &multigrid));
    must(fur_operator_from_multigrid(multigrid, &preconditioner));
    fur_solver_options options = {
        .size = sizeof options, .preconditioner = preconditioner, .rtol = 1e-10};
    must(fur_solver_create(a, &options, &solver));
    fur_vector *x = new_vector(NX * NY, 1 / sqrt(NX * NY)), *y = new_vector(NX * NY, 0);

    for (int i = 0; i < 30 && fabs(value - before) >= 1e-12 * value; i++) {
        before = value;
        value = step(solver, x, y);
    }
    double expected = smallest(NX) + smallest(NY);
    int right = fabs(value - expected) < 1e-10 * expected;
    printf("expected %.15f: %s\n", expected, right ? "right" : "WRONG");

    fur_vector_destroy(y), fur_vector_destroy(x), fur_solver_destroy(solver);
    fur_operator_destroy(preconditioner), fur_multigrid_destroy(multigrid);
    fur_operator_destroy(a), fur_stencil_destroy(stencil), fur_context_destroy(context);
    return !right;
}
