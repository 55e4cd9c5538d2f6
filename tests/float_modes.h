/* Floating-point modes that a program may have set before it calls the library: rounding modes, and
 * a mode that flushes subnormal numbers to zero, as -ffast-math does. */
#ifndef FURROW_TESTS_FLOAT_MODES_H
#define FURROW_TESTS_FLOAT_MODES_H

#include <fenv.h>
#include <stdint.h>

#if defined(__SSE2__)
#    include <xmmintrin.h>
#endif

/* 0 is the standard mode. */
#define FLOAT_MODES 5

static inline uint64_t float_control(void)
{
    uint64_t control = 0;
#if defined(__SSE2__)
    control = _mm_getcsr() & ~UINT64_C(0x3f); /* without the exception flags */
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
#endif
    return control;
}

static inline void float_set_control(uint64_t control)
{
#if defined(__SSE2__)
    _mm_setcsr((unsigned)control);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
    (void)control;
}

/* Returns the control bits that treat subnormal operands and results as zero. */
static inline uint64_t float_flushing(void)
{
#if defined(__SSE2__)
    return float_control() | 0x8040;
#else
    return float_control() | UINT64_C(1) << 24;
#endif
}

static inline void float_mode_set(int mode)
{
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (mode == 4)
        float_set_control(float_flushing());
    else
        fesetround(roundings[mode]);
}

static inline void float_mode_reset(void)
{
#if defined(__SSE2__)
    float_set_control(0x1f80);
#else
    float_set_control(0);
#endif
    fesetround(FE_TONEAREST);
}

#endif
