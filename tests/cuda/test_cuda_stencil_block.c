/* Stencils on blocks of vectors on a GPU: every column has the bits of a single product by the
 * CPU's reference, for every boundary and many points, layouts, strides and numbers of columns. */
#include "cuda_support.h"
#include "stencil_block_trial.h"

static const int64_t column_counts[] = {0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 100, 300};

static int64_t draw_columns(rng *r)
{
    return column_counts[rng_below(r, COUNT_OF(column_counts))];
}

/* Loops over value types, as the next two. */
START_TEST(columns_have_the_bits_of_the_cpu)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream((uint64_t)_i);
    int way = _i;
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 5 : 1)
        for (int n = 0; n < 3; n++) {
            int points = 1 + (int)rng_below(&r, n == 2 ? 60 : 12);
            stencil_trial *t = stencil_block_draw((fur_value_type)_i, boundaries, points, 2000, &r);
            stencil_block_check(t, gpu, NULL, draw_columns(&r), way++ % STENCIL_BLOCK_WAYS, &r);
            trial_close(t);
        }
    fur_context_destroy(gpu);
}
END_TEST

START_TEST(long_rows_have_segments)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(10 + (uint64_t)_i);
    int way = _i;
    for (int points = 127; points < 700; points += test_small() ? 300 : 86) {
        stencil_trial *t = stencil_block_draw((fur_value_type)_i, points % 27, points, 300, &r);
        stencil_block_check(t, gpu, NULL, 6, way++ % STENCIL_BLOCK_WAYS, &r);
        trial_close(t);
    }
    fur_context_destroy(gpu);
}
END_TEST

/* Named stencils by every kernel for single products, which does not matter. */
START_TEST(named_stencils_in_every_layout)
{
    static const int named[] = {3, 5, 9, 7, 13, 19, 27};
    static const int64_t extent[3] = {37, 21, 18};
    fur_context *gpu = context_cuda();
    rng r = rng_stream(20 + (uint64_t)_i);
    for (int n = 0; n < COUNT_OF(named); n += test_small() ? 3 : 1) {
        stencil_trial *t = trial_open((fur_value_type)_i, n);
        trial_take_named(t, &r, named[n]);
        trial_set_extents(t, extent);
        trial_draw_product(t, &r);
        for (int way = 0; way < STENCIL_BLOCK_WAYS; way += test_small() ? 3 : 1)
            stencil_block_check(t, gpu, NULL, way % 3 == 2 ? 5 : 8, way, &r);
        trial_close(t);
    }
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, columns_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, long_rows_have_segments, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, named_stencils_in_every_layout, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_stencil_block", add_tests);
}
