#include "poisson.h"

#include <math.h>

fur_csr *poisson_make(fur_context *context, int64_t n)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {n, n, n}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_assert(fur_stencil_named(7, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    fur_stencil_destroy(s);
    return a;
}

/* Objects that a solve with a preconditioner needs. */
typedef struct system {
    fur_precond *p;
    fur_spmv *plan;
    fur_vector *b;
    fur_vector *x;
} system_of;

static system_of open_system(const fur_csr *a, const fur_precond_options *options)
{
    fur_context *context = fur_csr_context(a);
    int64_t n = fur_csr_get(a)->rows;
    system_of s;
    ck_ok(context, fur_precond_create(a, options, &s.p));
    ck_ok(context, fur_spmv_plan(a, NULL, &s.plan));
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &s.b));
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &s.x));
    ck_ok(context, fur_vector_fill(s.b, fur_real(1)));
    ck_ok(context, fur_vector_fill(s.x, fur_real(0)));
    return s;
}

static void close_system(system_of *s)
{
    fur_vector_destroy(s->x);
    fur_vector_destroy(s->b);
    fur_spmv_destroy(s->plan);
    fur_precond_destroy(s->p);
}

int64_t poisson_iterations(const fur_csr *a, const char *method, const fur_precond_options *options,
                           double *residual)
{
    fur_context *context = fur_csr_context(a);
    system_of s = open_system(a, options);
    fur_operator *op = NULL;
    fur_operator *m = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_operator_from_precond(s.p, &m));
    ck_ok(context, fur_operator_from_spmv(s.plan, &op));
    fur_solver_options o = {
        .size = sizeof o, .method = method, .preconditioner = m, .rtol = 1e-8, .no_reduction = 1};
    ck_ok(context, fur_solver_create(op, &o, &solver));
    ck_ok(context, fur_solver_solve(solver, s.b, s.x, &report));
    ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s: %s after %lld", options->kind,
                  fur_outcome_name(report.outcome), (long long)report.iterations);
    fur_solver_destroy(solver);
    fur_operator_destroy(op);
    fur_operator_destroy(m);
    close_system(&s);
    if (residual)
        *residual = report.residual;
    return report.iterations;
}

int64_t poisson_stationary(const fur_csr *a, const fur_precond_options *options, double *residual)
{
    fur_context *context = fur_csr_context(a);
    system_of s = open_system(a, options);
    int64_t n = fur_csr_get(a)->rows;
    int64_t iterations = 0;
    fur_vector *r = NULL;
    fur_vector *z = NULL;
    double norm = sqrt((double)n);
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &r));
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &z));
    ck_ok(context, fur_vector_copy(s.b, r));
    for (; norm > 1e-8 * sqrt((double)n) && iterations < 1000; iterations++) {
        ck_ok(context, fur_precond_apply(s.p, r, z));
        ck_ok(context, fur_axpby(fur_real(1), z, fur_real(1), s.x));
        ck_ok(context, fur_vector_copy(s.b, r));
        ck_ok(context, fur_spmv_apply(s.plan, fur_real(-1), s.x, fur_real(1), r));
        ck_ok(context, fur_norm2(r, &norm));
    }
    fur_vector_destroy(z);
    fur_vector_destroy(r);
    close_system(&s);
    *residual = norm / sqrt((double)n);
    return iterations;
}
