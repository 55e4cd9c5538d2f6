/* Tests of decimal numbers: which texts are numbers; rounding against the C library's strtod and
 * strtof; printing against a search by the C library. */
#include "decimal.h"
#include "number.h"
#include "number_reference.h"
#include "random.h"
#include "support.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Sanitizers make tests slow. Their builds run a tenth of the trials. */
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

static double from_bits_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float from_bits_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns a random finite number of any magnitude. */
static double random_f64(void)
{
    double value = from_bits_f64(random_bits());
    return isfinite(value) ? value : 0;
}

static float random_f32(void)
{
    float value = from_bits_f32((uint32_t)random_bits());
    return isfinite(value) ? value : 0;
}

static bool scan(const char *text, size_t length, fur_number *out)
{
    return fur_number_scan(text, text + length, out);
}

/* Rounding modes of the caller. A result must not depend on the mode. */
static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

/* Reads the text as f64 and f32 in a rounding mode. */
static bool read_in_mode(const char *text, int mode, double *f64, float *f32)
{
    fur_number number;
    fesetround(mode);
    bool scanned = scan(text, strlen(text), &number);
    *f64 = fur_number_f64(&number);
    *f32 = fur_number_f32(&number);
    fesetround(FE_TONEAREST);
    return scanned;
}

/* Checks that the text gives the C library's double and float. ck_assert writes each assertion to a
 * file, which would take most of the time here. */
static void check_rounding(const char *text)
{
    double f64, expected_f64 = strtod(text, NULL);
    float f32, expected_f32 = strtof(text, NULL);
    for (int i = 0; i < COUNT_OF(modes); i++) {
        if (!read_in_mode(text, modes[i], &f64, &f32))
            ck_abort_msg("%.100s", text);
        if (bits_f64(f64) != bits_f64(expected_f64))
            ck_abort_msg("rounding mode %d: %.100s: %a, expected %a", i, text, f64, expected_f64);
        if (bits_f32(f32) != bits_f32(expected_f32))
            ck_abort_msg("rounding mode %d: %.100s: %a, expected %a", i, text, (double)f32,
                         (double)expected_f32);
    }
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
        "8.5e-324",
        "9007199254740992.5",
        "9007199254740991.4999999999999999999999999999999995",
        "72057594037927933",
        "5708990770823839524233143877797980545530986496",
        "1e9223372036854775807",
        "1e-9223372036854775808",
        "0.00000000000000000000000000000000000000000000000000001e1000000000000000000",
        "100000000000000000000000000000000000000000000000000000e-1000000000000000000",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "1e-342",
        "18446744073709551615e-343",
        "18446744073709551615e-342",
        "1e308",
        "1e309",
        /* cases for floats: rounded to a double first, these would be halfway */
        "1.000000059604644775390626",
        "0.999999970197677612304688",
        "8388609.500000000000000000001",
        "1.17549428e-38",
        "1.1754943508222875e-38",
        "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568448",
        /* Paxson, "A program for testing IEEE decimal-binary conversion" (1991) */
        "5e125",
        "69e267",
        "999e-26",
        "7861e-34",
        "75569e-254",
        "928609e-261",
        "9210917e80",
        "84863171e114",
        "653777767e273",
        "5232604057e-298",
        "27235667517e-109",
        "653532977297e-123",
        "3142213164987e-294",
        "46202199371337e-72",
        "231010996856685e-73",
        "9324754620109615e212",
        "78459735791271921e49",
        "272104041512242479e200",
        "6802601037806061975e198",
        "20505426358836677347e-221",
        "836168422905420598437e-234",
        "4891559871276714924261e222",
    };
    for (int i = 0; i < COUNT_OF(texts); i++)
        check_rounding(texts[i]);
}
END_TEST

static char random_digit(void)
{
    return (char)('0' + random_below(10));
}

/* Writes a random number of `digits` digits with a point and perhaps an exponent. */
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

/* Checks a number halfway between two doubles, with all its digits. Then appends a distant digit 1,
 * which must round it up. */
static void check_halfway(long double middle)
{
    static char text[3000];
    int length = snprintf(text, sizeof text, "%.1100Lf", middle);
    check_rounding(text);
    memset(text + length, '0', 500);
    strcpy(text + length + 500, "1");
    check_rounding(text);
}

