/* Shared results to which the threads of a loop add. */
#ifndef FURROW_TOOLS_ATOMICS_H
#define FURROW_TOOLS_ATOMICS_H

#include <stdatomic.h>
#include <stdint.h>

static inline void shared_largest(_Atomic double *largest, double value)
{
    double known = *largest;
    while (value > known && !atomic_compare_exchange_weak(largest, &known, value)) {
    }
}

static inline void shared_least(_Atomic int64_t *least, int64_t value)
{
    int64_t known = *least;
    while (value < known && !atomic_compare_exchange_weak(least, &known, value)) {
    }
}

#endif
