/* All ways to solve a system of two colours take the same iterations and give the same bits, on the
 * CPU and on the device under test. */
#include "doors.h"

/* All ways of both devices give the same result. Loops over matrices. */
START_TEST(every_way_takes_the_same_iterations)
{
    memory m = {0};
    fur_context *host = context_cpu(NULL, 2);
    fur_context *context = context_counting(&m, NULL, 3);
    for (fur_value_type value = FUR_F32; value < FUR_VALUE_COUNT; value++) {
        rng r = rng_stream(4200 + (uint64_t)(10 * _i + (int)value));
        fur_csr *near = grid_make(host, &r, value, _i);
        fur_csr *a = matrix_in(context, near);
        void *b = entries_random(&r, value, fur_csr_get(a)->rows);
        int64_t iterations;
        void *x = doors_compare(near, b, NULL, &iterations);
        doors_compare(a, b, x, &iterations);
        free(x);
        free(b);
        fur_csr_destroy(a);
        fur_csr_destroy(near);
    }
    fur_context_destroy(context);
    fur_context_destroy(host);
    ck_assert_int_eq(m.outstanding, 0);
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