START_TEST(halfway_cases_round_correctly)
{
    check_halfway(0x1p-1075L);                /* halfway from 0 to the smallest number */
    check_halfway(0x0.fffffffffffff8p-1022L); /* halfway to the smallest normal number */
    check_halfway(0x1.fffffffffffff8p+1023L); /* halfway to infinity */
    for (int i = 0; i < TIMES(3000); i++) {
        uint64_t bits = random_bits() & UINT64_C(0x7fffffffffffffff);
        if (i % 3 == 0)
            bits &= UINT64_C(0x000fffffffffffff);
        double value = from_bits_f64(bits);
        if (isfinite(value) && isfinite(nextafter(value, INFINITY)))
            check_halfway(((long double)value + (long double)nextafter(value, INFINITY)) / 2);
        float single = from_bits_f32((uint32_t)bits);
        if (isfinite(single) && isfinite(nextafterf(single, INFINITY)))
            check_halfway(((long double)single + (long double)nextafterf(single, INFINITY)) / 2);
    }
}
END_TEST

/* Returns a significand s of at most 64 bits. One of s - 1, s and s + 1, times 10^exponent, is
 * exactly halfway between two numbers of `bits` - 1 bits. */
static uint64_t halfway_significand(int bits, int exponent)
{
    uint64_t five = 1, first = UINT64_C(1) << (bits - 1);
    for (int i = 0; i < abs(exponent); i++)
        five *= 5;
    uint64_t odd = exponent < 0 ? (first | (random_bits() % first)) | 1
                                : (first / five + random_bits() % (first / five + 1)) | 1;
    uint64_t halfway = exponent < 0 ? odd * five : odd;
    return (halfway << random_below(__builtin_clzll(halfway) + 1)) + random_bits() % 3 - 1;
}

START_TEST(short_halfway_cases_round_to_even)
{
    char text[64];
    for (int i = 0; i < TIMES(100000); i++) {
        bool single = random_below(2);
        int exponent = single ? random_below(28) - 17 : random_below(28) - 4;
        uint64_t significand = halfway_significand(single ? 25 : 54, exponent);
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)significand, exponent);
        check_rounding(text);
        double f64 = fur_decimal_f64(significand, exponent);
        float f32 = fur_decimal_f32(significand, exponent);
        ck_assert_msg(bits_f64(f64) == bits_f64(strtod(text, NULL)), "%s: %a", text, f64);
        ck_assert_msg(bits_f32(f32) == bits_f32(strtof(text, NULL)), "%s: %a", text, (double)f32);
    }
}
END_TEST

/* Numbers close to the middle between two doubles or floats round correctly if they have more
 * digits than the reader keeps. */
START_TEST(cut_halfway_cases_round_correctly)
{
    char text[64];
    for (int i = 0; i < TIMES(100000); i++) {
        double f64 = random_f64();
        long double middle = ((long double)f64 + (long double)nextafter(f64, 0)) / 2;
        snprintf(text, sizeof text, "%.*Le", 15 + random_below(25), middle);
        check_rounding(text);
        float f32 = random_f32();
        snprintf(text, sizeof text, "%.*e", 7 + random_below(25),
                 ((double)f32 + (double)nextafterf(f32, 0)) / 2);
        check_rounding(text);
    }
}
END_TEST

START_TEST(printed_numbers_read_back)
{
    static const char *const formats[] = {"%.17g", "%.9g", "%g", "%.20g", "%.30e", "%.3f"};
    char text[400];
    for (int i = 0; i < TIMES(200000); i++) {
        snprintf(text, sizeof text, formats[i % COUNT_OF(formats)], random_f64());
        check_rounding(text);
    }
}
END_TEST

/* Checks that printing gives the text that the search finds, and that the text reads back. */
static void check_f64(double value)
{
    char text[FUR_NUMBER_SIZE + 1], expected[REFERENCE_SIZE];
    size_t length = 0;
    reference_print(value, false, expected);
    for (int i = 0; i < COUNT_OF(modes); i++) {
        fesetround(modes[i]);
        length = fur_number_print_f64(value, text);
        fesetround(FE_TONEAREST);
        text[length] = '\0';
        if (strcmp(text, expected) != 0)
            ck_abort_msg("%a: %s, expected %s", value, text, expected);
    }
    fur_number number;
    ck_assert(scan(text, length, &number));
    double back = fur_number_f64(&number);
    ck_assert(isnan(value) ? isnan(back) : bits_f64(back) == bits_f64(value));
}

