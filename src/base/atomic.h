/* Results to which several threads add. Integers only: their sum, least and largest do not depend
 * on who comes first. */
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

/* Takes `count` indices off a loop of which *next is the first that nobody has taken; returns it.
 */
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
