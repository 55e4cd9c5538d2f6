/* Tests of the recognition of stencils. A GPU must find bit for bit what the CPU finds. Also: large
 * matrices with one altered bit, threads, instruction sets, reports, wrong calls. */
#include "recognise_cases.h"

#include <math.h>
#include <string.h>

/* Returns whether the numbers on the host and on the device are equal. */
static bool same_numbers(const int32_t *host, const int32_t *device, int64_t count)
{
    size_t bytes = (size_t)count * sizeof *host;
    int32_t *copy = malloc(bytes + 1);
    device_move(copy, device, bytes);
    bool same = count == 0 || memcmp(copy, host, bytes) == 0;
    free(copy);
    return same;
}

static void check_report(const fur_recognise_report *is, const fur_recognise_report *should)
{
    ck_assert_str_eq(is->reason, should->reason);
    ck_assert_int_eq(is->recognised, should->recognised);
    ck_assert_int_eq(is->axes, should->axes);
    ck_assert_int_eq(memcmp(is->extent, should->extent, sizeof is->extent), 0);
    ck_assert_int_eq(is->points, should->points);
    ck_assert_int_eq(is->variable, should->variable);
    ck_assert_int_eq(is->rows_differing, should->rows_differing);
    ck_assert_int_eq(is->bytes, should->bytes);
}

static bool same_matrix(const fur_csr *a, const fur_csr *b)
{
    int equal = 0;
    ck_ok(fur_csr_context(a), fur_csr_compare(a, b, &equal));
    return equal;
}

/* Compares the rows that differ, their numbers, and the stencil with its fields. */
static void check_parts(const fur_recognised *host, const fur_recognised *device)
{
    fur_context *context = fur_csr_context(fur_recognised_rows(device));
    fur_csr *a = NULL;
    fur_csr *b = NULL;
    ck_assert(same_matrix(fur_recognised_rows(host), fur_recognised_rows(device)));
    ck_ok(context, fur_context_synchronize(context));
    ck_assert(same_numbers(fur_recognised_row_numbers(host), fur_recognised_row_numbers(device),
                           fur_csr_get(fur_recognised_rows(host))->rows));
    ck_ok(NULL, fur_stencil_assemble(fur_recognised_stencil(host), &a));
    ck_ok(context, fur_stencil_assemble(fur_recognised_stencil(device), &b));
    ck_assert(same_matrix(a, b));
    fur_csr_destroy(b);
    fur_csr_destroy(a);
}

/* Returns alpha A x + beta y. The caller frees the entries. */
static void *product(fur_context *context, const fur_recognised *r, fur_value_type value,
                     int64_t rows, const fur_scalar factors[2], const void *vectors[2])
{
    fur_vector *x = vector_from(context, value, rows, vectors[0]);
    fur_vector *y = vector_from(context, value, rows, vectors[1]);
    ck_ok(context, fur_recognised_apply(r, factors[0], x, factors[1], y));
    void *result = vector_entries(y);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    return result;
}

static void check_product(subject *s, const fur_csr *a, const fur_recognised *host,
                          const fur_recognised *device)
{
    fur_csr_view view = *fur_csr_get(a);
    rng *r = &s->random;
    const fur_scalar factors[2] = {rng_scalar(r, view.value_type),
                                   rng_below(r, 2) ? fur_real(0) : rng_scalar(r, view.value_type)};
    void *x = entries_random(r, view.value_type, view.rows);
    void *y = entries_random(r, view.value_type, view.rows);
    const void *vectors[2] = {x, y};
    entry_set(view.value_type, x, rng_below(r, view.rows), fur_complex(INFINITY, 0));
    void *expected = product(s->context, host, view.value_type, view.rows, factors, vectors);
    void *result = product(s->other, device, view.value_type, view.rows, factors, vectors);
    ck_assert_int_eq(first_difference(view.value_type, view.rows, result, expected), -1);
    free(result);
    free(expected);
    free(y);
    free(x);
}

