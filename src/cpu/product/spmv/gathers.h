/* Gathers of entries of x by gather instructions or by single loads. The faster way differs between
 * processors, by up to two times either way (docs/results/spmv.md). */
#ifndef FURROW_CPU_GATHERS_H
#define FURROW_CPU_GATHERS_H

#include "isa.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { FUR_GATHERS_UNKNOWN, FUR_GATHERS_SLOWER, FUR_GATHERS_FASTER };

/* The result for this processor and instruction set, if known. */
extern atomic_int ISA(spmv_gathers);

/* Measures which way is faster, once. This takes some 20 microseconds. */
void ISA(spmv_time_gathers)(void);

/* Returns whether V(gather_at_once) is known to be faster than V(gather). */
static inline bool fur_gathers_pay(void)
{
    return atomic_load_explicit(&ISA(spmv_gathers), memory_order_relaxed) == FUR_GATHERS_FASTER;
}

#endif
