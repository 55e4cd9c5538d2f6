/* Vectors: creation by copy, borrowing and adoption, filling, copying, conversion, products,
 * refusals. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const int64_t sizes[] = {0, 1, 3, 1000, 70001};

/* A new vector contains zeros. Tests that use _i loop over value types. */
START_TEST(a_new_vector_is_zero)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        fur_vector *x = NULL;
        void *zeros = entries_make((fur_value_type)_i, sizes[i]);
        ck_ok(context, fur_vector_create(context, (fur_value_type)_i, sizes[i], &x));
        ck_assert_ptr_eq(fur_vector_context(x), context);
        ck_assert_int_eq(fur_vector_value_type(x), _i);
        ck_assert_int_eq(fur_vector_size(x), sizes[i]);
        ck_assert_ptr_eq(fur_vector_data(x), fur_vector_const_data(x));
        ck_assert((fur_vector_data(x) == NULL) == (sizes[i] == 0));
        ck_assert_int_eq(
            first_difference((fur_value_type)_i, sizes[i], fur_vector_const_data(x), zeros), -1);
        fur_vector_destroy(x);
        free(zeros);
    }
    fur_vector_destroy(NULL);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(a_copy_is_independent_of_its_source)
{
    fur_context *context = context_make(NULL, 1);
    double data[] = {1, 2, 3};
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_wrap(context, FUR_F64, 3, data, FUR_OWNERSHIP_COPY, &x));
    ck_assert_ptr_ne(fur_vector_data(x), data);
    data[1] = 20;
    ck_assert_double_eq(((double *)fur_vector_data(x))[1], 2);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_borrowed_vector_writes_to_its_source)
{
    fur_context *context = context_make(NULL, 1);
    double data[] = {1, 2, 3};
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_wrap(context, FUR_F64, 3, data, FUR_OWNERSHIP_BORROW, &x));
    ck_assert_ptr_eq(fur_vector_data(x), data);
    ck_ok(context, fur_vector_fill(x, fur_real(7)));
    fur_vector_destroy(x);
    ck_assert_double_eq(data[2], 7);
    fur_context_destroy(context);
}
END_TEST

START_TEST(an_adopted_array_is_released_with_the_vector)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    void *data = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_context_allocate(context, 3 * sizeof(double), &data));
    int64_t outstanding = m.outstanding;
    ck_assert_int_eq(fur_vector_wrap(context, FUR_F64, -3, data, FUR_OWNERSHIP_ADOPT, &x),
                     FUR_INVALID);
    ck_assert_int_eq(m.outstanding, outstanding);
    ck_ok(context, fur_vector_wrap(context, FUR_F64, 3, data, FUR_OWNERSHIP_ADOPT, &x));
    ck_assert_ptr_eq(fur_vector_data(x), data);
    fur_vector_destroy(x);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(wrong_shapes_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    double data[1];
    fur_vector *x = NULL;
    const struct {
        fur_value_type value;
        int64_t size;
        void *data;
        fur_status status;
        const char *sentence;
    } cases[] = {
        {(fur_value_type)4, 1, data, FUR_INVALID, "4 is not a value type"},
        {(fur_value_type)-1, 1, data, FUR_INVALID, "-1 is not a value type"},
        {FUR_F64, -2, data, FUR_INVALID, "a vector cannot have -2 entries"},
        {FUR_F64, 2, NULL, FUR_INVALID, "the array is NULL, but has to hold 2 entries"},
        {FUR_C128, INT64_MAX, data, FUR_OVERFLOW,
         "9223372036854775807 elements of 16 bytes do not fit in memory"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        ck_fails(context, cases[i].status, cases[i].sentence,
                 fur_vector_wrap(context, cases[i].value, cases[i].size, cases[i].data,
                                 FUR_OWNERSHIP_COPY, &x));
        ck_fails(context, cases[i].status, cases[i].sentence,
                 fur_vector_wrap(context, cases[i].value, cases[i].size, cases[i].data,
                                 FUR_OWNERSHIP_BORROW, &x));
        if (cases[i].data)
            ck_fails(context, cases[i].status, cases[i].sentence,
                     fur_vector_create(context, cases[i].value, cases[i].size, &x));
    }
    ck_assert_ptr_null(x);
    fur_context_destroy(context);
}
END_TEST

/* fill rounds a coefficient once to the value type. */
START_TEST(fill_sets_every_entry)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 3);
    fur_scalar third = {1.0 / 3, -2.0 / 3};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        fur_vector *x = NULL;
        void *expected = entries_make(value, sizes[i]);
        for (int64_t k = 0; k < sizes[i]; k++)
            entry_set(value, expected, k, third);
        ck_ok(context, fur_vector_create(context, value, sizes[i], &x));
        ck_ok(context, fur_vector_fill(x, third));
        ck_assert_int_eq(first_difference(value, sizes[i], fur_vector_data(x), expected), -1);
        free(expected);
        fur_vector_destroy(x);
    }
    fur_context_destroy(context);
}
END_TEST

