/* Eight lanes of a value type, whatever the machine's registers are: the type lanes_<value> and the
 * operations V(zero), V(all) = a in every lane, V(load), V(store), V(gather), V(madd) = a b + c,
 * V(plus_some) = a + b, V(keep), which holds a in a register, as compilers would rather load it
 * once for each use, and V(fold), the sum of the lanes in halves: lane i + lane (i + 4), then (i
 * + 2), then (i + 1).
 *
 * A kernel written with them does the same arithmetic in every lane on every instruction set. The
 * forms with a mask, V(..._some), have bit i set where lane i takes part: lanes left out touch no
 * memory, neither values nor indices, and keep their sum. Those of V(store_some) are side by side.
 *
 * W(op) is V(op) for as many lanes as a register has if those are more: sixteen floats. There is no
 * W(gather) and no W(fold).
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
#    define FUR_WIDE_f32 f32x16
#elif defined(__AVX2__) && defined(__FMA__)
#    include "lanes_avx2.h"
#    define FUR_REAL_REGISTERS 1
#else
#    define FUR_REAL_REGISTERS 0
#endif

#ifndef FUR_WIDE_f32
#    define FUR_WIDE_f32 f32
#endif
#define FUR_WIDE_f64 f64
#define FUR_WIDE_c64 c64
#define FUR_WIDE_c128 c128
#define W(op) FUR_JOIN(FUR_JOIN(FUR_WIDE, VALUE_NAME), op)
#define FUR_WIDE_LANES(value) FUR_LANES(FUR_JOIN(FUR_WIDE, value))

/* The registers that complex values are made of. */
#define FUR_PARTS_c64 FUR_WIDE_f32
#define FUR_PARTS_c128 f64

#define FUR_TEMPLATE "lanes_complex.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

#define FUR_TEMPLATE "lanes_plain.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

#endif
