/* Eight lanes of a value type, whatever the machine's registers are: the type lanes_<value> and the
 * operations V(zero), V(all) = a in every lane, V(load), V(load_single) from parts in single
 * precision, V(store), V(gather), V(gather_at_once), which is the same by the processor's own
 * instruction (gathers.h), V(madd) = a b + c, V(madd_conj) = conj(a) b + c, V(plus) = a + b, for
 * real types V(over) = a / b, V(keep), which holds a in a register, as compilers would rather load
 * it once for each use, and V(fold), the sum of the lanes in halves: lane i + lane (i + 4), then (i
 * + 2), then (i + 1). W(lower) has lane i - 1 of a in lane i, behind the last lane of the register
 * before it, W(upper) lane i + 1, before the first of the next register.
 *
 * A kernel written with them does the same arithmetic in every lane on every instruction set. The
 * forms with a mask, V(..._some), have bit i set where lane i takes part: lanes left out touch no
 * memory, neither values nor indices, and keep their sum. Those of V(store_some) are side by side.
 *
 * W(op) is V(op) for as many lanes as a register has if those are more: sixteen floats. There is no
 * W(gather) and no W(fold), but V(lower) and V(upper) may be missing. */
#ifndef FURROW_CPU_LANES_H
#define FURROW_CPU_LANES_H

#include "scalar.h"
#include "split.h"

#include <string.h>

#define LANES 8
#define ALL_LANES 0xff

/* Functions of lanes that must not be called, as registers would go through memory; but sanitizers,
 * which check every load, would take minutes for them. */
#ifdef FUR_SANITIZED
#    define INLINE static inline
#else
#    define INLINE static inline __attribute__((always_inline))
#endif

/* Bits 0 <= i < to */
static inline uint64_t fur_bits_below(int64_t to)
{
    return to < 64 ? ~(UINT64_MAX << fur_larger(to, 0)) : UINT64_MAX;
}

/* Bits from <= i < to */
static inline uint64_t fur_bits_between(int64_t from, int64_t to)
{
    return fur_bits_below(to) & ~fur_bits_below(from);
}

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
/* Lanes of W, in a template over VALUE, and their mask. */
#define WIDTH ((int)(sizeof(FUR_WIDE_LANES(VALUE_NAME)) / sizeof(VALUE)))
#define ALL_WIDE ((1U << WIDTH) - 1)

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
