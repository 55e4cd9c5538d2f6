/* Operations on several vectors at once. They have the bits of fur_dot, fur_axpby and fur_norm2 on
 * one vector at a time on the CPU. This holds for every value type, number of vectors, size, thread
 * count, instruction set and device, with aligned and unaligned vectors. */
#include "many_trial.h"

#include <math.h>

static int64_t leaf_entries(fur_value_type value)
{
    return 16384 / (int64_t)fur_value_size(value);
}

/* Checks a trial on every instruction set with 1, 1 + step, ... up to 8 threads; on a GPU with 1
 * and 8 threads. */
static void check_trial(const many_trial *t, int step)
{
    fur_context *alone = context_cpu(NULL, 1);
    many_results expected = many_one_by_one(alone, t);
    for (int i = 0; isa_name(i); i++) {
        for (int threads = 1; threads <= 8; threads += on_gpu() ? 7 : step) {
            fur_context *context = context_make(isa_name(i), threads);
            many_check(context, t, &expected, threads % 2);
            fur_context_destroy(context);
        }
    }
    fur_context_destroy(alone);
    free(expected.y);
}

static void check_everywhere(rng *r, fur_value_type value, int64_t n, int count, int step)
{
    many_trial t = many_random(r, value, n, count);
    check_trial(&t, step);
    many_release(&t);
}

/* The bits agree around the sizes of groups of vectors, rows and leaves. Like the next test, it
 * loops over value types. */
START_TEST(many_have_the_bits_of_one_by_one)
{
    static const int counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 32, 33, 66};
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream((uint64_t)value);
    int64_t leaf = leaf_entries(value);
    int step = TEST_SHORT ? 4 : on_gpu() ? 1 : 2;
    const int64_t sizes[] = {0,
                             1,
                             leaf / 32 + 1,
                             leaf - 1,
                             leaf,
                             leaf + 1,
                             (on_gpu() && !test_small() ? 33 : 5) * leaf + 3};
    for (int i = 0; i < COUNT_OF(sizes); i++)
        for (int c = i % step; c < COUNT_OF(counts); c += step)
            check_everywhere(&r, value, sizes[i], counts[c], 7);
    for (int c = 0; c < COUNT_OF(counts); c += test_small() ? 4 : 1)
        check_everywhere(&r, value, rng_below(&r, 4 * leaf), counts[c], 7);
}
END_TEST

START_TEST(many_have_their_bits_for_any_threads)
{
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(10 + (uint64_t)value);
    check_everywhere(&r, value, 7 * leaf_entries(value) + 5, 9, 1);
}
END_TEST

/* For 32 vectors, threads share at most 128 blocks of leaves. This size gives blocks of two
 * leaves. */
START_TEST(many_of_many_leaves_have_the_bits_of_one_by_one)
{
    rng r = rng_stream(20);
    check_everywhere(&r, FUR_F32, 133 * leaf_entries(FUR_F32) + 3, TEST_SLOW ? 9 : 32, 7);
}
END_TEST

/* The bits agree for more leaves than a GPU processes at a time, and for more leaves than a launch
 * has blocks for all groups. */
START_TEST(many_long_vectors_have_the_bits_of_one_by_one)
{
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(50 + (uint64_t)value);
    int64_t leaves = TEST_SHORT ? 40 : on_gpu() ? 5000 : 200;
    check_everywhere(&r, value, leaves * leaf_entries(value) + 5, 3, 7);
    check_everywhere(&r, value, leaves / 4 * leaf_entries(value) + 1, 32, 7);
}
END_TEST

/* The bits agree for sums whose squares overflow or underflow. Loops over scales. */
START_TEST(norms_after_sums_of_extremes_have_the_bits_of_one_by_one)
{
    static const double scales[] = {1e300, 1e-300, 0x1p-1070};
    rng r = rng_stream(60 + (uint64_t)_i);
    many_trial t = many_random(&r, FUR_C128, 3 * leaf_entries(FUR_C128) + 7, 5);
    double *const parts[] = {t.y, t.x[0], t.x[1], t.x[2], t.x[3], t.x[4]};
    for (int k = 0; k < COUNT_OF(parts); k++)
        for (int64_t j = 0; j < 2 * t.n; j++)
            parts[k][j] *= scales[_i];
    check_trial(&t, 7);
    many_release(&t);
}
END_TEST

