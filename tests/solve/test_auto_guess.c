/* A solve by auto that fails returns an x that is not worse than the initial guess. */
#include "support.h"

#include <math.h>

#define ROWS 12

/* Returns Hilbert's matrix, whose condition number is above 1e16. */
static fur_csr *hilbert(fur_context *context, fur_value_type value)
{
    int32_t rows[ROWS * ROWS];
    int32_t cols[ROWS * ROWS];
    void *values = entries_make(value, ROWS * ROWS);
    fur_csr *a = NULL;
    for (int32_t k = 0; k < ROWS * ROWS; k++) {
        rows[k] = k / ROWS;
        cols[k] = k % ROWS;
        entry_set(value, values, k, fur_real(1 / (double)(rows[k] + cols[k] + 1)));
    }
    fur_coo_view coo = {sizeof coo, ROWS, ROWS, ROWS * ROWS, value, rows, cols, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    free(values);
    return a;
}

/* Returns ||b - A x||, computed with the library's product. */
static double residual_of(fur_context *context, const fur_csr *a, const fur_vector *b,
                          const fur_vector *x)
{
    fur_spmv *plan = NULL;
    fur_vector *r = NULL;
    double norm;
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_vector_create(context, fur_vector_value_type(x), ROWS, &r));
    ck_ok(context, fur_vector_copy(b, r));
    ck_ok(context, fur_spmv_apply(plan, fur_real(-1), x, fur_real(1), r));
    ck_ok(context, fur_norm2(r, &norm));
    fur_vector_destroy(r);
    fur_spmv_destroy(plan);
    return norm;
}

/* Solves in few iterations from a random guess times `by`. Checks that x is not worse than the
 * guess and that the report has the residual of x. */
static void check(fur_context *context, rng *r, fur_value_type value, int64_t most, double by)
{
    static const char *const methods[] = {"auto", "cg", "lsmr"};
    fur_csr *a = hilbert(context, value);
    fur_vector *b = vector_random(context, r, value, ROWS);
    for (int i = 0; i < COUNT_OF(methods); i++) {
        fur_vector *x = vector_random(context, r, value, ROWS);
        fur_solver_options solver = {
            .size = sizeof solver, .method = methods[i], .max_iterations = most};
        fur_solve_options options = {.size = sizeof options, .solver = &solver, .precond = "none"};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        double b_norm;
        ck_ok(context, fur_vector_scale(x, fur_real(by)));
        ck_ok(context, fur_norm2(b, &b_norm));
        double before = residual_of(context, a, b, x);
        ck_ok(context, fur_solve(a, b, x, &options, &report));
        double after = residual_of(context, a, b, x);
        double rounding = 1e3 * value_epsilon(value) * (before + b_norm);
        ck_assert_msg(after <= before + rounding, "%s, %lld iterations: %g from %g", methods[i],
                      (long long)most, after, before);
        ck_assert_double_le(fabs(after - report.residual * b_norm), rounding);
        fur_vector_destroy(x);
    }
    fur_vector_destroy(b);
    fur_csr_destroy(a);
}

/* x is not worse than the guess after a failure. Loops over value types. */
START_TEST(a_failure_is_no_worse_than_the_guess)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(1);
    for (int64_t most = 1; most <= 40; most++) {
        check(context, &r, (fur_value_type)_i, most, 0);
        check(context, &r, (fur_value_type)_i, most, 1);
    }
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, a_failure_is_no_worse_than_the_guess, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("auto_guess", add_tests);
}
