/* A number that nobody can predict. It seeds hashes, so that no input can be constructed to deceive
 * them. It never changes a result. */
#ifndef FURROW_BASE_SEED_H
#define FURROW_BASE_SEED_H

#include <furrow/author/clock.h>

#include <stdint.h>
#include <unistd.h>

static inline uint64_t fur_seed(void)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uint64_t)(1e9 * fur_seconds());
    return seed;
}

#endif
