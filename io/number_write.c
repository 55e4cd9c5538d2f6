/* Printing numbers with the fewest digits. For each precision the C library gives the nearest
 * decimal; the first one that reads back to the same bits is taken. Digits and exponent are picked
 * out of its text, so that the locale's decimal point does not matter. */
#include "number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* d.ddd * 10^exponent */
typedef struct decimal {
    char digits[24]; /* with a NUL */
    int count;
    int exponent;
} decimal;

/* Takes "d<point>ddde+xx" apart. */
static decimal take_apart(const char *text)
{
    decimal d = {.count = 0};
    for (; *text != 'e'; text++)
        if (*text >= '0' && *text <= '9')
            d.digits[d.count++] = *text;
    d.digits[d.count] = '\0';
    d.exponent = atoi(text + 1);
    return d;
}

static decimal round_to(double value, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return take_apart(text);
}

/* The next decimal of the same number of digits. */
static decimal next_above(decimal d)
{
    int at = d.count - 1;
    while (at >= 0 && d.digits[at] == '9')
        d.digits[at--] = '0';
    if (at >= 0) {
        d.digits[at]++;
    } else {
        d.digits[0] = '1';
        d.exponent++;
    }
    return d;
}

static bool reads_back(const decimal *d, double value, bool single)
{
    char text[48];
    snprintf(text, sizeof text, "%se%d", d->digits, d->exponent - d->count + 1);
    return single ? (double)strtof(text, NULL) == value : strtod(text, NULL) == value;
}

static bool is_power_of_two(double value)
{
    int exponent;
    return frexp(value, &exponent) == 0.5;
}

/* The fewest digits for a value > 0. A decimal of up to DBL_DIG (FLT_DIG) digits survives the way
 * through a normal number, so it is found at that precision with zeros behind it, and fewer need
 * not be tried. At a power of two the gap above is wider than the one below: there the decimal
 * above the nearest one may read back although the nearest does not. */
static decimal shortest(double value, bool single)
{
    bool uneven = is_power_of_two(value);
    int surviving = single ? FLT_DIG : DBL_DIG;
    int sufficient = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    bool normal = value >= (single ? (double)FLT_MIN : DBL_MIN);
    for (int digits = normal ? surviving : 1; digits < sufficient; digits++) {
        decimal nearest = round_to(value, digits);
        if (reads_back(&nearest, value, single))
            return nearest;
        if (uneven) {
            decimal above = next_above(nearest);
            if (reads_back(&above, value, single))
                return above;
        }
    }
    return round_to(value, sufficient);
}

static size_t put(char *out, const char *text, size_t length)
{
    memcpy(out, text, length);
    return length;
}

static size_t put_zeros(char *out, int count)
{
    memset(out, '0', (size_t)count);
    return (size_t)count;
}

static size_t put_scientific(char *out, const decimal *d)
{
    size_t length = put(out, d->digits, 1);
    if (d->count > 1) {
        out[length++] = '.';
        length += put(out + length, d->digits + 1, (size_t)d->count - 1);
    }
    char exponent[16];
    int exponent_length = snprintf(exponent, sizeof exponent, "e%d", d->exponent);
    return length + put(out + length, exponent, (size_t)exponent_length);
}

static size_t put_fixed(char *out, const decimal *d)
{
    if (d->exponent < 0) {
        size_t length = put(out, "0.", 2);
        length += put_zeros(out + length, -d->exponent - 1);
        return length + put(out + length, d->digits, (size_t)d->count);
    }
    int whole = d->exponent + 1;
    if (d->count <= whole) {
        size_t length = put(out, d->digits, (size_t)d->count);
        return length + put_zeros(out + length, whole - d->count);
    }
    size_t length = put(out, d->digits, (size_t)whole);
    out[length++] = '.';
    return length + put(out + length, d->digits + whole, (size_t)(d->count - whole));
}

static size_t put_decimal(char *out, decimal d)
{
    while (d.count > 1 && d.digits[d.count - 1] == '0')
        d.count--;
    return d.exponent >= -5 && d.exponent < 16 ? put_fixed(out, &d) : put_scientific(out, &d);
}

static size_t print(double value, bool single, char *out)
{
    if (isnan(value))
        return put(out, "nan", 3);
    size_t sign = 0;
    if (signbit(value)) {
        out[sign++] = '-';
        value = -value;
    }
    if (isinf(value))
        return sign + put(out + sign, "inf", 3);
    if (value < 1e6 && value == (double)(int64_t)value)
        return sign + fur_number_print_i64((int64_t)value, out + sign);
    return sign + put_decimal(out + sign, shortest(value, single));
}

size_t fur_number_print_f64(double value, char *out)
{
    return print(value, false, out);
}

size_t fur_number_print_f32(float value, char *out)
{
    return print((double)value, true, out);
}

size_t fur_number_print_i64(int64_t value, char *out)
{
    char reversed[24];
    size_t count = 0, length = 0;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        reversed[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        out[length++] = '-';
    while (count > 0)
        out[length++] = reversed[--count];
    return length;
}