/* The coefficients are powers of two, so products are exact. An imaginary part of -0 could become
 * 0. */
START_TEST(scaling_multiplies_every_entry)
{
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(700 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 3);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        fur_vector *x = vector_random(context, &r, value, sizes[i]);
        void *expected = vector_entries(x);
        for (int64_t k = 0; k < sizes[i]; k++) {
            fur_scalar entry = entry_get(value, expected, k);
            entry_set(value, expected, k, fur_complex(-4 * entry.re, -4 * entry.im));
        }
        ck_ok(context, fur_vector_scale(x, fur_real(-4)));
        ck_assert_int_eq(first_difference(value, sizes[i], fur_vector_data(x), expected), -1);
        free(expected);
        fur_vector_destroy(x);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(copy_copies_bits)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 3);
    rng r = rng_stream(1);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        fur_vector *x = vector_random(context, &r, value, sizes[i]);
        fur_vector *y = NULL;
        if (sizes[i] > 0)
            entry_set(value, fur_vector_data(x), 0, fur_complex(NAN, -0.0));
        ck_ok(context, fur_vector_create(context, value, sizes[i], &y));
        ck_ok(context, fur_vector_copy(x, y));
        ck_assert(sizes[i] == 0 || memcmp(fur_vector_data(x), fur_vector_data(y),
                                          (size_t)sizes[i] * fur_value_size(value)) == 0);
        ck_ok(context, fur_vector_copy(y, y));
        fur_vector_destroy(y);
        fur_vector_destroy(x);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(copy_between_overlapping_vectors_is_right)
{
    fur_context *context = context_make(NULL, 1);
    double data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    fur_vector *low = NULL;
    fur_vector *high = NULL;
    ck_ok(context, fur_vector_wrap(context, FUR_F64, 6, data, FUR_OWNERSHIP_BORROW, &low));
    ck_ok(context, fur_vector_wrap(context, FUR_F64, 6, data + 2, FUR_OWNERSHIP_BORROW, &high));
    ck_ok(context, fur_vector_copy(low, high));
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq(data[i + 2], i);
    fur_vector_destroy(high);
    fur_vector_destroy(low);
    fur_context_destroy(context);
}
END_TEST