static void *diagonal_of(fur_context *context, const fur_recognised *r)
{
    fur_operator *op = NULL;
    fur_vector *d = NULL;
    ck_ok(context, fur_operator_from_recognised(r, &op));
    ck_ok(context,
          fur_vector_create(context, fur_operator_value_type(op), fur_operator_rows(op), &d));
    ck_ok(context, fur_vector_fill(d, fur_real(NAN)));
    ck_ok(context, fur_operator_diagonal(op, d));
    void *entries = vector_entries(d);
    fur_vector_destroy(d);
    fur_operator_destroy(op);
    return entries;
}

static void check_diagonal(subject *s, const fur_csr *a, const fur_recognised *host,
                           const fur_recognised *device)
{
    fur_csr_view view = *fur_csr_get(a);
    void *expected = diagonal_of(s->context, host);
    void *result = diagonal_of(s->other, device);
    ck_assert_int_eq(first_difference(view.value_type, view.rows, result, expected), -1);
    free(result);
    free(expected);
}

/* Checks that the device finds in the matrix what the CPU found. */
static void check_device(subject *s, const fur_csr *a, const fur_recognised *found,
                         const fur_recognise_report *report)
{
    fur_csr *sent = NULL;
    fur_recognise_report own = FUR_DEFAULT(fur_recognise_report);
    ck_ok(s->context, fur_csr_transfer(a, s->other, &sent));
    fur_recognised *r = recognise(s->other, sent, &own);
    check_report(&own, report);
    ck_assert_int_eq(r != NULL, found != NULL);
    if (r) {
        check_parts(found, r);
        check_product(s, a, found, r);
        check_diagonal(s, a, found, r);
    }
    fur_recognised_destroy(r);
    fur_csr_destroy(sent);
}

/* Makes a subject whose context is on the CPU. On a GPU it is the companion of the device's
 * context. */
static subject open_subject(uint64_t stream, int threads)
{
    subject s = {.context = context_make(NULL, threads), .random = rng_stream(stream)};
    if (on_gpu()) {
        s.also = check_device;
        s.other = s.context;
        s.context = fur_context_host(s.other);
    }
    return s;
}

static void close_subject(subject *s)
{
    fur_context_destroy(s->other ? s->other : s->context);
}

/* Loops over the value types and the boundaries of three axes. */
START_TEST(named_stencils_are_recognised)
{
    int boundaries = _i / FUR_VALUE_COUNT;
    if (on_gpu() && boundaries % (test_small() ? 14 : 4))
        return;
    subject s = open_subject((uint64_t)_i, 2);
    recognise_named(&s, (fur_value_type)(_i % FUR_VALUE_COUNT), boundaries,
                    TEST_SHORT ? 1
                    : on_gpu() ? 2
                               : 3);
    close_subject(&s);
}
END_TEST

/* Loops over the value types. */
START_TEST(random_stencils_are_recognised)
{
    subject s = open_subject(1000 + (uint64_t)_i, 2);
    recognise_random(&s, (fur_value_type)_i,
                     test_small() ? 3
                     : TEST_SLOW  ? 10
                     : on_gpu()   ? 30
                                  : 60);
    close_subject(&s);
}
END_TEST

/* Loops over the alterations. */
START_TEST(an_altered_row_is_listed)
{
    subject s = open_subject(2000 + (uint64_t)_i, 3);
    recognise_altered(&s, _i, test_small() ? 1 : TEST_SLOW ? 2 : on_gpu() ? 4 : 10);
    close_subject(&s);
}
END_TEST

START_TEST(altered_matrices_keep_their_bits)
{
    subject s = open_subject(3000 + (uint64_t)_i, 2);
    recognise_much_altered(&s, TEST_SHORT ? 10 : 100);
    close_subject(&s);
}
END_TEST

START_TEST(periodic_and_neumann_boundaries_differ)
{
    subject s = open_subject(4000, 2);
    if (!test_small())
        recognise_boundaries(&s);
    close_subject(&s);
}
END_TEST

/* Flips the lowest bit of value k of a matrix, on the host or on a device. */
static void turn_bit(const fur_csr *a, int64_t k)
{
    fur_csr_view view = *fur_csr_get(a);
    size_t size = fur_value_size(view.value_type);
    char *value = (char *)(uintptr_t)view.values + (size_t)k * size;
    unsigned char byte;
    ck_ok(fur_csr_context(a), fur_context_synchronize(fur_csr_context(a)));
    device_move(&byte, value, 1);
    byte ^= 1;
    device_move(value, &byte, 1);
}

