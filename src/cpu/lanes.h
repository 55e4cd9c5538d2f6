/* Eight lanes of a value type, for registers of any width. The type is lanes_<value>. The
 * operations are:
 *
 *   V(zero), V(all)           0, or a, in every lane
 *   V(load), V(store)
 *   V(load_single)            from parts in single precision
 *   V(gather)
 *   V(gather_at_once)         V(gather) by the processor's own instruction (gathers.h)
 *   V(madd), V(madd_conj)     a b + c, conj(a) b + c
 *   V(plus)                   a + b
 *   V(over)                   a / b, for real types only
 *   V(keep)                   holds a in a register, which compilers would load for each use
 *   V(fold)                   the sum of the lanes in halves: lane i + lane (i + 4),
 *                             then lane (i + 2), then lane (i + 1)
 *   W(lower)                  lane i - 1 of a in lane i; lane 0 is the last of the register before
 *   W(upper)                  lane i + 1 of a in lane i; the last lane is the first of the next one
 *
 * A kernel written with these operations does the same arithmetic in every lane on every
 * instruction set. The masked forms, V(..._some), use lane i if bit i of the mask is set. Other
 * lanes touch no memory, neither values nor indices, and keep their sum. The lanes of V(store_some)
 * are contiguous.
 *
 * W(op) is V(op) for all lanes of a register, if a register has more than eight: sixteen floats.
 * W(gather) and W(fold) do not exist. V(lower) and V(upper) may be missing. */
#ifndef FURROW_CPU_LANES_H
#define FURROW_CPU_LANES_H

#include "scalar.h"
#include "split.h"

#include <string.h>

#define LANES 8
#define ALL_LANES 0xff

/* Functions of lanes must be inlined: a call would pass registers through memory. Sanitizers check
 * every load, and would take minutes to compile inlined code. */
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
/* The lanes of W in a template over VALUE, and the mask of all lanes. */
#define WIDTH ((int)(sizeof(FUR_WIDE_LANES(VALUE_NAME)) / sizeof(VALUE)))
#define ALL_WIDE ((1U << WIDTH) - 1)

/* The real registers that complex values consist of. */
#define FUR_PARTS_c64 FUR_WIDE_f32
#define FUR_PARTS_c128 f64

#define FUR_TEMPLATE "lanes_complex.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

#define FUR_TEMPLATE "lanes_plain.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

#endif
