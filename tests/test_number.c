/* Decimal numbers: what is one, rounding against the C library's strtod and strtof, printing. */
#include "number.h"
#include "random.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* Sanitizers make a test slow; then a tenth has to do. */
#define TIMES(count) (TEST_SLOW ? (count) / 10 : (count))

static uint64_t bits_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t bits_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool scan(const char *text, size_t length, fur_number *out)
{
    return fur_number_scan(text, text + length, out);
}

/* Both types of the text are what the C library makes of it. */
static void check_rounding(const char *text)
{
    fur_number number;
    ck_assert_msg(scan(text, strlen(text), &number), "%.100s", text);
    double f64 = fur_number_f64(&number), expected_f64 = strtod(text, NULL);
    float f32 = fur_number_f32(&number), expected_f32 = strtof(text, NULL);
    ck_assert_msg(bits_f64(f64) == bits_f64(expected_f64), "%.100s: %a, expected %a", text, f64,
                  expected_f64);
    ck_assert_msg(bits_f32(f32) == bits_f32(expected_f32), "%.100s: %a, expected %a", text,
                  (double)f32, (double)expected_f32);
}

START_TEST(numbers_are_told_from_other_words)
{
    static const char *const good[] = {"0",    "-0",    "+1",   "1.",     ".5",   "-.5e-3",  "007",
                                       "1e5",  "1E+05", "1d3",  "1.5D-2", "inf",  "-Inf",    "NaN",
                                       "+nan", "1e400", "-inf", "1e-400", "0e99", "INFINITY"};
    static const char *const bad[] = {
        "",    "+",     "-",     ".",   "-.",        "e5",     ".e5",   "1e",
        "1e+", "1e5.",  "1.2.3", "1,5", "0x1",       "1f",     "1.5+2", "--1",
        "+-1", "1e5e5", "infi",  "in",  "infinityx", "nan(1)", "1_000", "1 ",
        " 1",  "1\t",   "e",     "d",   "\xc2\xb2",  "1\xa0",  "nano",  "\"1\""};
    fur_number number;
    for (int i = 0; i < COUNT_OF(good); i++)
        ck_assert_msg(scan(good[i], strlen(good[i]), &number), "%s", good[i]);
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!scan(bad[i], strlen(bad[i]), &number), "%s", bad[i]);
    ck_assert(!scan("1\0", 2, &number));
}
END_TEST

START_TEST(only_digits_are_an_integer)
{
    fur_number number;
    ck_assert(scan("-12", 3, &number) && number.integer);
    ck_assert(scan("12.", 3, &number) && !number.integer);
    ck_assert(scan("1e2", 3, &number) && !number.integer);
}
END_TEST

START_TEST(fortran_exponents_and_words_have_their_value)
{
    fur_number number;
    ck_assert(scan("1.5D+02", 7, &number));
    ck_assert_double_eq(fur_number_f64(&number), 150);
    ck_assert(scan("-1d-2", 5, &number));
    ck_assert_double_eq(fur_number_f64(&number), -0.01);
    ck_assert(scan("-Infinity", 9, &number));
    ck_assert_double_eq(fur_number_f64(&number), -(double)INFINITY);
    ck_assert_float_eq(fur_number_f32(&number), -INFINITY);
    ck_assert(scan("nan", 3, &number));
    ck_assert_double_nan(fur_number_f64(&number));
    ck_assert_float_nan(fur_number_f32(&number));
}
END_TEST

START_TEST(known_hard_numbers_round_correctly)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.1",
        "123456789012345678901234567890",
        "9007199254740993",
        "9007199254740992.9999999999999999999999",
        "9007199254740993.0000000000000000000001",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e400",
        "-1e400",
        "1e-400",
        "1e22",
        "1e23",
        "8.589973e9",
        "3.4028235e38",
        "3.4028236e38",
        "1.4e-45",
        "7.0064923216240853e-46",
        "7.0064923216240854e-46",
        "1.00000017881393432617187499",
        "1.00000017881393432617187500",
        "1.00000017881393432617187501",
        "16777217",
        "16777217.0000001",
        "0e999999999999999999999",
        "1e99999999999999999999999",
        "1e-99999999999999999999999",
        "6929495644600919.5",
        "3.518437208883201171875E13",
    };
    for (int i = 0; i < COUNT_OF(texts); i++)
        check_rounding(texts[i]);
}
END_TEST

static char random_digit(void)
{
    return (char)('0' + random_below(10));
}

/* A random number of `digits` digits with a point and perhaps an exponent. */
static void random_decimal(char *out, int digits, int exponents)
{
    int point = random_below(digits);
    if (random_below(2))
        *out++ = '-';
    for (int i = 0; i < digits; i++) {
        *out++ = random_digit();
        if (i == point)
            *out++ = '.';
    }
    snprintf(out, 32, "e%d", random_below(2 * exponents) - exponents);
}

START_TEST(random_numbers_round_correctly)
{
    char text[100];
    for (int i = 0; i < TIMES(300000); i++) {
        random_decimal(text, 1 + random_below(22), 1 + random_below(340));
        check_rounding(text);
    }
}
END_TEST

START_TEST(long_numbers_round_correctly)
{
    static char text[5100];
    for (int i = 0; i < TIMES(300); i++) {
        random_decimal(text, 800, 1200);
        check_rounding(text);
        random_decimal(text, 5000, 5400);
        check_rounding(text);
    }
}
END_TEST

