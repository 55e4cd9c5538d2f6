/* Products of two matrices on a GPU: pattern and bits of the CPU's for all shapes, with new values,
 * on grids, where rows follow each other, with rows that are wide, long or both, and with kept
 * duplicates, which the host multiplies. */
#include "cuda_support.h"

/* Products that a case may have. */
#define PRODUCTS_MOST (test_small() ? 200000 : 20000000)

static fur_csr *to(const fur_csr *a, fur_context *context)
{
    fur_csr *copy_of_it = NULL;
    ck_ok(fur_csr_context(a), fur_csr_transfer(a, context, &copy_of_it));
    return copy_of_it;
}

static void ck_same(const fur_csr *far, const fur_csr *near, const char *what)
{
    int equal = 0;
    fur_csr *copy_of_it = to(far, fur_csr_context(near));
    ck_ok(fur_csr_context(near), fur_csr_compare(copy_of_it, near, &equal));
    ck_assert_msg(equal, "%s differs", what);
    ck_assert_int_eq(fur_csr_get(far)->offset_type, fur_csr_get(near)->offset_type);
    fur_csr_destroy(copy_of_it);
}

static int64_t count_products(const fur_csr_view *a, const fur_csr_view *b)
{
    int64_t count = 0;
    for (int64_t e = 0; e < a->entries; e++)
        count += offset_at(b, a->columns[e] + 1) - offset_at(b, a->columns[e]);
    return count;
}

/* A B of matrices of the host, by the GPU and by the host; then both with new values of A. */
static void check_operands(fur_context *gpu, rng *r, fur_csr *a, fur_csr *b, const char *what)
{
    fur_context *host = fur_csr_context(a);
    fur_csr *far_a = to(a, gpu);
    fur_csr *far_b = b == a ? far_a : to(b, gpu);
    fur_spgemm *plan = NULL;
    fur_csr *c = NULL;
    fur_csr *expected = NULL;
    fur_value_type value = fur_csr_get(a)->value_type;
    ck_ok(gpu, fur_spgemm_plan(far_a, far_b, NULL, &plan));
    ck_ok(gpu, fur_spgemm_multiply(plan, fur_real(1), &c));
    ck_ok(host, fur_csr_multiply(a, b, &expected));
    ck_same(c, expected, what);
    ck_assert_int_eq(fur_spgemm_describe(plan)->products,
                     count_products(fur_csr_get(a), fur_csr_get(b)));
    fur_csr_destroy(expected);
    void *values = entries_random(r, value, fur_csr_get(a)->entries);
    ck_ok(host, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    ck_ok(gpu, fur_csr_set_values(far_a, values, FUR_OWNERSHIP_COPY));
    free(values);
    fur_spgemm *near = NULL;
    ck_ok(host, fur_spgemm_plan(a, b, NULL, &near));
    ck_ok(host, fur_spgemm_multiply(near, fur_complex(0.7, -2), &expected));
    ck_ok(gpu, fur_spgemm_apply(plan, fur_complex(0.7, -2), c));
    ck_same(c, expected, what);
    fur_spgemm_destroy(near);
    fur_csr_destroy(expected);
    fur_csr_destroy(c);
    fur_spgemm_destroy(plan);
    if (far_b != far_a)
        fur_csr_destroy(far_b);
    fur_csr_destroy(far_a);
}

/* Loops over the shapes. */
START_TEST(products_have_the_bits_of_the_host)
{
    counted c;
    counted_open(&c);
    fur_context *host = fur_context_host(c.context);
    rng r = rng_stream(1800 + (uint64_t)_i);
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        fur_csr *a = matrix_random(host, &r, &shapes[_i], (fur_value_type)value,
                                   (fur_offset_type)rng_below(&r, 2));
        fur_csr *b = NULL;
        ck_ok(host, fur_csr_transpose(a, 0, &b));
        if (count_products(fur_csr_get(a), fur_csr_get(b)) <= PRODUCTS_MOST)
            check_operands(c.context, &r, a, b, shapes[_i].name);
        if (count_products(fur_csr_get(b), fur_csr_get(a)) <= PRODUCTS_MOST)
            check_operands(c.context, &r, b, a, shapes[_i].name);
        if (shapes[_i].rows == shapes[_i].cols &&
            count_products(fur_csr_get(a), fur_csr_get(a)) <= PRODUCTS_MOST)
            check_operands(c.context, &r, a, a, shapes[_i].name);
        fur_csr_destroy(b);
        fur_csr_destroy(a);
    }
    counted_close(&c);
}
END_TEST

