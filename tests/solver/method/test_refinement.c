/* Methods that use other methods: iterative refinement by solvers in single precision, solvers as
 * preconditioners, and Chebyshev's bounds computed by Lanczos. */
#include "dense.h"

#include <float.h>
#include <math.h>

/* Returns a matrix with 1, 1 + gap, ... on the diagonal. If `indefinite`, one entry is negative. */
static dense diagonal(fur_value_type value, int64_t n, double gap, bool indefinite)
{
    dense d = dense_make(value, n);
    rng r = rng_stream(40);
    for (int64_t i = 0; i < n; i++)
        dense_set(&d, i, i, fur_real((indefinite && i == n / 2 ? -1 : 1) * (1 + gap * (double)i)));
    dense_draw_b(&d, &r);
    return d;
}

static fur_solver_report solve(const dense_problem *p, const fur_solver_options *options)
{
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(p->context, fur_solver_create(p->a, options, &solver));
    ck_ok(p->context, fur_vector_fill(p->x, fur_real(0)));
    ck_ok(p->context, fur_solver_solve(solver, p->b, p->x, &report));
    fur_solver_destroy(solver);
    return report;
}

/* A solver in single precision, used as an operator of the outer type. */
typedef struct inner {
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *a;
    fur_solver *solver;
    fur_operator *m;
} inner;

static inner inner_make(const dense_problem *p, fur_value_type single, double rtol)
{
    inner m = {0};
    fur_value_type value = fur_csr_get(p->matrix)->value_type;
    fur_solver_options options = {.size = sizeof options, .method = "gmres", .rtol = rtol};
    ck_ok(p->context, fur_csr_convert(p->matrix, single, FUR_I32, &m.matrix));
    ck_ok(p->context, fur_spmv_plan(m.matrix, NULL, &m.plan));
    ck_ok(p->context, fur_operator_from_spmv(m.plan, &m.a));
    ck_ok(p->context, fur_solver_create(m.a, &options, &m.solver));
    ck_ok(p->context, fur_operator_from_solver(m.solver, value, &m.m));
    return m;
}

static void inner_release(inner *m)
{
    fur_operator_destroy(m->m);
    fur_solver_destroy(m->solver);
    fur_operator_destroy(m->a);
    fur_spmv_destroy(m->plan);
    fur_csr_destroy(m->matrix);
}

/* Refinement by solves in single precision converges to double precision. Each solve to 1e-4 gives
 * about four digits, so ten decades take at most four steps. b may have scales outside the range of
 * single precision. */
START_TEST(single_precision_refines_to_double)
{
    static const char *const methods[] = {"richardson", "fgmres"};
    static const double scales[] = {1, 1e-200, 1e200};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(41);
    for (int i = 0; i < 2 * 2 * 3; i++) {
        fur_value_type value = i % 2 ? FUR_C128 : FUR_F64;
        dense d = dense_dominant(&r, value, 60, false, false);
        dense_problem p = dense_open(&d, context);
        inner m = inner_make(&p, i % 2 ? FUR_C64 : FUR_F32, 1e-4);
        fur_solver_options options = {.size = sizeof options,
                                      .method = methods[i / 2 % 2],
                                      .preconditioner = m.m,
                                      .rtol = 1e-12};
        ck_ok(context, fur_vector_scale(p.b, fur_real(scales[i / 4])));
        fur_solver_report report = solve(&p, &options);
        ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s",
                      fur_outcome_name(report.outcome));
        ck_assert_int_le(report.iterations, 4);
        inner_release(&m);
        dense_close(&p);
        dense_release(&d);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(solvers_of_another_kind_are_no_operators)
{
    fur_context *context = context_make(NULL, 1);
    dense d = diagonal(FUR_F64, 5, 1, false);
    dense_problem p = dense_open(&d, context);
    fur_solver_options options = {.size = sizeof options, .method = "lsqr", .adjoint = p.a};
    fur_solver *solvers[2] = {NULL, NULL};
    fur_operator *m = NULL;
    ck_ok(context, fur_solver_create(p.a, NULL, &solvers[0]));
    ck_ok(context, fur_solver_create(p.a, &options, &solvers[1]));
    ck_fails(context, FUR_INVALID,
             "a solver of type f64 cannot be an operator of type c128; both must be real, or both "
             "complex",
             fur_operator_from_solver(solvers[0], FUR_C128, &m));
    ck_fails(context, FUR_UNSUPPORTED,
             "lsqr is a least-squares method; only a solver of A x = b can be used as an operator",
             fur_operator_from_solver(solvers[1], FUR_F64, &m));
    ck_assert_ptr_null(m);
    fur_solver_destroy(solvers[1]);
    fur_solver_destroy(solvers[0]);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* chebyshev needs the iterations of the condition c. On a spectrum in [1, c] the residual falls by
 * (sqrt(c) - 1) / (sqrt(c) + 1) an iteration. The estimates of the bounds and the margin around
 * them cost some more. b contains all eigenvectors equally, because Lanczos misses the lowest
 * eigenvector if b has little of it. */
START_TEST(chebyshev_needs_the_iterations_of_the_condition)
{
    fur_context *context = context_make(NULL, 1);
    for (int value = 0; value < FUR_VALUE_COUNT; value++)
        for (int64_t n = 2; n <= 500; n = 3 * n + 1) {
            dense d = diagonal((fur_value_type)value, n, 1, false);
            for (int64_t i = 0; i < n; i++)
                d.b[i] = fur_real(1);
            dense_problem p = dense_open(&d, context);
            fur_solver_options options = {.size = sizeof options, .method = "chebyshev"};
            fur_solver_report report = solve(&p, &options);
            double decades = value_epsilon(d.value) == DBL_EPSILON ? 10 : 5;
            double expected = sqrt((double)n) / 2 * (decades * log(10) + log(2));
            ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s",
                          fur_outcome_name(report.outcome));
            ck_assert_double_le((double)report.iterations, 2 * expected + 10);
            ck_assert_double_le(report.condition, (double)n * 1.01);
            ck_assert_double_ge(report.condition, 0.7 * (double)n);
            ck_assert_double_le(report.norm, (double)n * 1.01);
            ck_assert_double_ge(report.norm, 0.95 * (double)n);
            dense_close(&p);
            dense_release(&d);
        }
    fur_context_destroy(context);
}
END_TEST

START_TEST(an_indefinite_matrix_has_no_bounds)
{
    fur_context *context = context_make(NULL, 1);
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        dense d = diagonal((fur_value_type)value, 40, 1, true);
        dense_problem p = dense_open(&d, context);
        dense negative = diagonal((fur_value_type)value, 40, -3, false);
        dense_problem m = dense_open(&negative, context);
        fur_solver_options options = {.size = sizeof options, .method = "chebyshev"};
        ck_assert_int_eq(solve(&p, &options).outcome, FUR_OUTCOME_INDEFINITE);
        options.preconditioner = m.a;
        ck_assert_int_eq(solve(&p, &options).outcome, FUR_OUTCOME_INDEFINITE_PRECONDITIONER);
        dense_close(&m);
        dense_release(&negative);
        dense_close(&p);
        dense_release(&d);
    }
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, single_precision_refines_to_double);
    tcase_add_test(tests, solvers_of_another_kind_are_no_operators);
    tcase_add_test(tests, chebyshev_needs_the_iterations_of_the_condition);
    tcase_add_test(tests, an_indefinite_matrix_has_no_bounds);
}

int main(void)
{
    return run_tests("refinement", add_tests);
}
