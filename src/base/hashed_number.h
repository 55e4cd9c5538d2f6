/* Pseudo-random numbers that are equal on every machine. */
#ifndef FURROW_BASE_HASHED_NUMBER_H
#define FURROW_BASE_HASHED_NUMBER_H

#include "anywhere.h"

#include <stdint.h>

/* A number in (-1, 1) for every index: splitmix64 (Steele, Lea and Flood 2014). */
FUR_ANYWHERE double fur_hashed_number(uint64_t index)
{
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-52 - 1;
}

#endif
