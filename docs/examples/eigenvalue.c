/* The smallest eigenvalue of a large sparse matrix by inverse iteration: each step solves A y = x
 * by conjugate gradients, preconditioned by multigrid. A is the negated Laplacian of 5 points, as
 * an operator without a matrix; its smallest eigenvalue is known, so that the result can be
 * checked.
 *
 *     cc eigenvalue.c $(pkg-config --cflags --libs furrow) -lm -o eigenvalue && ./eigenvalue */
#include <furrow/furrow.h>

#include <math.h>
#include <stdio.h>

#define NX 300
#define NY 200
#define MOST_STEPS 30
#define TOLERANCE 1e-12 /* change of the eigenvalue in the last step, relative */

typedef struct problem {
    fur_stencil *stencil;
    fur_operator *a;
    fur_multigrid *multigrid;
    fur_operator *preconditioner;
    fur_solver *solver;
    fur_vector *x; /* of norm 1 */
    fur_vector *y; /* A^-1 x */
} problem;

static int make_problem(fur_context *context, problem *p)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {NX, NY}};
    fur_stencil_named(5, &d);
    if (fur_stencil_create(context, &d, &p->stencil) ||
        fur_operator_from_stencil(p->stencil, &p->a) ||
        fur_multigrid_create(p->stencil, NULL, &p->multigrid) ||
        fur_operator_from_multigrid(p->multigrid, &p->preconditioner))
        return 1;
    fur_solver_options options = {
        .size = sizeof options, .preconditioner = p->preconditioner, .rtol = 1e-10};
    return fur_solver_create(p->a, &options, &p->solver) ||
           fur_vector_create(context, FUR_F64, NX * NY, &p->x) ||
           fur_vector_create(context, FUR_F64, NX * NY, &p->y) ||
           fur_vector_fill(p->x, fur_real(1 / sqrt(NX * NY)));
}

/* y = A^-1 x; *value = (y, A y) / (y, y), Rayleigh's quotient, in which A y = x; then x = y /
 * ||y||. The next solve starts from y = x / *value, which is nearly its solution. */
static int step(fur_context *context, problem *p, double *value)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_scalar yx;
    double norm;
    if (fur_solver_solve(p->solver, p->x, p->y, &report))
        return 1;
    if (report.outcome != FUR_OUTCOME_CONVERGED)
        return (int)fur_context_fail(context, FUR_INVALID, "a solve ended as: %s",
                                     fur_outcome_name(report.outcome));
    if (fur_dot(p->y, p->x, &yx) || fur_norm2(p->y, &norm))
        return 1;
    *value = yx.re / (norm * norm);
    printf("lambda = %.15f after a solve in %lld iterations\n", *value,
           (long long)report.iterations);
    return fur_axpby(fur_real(1 / norm), p->y, fur_real(0), p->x) ||
           fur_axpby(fur_real(1 / *value), p->x, fur_real(0), p->y);
}

static int iterate(fur_context *context, problem *p, double *value)
{
    double before = 0;
    for (int i = 0; i < MOST_STEPS; i++, before = *value)
        if (step(context, p, value))
            return 1;
        else if (fabs(*value - before) < TOLERANCE * *value)
            break;
    return 0;
}

static void destroy(problem *p)
{
    fur_vector_destroy(p->y), fur_vector_destroy(p->x), fur_solver_destroy(p->solver);
    fur_operator_destroy(p->preconditioner), fur_multigrid_destroy(p->multigrid);
    fur_operator_destroy(p->a), fur_stencil_destroy(p->stencil);
}

/* The smallest eigenvalue of the second difference 2, -1 on n points. */
static double smallest(int n)
{
    double s = sin(acos(-1) / (2 * (n + 1)));
    return 4 * s * s;
}

static int check(double value)
{
    double expected = smallest(NX) + smallest(NY);
    int right = fabs(value - expected) < 1e-10 * expected;
    printf("expected %.15f: %s\n", expected, right ? "right" : "WRONG");
    return !right;
}

int main(void)
{
    fur_context *context = NULL;
    problem p = {0};
    double value = 0;
    int failed = fur_context_create(NULL, &context) || make_problem(context, &p) ||
                 iterate(context, &p, &value);
    if (failed)
        fprintf(stderr, "%s\n", fur_context_error(context));
    else
        failed = check(value);
    destroy(&p);
    fur_context_destroy(context);
    return failed;
}
