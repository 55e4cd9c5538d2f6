/* Every way from a matrix of two colours to a solve: the same iterations and bits. */
#include "doors.h"

/* Loops over matrices. */
START_TEST(every_way_takes_the_same_iterations)
{
    for (fur_value_type value = FUR_F32; value < FUR_VALUE_COUNT; value++) {
        rng r = rng_stream(4200 + (uint64_t)(10 * _i + (int)value));
        fur_context *context = context_make(NULL, 2);
        fur_csr *a = grid_make(context, &r, value, _i);
        void *b = entries_random(&r, value, fur_csr_get(a)->rows);
        int64_t iterations;
        free(doors_compare(a, b, NULL, &iterations));
        free(b);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, every_way_takes_the_same_iterations, 0, GRID_COUNT);
}

int main(void)
{
    return run_tests("doors", add_tests);
}
