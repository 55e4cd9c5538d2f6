/* The heat equation u' = -L u on a square plate whose edges are kept at 0, by the implicit Euler
 * method with steps that grow: (I + dt L) u_new = u_old, by conjugate gradients. The matrix keeps
 * its pattern and gets new values with every step: its plan and its preconditioner take them over,
 * so that nothing is analysed again. Every few steps the residual is computed by hand, too.
 *
 *     cc heat.c $(pkg-config --cflags --libs furrow) -lm && ./a.out */
#include <furrow/furrow.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 100
#define STEPS 40
#define SHOWN 5 /* every so many steps */

/* Ends the program with the library's sentence if a call fails. */
static fur_context *context;
static void must(fur_status status)
{
    if (status == FUR_OK)
        return;
    fprintf(stderr, "%s\n", fur_context_error(context));
    exit(1);
}

/* The pattern and values of L, the negated Laplacian of 5 points, for a square of side 1. */
static fur_csr *make_laplacian(void)
{
    fur_csr *l = NULL;
    fur_stencil *stencil = NULL;
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {SIDE, SIDE}};
    fur_scalar scaled[5];
    fur_stencil_named(5, &d);
    for (int k = 0; k < d.points; k++)
        scaled[k] = fur_real(d.coefficients[k].re * (SIDE + 1) * (SIDE + 1));
    d.coefficients = scaled;
    must(fur_stencil_create(context, &d, &stencil));
    must(fur_stencil_assemble(stencil, &l));
    fur_stencil_destroy(stencil);
    return l;
}

/* values = those of I + dt L */
static void set_values(const fur_csr_view *l, double dt, double *values)
{
    const int32_t *offsets = l->offsets;
    for (int64_t i = 0; i < l->rows; i++)
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            values[k] = (l->columns[k] == i) + dt * ((const double *)l->values)[k];
}

/* ||b - A x|| / ||b|| for a matrix of L's pattern */
static double residual(const fur_csr_view *l, const double *values, const double *b,
                       const double *x)
{
    const int32_t *offsets = l->offsets;
    double sum = 0;
    double of_b = 0;
    for (int64_t i = 0; i < l->rows; i++) {
        double r = b[i];
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            r -= values[k] * x[l->columns[k]];
        sum += r * r;
        of_b += b[i] * b[i];
    }
    return sqrt(sum / of_b);
}

int main(void)
{
    fur_csr *a = NULL;
    fur_spmv *plan = NULL;
    fur_operator *op = NULL, *jacobi = NULL;
    fur_solver *solver = NULL;
    fur_vector *u = NULL, *old = NULL;
    must(fur_context_create(NULL, &context));
    fur_csr *l = make_laplacian();
    fur_csr_view view = *fur_csr_get(l);
    double *values = malloc((size_t)view.entries * sizeof *values);
    if (!values)
        return 1;

    double dt = 1e-5;
    fur_csr_view arrays = view;
    arrays.values = values;
    set_values(&view, dt, values);
    must(fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &a));
    must(fur_spmv_plan(a, NULL, &plan));
    must(fur_operator_from_spmv(plan, &op));
    must(fur_operator_jacobi(op, &jacobi));
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi, .rtol = 1e-8};
    must(fur_solver_create(op, &options, &solver));
    must(fur_vector_create(context, FUR_F64, view.rows, &u));
    must(fur_vector_create(context, FUR_F64, view.rows, &old));
    must(fur_vector_fill(u, fur_real(1)));

    int wrong = 0;
    double time = 0;
    for (int step = 1; step <= STEPS; step++, dt *= 1.2) {
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        double hottest;
        set_values(&view, dt, values);
        must(fur_csr_set_values(a, values,
                                FUR_OWNERSHIP_COPY)); /* plan, operator and Jacobi follow */
        must(fur_vector_copy(u, old));
        must(fur_solver_solve(solver, old, u, &report));
        must(fur_norm_max(u, &hottest));
        time += dt;
        if (step % SHOWN != 0)
            continue;
        double found = residual(&view, values, fur_vector_data(old), fur_vector_data(u));
        int right =
            report.outcome == FUR_OUTCOME_CONVERGED && fabs(found - report.residual) < 1e-10;
        printf("t = %.2e  dt = %.1e  hottest %.3f  %s in %3d  residual %.1e, by hand %.1e: %s\n",
               time, dt, hottest, fur_outcome_name(report.outcome), (int)report.iterations,
               report.residual, found, right ? "right" : "WRONG");
        wrong += !right;
    }
    free(values);
    fur_vector_destroy(old), fur_vector_destroy(u), fur_solver_destroy(solver);
    fur_operator_destroy(jacobi), fur_operator_destroy(op), fur_spmv_destroy(plan);
    fur_csr_destroy(a), fur_csr_destroy(l), fur_context_destroy(context);
    return wrong > 0;
}