/* The list of vectors may contain y, and the same vector twice. */
START_TEST(many_dots_take_y_itself)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(30);
    fur_vector *x = vector_random(context, &r, FUR_C64, 5000);
    fur_vector *y = vector_random(context, &r, FUR_C64, 5000);
    const fur_vector *const list[] = {y, x, y};
    fur_scalar dots[3];
    fur_scalar expected[3];
    ck_ok(context, fur_dot_many(3, list, y, dots));
    for (int k = 0; k < 3; k++)
        ck_ok(context, fur_dot(list[k], y, &expected[k]));
    ck_assert(first_difference(FUR_C128, 3, dots, expected) < 0);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

/* The norm is correct if squares overflow or underflow, and for NaN. Infinity times a coefficient 1
 * gives infinity, not NaN. */
START_TEST(norms_after_sums_of_extremes_are_right)
{
    static const double cases[][2] = {
        {1e300, 3e300}, {1e-300, 3e-300},     {0x1p-1074, 3 * 0x1p-1074},
        {0, 0},         {INFINITY, INFINITY}, {NAN, NAN}};
    fur_context *context = context_make(NULL, 1);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        double entries[5000] = {0};
        double zeros[5000] = {0};
        const fur_scalar ones[] = {fur_real(1), fur_real(1), fur_real(1)};
        double norm;
        entries[4321] = cases[i][0];
        fur_vector *x = vector_from(context, FUR_F64, 5000, entries);
        fur_vector *y = vector_from(context, FUR_F64, 5000, zeros);
        const fur_vector *const list[] = {x, x, x};
        ck_ok(context, fur_axpy_many_norm2(3, ones, list, y, &norm));
        ck_assert_msg(first_difference(FUR_F64, 1, &norm, &cases[i][1]) < 0, "%a, expected %a",
                      norm, cases[i][1]);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
    }
    fur_context_destroy(context);
}
END_TEST

/* Checks that a list with a wrong second vector is refused and changes nothing. */
static void check_refused(fur_context *context, const fur_vector *wrong, fur_vector *y,
                          const char *sentence)
{
    rng r = rng_stream(40);
    fur_vector *x = vector_random(context, &r, FUR_F64, 5);
    const fur_vector *const list[] = {x, wrong};
    const fur_scalar ones[] = {fur_real(1), fur_real(1)};
    void *before = vector_entries(y);
    fur_scalar dots[2] = {{42, 43}, {44, 45}};
    double norm = 46;
    if (wrong != y)
        ck_fails(context, FUR_INVALID, sentence, fur_dot_many(2, list, y, dots));
    ck_fails(context, FUR_INVALID, sentence, fur_axpy_many(2, ones, list, y));
    ck_fails(context, FUR_INVALID, sentence, fur_axpy_many_norm2(2, ones, list, y, &norm));
    ck_fails(context, FUR_INVALID, sentence, fur_axpy_many_dots(2, ones, list, y, dots));
    ck_assert(dots[0].re == 42 && dots[1].im == 45 && norm == 46);
    void *after = vector_entries(y);
    ck_assert(first_difference(FUR_F64, 5, after, before) < 0);
    free(after);
    free(before);
    fur_vector_destroy(x);
}

START_TEST(lists_that_do_not_match_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    rng r = rng_stream(41);
    fur_vector *y = vector_random(context, &r, FUR_F64, 5);
    fur_vector *longer = vector_random(context, &r, FUR_F64, 6);
    fur_vector *complex = vector_random(context, &r, FUR_C128, 5);
    fur_vector *foreign = vector_random(other, &r, FUR_F64, 5);
    check_refused(context, NULL, y, "vector 1 of x is NULL");
    check_refused(context, longer, y,
                  "the vectors have 5 and 6 entries; they need the same number");
    check_refused(
        context, complex, y,
        "the vectors have entries of types f64 and c128; they need the same type: convert one");
    check_refused(context, foreign, y, "the vectors belong to different contexts");
    check_refused(context, y, y,
                  "a vector of x and y overlap in memory; give each a separate array");
    fur_vector *const made[] = {foreign, complex, longer, y};
    for (int i = 0; i < COUNT_OF(made); i++)
        fur_vector_destroy(made[i]);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, many_have_the_bits_of_one_by_one, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, many_have_their_bits_for_any_threads, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, many_of_many_leaves_have_the_bits_of_one_by_one);
    tcase_add_loop_test(tests, many_long_vectors_have_the_bits_of_one_by_one, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, norms_after_sums_of_extremes_have_the_bits_of_one_by_one, 0, 3);
    tcase_add_test(tests, many_dots_take_y_itself);
    tcase_add_test(tests, norms_after_sums_of_extremes_are_right);
    tcase_add_test(tests, lists_that_do_not_match_are_refused);
}

int main(void)
{
    return run_tests("many", add_tests);
}
