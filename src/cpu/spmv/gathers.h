/* Entries of x by gather instructions or by a load each: which is faster differs between
 * processors, by up to two times either way (docs/results/spmv.md). */
#ifndef FURROW_CPU_GATHERS_H
#define FURROW_CPU_GATHERS_H

#include "isa.h"

#include <stdbool.h>

/* Whether V(gather_at_once) is faster than V(gather) on this processor. The first call, of a
 * process and instruction set, finds out in some 20 microseconds. */
bool ISA(spmv_gathers_pay)(void);

#endif
