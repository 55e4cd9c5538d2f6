/* The mode of floating-point arithmetic. The library computes in the mode that a program starts
 * with: rounding to nearest, with subnormal numbers, without traps. The caller may have set another
 * mode. Code compiled with -ffast-math also sets one, which flushes subnormal numbers to zero. Each
 * public function that computes therefore begins with FUR_STANDARD_MODE. A thread of the library
 * does this once.
 *
 * Reading the register takes a few cycles. It is written only if the mode differs. */
#ifndef FURROW_BASE_FLOAT_MODE_H
#define FURROW_BASE_FLOAT_MODE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE__)
#    include <xmmintrin.h>
/* MXCSR without its status flags. Above it is the control word of the x87, whose rounding mode the
 * C library uses for decimals. */
#    define FUR_FLOAT_CONTROL UINT64_C(0x0f3f0000ffc0)
#    define FUR_FLOAT_STANDARD UINT64_C(0x033f00001f80)
static inline uint64_t fur_float_read(void)
{
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | _mm_getcsr();
}
static inline void fur_float_write(uint64_t control)
{
    uint16_t x87 = (uint16_t)(control >> 32);
    __asm__ volatile("fldcw %0" : : "m"(x87));
    _mm_setcsr((unsigned)control);
}
#elif defined(__aarch64__)
#    define FUR_FLOAT_CONTROL UINT64_MAX
#    define FUR_FLOAT_STANDARD UINT64_C(0)
static inline uint64_t fur_float_read(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}
static inline void fur_float_write(uint64_t control)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}
#else /* other processors: the mode is not changed */
#    define FUR_FLOAT_CONTROL UINT64_C(0)
#    define FUR_FLOAT_STANDARD UINT64_C(0)
static inline uint64_t fur_float_read(void)
{
    return 0;
}
static inline void fur_float_write(uint64_t control)
{
    (void)control;
}
#endif

/* The caller's mode, and whether it was replaced. */
typedef struct fur_float_mode {
    uint64_t callers;
    bool replaced;
} fur_float_mode;

static inline fur_float_mode fur_float_enter(void)
{
    fur_float_mode mode = {fur_float_read(), false};
    mode.replaced = (mode.callers & FUR_FLOAT_CONTROL) != FUR_FLOAT_STANDARD;
    if (mode.replaced)
        fur_float_write(FUR_FLOAT_STANDARD);
    return mode;
}

static inline void fur_float_leave(const fur_float_mode *mode)
{
    if (mode->replaced)
        fur_float_write(mode->callers);
}

#define FUR_FLOAT_NAME(line) fur_float_mode_of_line_##line
#define FUR_FLOAT_NAMED(line) FUR_FLOAT_NAME(line)

/* A declaration. The mode lasts until the end of its block, however the block is left. */
#define FUR_STANDARD_MODE                                                                          \
    __attribute__((cleanup(fur_float_leave), unused)) const fur_float_mode FUR_FLOAT_NAMED(        \
        __LINE__) = fur_float_enter()

#endif
