/* Results that several threads update. They are integers: sums, minima and maxima do not depend on
 * the order of the threads. */
#ifndef FURROW_BASE_ATOMIC_H
#define FURROW_BASE_ATOMIC_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic int64_t fur_shared;

static inline void fur_shared_add(fur_shared *sum, int64_t value)
{
    if (value != 0)
        atomic_fetch_add_explicit(sum, value, memory_order_relaxed);
}

/* Takes `count` indices of a loop. *next is the first free index. Returns the first index taken. */
static inline int64_t fur_shared_take(fur_shared *next, int64_t count)
{
    return atomic_fetch_add_explicit(next, count, memory_order_relaxed);
}

static inline void fur_shared_least(fur_shared *least, int64_t value)
{
    int64_t known = atomic_load_explicit(least, memory_order_relaxed);
    while (value < known && !atomic_compare_exchange_weak_explicit(
                                least, &known, value, memory_order_relaxed, memory_order_relaxed))
        ;
}

static inline void fur_shared_largest(fur_shared *largest, int64_t value)
{
    int64_t known = atomic_load_explicit(largest, memory_order_relaxed);
    while (value > known && !atomic_compare_exchange_weak_explicit(
                                largest, &known, value, memory_order_relaxed, memory_order_relaxed))
        ;
}

#endif
