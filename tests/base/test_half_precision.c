/* Numbers of 16 bits: each is what its digits say, and the nearest one is found. */
#include "support.h"

#include "half.h"

/* All numbers, except the largest exponent, which would be infinite, and the smallest, where only 0
 * is tested. */
START_TEST(values_are_those_of_the_digits)
{
    ck_assert(fur_half_value(0) == 0 && signbit(fur_half_value(0x8000)));
    for (int exponent = 1; exponent < 31; exponent++)
        for (int digits = 0; digits < 1024; digits++) {
            uint16_t half = (uint16_t)(exponent * 1024 + digits);
            double value = ldexp(1024 + digits, exponent - 25);
            ck_assert(fur_half_value(half) == value);
            ck_assert(fur_half_value((uint16_t)(half | 0x8000)) == -value);
            ck_assert_int_eq(fur_half_nearest(value), half);
            ck_assert_int_eq(fur_half_nearest(-value), half | 0x8000);
        }
}
END_TEST

/* Half of the distance of two neighbours, and a little to either side; even digits in the middle.
 */
START_TEST(the_nearest_is_found)
{
    rng r = rng_stream(1400);
    for (int i = 0; i < 10000; i++) {
        uint16_t half = (uint16_t)(1024 + rng_below(&r, 28 * 1024));
        double low = (double)fur_half_value(half);
        double high = (double)fur_half_value((uint16_t)(half + 1));
        double middle = (low + high) / 2;
        ck_assert_int_eq(fur_half_nearest(middle), half + half % 2);
        ck_assert_int_eq(fur_half_nearest(nextafter(middle, low)), half);
        ck_assert_int_eq(fur_half_nearest(nextafter(middle, high)), half + 1);
        ck_assert_int_eq(fur_half_nearest(-nextafter(middle, high)), (half + 1) | 0x8000);
    }
    ck_assert_int_eq(fur_half_nearest(nextafter(0x1p-14, 0)), 0);
    ck_assert_int_eq(fur_half_nearest(-0x1p-1060), 0x8000);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, values_are_those_of_the_digits);
    tcase_add_test(tests, the_nearest_is_found);
}

int main(void)
{
    return run_tests("half_precision", add_tests);
}
