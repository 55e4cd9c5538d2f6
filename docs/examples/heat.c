/* The heat equation u' = -L u on a square plate whose edges are kept at 0. The implicit Euler
 * method with growing steps solves (I + dt L) u_new = u_old by conjugate gradients. The pattern of
 * the matrix stays the same, and its values change in every step. Its plan and its preconditioner
 * update themselves without another analysis.
 *
 *     cc heat.c $(pkg-config --cflags --libs furrow) -lm -o heat && ./heat */
#include "example.h"

#include <math.h>

#define SIDE 100
#define STEPS 40

/* Computes the values of I + dt L. L is the 5-point matrix divided by the squared spacing. */
static void set_values(const fur_csr_view *l, double dt, double *values)
{
    const int32_t *offsets = l->offsets;
    const double *of_l = l->values;
    for (int64_t i = 0; i < l->rows; i++)
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            values[k] = (l->columns[k] == i) + dt * (SIDE + 1) * (SIDE + 1) * of_l[k];
}

/* Returns ||b - A x|| / ||b||, by plain loops. */
static double residual(const fur_csr_view *a, const double *b, const double *x)
{
    const int32_t *offsets = a->offsets;
    const double *values = a->values;
    double of_r = 0, of_b = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        double r = b[i];
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            r -= values[k] * x[a->columns[k]];
        of_r += r * r;
        of_b += b[i] * b[i];
    }
    return sqrt(of_r / of_b);
}

int main(void)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {SIDE, SIDE}};
    fur_stencil *stencil;
    fur_csr *l, *a;
    fur_spmv *plan;
    fur_operator *op, *jacobi;
    fur_solver *solver;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    void *values;
    double dt = 1e-5, time = 0, hottest;
    int wrong = 0;
    must(fur_context_create(NULL, &context));
    fur_stencil_named(5, &d);
    must(fur_stencil_create(context, &d, &stencil));
    must(fur_stencil_assemble(stencil, &l)); /* 4 and -1 */
    must(fur_csr_transfer(l, context, &a));  /* a copy for I + dt L */
    must(fur_spmv_plan(a, NULL, &plan));
    must(fur_operator_from_spmv(plan, &op));
    must(fur_operator_jacobi(op, &jacobi));
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi, .rtol = 1e-8};
    must(fur_solver_create(op, &options, &solver));
    must(fur_context_allocate(context, (size_t)fur_csr_get(l)->entries * sizeof dt, &values));
    fur_vector *u = new_vector(SIDE * SIDE, 1), *old = new_vector(SIDE * SIDE, 0);

    for (int i = 1; i <= STEPS; i++, dt *= 1.2) {
        set_values(fur_csr_get(l), dt, values);
        must(fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
        must(fur_vector_copy(u, old));
        must(fur_solver_solve(solver, old, u, &report));
        must(fur_norm_max(u, &hottest));
        double found = residual(fur_csr_get(a), fur_vector_data(old), fur_vector_data(u));
        int right = fur_outcome_solved(report.outcome) && fabs(found - report.residual) < 1e-10;
        printf("t = %.2e  hottest %.3f  %3lld iterations, residual %.1e, by hand %.1e: %s\n",
               time += dt, hottest, (long long)report.iterations, report.residual, found,
               right ? "right" : "WRONG");
        wrong += !right;
    }
    fur_vector_destroy(old), fur_vector_destroy(u), fur_context_release(context, values);
    fur_solver_destroy(solver), fur_operator_destroy(jacobi), fur_operator_destroy(op);
    fur_spmv_destroy(plan), fur_csr_destroy(a), fur_csr_destroy(l), fur_stencil_destroy(stencil);
    fur_context_destroy(context);
    return wrong > 0;
}
