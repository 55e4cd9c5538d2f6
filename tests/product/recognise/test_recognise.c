/* Recognition of stencils on the CPU: the cases that a GPU is tested with, too, and threads,
 * instruction sets, reports, and what breaks the contract. */
#include "recognise_cases.h"

#include <math.h>
#include <string.h>

static subject open_subject(uint64_t stream, int threads)
{
    return (subject){.context = context_make(NULL, threads), .random = rng_stream(stream)};
}

/* Loops over the value types and the boundaries of three axes. */
START_TEST(named_stencils_are_recognised)
{
    subject s = open_subject((uint64_t)_i, 2);
    recognise_named(&s, (fur_value_type)(_i % FUR_VALUE_COUNT), _i / FUR_VALUE_COUNT,
                    TEST_SLOW ? 1 : 3);
    fur_context_destroy(s.context);
}
END_TEST

/* Loops over the value types. */
START_TEST(random_stencils_are_recognised)
{
    subject s = open_subject(1000 + (uint64_t)_i, 2);
    recognise_random(&s, (fur_value_type)_i, TEST_SLOW ? 10 : 60);
    fur_context_destroy(s.context);
}
END_TEST

/* Loops over the alterations. */
START_TEST(an_altered_row_is_listed)
{
    subject s = open_subject(2000 + (uint64_t)_i, 3);
    recognise_altered(&s, _i, TEST_SLOW ? 2 : 10);
    fur_context_destroy(s.context);
}
END_TEST

START_TEST(altered_matrices_keep_their_bits)
{
    subject s = open_subject(3000 + (uint64_t)_i, 2);
    recognise_much_altered(&s, TEST_SLOW ? 10 : 100);
    fur_context_destroy(s.context);
}
END_TEST

START_TEST(periodic_and_neumann_boundaries_differ)
{
    subject s = open_subject(4000, 2);
    recognise_boundaries(&s);
    fur_context_destroy(s.context);
}
END_TEST

START_TEST(one_value_among_millions_is_found)
{
    int64_t n = TEST_SLOW ? 30 : 70;
    subject s = open_subject(5000, 2);
    fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
    fur_csr *a = grid(s.context, 7, n, n, n);
    fur_csr_view view = *fur_csr_get(a);
    int64_t k = rng_below(&s.random, view.entries);
    double *value = (double *)(uintptr_t)view.values + k;
    *value = nextafter(*value, 0);
    check(&s, a, &report);
    ck_assert_int_eq(report.recognised, 1);
    ck_assert_int_eq(report.rows_differing, 1);
    fur_csr_destroy(a);
    fur_context_destroy(s.context);
}
END_TEST

START_TEST(threads_and_instruction_sets_do_not_show)
{
    for (int i = 0; isa_name(i); i++)
        for (int threads = 1; threads <= 5; threads++) {
            subject s = {.context = context_make(isa_name(i), threads), .random = rng_stream(6000)};
            fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
            fur_stencil_definition d = named(7, FUR_F64, 33, 31, 29);
            d.boundary[0] = FUR_BOUNDARY_PERIODIC;
            fur_csr *a = assemble(s.context, &d);
            check(&s, a, &report);
            ck_assert_str_eq(report.reason, "a stencil of 7 points with constant coefficients on a "
                                            "grid of 33 x 31 x 29; 1798 rows differ");
            fur_csr_destroy(a);
            fur_context_destroy(s.context);
        }
}
END_TEST

/* Loops over the shapes. */
START_TEST(other_matrices_are_not_mistaken)
{
    subject s = open_subject(8000 + (uint64_t)_i, 2);
    recognise_shape(&s, _i);
    fur_context_destroy(s.context);
}
END_TEST

START_TEST(refusals_say_why)
{
    subject s = open_subject(9000, 2);
    recognise_none(&s);
    fur_context_destroy(s.context);
}
END_TEST

