/* Repeated sweeps of stencils on a GPU: the CPU's cases, in which the device must find the same, to
 * the bit, with each of its kernels. */
#include "cuda_support.h"
#include "sweep_cases.h"

/* Loops over value types. */
START_TEST(sweeps_have_the_bits_of_the_host)
{
    sweeper s = {.context = context_cuda(), .random = rng_stream((uint64_t)_i)};
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 13 : 1)
        sweep_random(&s, (fur_value_type)_i, boundaries);
    sweep_check_tally(&s, (fur_value_type)_i);
    fur_context_destroy(s.context);
}
END_TEST

/* Loops over value types. */
START_TEST(sweeps_of_integers_are_exact)
{
    sweeper s = {.context = context_cuda(), .random = rng_stream(1000 + (uint64_t)_i)};
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 13 : 1)
        sweep_integers(&s, (fur_value_type)_i, boundaries);
    fur_context_destroy(s.context);
}
END_TEST

/* Loops over the large grids. */
START_TEST(sweeps_of_large_grids_have_the_bits_of_the_host)
{
    sweeper s = {.context = context_cuda(), .random = rng_stream(2000 + (uint64_t)_i)};
    sweep_large(&s, _i, 0);
    if (!test_small())
        sweep_large(&s, _i, (int)rng_below(&s.random, BOUNDARIES));
    fur_context_destroy(s.context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, sweeps_have_the_bits_of_the_host, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, sweeps_of_integers_are_exact, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, sweeps_of_large_grids_have_the_bits_of_the_host, 0,
                        sweep_large_count);
}

int main(void)
{
    return run_gpu_tests("cuda_stencil_sweep", add_tests);
}
