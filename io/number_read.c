/* Reading decimal numbers. Up to 19 digits are one call of decimal.h, more are two; the few that
 * remain are compared with the middle between two neighbours. All of it in whole numbers: neither
 * locale nor rounding mode shows. */
#include "number.h"
#include "decimal.h"
#include "digits.h"
#include "midpoint.h"

#include <math.h>
#include <string.h>

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

/* Takes only the first 19 significant digits of those between digits and digits_end. */
static void take_first_digits(fur_number *number)
{
    const char *at = number->digits, *end = number->digits_end;
    number->significand = 0;
    for (; at < end && number->significand < 1000000000000000000u; at++)
        if (*at != '.')
            number->significand = 10 * number->significand + (uint64_t)(*at - '0');
    int64_t others = end - at - (memchr(at, '.', (size_t)(end - at)) != NULL);
    number->exponent += others;
    number->exact = others == 0;
}

/* Appends the digits that begin here to the significand, modulo 2^64. Returns their end. */
static const char *add_digits(const char *at, const char *end, uint64_t *significand)
{
    uint64_t sum = *significand;
    for (; end - at >= 8 && fur_count_digits(fur_load_digits(at)) == 8; at += 8)
        sum = 100000000 * sum + fur_join_digits(fur_load_digits(at));
    for (; at < end && is_digit(*at); at++)
        sum = 10 * sum + (uint64_t)(*at - '0');
    *significand = sum;
    return at;
}

/* Digits with at most one point, at least one digit. Returns their end, NULL if there are none. */
static const char *scan_digits(const char *begin, const char *end, fur_number *number)
{
    const char *at = add_digits(begin, end, &number->significand);
    int64_t count = at - begin;
    number->integer = at == end || *at != '.';
    if (!number->integer) {
        const char *fraction = at + 1;
        at = add_digits(fraction, end, &number->significand);
        count += at - fraction;
        number->exponent = fraction - at;
    }
    number->digits = begin;
    number->digits_end = at;
    if (count > 19)
        take_first_digits(number);
    return count > 0 ? at : NULL;
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

/* A number that is not exact lies between its significand and the next; if both have the same
 * nearest double, so has the number. Else these are neighbours. */
static uint64_t magnitude(const fur_number *number, fur_binary format)
{
    uint64_t below = fur_decimal_bits(number->significand, number->exponent, format);
    if (number->exact ||
        fur_decimal_bits(number->significand + 1, number->exponent, format) == below)
        return below;
    int side = fur_midpoint_compare(number, below, format);
    return below + (side > 0 || (side == 0 && below % 2 == 1));
}

static double magnitude_f64(const fur_number *number)
{
    if (number->kind != FUR_NUMBER_FINITE)
        return number->kind == FUR_NUMBER_INF ? (double)INFINITY : (double)NAN;
    return fur_bits_f64(magnitude(number, FUR_BINARY64));
}

static float magnitude_f32(const fur_number *number)
{
    if (number->kind != FUR_NUMBER_FINITE)
        return number->kind == FUR_NUMBER_INF ? INFINITY : NAN;
    return fur_bits_f32(magnitude(number, FUR_BINARY32));
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
