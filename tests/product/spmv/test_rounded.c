/* Tests of plans that round the values of A to single precision. Every exact kernel has the bits of
 * the rounded matrix in its own type, and is within a bound. Also: the bytes saved, refusals. */
#include "narrow_cases.h"
#include "rounded_cases.h"

#include <math.h>

/* Loops over value types. */
START_TEST(products_have_the_bits_of_the_rounded_matrix)
{
    const int step = TEST_SLOW ? 9 : 3;
    rng r = rng_stream(300 + (uint64_t)_i);
    for (int i = 0; isa_name(i); i++) {
        fur_context *context = context_make(isa_name(i), 1 + i);
        const fur_kernel_info *kernel;
        for (int k = 0; (kernel = fur_spmv_kernel_at(context, k)); k++)
            for (int s = k % step; kernel->exact && s < shape_count; s += step)
                rounded_check(context, &r, &shapes[s], (fur_value_type)_i, (fur_op)((s + k) % 3),
                              kernel->name);
        rounded_check(context, &r, &shapes[shape_find("grid")], (fur_value_type)_i, FUR_OP_N,
                      "auto");
        fur_context_destroy(context);
    }
}
END_TEST

static fur_spmv *plan_stored(const fur_csr *a, fur_stored stored)
{
    fur_spmv_options options = {.size = sizeof options, .kernel = "sell", .values = stored};
    fur_spmv *plan = NULL;
    ck_ok(fur_csr_context(a), fur_spmv_plan(a, &options, &plan));
    return plan;
}

START_TEST(half_the_bytes_of_values_are_saved)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(310);
    fur_csr *a = narrow_matrix(context, &r, FUR_F64, NARROW_ANY);
    fur_spmv *exact = plan_stored(a, FUR_STORED_EXACT);
    fur_spmv *rounded = plan_stored(a, FUR_STORED_F32);
    ck_assert_int_le(narrow_bytes(rounded), narrow_bytes(exact) - 4 * fur_csr_get(a)->entries);
    fur_spmv_destroy(rounded);
    fur_spmv_destroy(exact);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* The operator of a plan with rounded values is the operator of the rounded matrix, including its
 * diagonal. */
START_TEST(the_operator_is_that_of_the_rounded_matrix)
{
    const int32_t offsets[] = {0, 1, 2};
    const int32_t columns[] = {0, 1};
    const double values[] = {0.1, 1e300};
    double found[2];
    fur_csr_view view = {sizeof view, 2, 2, 2, FUR_F64, FUR_I32, offsets, columns, values};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_operator *op = NULL;
    fur_vector *d = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    fur_spmv *plan = plan_stored(a, FUR_STORED_F32);
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    ck_ok(context, fur_vector_create(context, FUR_F64, 2, &d));
    ck_ok(context, fur_operator_diagonal(op, d));
    ck_ok(context, fur_vector_download(d, found));
    ck_assert(found[0] == (double)0.1F && isinf(found[1]));
    ck_assert_ptr_eq(fur_spmv_matrix(plan), a);
    fur_vector_destroy(d);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(another_form_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(320);
    fur_csr *a = narrow_matrix(context, &r, FUR_F64, NARROW_ANY);
    fur_spmv *plan = NULL;
    fur_product *product = NULL;
    fur_spmv_options options = {.size = sizeof options, .values = (fur_stored)7};
    fur_product_options with = {.size = sizeof with, .kernel = "stencil", .values = FUR_STORED_F32};
    ck_fails(context, FUR_INVALID,
             "7 is not a storage of values; use FUR_STORED_EXACT or FUR_STORED_F32",
             fur_spmv_plan(a, &options, &plan));
    ck_fails(context, FUR_UNSUPPORTED,
             "kernel \"stencil\" multiplies by exact values only; leave the option values out, or "
             "name another kernel",
             fur_product_create(a, &with, &product));
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, products_have_the_bits_of_the_rounded_matrix, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, half_the_bytes_of_values_are_saved);
    tcase_add_test(tests, the_operator_is_that_of_the_rounded_matrix);
    tcase_add_test(tests, another_form_is_refused);
}

int main(void)
{
    return run_tests("rounded", add_tests);
}
