/* Reads decimal numbers. Up to 19 digits take one call of decimal.h, and more digits take two. The
 * few undecided numbers are compared with the midpoint between two neighbours. The arithmetic uses
 * only integers, so that the result depends on neither the locale nor the rounding mode. */
#include "decimal.h"
#include "digits.h"
#include "number.h"

#include <math.h>
#include <string.h>

/* Far beyond the range of any number, but small enough to add to. */
#define EXPONENT_LIMIT 1000000000000000

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns whether the text is `word`, which is in lower case. */
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

/* Takes the first 19 significant digits of those between digits and digits_end. */
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

/* Appends the digits from `at` on to the significand, modulo 2^64. Returns their end. */
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

/* Scans at least one digit, with at most one point. Returns their end, or NULL if there are no
 * digits. */
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

/* Scans an exponent that is the whole text. */
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

/* Numbers that only all their digits decide: the digits and the midpoint are compared as integers
 * of any length (Clinger, "How to read floating point numbers accurately", 1990). Instead of d *
 * 10^e and m * 2^p, it compares d * 5^e * 2^(e-p) and m, or has the powers on the other side. */

/* The midpoint between two doubles has at most 767 digits. If a number has more, a single 1
 * replaces all further digits, unless they are all zero. */
#define MIDDLE_DIGITS 768

/* The power of ten that holds the digits added to an integer at once. */
#define CHUNK 1000000000000000000

/* 5^27, the highest power of five in a limb. */
#define FIVES 27
#define POWER_OF_FIVE UINT64_C(7450580596923828125)

/* 2^2816 > 10^769 * 2^64. Also, 2^2816 > 2^54 * 5^1093, the power for the last digit of the
 * smallest midpoint. Both sides are about equal, so that the power of two does not make either
 * larger. */
#define LIMBS 44

/* The lowest limb first, without zero limbs at the end. */
typedef struct whole {
    uint64_t limbs[LIMBS];
    int count;
} whole;

static void multiply_add(whole *number, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < number->count; i++) {
        fur_uint128 product = (fur_uint128)number->limbs[i] * factor + carry;
        number->limbs[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry > 0)
        number->limbs[number->count++] = carry;
}

static void multiply_by_fives(whole *number, int64_t power)
{
    for (; power >= FIVES; power -= FIVES)
        multiply_add(number, POWER_OF_FIVE, 0);
    for (; power > 0; power--)
        multiply_add(number, 5, 0);
}

static void shift(whole *number, int64_t bits)
{
    int limbs = (int)(bits / 64);
    multiply_add(number, UINT64_C(1) << bits % 64, 0);
    memmove(number->limbs + limbs, number->limbs, (size_t)number->count * sizeof *number->limbs);
    memset(number->limbs, 0, (size_t)limbs * sizeof *number->limbs);
    number->count += limbs;
}

static int compare(const whole *a, const whole *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* Digits that are collected for an integer. */
typedef struct digits {
    whole *to;
    uint64_t chunk;
    uint64_t scale; /* 10 to the number of digits in the chunk */
    int count;
} digits;

static void flush(digits *d)
{
    multiply_add(d->to, d->scale, d->chunk);
    d->chunk = 0;
    d->scale = 1;
}

static void append(digits *d, int digit)
{
    d->chunk = 10 * d->chunk + (uint64_t)digit;
    d->scale *= 10;
    d->count++;
    if (d->scale == CHUNK)
        flush(d);
}

/* Takes the significant digits, from the first that is not zero. Returns their number. */
static int take_digits(const fur_number *number, whole *out)
{
    digits d = {.to = out, .scale = 1};
    bool rest = false;
    for (const char *at = number->digits; at < number->digits_end; at++) {
        if (*at == '.' || (*at == '0' && d.count == 0))
            continue;
        if (d.count < MIDDLE_DIGITS)
            append(&d, *at - '0');
        else
            rest |= *at != '0';
    }
    if (rest)
        append(&d, 1);
    flush(&d);
    return d.count;
}

/* Returns -1, 0 or 1 if the number's magnitude is below, at or above a midpoint. It is the midpoint
 * between the number with these bits and the next larger one. The number must be close to it: their
 * first 19 digits agree. */
static int compare_with_middle(const fur_number *number, uint64_t bits, fur_float_format format)
{
    whole decimal = {.count = 0}, middle = {.count = 0};
    const uint64_t hidden = UINT64_C(1) << format.fraction_bits;
    int biased = (int)(bits >> format.fraction_bits);
    uint64_t significand = (bits & (hidden - 1)) + (biased > 0 ? hidden : 0);
    int64_t binary_exponent = (biased > 0 ? biased : 1) - ((1 << (format.exponent_bits - 1)) - 1) -
                              format.fraction_bits - 1;
    /* The number's exponent belongs to the last digit of the significand, the nineteenth. */
    int64_t exponent = number->exponent + 19 - take_digits(number, &decimal);
    multiply_add(&middle, 1, 2 * significand + 1);
    multiply_by_fives(exponent > 0 ? &decimal : &middle, exponent > 0 ? exponent : -exponent);
    int64_t twos = exponent - binary_exponent;
    shift(twos > 0 ? &decimal : &middle, twos > 0 ? twos : -twos);
    return compare(&decimal, &middle);
}

/* A number that is not exact is between its significand and the next. If both round to the same
 * double, so does the number. Otherwise these doubles are neighbours. */
static uint64_t magnitude(const fur_number *number, fur_float_format format)
{
    uint64_t below = fur_decimal_bits(number->significand, number->exponent, format);
    if (number->exact ||
        fur_decimal_bits(number->significand + 1, number->exponent, format) == below)
        return below;
    int side = compare_with_middle(number, below, format);
    return below + (side > 0 || (side == 0 && below % 2 == 1));
}

static double magnitude_f64(const fur_number *number)
{
    if (number->kind != FUR_NUMBER_FINITE)
        return number->kind == FUR_NUMBER_INF ? (double)INFINITY : (double)NAN;
    return fur_bits_f64(magnitude(number, FUR_FLOAT64));
}

static float magnitude_f32(const fur_number *number)
{
    if (number->kind != FUR_NUMBER_FINITE)
        return number->kind == FUR_NUMBER_INF ? INFINITY : NAN;
    return fur_bits_f32(magnitude(number, FUR_FLOAT32));
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
