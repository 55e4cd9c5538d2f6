/* Singular matrices of several components. auto finds a null vector for each component if there are
 * few components. It always finds that A is singular. */
#include "support.h"

#include "course.h"

#include <math.h>

/* Returns a matrix of `pairs` diagonal blocks [1 -1; -1 1]. */
static fur_csr *pairs_of(fur_context *context, int32_t pairs)
{
    int32_t rows[160];
    int32_t cols[160];
    double values[160];
    fur_csr *a = NULL;
    for (int32_t k = 0; k < 4 * pairs; k++) {
        rows[k] = k / 4 * 2 + k / 2 % 2;
        cols[k] = k / 4 * 2 + k % 2;
        values[k] = rows[k] == cols[k] ? 1 : -1;
    }
    fur_coo_view coo = {sizeof coo, 2 * pairs, 2 * pairs, 4 * pairs, FUR_F64, rows, cols, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    return a;
}

static void check_pairs(fur_context *context, int32_t pairs, bool has_vectors)
{
    fur_csr *a = pairs_of(context, pairs);
    fur_product *product = NULL;
    fur_course c = {.context = context, .a = a};
    c.traits = FUR_DEFAULT(fur_csr_traits);
    ck_ok(context, fur_csr_examine(a, &c.traits));
    ck_ok(context, fur_product_create(a, NULL, &product));
    c.product = product;
    ck_ok(context, fur_course_find_null_space(&c));
    ck_assert(c.singular);
    ck_assert_int_eq(c.null_space != NULL, has_vectors);
    fur_vectors_destroy(c.null_space);
    fur_product_destroy(product);
    fur_csr_destroy(a);
}

START_TEST(many_components_are_known_to_be_singular)
{
    fur_context *context = context_make(NULL, 1);
    check_pairs(context, 16, true);
    check_pairs(context, 17, false);
    check_pairs(context, 40, false);
    fur_context_destroy(context);
}
END_TEST

/* auto gives a least-squares solution although A has too many components to compute null vectors. A
 * small part of b is outside the range. In single precision the gradient at the solution has few
 * correct digits. */
START_TEST(a_small_part_outside_the_range_is_left)
{
    enum { CHAINS = 20, POINTS = 14, ROWS = CHAINS * POINTS };
    fur_context *context = context_make(NULL, 1);
    int32_t at[2][3 * ROWS];
    float values[3 * ROWS];
    float b[ROWS];
    int64_t count = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        int32_t end = i / POINTS * POINTS + POINTS;
        b[i] = 1e-4F;
        for (int32_t j = i % POINTS ? i - 1 : i; j <= i + 1 && j < end; j++) {
            at[0][count] = i;
            at[1][count] = j;
            values[count] = i != j ? -1 : i % POINTS == 0 || i == end - 1 ? 1 : 2;
            b[i] += values[count++] * sinf((float)(j * j));
        }
    }
    fur_coo_view coo = {sizeof coo, ROWS, ROWS, count, FUR_F32, at[0], at[1], values};
    fur_csr *a = NULL;
    fur_vector *right = NULL;
    fur_vector *x = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_vector_create(context, FUR_F32, ROWS, &right));
    ck_ok(context, fur_vector_create(context, FUR_F32, ROWS, &x));
    ck_ok(context, fur_vector_upload(b, right));
    ck_ok(context, fur_solve(a, right, x, NULL, &report));
    ck_assert_msg(report.outcome == FUR_OUTCOME_LEAST_SQUARES, "%s, residual %g",
                  fur_outcome_name(report.outcome), report.residual);
    fur_vector_destroy(x);
    fur_vector_destroy(right);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, many_components_are_known_to_be_singular);
    tcase_add_test(tests, a_small_part_outside_the_range_is_left);
}

int main(void)
{
    return run_tests("null_vectors", add_tests);
}
