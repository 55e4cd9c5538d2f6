/* The floating-point number nearest to significand * 10^exponent, for any 64-bit significand. It
 * makes reading numbers fast. It is inline because it is the inner loop of reading a file. */
#ifndef FURROW_IO_DECIMAL_H
#define FURROW_IO_DECIMAL_H

#include <stdint.h>
#include <string.h>

/* The powers 5^k with these k suffice for every number that a double can hold. */
#define FUR_POWER_FIRST (-342)
#define FUR_POWER_LAST 324

/* Entry k - FUR_POWER_FIRST is g with 10^k = g * 2^(fur_power_exponent(k) - 127) and 2^127 <= g <
 * 2^128, the upper half first. It holds the first 128 bits of 5^k. Entries are exact from 5^0 to
 * 5^55, rounded up from 5^-27 to 5^-1, and rounded down elsewhere (Lemire 2021). */
extern const uint64_t fur_powers_of_five[FUR_POWER_LAST - FUR_POWER_FIRST + 1][2];

/* floor(log2(10^k)) */
static inline int fur_power_exponent(int k)
{
    return (217706 * k) >> 16;
}

/* The product of two 64-bit numbers. ISO C has no name for the type. */
__extension__ typedef unsigned __int128 fur_uint128;

/* 10^309 is infinity in every format here. A 64-bit significand times the power before
 * FUR_POWER_FIRST is zero. */
#define FUR_DECIMAL_LAST 308

/* A binary format of IEEE 754, and the powers of ten with which a significand can be exactly
 * halfway between two of its numbers. */
typedef struct fur_float_format {
    int fraction_bits;
    int exponent_bits;
    int halfway_first;
    int halfway_last;
} fur_float_format;

#define FUR_FLOAT64 ((fur_float_format){52, 11, -4, 23})
#define FUR_FLOAT32 ((fur_float_format){23, 8, -17, 10})

/* Returns the bits of significand * 10^exponent, rounded once to the nearest, with ties to even. A
 * result that is too large becomes infinity. One that is too small becomes a subnormal number or
 * zero.
 *
 * The algorithm is by Eisel and Lemire (Lemire, "Number parsing at a gigabyte per second", 2021).
 * It computes significand * 5^exponent with 128 bits of the power. The second half of the power is
 * needed only if the bits after the kept ones are all ones. Mushtak and Lemire ("Fast number
 * parsing without fallback", 2023) prove that the result is always correct. */
static inline uint64_t fur_decimal_bits(uint64_t significand, int64_t exponent,
                                        fur_float_format format)
{
    int infinity = (1 << format.exponent_bits) - 1;
    if (significand == 0 || exponent < FUR_POWER_FIRST)
        return 0;
    if (exponent > FUR_DECIMAL_LAST)
        return (uint64_t)infinity << format.fraction_bits;
    int k = (int)exponent;
    int zeros = __builtin_clzll(significand);
    significand <<= zeros;

    const uint64_t *power = fur_powers_of_five[k - FUR_POWER_FIRST];
    const uint64_t behind = UINT64_MAX >> (format.fraction_bits + 3);
    fur_uint128 product = (fur_uint128)significand * power[0];
    if (((uint64_t)(product >> 64) & behind) == behind)
        product += ((fur_uint128)significand * power[1]) >> 64;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;

    /* The fraction, its leading 1 and one bit for rounding. */
    int carry = (int)(high >> 63);
    int shift = carry + 61 - format.fraction_bits;
    uint64_t kept = high >> shift;
    int biased = fur_power_exponent(k) + 63 - zeros + carry + infinity / 2;
    if (biased >= infinity)
        return (uint64_t)infinity << format.fraction_bits;
    if (biased <= 0) {
        kept = biased > -63 ? kept >> (1 - biased) : 0;
        biased = 1;
    } else if (__builtin_expect(low <= 1, 0) && (kept & 3) == 1 && kept << shift == high &&
               k >= format.halfway_first && k <= format.halfway_last) {
        kept--;
    }
    /* The leading 1 adds to the exponent, and so does a fraction that is rounded up to 2. */
    return ((uint64_t)(biased - 1) << format.fraction_bits) + ((kept + 1) >> 1);
}

static inline double fur_bits_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float fur_bits_f32(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static inline double fur_decimal_f64(uint64_t significand, int64_t exponent)
{
    return fur_bits_f64(fur_decimal_bits(significand, exponent, FUR_FLOAT64));
}

static inline float fur_decimal_f32(uint64_t significand, int64_t exponent)
{
    return fur_bits_f32(fur_decimal_bits(significand, exponent, FUR_FLOAT32));
}

#endif