/* z = x y is correct if z is x or y. Products of small numbers are exact. */
START_TEST(multiply_is_exact_on_small_numbers_whatever_is_aliased)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 3);
    for (int aliased = 0; aliased < 4; aliased++) {
        int64_t n = 50000;
        fur_vector *x = NULL;
        fur_vector *y = NULL;
        fur_vector *z = NULL;
        ck_ok(context, fur_vector_create(context, value, n, &x));
        ck_ok(context, fur_vector_create(context, value, n, &y));
        ck_ok(context, fur_vector_create(context, value, n, &z));
        ck_ok(context, fur_vector_fill(x, fur_complex(3, 2)));
        ck_ok(context, fur_vector_fill(y, fur_complex(-5, 0.5)));
        fur_vector *left = x;
        fur_vector *right = aliased == 3 ? x : y;
        fur_vector *out = aliased == 0 ? z : aliased == 2 ? y : x;
        fur_scalar a = entry_get(value, fur_vector_data(left), 0);
        fur_scalar b = entry_get(value, fur_vector_data(right), 0);
        ck_ok(context, fur_multiply_elementwise(left, right, out));
        void *expected = entries_make(value, n);
        for (int64_t i = 0; i < n; i++)
            entry_set(value, expected, i,
                      fur_complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re));
        ck_assert_int_eq(first_difference(value, n, fur_vector_data(out), expected), -1);
        free(expected);
        fur_vector_destroy(z);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
    }
    fur_context_destroy(context);
}
END_TEST

/* Conversion to every type rounds to nearest and sets a missing imaginary part to 0. The test sets
 * imaginary parts to 0 if the target type is real. */
