/* Several vectors at a time on a GPU: the bits of the CPU, where they are those of one vector after
 * the other, at sizes around rows and leaves, with and without alignment, in every run. */
#include "cuda_support.h"
#include "many_trial.h"

static int64_t leaf_entries(fur_value_type value)
{
    return 16384 / (int64_t)fur_value_size(value);
}

/* The same bits in every run, the vectors aligned and not. */
static void check_twice(fur_context *gpu, rng *r, fur_value_type value, int64_t n, int count)
{
    many_trial t = many_random(r, value, n, count);
    many_results expected = many_one_by_one(fur_context_host(gpu), &t);
    many_check(gpu, &t, &expected, 0);
    many_check(gpu, &t, &expected, 1);
    free(expected.y);
    many_release(&t);
}

/* Loops over value types, as the next. */
START_TEST(many_have_the_bits_of_the_cpu)
{
    static const int counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 32, 33, 66};
    fur_value_type value = (fur_value_type)_i;
    fur_context *gpu = context_cuda();
    rng r = rng_stream((uint64_t)value);
    int64_t leaf = leaf_entries(value);
    const int64_t sizes[] = {0, 1, leaf / 32 + 1, leaf - 1, leaf, leaf + 1, 33 * leaf + 3};
    for (int i = 0; i < COUNT_OF(sizes) - test_small(); i++)
        for (int c = 0; c < COUNT_OF(counts); c += test_small() ? 5 : 1)
            check_twice(gpu, &r, value, sizes[i], counts[c]);
    fur_context_destroy(gpu);
}
END_TEST

/* More leaves than blocks are resident, and than a launch has blocks for all groups. */
START_TEST(many_long_vectors_have_the_bits_of_the_cpu)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *gpu = context_cuda();
    rng r = rng_stream(10 + (uint64_t)value);
    int64_t leaves = test_small() ? 40 : 5000;
    check_twice(gpu, &r, value, leaves * leaf_entries(value) + 5, 3);
    check_twice(gpu, &r, value, leaves / 4 * leaf_entries(value) + 1, 32);
    fur_context_destroy(gpu);
}
END_TEST

/* Sums whose squares overflow or underflow. */
START_TEST(norms_after_sums_of_extremes_have_the_bits_of_the_cpu)
{
    static const double scales[] = {1e300, 1e-300, 0x1p-1070};
    fur_context *gpu = context_cuda();
    rng r = rng_stream(20);
    for (int i = 0; i < COUNT_OF(scales); i++) {
        many_trial t = many_random(&r, FUR_C128, 3 * leaf_entries(FUR_C128) + 7, 5);
        double *const parts[] = {t.y, t.x[0], t.x[1], t.x[2], t.x[3], t.x[4]};
        for (int k = 0; k < COUNT_OF(parts); k++)
            for (int64_t j = 0; j < 2 * t.n; j++)
                parts[k][j] *= scales[i];
        many_results expected = many_one_by_one(fur_context_host(gpu), &t);
        many_check(gpu, &t, &expected, 0);
        free(expected.y);
        many_release(&t);
    }
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, many_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, many_long_vectors_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, norms_after_sums_of_extremes_have_the_bits_of_the_cpu);
}

int main(void)
{
    return run_gpu_tests("cuda_many", add_tests);
}