/* Numbers halfway between two doubles, and a last digit far behind that decides. */
START_TEST(halfway_cases_round_correctly)
{
    static char text[3000];
    for (int i = 0; i < TIMES(3000); i++) {
        uint64_t bits = random_bits() & UINT64_C(0x7fffffffffffffff);
        if (i % 3 == 0)
            bits &= UINT64_C(0x000fffffffffffff);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value) || !isfinite(nextafter(value, INFINITY)))
            continue;
        long double middle = ((long double)value + (long double)nextafter(value, INFINITY)) / 2;
        int length = snprintf(text, sizeof text, "%.1100Lf", middle);
        check_rounding(text);
        memset(text + length, '0', 500);
        strcpy(text + length + 500, "1");
        check_rounding(text);
    }
}
END_TEST

START_TEST(every_kind_of_float_prints_and_reads_back)
{
    for (int i = 0; i < TIMES(200000); i++) {
        uint32_t bits = (uint32_t)random_bits();
        float value;
        memcpy(&value, &bits, sizeof value);
        char text[FUR_NUMBER_SIZE + 1];
        size_t length = fur_number_print_f32(value, text);
        ck_assert_uint_le(length, FUR_NUMBER_SIZE);
        fur_number number;
        ck_assert(fur_number_scan(text, text + length, &number));
        float back = fur_number_f32(&number);
        ck_assert(isnan(value) ? isnan(back) : bits_f32(back) == bits);
    }
}
END_TEST

/* The significant digits in a printed number. */
static int count_digits(const char *text, size_t length)
{
    int count = 0, zeros = 0;
    for (size_t i = 0; i < length && text[i] != 'e'; i++) {
        if (text[i] == '0')
            zeros += count > 0;
        else if (text[i] > '0' && text[i] <= '9') {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

/* No decimal with one digit less reads back: of those, only the two around the value might. */
static void check_shortest(double value, const char *text, size_t length)
{
    int digits = count_digits(text, length);
    if (digits < 2 || !isfinite(value))
        return;
    char below[64], above[64], rounded[64];
    snprintf(rounded, sizeof rounded, "%.*e", digits - 2, value);
    double step = pow(10, atoi(strchr(rounded, 'e') + 1) - (digits - 2));
    double nearest = strtod(rounded, NULL);
    snprintf(below, sizeof below, "%.*e", digits - 2, nearest - step);
    snprintf(above, sizeof above, "%.*e", digits - 2, nearest + step);
    ck_assert_msg(nearest != value && strtod(below, NULL) != value && strtod(above, NULL) != value,
                  "%.*s has more digits than %s", (int)length, text, rounded);
}

START_TEST(doubles_print_with_the_fewest_digits)
{
    for (int i = 0; i < TIMES(200000); i++) {
        uint64_t bits = random_bits();
        if (i % 4 == 0)
            bits &= UINT64_C(0xfff0000000000000);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 4 == 1)
            value = (double)(int64_t)(bits >> 20) / 1024;
        char text[FUR_NUMBER_SIZE + 1];
        size_t length = fur_number_print_f64(value, text);
        ck_assert_uint_le(length, FUR_NUMBER_SIZE);
        fur_number number;
        ck_assert(fur_number_scan(text, text + length, &number));
        double back = fur_number_f64(&number);
        ck_assert(isnan(value) ? isnan(back) : bits_f64(back) == bits_f64(value));
        check_shortest(value, text, length);
    }
}
END_TEST

START_TEST(known_numbers_print_as_expected)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-12, "-12"},
        {0.1, "0.1"},
        {1e5, "100000"},
        {123456789, "123456789"},
        {1e15, "1000000000000000"},
        {1e16, "1e16"},
        {1e23, "1e23"},
        {9007199254740992, "9007199254740992"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {0.00001234, "0.00001234"},
        {0.000001234, "1.234e-6"},
        {-1.5e300, "-1.5e300"},
        {1.0 / 3, "0.3333333333333333"},
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p-1022, "2.2250738585072014e-308"},
        {9.5367431640625e-7, "9.5367431640625e-7"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        char text[FUR_NUMBER_SIZE + 1] = "";
        text[fur_number_print_f64(cases[i].value, text)] = '\0';
        ck_assert_str_eq(text, cases[i].text);
    }
    char text[FUR_NUMBER_SIZE + 1] = "";
    text[fur_number_print_f32(0.1f, text)] = '\0';
    ck_assert_str_eq(text, "0.1");
    text[fur_number_print_f32(16777216.0f, text)] = '\0';
    ck_assert_str_eq(text, "16777216");
    text[fur_number_print_i64(INT64_MIN, text)] = '\0';
    ck_assert_str_eq(text, "-9223372036854775808");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, numbers_are_told_from_other_words);
    tcase_add_test(tests, only_digits_are_an_integer);
    tcase_add_test(tests, fortran_exponents_and_words_have_their_value);
    tcase_add_test(tests, known_hard_numbers_round_correctly);
    tcase_add_test(tests, random_numbers_round_correctly);
    tcase_add_test(tests, long_numbers_round_correctly);
    tcase_add_test(tests, halfway_cases_round_correctly);
    tcase_add_test(tests, every_kind_of_float_prints_and_reads_back);
    tcase_add_test(tests, doubles_print_with_the_fewest_digits);
    tcase_add_test(tests, known_numbers_print_as_expected);
}

int main(void)
{
    return run_tests("number", add);
}
