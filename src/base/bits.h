/* Bits of 64-bit numbers, on the host and on devices. */
#ifndef FURROW_BASE_BITS_H
#define FURROW_BASE_BITS_H

#include "anywhere.h"

#include <stdint.h>

/* The positions, from 0 on, of the lowest and of the highest set bit. x is not 0. */
FUR_ANYWHERE int fur_lowest_bit(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __ffsll((long long)x) - 1;
#else
    return __builtin_ctzll(x);
#endif
}

FUR_ANYWHERE int fur_highest_bit(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return 63 - __clzll((long long)x);
#else
    return 63 - __builtin_clzll(x);
#endif
}

/* The number of set bits. */
FUR_ANYWHERE int fur_count_bits(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __popcll(x);
#else
    return __builtin_popcountll(x);
#endif
}

#endif
