/* What auto knows of singular components: a null vector for each if they are few, and in any case
 * that A is singular. */
#include "support.h"

#include "course.h"

/* `pairs` blocks [1 -1; -1 1]. */
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

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, many_components_are_known_to_be_singular);
}

int main(void)
{
    return run_tests("null_vectors", add_tests);
}
