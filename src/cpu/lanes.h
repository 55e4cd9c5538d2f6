/* Eight lanes of a value type, whatever the machine's registers are: the type lanes_<value> and the
 * operations V(zero), V(all) = a in every lane, V(load), V(store), V(gather), V(madd) = a b + c,
 * V(plus_some) = a + b, V(keep), which holds a in a register, as compilers would rather load it
 * once for each use, and V(fold), the sum of the lanes in halves: lane i + lane (i + 4), then (i
 * + 2), then (i + 1).
 *
 * A kernel written with them does the same arithmetic in every lane on every instruction set. The
 * forms with a mask, V(..._some), have bit i set where lane i takes part: lanes left out touch no
 * memory, neither values nor indices, and keep their sum. Those of V(store_some) are side by side.
 */
#ifndef FURROW_CPU_LANES_H
#define FURROW_CPU_LANES_H

#include "scalar.h"

#include <string.h>

#define LANES 8
#define ALL_LANES 0xff

#define FUR_LANES2(value) lanes_##value
#define FUR_LANES(value) FUR_LANES2(value)

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#    include "lanes_avx512.h"
#    define FUR_REAL_REGISTERS 1
#elif defined(__AVX2__) && defined(__FMA__)
#    include "lanes_avx2.h"
#    define FUR_REAL_REGISTERS 1
#else
#    define FUR_REAL_REGISTERS 0
#endif

#define FUR_TEMPLATE "lanes_plain.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

#endif
