/* Hashes, and a seed for them. */
#ifndef FURROW_BASE_HASH_H
#define FURROW_BASE_HASH_H

#include <furrow/author/clock.h>

#include "anywhere.h"

#include <stdint.h>
#include <unistd.h>

/* Returns a pseudo-random number in (-1, 1) for every index, the same on every machine: splitmix64
 * (Steele, Lea and Flood 2014). */
FUR_ANYWHERE double fur_hashed_number(uint64_t index)
{
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-52 - 1;
}

/* Returns a number that nobody can predict. As a seed of hashes it prevents inputs that are
 * constructed to be slow. It never changes a result. */
static inline uint64_t fur_seed(void)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uint64_t)(1e9 * fur_seconds());
    return seed;
}

#endif
