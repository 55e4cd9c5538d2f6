#include "poisson.h"

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

int64_t poisson_iterations(const fur_csr *a, const char *method, const fur_precond_options *options,
                           double *residual)
{
    fur_context *context = fur_csr_context(a);
    fur_precond *p = NULL;
    fur_spmv *plan = NULL;
    fur_operator *op = NULL;
    fur_operator *m = NULL;
    fur_solver *solver = NULL;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    int64_t n = fur_csr_get(a)->rows;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_precond_create(a, options, &p));
    ck_ok(context, fur_operator_from_precond(p, &m));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &x));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    ck_ok(context, fur_vector_fill(x, fur_real(0)));
    fur_solver_options o = {
        .size = sizeof o, .method = method, .preconditioner = m, .rtol = 1e-8, .whole = 1};
    ck_ok(context, fur_solver_create(op, &o, &solver));
    ck_ok(context, fur_solver_solve(solver, b, x, &report));
    ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s: %s after %lld", options->kind,
                  fur_outcome_name(report.outcome), (long long)report.iterations);
    fur_solver_destroy(solver);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_operator_destroy(m);
    fur_precond_destroy(p);
    if (residual)
        *residual = report.residual;
    return report.iterations;
}
