/* Prints numbers.
 *
 * The shortest digits that read back are found as in Giulietti, "The Schubfach way to render
 * doubles" (2020). The numbers that round to a double form an interval. It includes its ends if the
 * significand is even. Take the k with 10^k <= width of the interval < 10^(k+1). At most one
 * multiple of 10^(k+1) is in the interval, and it then has the fewest digits. Otherwise the
 * multiple of 10^k nearest to the double has the fewest digits. */
#include "decimal.h"
#include "digits.h"
#include "number.h"

#include <stdlib.h>

/* The digits that suffice for any double. */
#define DIGITS 17

static const uint64_t powers_of_ten[DIGITS + 1] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
};

/* digits * 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* factor * power / 2^128, with the last bit set if it is not an integer. This is enough to compare
 * it with even numbers. The power is too large by less than 1. */
static inline uint64_t scale(const uint64_t power[2], uint64_t factor)
{
    fur_uint128 product = (fur_uint128)power[0] * factor;
    product += ((fur_uint128)power[1] * factor) >> 64;
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* Returns the fewest digits for significand * 2^exponent. `uneven`: the next smaller number is only
 * half as far away as the next larger one. */
static inline decimal shortest(uint64_t significand, int exponent, bool uneven)
{
    /* floor(log10(2^exponent)), or floor(log10(3/4 * 2^exponent)) if uneven */
    int k = (1262611 * exponent - (uneven ? 524031 : 0)) >> 22;
    int shift = exponent + fur_power_exponent(-k) + 1;

    /* 10^-k, rounded up: one is added if the table entry is neither exact nor rounded up. */
    const uint64_t *entry = fur_powers_of_five[-k - FUR_POWER_FIRST];
    const uint64_t power[2] = {entry[0], entry[1] + (k > 27 || k < -55)};

    /* Four times the number and the ends of its interval, in units of 10^k. */
    uint64_t number = (4 * significand) << shift, half = UINT64_C(2) << shift;
    uint64_t middle = scale(power, number);
    uint64_t lower = scale(power, number - (uneven ? half / 2 : half)) + (significand & 1);
    uint64_t upper = scale(power, number + half) - (significand & 1);

    /* One of two neighbours is the nearest in the interval. If the first is not inside, it is the
     * second. */
    uint64_t below = middle / 4, tens = below / 10;
    bool next_nearer = (middle & 3) + (below & 1) > 2;
    uint64_t ones = below + (next_nearer | (4 * below < lower));
    bool inside = lower <= 40 * tens, next_inside = 40 * tens + 40 <= upper;
    uint64_t fewer = 0 - (uint64_t)(inside | next_inside);
    return (decimal){(ones & ~fewer) | ((tens + next_inside) & fewer), k - (int)fewer};
}

/* Writes a number below 10^8 without leading zeros. Overwrites eight bytes. */
static inline size_t put_short(uint32_t number, char *out)
{
    uint64_t eight = fur_split_digits(number);
    int zeros = __builtin_ctzll(eight | UINT64_C(1) << 56) / 8;
    fur_store_digits(eight >> 8 * zeros, out);
    return 8 - (size_t)zeros;
}

/* Writes a number below 10^8 with leading zeros. */
static inline size_t put_eight(uint32_t number, char *out)
{
    fur_store_digits(fur_split_digits(number), out);
    return 8;
}

/* Writes blocks of eight digits. The first block has no leading zeros. */
static inline size_t put_integer(uint64_t number, char *out)
{
    const uint64_t block = 100000000;
    if (number < block)
        return put_short((uint32_t)number, out);
    uint64_t before = number / block;
    size_t length;
    if (before < block) {
        length = put_short((uint32_t)before, out);
    } else {
        length = put_short((uint32_t)(before / block), out);
        length += put_eight((uint32_t)(before % block), out + length);
    }
    return length + put_eight((uint32_t)(number % block), out + length);
}

/* d.ddd... * 10^exponent, padded with zeros. */
typedef struct digits {
    fur_uint128 first; /* sixteen digits, in two words of digits.h */
    char last;         /* the seventeenth, as text */
    int count;         /* up to the last digit that is not zero */
    int exponent;
} digits;

/* Returns the number of digits of a number from 1 to 10^17 - 1. 1233 / 2^12 is slightly less than
 * log10(2). */
static inline int decimal_length(uint64_t number)
{
    int least = ((64 - __builtin_clzll(number)) * 1233) >> 12;
    return least + (number >= powers_of_ten[least]);
}

/* Returns the digits of a decimal, one in each byte. */
static inline digits spread(decimal d)
{
    int length = decimal_length(d.digits);
    uint64_t all = d.digits * powers_of_ten[DIGITS - length];
    uint32_t others = (uint32_t)(all % 1000000000), last = others % 10;
    uint64_t high = fur_split_digits((uint32_t)(all / 1000000000));
    uint64_t low = fur_split_digits(others / 10);

    /* A digit takes half a byte, so that the seventeenth fits above the others. */
    uint64_t end = low | (uint64_t)last << 60;
    int count_high = 1 + (63 - __builtin_clzll(high)) / 8;
    int count_low = 9 + (67 - __builtin_clzll(end | 1)) / 8;
    return (digits){.first = (fur_uint128)low << 64 | high,
                    .last = (char)('0' + last),
                    .count = end ? count_low : count_high,
                    .exponent = d.exponent + length - 1};
}

static inline void store_sixteen(fur_uint128 sixteen, char *out)
{
    fur_store_digits((uint64_t)sixteen, out);
    fur_store_digits((uint64_t)(sixteen >> 64), out + 8);
}

/* Writes 0.000ddd, for exponents from -5 to -1. */
static inline size_t put_fraction(const digits *d, char *out)
{
    size_t zeros = (size_t)(1 - d->exponent);
    fur_store_digits(0, out);
    out[1] = '.';
    store_sixteen(d->first, out + zeros);
    out[zeros + 16] = d->last;
    return zeros + (size_t)d->count;
}

/* Writes ddd.ddd with `whole` digits before the point, 1 to 16. The point is omitted if only zeros
 * follow. All digits are first written one place further to the right, then the digits before the
 * point at their final place. */
static inline size_t put_point(const digits *d, int whole, char *out)
{
    fur_uint128 before = ~(fur_uint128)0 >> (128 - 8 * whole);
    store_sixteen(d->first, out + 1);
    out[17] = d->last;
    store_sixteen((d->first & before) | (d->first << 8 & ~before), out);
    out[whole] = '.';
    return (size_t)(d->count > whole ? d->count + 1 : whole);
}

/* Uses fixed notation if it is about as short as scientific notation. */
static inline size_t put_decimal(const digits *d, char *out)
{
    if (d->exponent >= -5 && d->exponent < 0)
        return put_fraction(d, out);
    if (d->exponent >= 0 && d->exponent < 16)
        return put_point(d, d->exponent + 1, out);
    size_t length = put_point(d, 1, out);
    out[length++] = 'e';
    out[length] = '-';
    length += d->exponent < 0;
    return length + put_short((uint32_t)abs(d->exponent), out + length);
}

static inline size_t put_word(const char *word, char *out)
{
    memcpy(out, word, 3);
    return 3;
}

/* Prints the number with these bits of an IEEE 754 format. Each format gets its own code. */
static inline __attribute__((always_inline)) size_t print(uint64_t bits, int fraction_bits,
                                                          int exponent_bits, char *out)
{
    const uint64_t hidden = UINT64_C(1) << fraction_bits;
    const int beyond = (1 << exponent_bits) - 1;
    uint64_t fraction = bits & (hidden - 1);
    int biased = (int)(bits >> fraction_bits) & beyond;
    if (biased == beyond && fraction)
        return put_word("nan", out);
    size_t sign = bits >> (fraction_bits + exponent_bits);
    *out = '-';
    out += sign;
    if (biased == beyond)
        return sign + put_word("inf", out);

    uint64_t significand = biased ? fraction | hidden : fraction;
    int exponent = (biased ? biased : 1) - beyond / 2 - fraction_bits;
    if (significand == 0)
        return sign + put_short(0, out);
    if (exponent <= 0 && exponent >= -fraction_bits &&
        (significand & ((UINT64_C(1) << -exponent) - 1)) == 0)
        return sign + put_integer(significand >> -exponent, out);
    digits d = spread(shortest(significand, exponent, fraction == 0 && biased > 1));
    return sign + put_decimal(&d, out);
}

size_t fur_number_print_f64(double value, char *out)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return print(bits, 52, 11, out);
}

size_t fur_number_print_f32(float value, char *out)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return print(bits, 23, 8, out);
}

size_t fur_number_print_i64(int64_t value, char *out)
{
    size_t sign = value < 0;
    *out = '-';
    return sign + put_integer(sign ? 0 - (uint64_t)value : (uint64_t)value, out + sign);
}
