/* The heat equation u' = -L u on a square plate whose edges are kept at 0, by the implicit Euler
 * method with steps that grow: (I + dt L) u_new = u_old, by conjugate gradients. The pattern of the
 * matrix stays the same and its values change with every step: its plan and its preconditioner take
 * them over without another analysis. Every few steps the residual is computed by hand, too.
 *
 *     cc heat.c $(pkg-config --cflags --libs furrow) -lm -o heat && ./heat */
#include <furrow/furrow.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 100
#define STEPS 40
#define SHOWN 5 /* steps between two lines of output */

typedef struct plate {
    fur_csr *l;     /* the negated Laplacian of 5 points on a square of side 1 */
    double *values; /* of I + dt L */
    fur_csr *a;     /* I + dt L, with L's pattern */
    fur_spmv *plan;
    fur_operator *op;
    fur_operator *jacobi;
    fur_solver *solver;
    fur_vector *u;
    fur_vector *old; /* u before the step */
} plate;

static int make_laplacian(fur_context *context, fur_csr **out)
{
    fur_stencil *stencil = NULL;
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {SIDE, SIDE}};
    fur_scalar scaled[5];
    fur_stencil_named(5, &d);
    for (int k = 0; k < d.points; k++)
        scaled[k] = fur_real(d.coefficients[k].re * (SIDE + 1) * (SIDE + 1));
    d.coefficients = scaled;
    int failed = fur_stencil_create(context, &d, &stencil) || fur_stencil_assemble(stencil, out);
    fur_stencil_destroy(stencil);
    return failed;
}

/* values = those of I + dt L */
static void set_values(const plate *p, double dt)
{
    const fur_csr_view *l = fur_csr_get(p->l);
    const int32_t *offsets = l->offsets;
    const double *of_l = l->values;
    for (int64_t i = 0; i < l->rows; i++)
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            p->values[k] = (l->columns[k] == i) + dt * of_l[k];
}

static int make_plate(fur_context *context, plate *p)
{
    if (make_laplacian(context, &p->l))
        return 1;
    fur_csr_view arrays = *fur_csr_get(p->l);
    p->values = malloc((size_t)arrays.entries * sizeof *p->values);
    if (!p->values)
        return (int)fur_context_fail(context, FUR_OUT_OF_MEMORY, "no memory for the values");
    set_values(p, 1);
    arrays.values = p->values;
    if (fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &p->a) ||
        fur_spmv_plan(p->a, NULL, &p->plan) || fur_operator_from_spmv(p->plan, &p->op) ||
        fur_operator_jacobi(p->op, &p->jacobi))
        return 1;
    fur_solver_options options = {
        .size = sizeof options, .preconditioner = p->jacobi, .rtol = 1e-8};
    return fur_solver_create(p->op, &options, &p->solver) ||
           fur_vector_create(context, FUR_F64, arrays.rows, &p->u) ||
           fur_vector_create(context, FUR_F64, arrays.rows, &p->old) ||
           fur_vector_fill(p->u, fur_real(1));
}

/* One step: new values for A, and a solve from the last temperatures. */
static int step(const plate *p, double dt, fur_solver_report *report)
{
    set_values(p, dt);
    return fur_csr_set_values(p->a, p->values, FUR_OWNERSHIP_COPY) ||
           fur_vector_copy(p->u, p->old) || fur_solver_solve(p->solver, p->old, p->u, report);
}

/* ||old - A u|| / ||old||, by plain loops. */
static double residual(const plate *p)
{
    const fur_csr_view *a = fur_csr_get(p->l);
    const int32_t *offsets = a->offsets;
    const double *x = fur_vector_const_data(p->u);
    const double *b = fur_vector_const_data(p->old);
    double sum = 0;
    double of_b = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        double r = b[i];
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            r -= p->values[k] * x[a->columns[k]];
        sum += r * r;
        of_b += b[i] * b[i];
    }
    return sqrt(sum / of_b);
}

/* Prints a step; whether the report's residual is the one computed by hand. */
static int show(const plate *p, double time, double dt, const fur_solver_report *report)
{
    double hottest = 0, found = residual(p);
    int right = !fur_norm_max(p->u, &hottest) && report->outcome == FUR_OUTCOME_CONVERGED &&
                fabs(found - report->residual) < 1e-10;
    printf("t = %.2e  dt = %.1e  hottest %.3f  %s in %3lld  residual %.1e, by hand %.1e: %s\n",
           time, dt, hottest, fur_outcome_name(report->outcome), (long long)report->iterations,
           report->residual, found, right ? "right" : "WRONG");
    return right;
}

static int run(const plate *p, int *wrong)
{
    double time = 0;
    double dt = 1e-5;
    for (int i = 1; i <= STEPS; i++, dt *= 1.2) {
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        if (step(p, dt, &report))
            return 1;
        time += dt;
        if (i % SHOWN == 0)
            *wrong += !show(p, time, dt, &report);
    }
    return 0;
}

static void destroy(plate *p)
{
    fur_vector_destroy(p->old), fur_vector_destroy(p->u), fur_solver_destroy(p->solver);
    fur_operator_destroy(p->jacobi), fur_operator_destroy(p->op), fur_spmv_destroy(p->plan);
    fur_csr_destroy(p->a), fur_csr_destroy(p->l);
    free(p->values);
}

int main(void)
{
    fur_context *context = NULL;
    plate p = {0};
    int wrong = 0;
    int failed = fur_context_create(NULL, &context) || make_plate(context, &p) || run(&p, &wrong);
    if (failed)
        fprintf(stderr, "%s\n", fur_context_error(context));
    destroy(&p);
    fur_context_destroy(context);
    return failed || wrong > 0;
}
