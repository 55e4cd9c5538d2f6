/* Recognition of stencils on a GPU: the CPU's cases, in which the device must find the same, to the
 * bit; large matrices of which one value is altered; memory that runs out is in test_cuda_faults.
 */
#include "cuda_support.h"
#include "recognise_cases.h"

#include <math.h>
#include <string.h>

/* Whether the host's numbers are those on the device. */
static bool same_numbers(const int32_t *host, const int32_t *device, int64_t count)
{
    size_t bytes = (size_t)count * sizeof *host;
    int32_t *copy = malloc(bytes + 1);
    if (count > 0)
        ck_cuda(cudaMemcpy(copy, device, bytes, cudaMemcpyDeviceToHost));
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

/* The rows that differ, and the stencil with its fields. */
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

/* alpha A x + beta y in memory of malloc. */
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

/* What the device finds in the matrix. */
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

static subject open_subject(uint64_t stream)
{
    subject s = {.random = rng_stream(stream), .also = check_device, .other = context_cuda()};
    s.context = fur_context_host(s.other);
    return s;
}

/* The device's companion is the context on the CPU. */
static void close_subject(subject *s)
{
    fur_context_destroy(s->other);
}

/* Loops over the value types. */
START_TEST(named_stencils_are_recognised)
{
    subject s = open_subject(11000 + (uint64_t)_i);
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 14 : 4)
        recognise_named(&s, (fur_value_type)_i, boundaries, test_small() ? 1 : 2);
    close_subject(&s);
}
END_TEST

/* Loops over the value types. */
START_TEST(random_stencils_are_recognised)
{
    subject s = open_subject(11100 + (uint64_t)_i);
    recognise_random(&s, (fur_value_type)_i, test_small() ? 3 : 30);
    close_subject(&s);
}
END_TEST

START_TEST(an_altered_row_is_listed)
{
    subject s = open_subject(11200);
    for (int way = 0; way < alteration_count; way++)
        recognise_altered(&s, way, test_small() ? 1 : 4);
    close_subject(&s);
}
END_TEST

START_TEST(altered_matrices_keep_their_bits)
{
    subject s = open_subject(11300);
    recognise_much_altered(&s, test_small() ? 10 : 100);
    close_subject(&s);
}
END_TEST

START_TEST(periodic_and_neumann_boundaries_differ)
{
    subject s = open_subject(11400);
    if (!test_small())
        recognise_boundaries(&s);
    close_subject(&s);
}
END_TEST

START_TEST(other_matrices_are_not_mistaken)
{
    subject s = open_subject(11500);
    for (int number = 0; number < shape_count; number += test_small() ? 7 : 1)
        recognise_shape(&s, number);
    close_subject(&s);
}
END_TEST

START_TEST(refusals_say_why)
{
    subject s = open_subject(11600);
    recognise_none(&s);
    close_subject(&s);
}
END_TEST

START_TEST(a_proof_may_fail)
{
    subject s = open_subject(11700);
    if (!test_small())
        recognise_too_many(&s);
    close_subject(&s);
}
END_TEST

/* Turns the lowest bit of value k of a matrix on the device. */
static void turn_bit(const fur_csr *a, int64_t k)
{
    fur_csr_view view = *fur_csr_get(a);
    size_t size = fur_value_size(view.value_type);
    char *value = (char *)(uintptr_t)view.values + (size_t)k * size;
    unsigned char byte;
    ck_ok(fur_csr_context(a), fur_context_synchronize(fur_csr_context(a)));
    ck_cuda(cudaMemcpy(&byte, value, 1, cudaMemcpyDeviceToHost));
    byte ^= 1;
    ck_cuda(cudaMemcpy(value, &byte, 1, cudaMemcpyHostToDevice));
    ck_cuda(cudaDeviceSynchronize());
}

/* The product's bits are the matrix's. */
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

/* Loops over the large grids: one bit of one value, of all the matrix has. */
START_TEST(one_bit_is_found)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(11800 + (uint64_t)_i);
    fur_recognise_report report = FUR_DEFAULT(fur_recognise_report);
    fur_stencil_definition d = named(large[_i].points, large[_i].value, 1, 1, 1);
    for (int axis = 0; axis < d.axes; axis++)
        d.extent[axis] = test_small() ? 20 + axis : large[_i].extent[axis];
    fur_csr *a = assemble(context, &d);
    for (int altered_rows = 0; altered_rows < 2; altered_rows++) {
        fur_recognised *found = recognise(context, a, &report);
        ck_assert_msg(found && report.axes == d.axes, "%s", report.reason);
        ck_assert_int_eq(memcmp(report.extent, d.extent, (size_t)d.axes * sizeof *d.extent), 0);
        ck_assert_int_eq(report.rows_differing, altered_rows);
        check_against_matrix(context, a, found, &r);
        fur_recognised_destroy(found);
        turn_bit(a, rng_below(&r, fur_csr_get(a)->entries));
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, named_stencils_are_recognised, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, random_stencils_are_recognised, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, an_altered_row_is_listed);
    tcase_add_test(tests, altered_matrices_keep_their_bits);
    tcase_add_test(tests, periodic_and_neumann_boundaries_differ);
    tcase_add_test(tests, other_matrices_are_not_mistaken);
    tcase_add_test(tests, refusals_say_why);
    tcase_add_test(tests, a_proof_may_fail);
    tcase_add_loop_test(tests, one_bit_is_found, 0, COUNT_OF(large));
}

int main(void)
{
    return run_gpu_tests("cuda_recognise", add_tests);
}