START_TEST(conversion_rounds_to_nearest)
{
    fur_value_type from = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 3);
    rng r = rng_stream(2);
    for (int to = 0; to < FUR_VALUE_COUNT; to++) {
        int64_t n = 40000;
        void *x = entries_random(&r, from, n);
        void *expected = entries_make((fur_value_type)to, n);
        for (int64_t i = 0; i < n; i++) {
            fur_scalar entry = entry_get(from, x, i);
            entry.im = value_is_complex((fur_value_type)to) ? entry.im : i % 2 ? -0.0 : 0.0;
            entry_set(from, x, i, entry);
            entry_set((fur_value_type)to, expected, i, entry);
        }
        fur_vector *v = vector_from(context, from, n, x);
        fur_vector *converted = NULL;
        ck_ok(context, fur_vector_convert(v, (fur_value_type)to, &converted));
        ck_assert_int_eq(fur_vector_value_type(converted), to);
        ck_assert_int_eq(
            first_difference((fur_value_type)to, n, fur_vector_data(converted), expected), -1);
        fur_vector_destroy(converted);
        fur_vector_destroy(v);
        free(expected);
        free(x);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(conversion_keeps_what_is_not_a_number_and_overflows_to_infinity)
{
    fur_context *context = context_make(NULL, 1);
    const double in[] = {NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, 1 + 0x1p-24, 0x1p-149};
    const float out[] = {NAN, INFINITY, -INFINITY, -0.0f, INFINITY, 1, 0x1p-149f};
    fur_vector *x = vector_from(context, FUR_F64, COUNT_OF(in), in);
    fur_vector *converted = NULL;
    ck_ok(context, fur_vector_convert(x, FUR_F32, &converted));
    ck_assert_int_eq(first_difference(FUR_F32, COUNT_OF(in), fur_vector_data(converted), out), -1);
    fur_vector_destroy(converted);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

/* The error names the first entry with an imaginary part, for any thread that finds it. */
START_TEST(conversion_does_not_lose_imaginary_parts)
{
    static const fur_value_type from[] = {FUR_C64, FUR_C128};
    static const double lost[] = {1e-30, -3, NAN, INFINITY};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 8);
    for (int i = 0; i < COUNT_OF(from) * COUNT_OF(lost); i++) {
        fur_vector *converted = NULL;
        fur_vector *x = NULL;
        fur_value_type value = from[i % 2];
        ck_ok(context, fur_vector_create(context, value, 200000, &x));
        for (int64_t k = 123456; k < 200000; k += 1000)
            entry_set(value, fur_vector_data(x), k, fur_complex(1, lost[i / 2]));
        int64_t outstanding = m.outstanding;
        ck_fails(context, FUR_INVALID,
                 "entry 123457, counting from 1, has an imaginary part, which type f64 cannot hold",
                 fur_vector_convert(x, FUR_F64, &converted));
        ck_fails(context, FUR_INVALID,
                 "entry 123457, counting from 1, has an imaginary part, which type f32 cannot hold",
                 fur_vector_convert(x, FUR_F32, &converted));
        ck_assert_ptr_null(converted);
        ck_assert_int_eq(m.outstanding, outstanding);
        fur_vector_destroy(x);
    }
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(conversion_to_no_type_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_vector *x = NULL;
    fur_vector *converted = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 2, &x));
    ck_fails(context, FUR_INVALID, "9 is not a value type",
             fur_vector_convert(x, (fur_value_type)9, &converted));
    ck_assert_ptr_null(converted);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

START_TEST(vectors_that_do_not_match_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    rng r = rng_stream(3);
    fur_vector *x = vector_random(context, &r, FUR_F64, 5);
    const struct {
        fur_vector *y;
        const char *sentence;
    } cases[] = {
        {vector_random(context, &r, FUR_F64, 0),
         "the vectors have 5 and 0 entries; they need the same number"},
        {vector_random(context, &r, FUR_F32, 5),
         "the vectors have entries of types f64 and f32; they need the same type: convert one"},
        {vector_random(other, &r, FUR_F64, 5), "the vectors belong to different contexts"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        if (fur_vector_context(cases[i].y) == context)
            ck_fails(context, FUR_INVALID, cases[i].sentence, fur_vector_copy(x, cases[i].y));
        ck_fails(context, FUR_INVALID, cases[i].sentence,
                 fur_multiply_elementwise(x, cases[i].y, x));
        ck_fails(context, FUR_INVALID, cases[i].sentence,
                 fur_multiply_elementwise(x, x, cases[i].y));
        fur_vector_destroy(cases[i].y);
    }
    fur_vector_destroy(x);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_vector_moves_between_contexts)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 2);
    rng r = rng_stream(4);
    fur_vector *x = vector_random(context, &r, FUR_C64, 1001);
    fur_vector *y = vector_random(other, &r, FUR_C64, 1001);
    ck_ok(context, fur_vector_copy(x, y));
    ck_assert_int_eq(first_difference(FUR_C64, 1001, fur_vector_data(x), fur_vector_const_data(y)),
                     -1);
    ck_assert_ptr_eq(fur_context_host(other), other);
    ck_ok(other, fur_context_synchronize(other));
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

START_TEST(entries_are_uploaded_and_downloaded)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(5);
    fur_vector *x = NULL;
    for (int64_t n = 0; n < 50; n += 7) {
        double *in = entries_random(&r, FUR_F64, n);
        double *out = entries_make(FUR_F64, n);
        ck_ok(context, fur_vector_create(context, FUR_F64, n, &x));
        ck_ok(context, fur_vector_upload(in, x));
        ck_ok(context, fur_vector_download(x, out));
        ck_assert_int_eq(first_difference(FUR_F64, n, in, out), -1);
        fur_vector_destroy(x);
        free(out);
        free(in);
    }
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_vector_moves_between_contexts);
    tcase_add_test(tests, entries_are_uploaded_and_downloaded);
    tcase_add_loop_test(tests, a_new_vector_is_zero, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_copy_is_independent_of_its_source);
    tcase_add_test(tests, a_borrowed_vector_writes_to_its_source);
    tcase_add_test(tests, an_adopted_array_is_released_with_the_vector);
    tcase_add_test(tests, wrong_shapes_are_refused);
    tcase_add_loop_test(tests, fill_sets_every_entry, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, scaling_multiplies_every_entry, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, copy_copies_bits, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, copy_between_overlapping_vectors_is_right);
    tcase_add_loop_test(tests, multiply_is_exact_on_small_numbers_whatever_is_aliased, 0,
                        FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, conversion_rounds_to_nearest, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, conversion_keeps_what_is_not_a_number_and_overflows_to_infinity);
    tcase_add_test(tests, conversion_does_not_lose_imaginary_parts);
    tcase_add_test(tests, conversion_to_no_type_is_refused);
    tcase_add_test(tests, vectors_that_do_not_match_are_refused);
}

int main(void)
{
    return run_tests("vector", add_tests);
}
