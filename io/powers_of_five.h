/* The powers of five that reading and printing numbers share. */
#ifndef FURROW_IO_POWERS_OF_FIVE_H
#define FURROW_IO_POWERS_OF_FIVE_H

#include <stdint.h>

/* 5^k for these k is enough for every number that a double can hold. */
#define FUR_POWER_FIRST (-342)
#define FUR_POWER_LAST 324

/* Entry k - FUR_POWER_FIRST is g with 10^k = g * 2^(fur_power_exponent(k) - 127) and
 * 2^127 <= g < 2^128, the upper half first: the first 128 bits of 5^k. They are exact from 5^0 to
 * 5^55, rounded up from 5^-27 to 5^-1, and rounded down elsewhere (Lemire 2021). */
extern const uint64_t fur_powers_of_five[FUR_POWER_LAST - FUR_POWER_FIRST + 1][2];

/* floor(log2(10^k)) */
static inline int fur_power_exponent(int k)
{
    return (217706 * k) >> 16;
}

/* A product of two numbers of 64 bits. ISO C has no name for the type. */
__extension__ typedef unsigned __int128 fur_uint128;

#endif
