/* The C library gives the nearest decimal for each precision. The reference is the shortest decimal
 * that reads back to the same bits. */
#include "number_reference.h"

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

/* Parses "d<point>ddde+xx". */
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

/* Returns the next larger decimal of the same number of digits. */
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

/* Returns the decimal with the fewest digits for a value > 0. For normal numbers, a decimal of up
 * to DBL_DIG (FLT_DIG) digits reads back unchanged. The search can start there, because a shorter
 * decimal is found as one with zeros at its end. At a power of two the gap above is wider than the
 * gap below, so the decimal above the nearest one may read back although the nearest does not. */
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

/* Prints in fixed notation, used if -5 <= exponent < 16. Adds the zeros of 0.000ddd or ddd000. */
static void print_fixed(const decimal *d, char *out)
{
    int whole = d->exponent + 1;
    if (whole <= 0)
        sprintf(out, "0.%.*s%s", -whole, "0000", d->digits);
    else if (d->count <= whole)
        sprintf(out, "%s%.*s", d->digits, whole - d->count, "000000000000000");
    else
        sprintf(out, "%.*s.%s", whole, d->digits, d->digits + whole);
}

static void print_scientific(const decimal *d, char *out)
{
    sprintf(out, "%c%s%se%d", d->digits[0], d->count > 1 ? "." : "", d->digits + 1, d->exponent);
}

void reference_print(double value, bool single, char *out)
{
    if (signbit(value) && !isnan(value))
        *out++ = '-';
    value = fabs(value);
    if (!isfinite(value) || value == 0) {
        strcpy(out, isnan(value) ? "nan" : value == 0 ? "0" : "inf");
        return;
    }
    decimal d = shortest(value, single);
    while (d.count > 1 && d.digits[d.count - 1] == '0')
        d.digits[--d.count] = '\0';
    if (d.exponent >= -5 && d.exponent < 16)
        print_fixed(&d, out);
    else
        print_scientific(&d, out);
}