START_TEST(a_proof_may_fail)
{
    subject s = open_subject(9500, 2);
    recognise_too_many(&s);
    fur_context_destroy(s.context);
}
END_TEST

START_TEST(reports_describe_what_was_found)
{
    fur_context *context = context_make(NULL, 1);
    fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
    fur_csr *a = grid(context, 5, 40, 30, 1);
    fur_recognised *r = recognise(context, a, &report);
    ck_assert_str_eq(report.reason, "a stencil of 5 points with constant coefficients on a grid of "
                                    "40 x 30; 0 rows differ");
    ck_assert(report.axes == 2 && report.points == 5 && !report.variable);
    ck_assert(report.extent[0] == 40 && report.extent[1] == 30 && report.extent[2] == 1);
    ck_assert_int_eq(report.bytes, 1200 * 16 + 0);
    fur_recognised_destroy(r);
    ck_ok(context, fur_stencil_recognise(a, NULL, NULL, &r));
    fur_recognised_destroy(r);
    fur_csr_destroy(a);
    const fur_recognise_options constant = {.size = sizeof constant, .constant = 1};
    a = grid(context, 5, 40, 30, 1);
    double *values = malloc((size_t)fur_csr_get(a)->entries * sizeof *values);
    for (int64_t k = 0; k < fur_csr_get(a)->entries; k++)
        values[k] = (double)(k + 1);
    ck_ok(context, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    free(values);
    ck_ok(context, fur_stencil_recognise(a, &constant, &report, &r));
    ck_assert(r == NULL);
    ck_assert_str_eq(report.reason, "the coefficients vary, and constant ones are asked for");
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(calls_that_break_the_contract_fail)
{
    fur_context *context = context_make(NULL, 1);
    const fur_recognise_options by_name = {.size = sizeof by_name, .kernel = "reference"};
    const fur_recognise_options unknown = {.size = sizeof unknown, .kernel = "abacus"};
    fur_recognised *r = NULL;
    fur_vector *x = NULL;
    fur_vector *shorter = NULL;
    fur_csr *a = grid(context, 5, 10, 6, 1);
    ck_assert_int_eq(fur_stencil_recognise(a, &unknown, NULL, &r), FUR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "abacus"));
    ck_assert_ptr_null(r);
    ck_ok(context, fur_stencil_recognise(a, &by_name, NULL, &r));
    ck_assert_str_eq(fur_stencil_describe(fur_recognised_stencil(r))->kernel, "reference");
    ck_ok(context, fur_vector_create(context, FUR_F64, 60, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, 59, &shorter));
    ck_fails(context, FUR_INVALID, "y has 59 entries of type f64, the grid needs 60 of type f64",
             fur_recognised_apply(r, fur_real(1), x, fur_real(0), shorter));
    ck_fails(context, FUR_INVALID, "x and y overlap; each must have memory of its own",
             fur_recognised_apply(r, fur_real(1), x, fur_real(0), x));
    fur_recognised_destroy(NULL);
    fur_recognised_destroy(r);
    fur_vector_destroy(shorter);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, named_stencils_are_recognised, 0, FUR_VALUE_COUNT * BOUNDARIES);
    tcase_add_loop_test(tests, random_stencils_are_recognised, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, an_altered_row_is_listed, 0, alteration_count);
    tcase_add_loop_test(tests, altered_matrices_keep_their_bits, 0, 4);
    tcase_add_test(tests, periodic_and_neumann_boundaries_differ);
    tcase_add_test(tests, one_value_among_millions_is_found);
    tcase_add_test(tests, threads_and_instruction_sets_do_not_show);
    tcase_add_loop_test(tests, other_matrices_are_not_mistaken, 0, shape_count);
    tcase_add_test(tests, refusals_say_why);
    tcase_add_test(tests, a_proof_may_fail);
    tcase_add_test(tests, reports_describe_what_was_found);
    tcase_add_test(tests, calls_that_break_the_contract_fail);
}

int main(void)
{
    return run_tests("recognise", add_tests);
}
