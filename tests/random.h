/* Random numbers for tests. The seed is printed; FURROW_SEED in the environment repeats a run,
 * unless it is empty. */
#ifndef FURROW_TESTS_RANDOM_H
#define FURROW_TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t random_state;

static inline void random_start(void)
{
    const char *given = getenv("FURROW_SEED");
    random_state = given && *given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("FURROW_SEED=%llu\n", (unsigned long long)random_state);
    fflush(stdout);
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t random_bits(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns a number of 0 .. limit-1. */
static inline int random_below(int limit)
{
    return (int)(random_bits() % (uint64_t)limit);
}

#endif
