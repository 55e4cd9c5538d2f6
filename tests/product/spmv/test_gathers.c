/* Tests both ways to gather entries of x. Kernels use the faster way on the processor. */
#include "gathers_cases.h"
#include "support.h"

#define ENTRIES 5000

static void try_gathers(bool (*agree)(const double *x, const int32_t *index))
{
    static double x[2 * ENTRIES];
    rng r = rng_stream(0);
    for (int i = 0; i < 2 * ENTRIES; i++)
        x[i] = rng_unit(&r);
    for (int turn = 0; turn < 1000; turn++) {
        int32_t index[8];
        for (int i = 0; i < 8; i++)
            index[i] = (int32_t)rng_below(&r, ENTRIES);
        ck_assert(agree(x, index));
    }
}

START_TEST(both_gathers_bring_the_same)
{
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        try_gathers(fur_gathers_agree_avx2);
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        try_gathers(fur_gathers_agree_avx512);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, both_gathers_bring_the_same);
}

int main(void)
{
    return run_tests("gathers", add_tests);
}
