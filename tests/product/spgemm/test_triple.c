/* Products of three matrices in one pass have the bits of two products, for rows of all kinds. */
#include "support.h"

#include <stdio.h>

/* Makes a matrix with `each` entries in each row, in random columns. Columns may repeat. */
static fur_csr *scattered(fur_context *context, rng *r, fur_value_type value, int64_t rows,
                          int64_t cols, int64_t each)
{
    int64_t count = rows * each;
    int32_t *row = malloc(((size_t)count + 1) * sizeof *row);
    int32_t *col = malloc(((size_t)count + 1) * sizeof *col);
    void *values = entries_random(r, value, count);
    for (int64_t i = 0; i < count; i++) {
        row[i] = (int32_t)(i / each);
        col[i] = (int32_t)rng_below(r, cols);
    }
    fur_coo_view coo = {sizeof coo, rows, cols, count, value, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    free(values);
    free(col);
    free(row);
    return a;
}

/* Checks that R (A P) in one pass equals R (A P) by a plan. */
static void check_triple(const fur_csr *r, const fur_csr *a, const fur_csr *p, const char *what)
{
    fur_context *context = fur_csr_context(a);
    fur_triple *plan = NULL;
    fur_csr *c = NULL;
    fur_csr *once = NULL;
    int equal = 0;
    ck_ok(context, fur_triple_plan(r, a, p, NULL, &plan));
    ck_ok(context, fur_triple_multiply(plan, fur_real(1), &c));
    ck_ok(context, fur_csr_triple(r, a, p, &once));
    ck_ok(context, fur_csr_check(context, fur_csr_get(once)));
    ck_ok(context, fur_csr_compare(c, once, &equal));
    ck_assert_msg(equal, "%s differs", what);
    fur_csr_destroy(once);
    fur_csr_destroy(c);
    fur_triple_destroy(plan);
}

/* Loops over value types. C has rows with no, few and many columns. There are duplicates and empty
 * matrices. If rows of A are needed often, the library computes two products. */
START_TEST(three_at_once_have_the_bits_of_two_products)
{
    static const struct {
        int64_t fine, coarse, of_r, of_a, of_p;
    } cases[] = {{1, 1, 1, 1, 1},     {600, 150, 4, 7, 1},  {500, 20, 25, 6, 1},
                 {900, 3, 300, 9, 1}, {300, 300, 1, 20, 1}, {400, 50, 8, 3, 2},
                 {200, 200, 5, 4, 3}, {100, 40, 2, 0, 1},   {100, 40, 0, 3, 1},
                 {300, 100, 3, 5, 0}};
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(1846 + (uint64_t)_i);
    for (int isa = 0; isa_name(isa); isa++)
        for (int threads = 1; threads < 6; threads += 2) {
            fur_context *context = context_make(isa_name(isa), threads);
            for (int k = 0; k < COUNT_OF(cases); k++) {
                char what[64];
                snprintf(what, sizeof what, "case %d, %d threads", k, threads);
                fur_csr *left =
                    scattered(context, &r, value, cases[k].coarse, cases[k].fine, cases[k].of_r);
                fur_csr *a =
                    scattered(context, &r, value, cases[k].fine, cases[k].fine, cases[k].of_a);
                fur_csr *p =
                    scattered(context, &r, value, cases[k].fine, cases[k].coarse, cases[k].of_p);
                check_triple(left, a, p, what);
                fur_csr_destroy(p);
                fur_csr_destroy(a);
                fur_csr_destroy(left);
            }
            fur_context_destroy(context);
        }
}
END_TEST

/* If any allocation fails, nothing is returned and no memory is lost. */
START_TEST(without_memory_nothing_is_left)
{
    memory m = {0};
    rng r = rng_stream(1849);
    fur_context *context = context_counting(&m, NULL, 2);
    fur_csr *left = scattered(context, &r, FUR_F64, 50, 200, 4);
    fur_csr *a = scattered(context, &r, FUR_F64, 200, 200, 5);
    fur_csr *p = scattered(context, &r, FUR_F64, 200, 50, 1);
    fur_csr *c = NULL;
    int64_t outstanding = m.outstanding;
    fur_status status = FUR_OUT_OF_MEMORY;
    for (int64_t n = 1; status != FUR_OK; n++) {
        m.fail_at = m.calls + n;
        status = fur_csr_triple(left, a, p, &c);
        ck_assert(status == FUR_OK || status == FUR_OUT_OF_MEMORY);
        if (status != FUR_OK) {
            ck_assert_ptr_null(c);
            ck_assert_int_eq(m.outstanding, outstanding);
        }
    }
    fur_csr_destroy(c);
    fur_csr_destroy(p);
    fur_csr_destroy(a);
    fur_csr_destroy(left);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, three_at_once_have_the_bits_of_two_products, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, without_memory_nothing_is_left);
}

int main(void)
{
    return run_tests("triple", add_tests);
}
