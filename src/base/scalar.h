/* Arithmetic on the four value types with one spelling, for templates.
 *
 * Every product that is added is an explicit fma, in the order written here, and the build turns
 * contraction off. An expression therefore has the same bits on every compiler, instruction set and
 * optimisation level (docs/numerics.md). */
#ifndef FURROW_BASE_SCALAR_H
#define FURROW_BASE_SCALAR_H

#include <furrow/base.h>

#include <math.h>

typedef struct fur_c64 {
    float re;
    float im;
} fur_c64;

typedef struct fur_c128 {
    double re;
    double im;
} fur_c128;

/* from: a coefficient rounded to the value type. */
static inline float f32_from(fur_scalar s)
{
    return (float)s.re;
}
static inline double f64_from(fur_scalar s)
{
    return s.re;
}
static inline fur_c64 c64_from(fur_scalar s)
{
    return (fur_c64){(float)s.re, (float)s.im};
}
static inline fur_c128 c128_from(fur_scalar s)
{
    return (fur_c128){s.re, s.im};
}

/* a == 0 */
static inline int f32_is_zero(float a)
{
    return a == 0;
}
static inline int f64_is_zero(double a)
{
    return a == 0;
}
static inline int c64_is_zero(fur_c64 a)
{
    return a.re == 0 && a.im == 0;
}
static inline int c128_is_zero(fur_c128 a)
{
    return a.re == 0 && a.im == 0;
}

/* conj */
static inline float f32_conj(float a)
{
    return a;
}
static inline double f64_conj(double a)
{
    return a;
}
static inline fur_c64 c64_conj(fur_c64 a)
{
    return (fur_c64){a.re, -a.im};
}
static inline fur_c128 c128_conj(fur_c128 a)
{
    return (fur_c128){a.re, -a.im};
}

/* -a */
static inline float f32_neg(float a)
{
    return -a;
}
static inline double f64_neg(double a)
{
    return -a;
}
static inline fur_c64 c64_neg(fur_c64 a)
{
    return (fur_c64){-a.re, -a.im};
}
static inline fur_c128 c128_neg(fur_c128 a)
{
    return (fur_c128){-a.re, -a.im};
}

/* a + b */
static inline float f32_add(float a, float b)
{
    return a + b;
}
static inline double f64_add(double a, double b)
{
    return a + b;
}
static inline fur_c64 c64_add(fur_c64 a, fur_c64 b)
{
    return (fur_c64){a.re + b.re, a.im + b.im};
}
static inline fur_c128 c128_add(fur_c128 a, fur_c128 b)
{
    return (fur_c128){a.re + b.re, a.im + b.im};
}

/* a b */
static inline float f32_mul(float a, float b)
{
    return a * b;
}
static inline double f64_mul(double a, double b)
{
    return a * b;
}
static inline fur_c64 c64_mul(fur_c64 a, fur_c64 b)
{
    return (fur_c64){fmaf(-a.im, b.im, a.re * b.re), fmaf(a.im, b.re, a.re * b.im)};
}
static inline fur_c128 c128_mul(fur_c128 a, fur_c128 b)
{
    return (fur_c128){fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im)};
}

/* a b + c */
static inline float f32_fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}
static inline double f64_fma(double a, double b, double c)
{
    return fma(a, b, c);
}
static inline fur_c64 c64_fma(fur_c64 a, fur_c64 b, fur_c64 c)
{
    return (fur_c64){fmaf(-a.im, b.im, fmaf(a.re, b.re, c.re)),
                     fmaf(a.im, b.re, fmaf(a.re, b.im, c.im))};
}
static inline fur_c128 c128_fma(fur_c128 a, fur_c128 b, fur_c128 c)
{
    return (fur_c128){fma(-a.im, b.im, fma(a.re, b.re, c.re)),
                      fma(a.im, b.re, fma(a.re, b.im, c.im))};
}

#endif
