/* Reading decimal numbers. Most take the exact fast path of Clinger (1990): a significand and a
 * power of ten that are both exact in binary need one rounding only. The others go to the C
 * library as plain digits and an exponent: without a decimal point no locale can misread them. */
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* No double needs more digits to be told from its neighbour's midpoint: 767 decide, and one more
 * says whether anything follows. */
#define DECIDING_DIGITS 780

/* Far beyond the range of any number, yet safe to add to. */
#define EXPONENT_LIMIT 1000000000000000

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether the text is the word, given in lower case. */
static bool is_word(const char *begin, const char *end, const char *word)
{
    while (begin < end && *word && (*begin | 0x20) == *word) {
        begin++;
        word++;
    }
    return begin == end && !*word;
}

static bool scan_word(const char *begin, const char *end, fur_number *number)
{
    if (is_word(begin, end, "inf") || is_word(begin, end, "infinity"))
        number->kind = FUR_NUMBER_INF;
    else if (is_word(begin, end, "nan"))
        number->kind = FUR_NUMBER_NAN;
    else
        return false;
    return true;
}

/* Adds one digit while it fits; 19 digits always do. */
static void add_digit(fur_number *number, char c)
{
    if (number->significand < 1000000000000000000u)
        number->significand = 10 * number->significand + (uint64_t)(c - '0');
    else
        number->exact = false;
}

/* Digits with at most one point, at least one digit. Returns their end, NULL if there are none. */
static const char *scan_digits(const char *at, const char *end, fur_number *number)
{
    const char *point = NULL;
    number->digits = at;
    for (; at < end; at++) {
        if (is_digit(*at))
            add_digit(number, *at);
        else if (*at == '.' && !point)
            point = at;
        else
            break;
    }
    number->digits_end = at;
    number->integer = !point;
    number->exponent = point ? -(at - point - 1) : 0;
    return at - number->digits > (point ? 1 : 0) ? at : NULL;
}

/* An exponent that takes all of the text. */
static bool scan_exponent(const char *at, const char *end, fur_number *number)
{
    char letter = (char)(*at++ | 0x20);
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '+' || *at == '-'))
        at++;
    if ((letter != 'e' && letter != 'd') || at == end)
        return false;
    int64_t exponent = 0;
    for (; at < end && is_digit(*at); at++)
        if (exponent < EXPONENT_LIMIT)
            exponent = 10 * exponent + (*at - '0');
    number->exponent += negative ? -exponent : exponent;
    number->integer = false;
    return at == end;
}

bool fur_number_scan(const char *begin, const char *end, fur_number *out)
{
    *out = (fur_number){.kind = FUR_NUMBER_FINITE, .exact = true};
    out->negative = begin < end && *begin == '-';
    if (begin < end && (*begin == '-' || *begin == '+'))
        begin++;
    const char *at = scan_digits(begin, end, out);
    if (!at)
        return scan_word(begin, end, out);
    return at == end || scan_exponent(at, end, out);
}

/* Writes the digits as a plain integer with an exponent, as many as can matter: if a digit that is
 * left out is not zero, one 1 behind the others stands for all of them. */
static void print_plain(const fur_number *number, char *out)
{
    int kept = 0;
    int64_t dropped = 0;
    bool rest = false;
    for (const char *at = number->digits; at < number->digits_end; at++) {
        if (*at == '.' || (*at == '0' && !kept))
            continue;
        if (kept < DECIDING_DIGITS) {
            out[kept++] = *at;
        } else {
            dropped++;
            rest |= *at != '0';
        }
    }
    int64_t exponent = number->exponent + dropped;
    if (rest) {
        out[kept++] = '1';
        exponent--;
    }
    if (!kept)
        out[kept++] = '0';
    snprintf(out + kept, 32, "e%lld", (long long)exponent);
}

/* 10^0 .. 10^22, all exact in a double. */
static const double powers_f64[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* 10^0 .. 10^10, all exact in a float. */
static const float powers_f32[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                   1e6f, 1e7f, 1e8f, 1e9f, 1e10f};

static double magnitude_f64(const fur_number *number)
{
    if (number->kind != FUR_NUMBER_FINITE)
        return number->kind == FUR_NUMBER_INF ? (double)INFINITY : (double)NAN;
    int64_t exponent = number->exponent;
    if (number->exact && number->significand <= UINT64_C(1) << 53 && exponent >= -22 &&
        exponent <= 22) {
        double significand = (double)number->significand;
        return exponent < 0 ? significand / powers_f64[-exponent]
                            : significand * powers_f64[exponent];
    }
    char plain[DECIDING_DIGITS + 40];
    print_plain(number, plain);
    return strtod(plain, NULL);
}

static float magnitude_f32(const fur_number *number)
{
    if (number->kind != FUR_NUMBER_FINITE)
        return number->kind == FUR_NUMBER_INF ? INFINITY : NAN;
    int64_t exponent = number->exponent;
    if (number->exact && number->significand <= UINT64_C(1) << 24 && exponent >= -10 &&
        exponent <= 10) {
        float significand = (float)number->significand;
        return exponent < 0 ? significand / powers_f32[-exponent]
                            : significand * powers_f32[exponent];
    }
    char plain[DECIDING_DIGITS + 40];
    print_plain(number, plain);
    return strtof(plain, NULL);
}

double fur_number_f64(const fur_number *number)
{
    double magnitude = magnitude_f64(number);
    return number->negative ? -magnitude : magnitude;
}

float fur_number_f32(const fur_number *number)
{
    float magnitude = magnitude_f32(number);
    return number->negative ? -magnitude : magnitude;
}