static fur_csr *grid(fur_context *context, int points, int64_t extent)
{
    fur_stencil_definition d = {
        .size = sizeof d, .value_type = FUR_F64, .extent = {extent, extent, extent}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_assert(fur_stencil_named(points, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    fur_stencil_destroy(s);
    return a;
}

START_TEST(grids_are_multiplied)
{
    const int points[] = {7, 27};
    counted c;
    counted_open(&c);
    rng r = rng_stream(1830);
    for (int i = 0; i < COUNT_OF(points); i++) {
        fur_csr *a = grid(fur_context_host(c.context), points[i], test_small() ? 9 : 33);
        check_operands(c.context, &r, a, a, "grid");
        fur_csr_destroy(a);
    }
    counted_close(&c);
}
END_TEST

/* Random entries, some rows of A long; columns of B over a range that asks for each way of forming
 * a row of C. */
static fur_csr *scattered(fur_context *context, rng *r, int64_t rows, int64_t cols, int64_t mean,
                          int64_t longest)
{
    int64_t room = rows * (mean + 1) + longest * 4;
    int32_t *i = malloc((size_t)room * sizeof *i);
    int32_t *j = malloc((size_t)room * sizeof *j);
    int64_t count = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t length = row % (rows / 3 + 1) == 1 ? longest : rng_below(r, 2 * mean);
        for (int64_t k = 0; k < length; k++) {
            i[count] = (int32_t)row;
            j[count++] = (int32_t)rng_below(r, cols);
        }
    }
    double *values = entries_random(r, FUR_F64, count);
    fur_coo_view coo = {sizeof coo, rows, cols, count, FUR_F64, i, j, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    free(values);
    free(j);
    free(i);
    return a;
}

START_TEST(wide_and_long_rows_are_multiplied)
{
    const int64_t widths[] = {1000, 30000, 200000, 700000, 3000000};
    counted c;
    counted_open(&c);
    fur_context *host = fur_context_host(c.context);
    rng r = rng_stream(1831);
    for (int i = 0; i < COUNT_OF(widths); i++) {
        fur_csr *a = scattered(host, &r, 400, 500, 6, 450);
        int longest = test_small() ? 300 : widths[i] > 100000 ? 70000 : 30000;
        fur_csr *b = scattered(host, &r, 500, widths[i], 40, longest);
        check_operands(c.context, &r, a, b, "wide rows");
        fur_csr_destroy(b);
        fur_csr_destroy(a);
    }
    counted_close(&c);
}
END_TEST

START_TEST(duplicates_are_multiplied_by_the_host)
{
    const int32_t rows[] = {0, 0, 1, 1};
    const int32_t cols[] = {0, 0, 0, 1};
    const double values[] = {1, 2, 3, 4};
    counted c;
    counted_open(&c);
    fur_context *host = fur_context_host(c.context);
    rng r = rng_stream(1832);
    fur_coo_view coo = {sizeof coo, 2, 2, 4, FUR_F64, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(host, fur_csr_from_coo(host, &coo, FUR_DUPLICATES_KEEP, &a));
    check_operands(c.context, &r, a, a, "duplicates");
    fur_csr_destroy(a);
    counted_close(&c);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, products_have_the_bits_of_the_host, 0, shape_count);
    tcase_add_test(tests, grids_are_multiplied);
    tcase_add_test(tests, wide_and_long_rows_are_multiplied);
    tcase_add_test(tests, duplicates_are_multiplied_by_the_host);
}

int main(void)
{
    return run_gpu_tests("cuda_spgemm", add_tests);
}