static void check_f32(float value)
{
    char text[FUR_NUMBER_SIZE + 1], expected[REFERENCE_SIZE];
    size_t length = 0;
    reference_print((double)value, true, expected);
    for (int i = 0; i < COUNT_OF(modes); i++) {
        fesetround(modes[i]);
        length = fur_number_print_f32(value, text);
        fesetround(FE_TONEAREST);
        text[length] = '\0';
        if (strcmp(text, expected) != 0)
            ck_abort_msg("%a: %s, expected %s", (double)value, text, expected);
    }
    fur_number number;
    ck_assert(scan(text, length, &number));
    float back = fur_number_f32(&number);
    ck_assert(isnan(value) ? isnan(back) : bits_f32(back) == bits_f32(value));
}

START_TEST(random_numbers_print_with_the_fewest_digits)
{
    for (int i = 0; i < TIMES(100000); i++) {
        check_f64(from_bits_f64(random_bits()));
        check_f64((double)(int64_t)(random_bits() >> 20) / 1024);
        check_f32(from_bits_f32((uint32_t)random_bits()));
        check_f32((float)random_below(1000000) / 64);
    }
}
END_TEST

START_TEST(powers_of_two_and_their_neighbours_print_with_the_fewest_digits)
{
    for (int exponent = -1074; exponent < 1024; exponent++) {
        uint64_t bits = bits_f64(ldexp(1, exponent));
        for (int i = -2; i <= 2; i++)
            check_f64(from_bits_f64(bits + (uint64_t)i));
    }
    for (int exponent = -149; exponent < 128; exponent++) {
        uint32_t bits = bits_f32(ldexpf(1, exponent));
        for (int i = -2; i <= 2; i++)
            check_f32(from_bits_f32(bits + (uint32_t)i));
    }
}
END_TEST

START_TEST(powers_of_ten_and_their_neighbours_print_with_the_fewest_digits)
{
    for (int exponent = -324; exponent < 309; exponent++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        for (int i = -2; i <= 2; i++) {
            check_f64(from_bits_f64(bits_f64(strtod(text, NULL)) + (uint64_t)i));
            check_f32(from_bits_f32(bits_f32(strtof(text, NULL)) + (uint32_t)i));
        }
    }
}
END_TEST

START_TEST(the_smallest_numbers_print_with_the_fewest_digits)
{
    for (uint32_t bits = 0; bits < 1000; bits++) {
        check_f64(from_bits_f64(bits));
        check_f32(from_bits_f32(bits));
    }
}
END_TEST

START_TEST(integers_print_all_their_digits)
{
    for (int i = 0; i < TIMES(200000); i++) {
        int64_t value = (int64_t)random_bits() >> random_below(64);
        char text[FUR_NUMBER_SIZE + 1], expected[32];
        text[fur_number_print_i64(value, text)] = '\0';
        snprintf(expected, sizeof expected, "%lld", (long long)value);
        ck_assert_str_eq(text, expected);
    }
}
END_TEST

/* Printing does not write beyond FUR_NUMBER_SIZE bytes. */
START_TEST(printing_keeps_to_its_room)
{
    char text[FUR_NUMBER_SIZE + 16];
    for (int i = 0; i < TIMES(100000); i++) {
        memset(text, '#', sizeof text);
        ck_assert_uint_le(fur_number_print_f64(from_bits_f64(random_bits()), text), 24);
        fur_number_print_f64(-(double)(random_bits() >> 11) / 1024, text);
        fur_number_print_i64((int64_t)random_bits(), text);
        for (int k = FUR_NUMBER_SIZE; k < (int)sizeof text; k++)
            ck_assert_int_eq(text[k], '#');
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
    tcase_add_test(tests, short_halfway_cases_round_to_even);
    tcase_add_test(tests, cut_halfway_cases_round_correctly);
    tcase_add_test(tests, printed_numbers_read_back);
    tcase_add_test(tests, random_numbers_print_with_the_fewest_digits);
    tcase_add_test(tests, powers_of_two_and_their_neighbours_print_with_the_fewest_digits);
    tcase_add_test(tests, powers_of_ten_and_their_neighbours_print_with_the_fewest_digits);
    tcase_add_test(tests, the_smallest_numbers_print_with_the_fewest_digits);
    tcase_add_test(tests, integers_print_all_their_digits);
    tcase_add_test(tests, printing_keeps_to_its_room);
    tcase_add_test(tests, known_numbers_print_as_expected);
}

int main(void)
{
    return run_tests("number", add);
}
