/* Methods report "indefinite" and "not symmetric" only if these statements about A and M are
 * proved. */
#include "dense.h"

#include <float.h>
#include <math.h>

/* Solves from the guess `by` (1, 1, ...). `kind`: the preconditioner; NULL selects Jacobi's. */
static fur_solver_report solve(const dense *d, const char *method, const char *kind, double by)
{
    fur_context *context = context_make(NULL, 1);
    dense_problem p = dense_open(d, context);
    fur_precond_options precond = {.size = sizeof precond, .kind = kind};
    fur_precond *made = NULL;
    fur_operator *m = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    if (kind) {
        ck_ok(context, fur_precond_create(p.matrix, &precond, &made));
        ck_ok(context, fur_operator_from_precond(made, &m));
    }
    fur_solver_options options = {
        .size = sizeof options, .method = method, .preconditioner = m, .no_reduction = 1};
    ck_ok(context, fur_vector_fill(p.x, fur_real(by)));
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    fur_solver_destroy(solver);
    fur_operator_destroy(m);
    fur_precond_destroy(made);
    dense_close(&p);
    fur_context_destroy(context);
    return report;
}

static bool blames(fur_outcome outcome)
{
    return outcome == FUR_OUTCOME_INDEFINITE || outcome == FUR_OUTCOME_ASYMMETRIC ||
           outcome == FUR_OUTCOME_INDEFINITE_PRECONDITIONER;
}

#define ck_blameless(report)                                                                       \
    ck_assert_msg(!blames((report).outcome), "%s: %s after %lld, residual %g", (report).method,    \
                  fur_outcome_name((report).outcome), (long long)(report).iterations,              \
                  (report).residual)

/* A guess far from the solution does not make a matrix look indefinite, although rounding leaves
 * nothing of b. Loops over value types. */
START_TEST(a_guess_that_is_far_away_makes_no_matrix_indefinite)
{
    static const char *const names[] = {"cg", "cg_single", "minres", "chebyshev"};
    fur_value_type value = (fur_value_type)_i;
    double far = value_epsilon(value) == DBL_EPSILON ? 200 : 25;
    rng r = rng_stream(1);
    for (int trial = 0; trial < (TEST_SLOW ? 5 : 20); trial++) {
        dense d = dense_dominant(&r, value, 2 + rng_below(&r, 20), true, true);
        double by = pow(10, far * fabs(rng_unit(&r)));
        for (int i = 0; i < COUNT_OF(names); i++) {
            ck_blameless(solve(&d, names[i], NULL, by));
            ck_blameless(solve(&d, names[i], "jacobi", by));
            ck_blameless(solve(&d, names[i], "chebyshev", by));
        }
        dense_release(&d);
    }
}
END_TEST

/* A complex diagonal matrix is not reported as indefinite. Its Hermitian part is positive definite.
 */
START_TEST(a_complex_diagonal_is_not_indefinite_but_not_hermitian)
{
    static const char *const names[] = {"cg_single", "chebyshev", "minres"};
    for (int i = 0; i < COUNT_OF(names); i++)
        for (int single = 0; single < 2; single++) {
            dense d = dense_make(single ? FUR_C64 : FUR_C128, 3);
            for (int64_t k = 0; k < d.n; k++) {
                dense_set(&d, k, k, fur_complex(1, (double)(k + 1)));
                d.b[k] = fur_real(1);
            }
            fur_solver_report report = solve(&d, names[i], NULL, 0);
            ck_assert_msg(report.outcome != FUR_OUTCOME_INDEFINITE, "%s", names[i]);
            dense_release(&d);
        }
}
END_TEST

/* An indefinite matrix is reported as such. A has one eigenvalue -1; the others are between 1 and
 * 2. Loops over value types. */
START_TEST(an_indefinite_matrix_is_called_so)
{
    static const char *const names[] = {"cg", "cg_single", "chebyshev"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        dense d = dense_make((fur_value_type)_i, 12);
        for (int64_t k = 0; k < d.n; k++) {
            dense_set(&d, k, k, fur_real(k == 5 ? -1 : 1 + (double)k / 12));
            d.b[k] = fur_real(k == 5 ? 10 : 1);
        }
        fur_solver_report report = solve(&d, names[i], NULL, 0);
        ck_assert_msg(report.outcome == FUR_OUTCOME_INDEFINITE, "%s: %s", names[i],
                      fur_outcome_name(report.outcome));
        dense_release(&d);
    }
}
END_TEST

/* A singular matrix is not reported as asymmetric, although x grows along the constant vector
 * without end. A is the Laplacian of a path, whose range has the mean 0, and b is outside the
 * range. Loops over value types. */
START_TEST(a_singular_matrix_is_not_called_asymmetric)
{
    static const char *const names[] = {"cg", "cg_single", "minres", "chebyshev"};
    rng r = rng_stream(2);
    for (int64_t n = 10; n <= 160; n *= 2) {
        dense d = dense_make((fur_value_type)_i, n);
        for (int64_t k = 0; k < n; k++) {
            dense_set(&d, k, k, fur_real(k == 0 || k == n - 1 ? 1 : 2));
            if (k + 1 < n) {
                dense_set(&d, k, k + 1, fur_real(-1));
                dense_set(&d, k + 1, k, fur_real(-1));
            }
        }
        dense_draw_b(&d, &r);
        for (int i = 0; i < COUNT_OF(names); i++) {
            fur_solver_report report = solve(&d, names[i], NULL, 0);
            ck_assert_msg(report.outcome != FUR_OUTCOME_ASYMMETRIC, "%s, %lld rows", names[i],
                          (long long)n);
            report = solve(&d, names[i], "amg", 0);
            ck_assert_msg(report.outcome != FUR_OUTCOME_ASYMMETRIC, "%s with amg, %lld rows",
                          names[i], (long long)n);
        }
        dense_release(&d);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, a_guess_that_is_far_away_makes_no_matrix_indefinite, 0,
                        FUR_VALUE_COUNT);
    tcase_add_test(tests, a_complex_diagonal_is_not_indefinite_but_not_hermitian);
    tcase_add_loop_test(tests, an_indefinite_matrix_is_called_so, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_singular_matrix_is_not_called_asymmetric, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("proofs", add_tests);
}