/* Checks that the product of the recognised stencil has the bits of the matrix's product. */
static void check_against_matrix(fur_context *context, const fur_csr *a, const fur_recognised *r,
                                 rng *random)
{
    fur_csr_view view = *fur_csr_get(a);
    fur_spmv *plan = NULL;
    fur_vector *x = vector_random(context, random, view.value_type, view.rows);
    fur_vector *y[2] = {NULL, NULL};
    void *entries[2];
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    for (int side = 0; side < 2; side++)
        ck_ok(context, fur_vector_create(context, view.value_type, view.rows, &y[side]));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y[0]));
    ck_ok(context, fur_recognised_apply(r, fur_real(1), x, fur_real(0), y[1]));
    for (int side = 0; side < 2; side++) {
        entries[side] = vector_entries(y[side]);
        fur_vector_destroy(y[side]);
    }
    ck_assert_int_eq(first_difference(view.value_type, view.rows, entries[0], entries[1]), -1);
    free(entries[1]);
    free(entries[0]);
    fur_vector_destroy(x);
    fur_spmv_destroy(plan);
}

static const struct {
    int points;
    int64_t extent[3];
    fur_value_type value;
} large[] = {
    {7, {256, 256, 256}, FUR_F64},
    {27, {130, 131, 67}, FUR_F32},
    {5, {1501, 1003, 0}, FUR_C128},
    {3, {3000001, 0, 0}, FUR_C64},
};

/* If one bit of one value is flipped, one row differs. Loops over the large grids. */
START_TEST(one_bit_is_found)
{
    subject s = open_subject(11800 + (uint64_t)_i, 2);
    fur_context *context = s.other ? s.other : s.context;
    fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
    fur_stencil_definition d = named(large[_i].points, large[_i].value, 1, 1, 1);
    for (int axis = 0; axis < d.axes; axis++)
        d.extent[axis] = TEST_SHORT ? 20 + axis : large[_i].extent[axis] / (on_gpu() ? 1 : 4);
    fur_csr *a = assemble(context, &d);
    for (int altered_rows = 0; altered_rows < 2; altered_rows++) {
        fur_recognised *found = recognise(context, a, &report);
        ck_assert_msg(found && report.axes == d.axes, "%s", report.reason);
        ck_assert_int_eq(memcmp(report.extent, d.extent, (size_t)d.axes * sizeof *d.extent), 0);
        ck_assert_int_eq(report.rows_differing, altered_rows);
        check_against_matrix(context, a, found, &s.random);
        fur_recognised_destroy(found);
        if (!on_gpu())
            check(&s, a, &report);
        turn_bit(a, rng_below(&s.random, fur_csr_get(a)->entries));
    }
    fur_csr_destroy(a);
    close_subject(&s);
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
    if (test_small() && _i % 7)
        return;
    subject s = open_subject(8000 + (uint64_t)_i, 2);
    recognise_shape(&s, _i);
    close_subject(&s);
}
END_TEST

START_TEST(refusals_say_why)
{
    subject s = open_subject(9000, 2);
    recognise_none(&s);
    close_subject(&s);
}
END_TEST

START_TEST(a_proof_may_fail)
{
    subject s = open_subject(9500, 2);
    if (!test_small())
        recognise_too_many(&s);
    close_subject(&s);
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
    ck_assert_str_eq(report.reason,
                     "the coefficients vary, but constant coefficients were requested");
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
    ck_fails(context, FUR_INVALID,
             "y has 59 entries of type f64, but the grid needs 60 of type f64",
             fur_recognised_apply(r, fur_real(1), x, fur_real(0), shorter));
    ck_fails(context, FUR_INVALID, "x and y overlap in memory; give each a separate array",
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
    tcase_add_loop_test(tests, altered_matrices_keep_their_bits, 0, on_gpu() ? 1 : 4);
    tcase_add_test(tests, periodic_and_neumann_boundaries_differ);
    tcase_add_loop_test(tests, one_bit_is_found, 0, COUNT_OF(large));
    if (!on_gpu())
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
