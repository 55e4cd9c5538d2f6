/* Compares the library's reading with the C library's strtod and strtof, and its printing with a
 * search for the fewest digits, on random numbers. Usage:
 *
 *     check_numbers COUNT [SEED]
 *
 * The texts alternate between doubles and floats of random bits, decimals of up to 25 digits, and
 * decimals close to the middle between two neighbours. The numbers read from the texts are printed
 * again. Exit status 1 if anything differs. CTest runs a few hundred thousand. */
#include "number.h"
#include "number_reference.h"
#include "random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define TEXT_SIZE 128

static long long wrong;

static double random_f64(void)
{
    uint64_t bits = random_bits();
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0;
}

static float random_f32(void)
{
    uint32_t bits = (uint32_t)random_bits();
    float value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0;
}

static void random_decimal(char *out)
{
    int digits = 1 + random_below(25);
    for (int i = 0; i < digits; i++)
        *out++ = (char)('0' + random_below(10));
    sprintf(out, "e%d", random_below(4) ? random_below(60) - 40 : random_below(700) - 370);
}

static void random_text(char *out)
{
    switch (random_below(6)) {
    case 0:
        sprintf(out, "%.17g", random_f64());
        break;
    case 1:
        sprintf(out, "%.9g", (double)random_f32());
        break;
    case 2: {
        double value = random_f64();
        long double middle = ((long double)value + (long double)nextafter(value, 0)) / 2;
        sprintf(out, "%.*Le", 15 + random_below(25), middle);
        break;
    }
    case 3: {
        float value = random_f32();
        double middle = ((double)value + (double)nextafterf(value, 0)) / 2;
        sprintf(out, "%.*e", 7 + random_below(25), middle);
        break;
    }
    default:
        random_decimal(out);
    }
}

static void report(const char *what, const char *text, const char *found, const char *expected)
{
    wrong++;
    printf("WRONG %s %s: %s, expected %s\n", what, text, found, expected);
}

static void check_reading(const char *text, double f64, float f32)
{
    double expected_f64 = strtod(text, NULL);
    float expected_f32 = strtof(text, NULL);
    char found[TEXT_SIZE], expected[TEXT_SIZE];
    if (memcmp(&f64, &expected_f64, sizeof f64) != 0) {
        sprintf(found, "%a", f64);
        sprintf(expected, "%a", expected_f64);
        report("f64 from", text, found, expected);
    }
    if (memcmp(&f32, &expected_f32, sizeof f32) != 0) {
        sprintf(found, "%a", (double)f32);
        sprintf(expected, "%a", (double)expected_f32);
        report("f32 from", text, found, expected);
    }
}

static void check_printing(double value, bool single)
{
    char found[FUR_NUMBER_SIZE + 1], expected[REFERENCE_SIZE], exact[TEXT_SIZE];
    size_t length =
        single ? fur_number_print_f32((float)value, found) : fur_number_print_f64(value, found);
    found[length] = '\0';
    reference_print(value, single, expected);
    sprintf(exact, "%a", value);
    if (strcmp(found, expected) != 0)
        report(single ? "text of f32" : "text of f64", exact, found, expected);
}

static void check_text(const char *text)
{
    fur_number number;
    if (!fur_number_scan(text, text + strlen(text), &number)) {
        report("reading", text, "no number", "one");
        return;
    }
    double f64 = fur_number_f64(&number);
    float f32 = fur_number_f32(&number);
    check_reading(text, f64, f32);
    check_printing(f64, false);
    check_printing((double)f32, true);
}

int main(int count, char **arguments)
{
    char text[TEXT_SIZE];
    if (count < 2) {
        fprintf(stderr, "usage: check_numbers COUNT [SEED]\n");
        return 2;
    }
    if (count > 2)
        setenv("FURROW_SEED", arguments[2], 1);
    random_start();
    long long numbers = strtoll(arguments[1], NULL, 10);
    for (long long i = 0; i < numbers; i++) {
        random_text(text);
        check_text(text);
    }
    printf("%lld numbers, %lld wrong\n", numbers, wrong);
    return wrong > 0;
}
