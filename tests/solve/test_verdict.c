/* Reports of solves: residuals by rows, scales and null spaces have the bits of one CPU thread on
 * every device. */
#include "support.h"

#include <string.h>

#define ROWS 900

/* Returns the Laplacian of a line: singular with Neumann ends, or with Dirichlet ends and rows
 * scaled by 1 to 2^20. */
static fur_csr *line(fur_context *context, fur_value_type value, bool singular)
{
    static int32_t rows[3 * ROWS];
    static int32_t cols[3 * ROWS];
    static double values[2 * 3 * ROWS];
    int64_t count = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        double scale = singular ? 1 : (double)(1 << i % 21);
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < ROWS; j++) {
            bool end = i == 0 || i == ROWS - 1;
            double entry = i != j ? -1 : singular && end ? 1 : 2;
            rows[count] = i;
            cols[count] = j;
            entry_set(value, values, count++, fur_real(scale * entry));
        }
    }
    fur_coo_view coo = {sizeof coo, ROWS, ROWS, count, value, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    return a;
}

/* Solves with auto for b = A ones + `mean` and returns x. */
static void *solve(const fur_csr *a, double mean, fur_solver_report *report)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    fur_spmv *plan = NULL;
    ck_ok(context, fur_vector_create(context, value, ROWS, &b));
    ck_ok(context, fur_vector_create(context, value, ROWS, &x));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_vector_fill(x, fur_real(1)));
    ck_ok(context, fur_vector_fill(b, fur_real(mean)));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(1), b));
    ck_ok(context, fur_vector_fill(x, fur_real(0)));
    ck_ok(context, fur_solve(a, b, x, NULL, report));
    void *entries = vector_entries(x);
    fur_spmv_destroy(plan);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    return entries;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Reports and solutions of singular and of scaled systems have the same bits on every device. Loops
 * over value types. */
START_TEST(reports_have_the_same_bits_everywhere)
{
    fur_value_type value = (fur_value_type)_i;
    for (int singular = 0; singular < 2; singular++) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, 3);
        fur_context *host = context_cpu("portable", 1);
        fur_csr *near = line(host, value, singular);
        fur_csr *far = matrix_in(context, near);
        fur_solver_report reports[2] = {FUR_DEFAULT(fur_solver_report),
                                        FUR_DEFAULT(fur_solver_report)};
        void *expected = solve(near, singular ? 0.5 : 0, &reports[0]);
        void *found = solve(far, singular ? 0.5 : 0, &reports[1]);
        ck_assert_int_eq(reports[1].outcome, reports[0].outcome);
        ck_assert_str_eq(reports[1].scale, singular ? "none" : reports[0].scale);
        ck_assert_int_lt(first_difference(value, ROWS, found, expected), 0);
        ck_assert(same(reports[1].residual, reports[0].residual));
        ck_assert(same(reports[1].residual_scaled, reports[0].residual_scaled));
        ck_assert(same(reports[1].backward_error_rows, reports[0].backward_error_rows));
        ck_assert(same(reports[1].outside, reports[0].outside));
        ck_assert(!singular || reports[1].outcome == FUR_OUTCOME_LEAST_SQUARES);
        ck_assert(singular || strcmp(reports[1].scale, "none") != 0);
        free(found);
        free(expected);
        fur_csr_destroy(far);
        fur_csr_destroy(near);
        fur_context_destroy(host);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, reports_have_the_same_bits_everywhere, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("verdict", add_tests);
}
