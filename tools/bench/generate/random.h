/* Random numbers that are the same on every machine. */
#ifndef FURROW_TOOLS_RANDOM_H
#define FURROW_TOOLS_RANDOM_H

#include <stdint.h>

/* xorshift64* (Vigna 2016). The state must not be 0. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dU;
}

/* Uniformly distributed in [0, 1). */
static inline double random_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* Returns a permutation of the 64-bit numbers in which every bit of the result depends on all bits
 * of z: splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

#endif
