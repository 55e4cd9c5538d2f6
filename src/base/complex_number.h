/* Arithmetic on complex numbers that the host keeps. A real number has the imaginary part 0. It
 * uses only +, -, *, /, sqrt and fma, in a fixed order, so that the bits are equal on every
 * machine. */
#ifndef FURROW_BASE_COMPLEX_NUMBER_H
#define FURROW_BASE_COMPLEX_NUMBER_H

#include <furrow/base.h>

#include <math.h>
#include <stdbool.h>

static inline fur_scalar fur_conjugate(fur_scalar a)
{
    return fur_complex(a.re, -a.im);
}

static inline fur_scalar fur_negative(fur_scalar a)
{
    return fur_complex(-a.re, -a.im);
}

static inline fur_scalar fur_sum(fur_scalar a, fur_scalar b)
{
    return fur_complex(a.re + b.re, a.im + b.im);
}

/* factor a */
static inline fur_scalar fur_scaled(double factor, fur_scalar a)
{
    return fur_complex(factor * a.re, factor * a.im);
}

static inline fur_scalar fur_times(fur_scalar a, fur_scalar b)
{
    return fur_complex(fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im));
}

/* sqrt(a^2 + b^2), without overflow or underflow of the squares */
static inline double fur_length(double a, double b)
{
    double large = fmax(fabs(a), fabs(b));
    if (!(large > 0) || !(large < HUGE_VAL))
        return fabs(a) + fabs(b);
    int exponent = ilogb(large);
    if (exponent > -400 && exponent < 400)
        return sqrt(fma(a, a, b * b));
    double u = scalbn(a, -exponent);
    double v = scalbn(b, -exponent);
    return scalbn(sqrt(fma(u, u, v * v)), exponent);
}

static inline double fur_modulus(fur_scalar a)
{
    return a.im == 0 ? fabs(a.re) : fur_length(a.re, a.im);
}

/* a / b; not finite if b is 0 or not finite */
static inline fur_scalar fur_quotient(fur_scalar a, fur_scalar b)
{
    if (b.im == 0)
        return fur_complex(a.re / b.re, a.im / b.re);
    double large = fmax(fabs(b.re), fabs(b.im));
    if (!(large < HUGE_VAL))
        return fur_complex(NAN, NAN);
    int exponent = ilogb(large);
    fur_scalar unit = fur_complex(scalbn(b.re, -exponent), scalbn(b.im, -exponent));
    double square = fma(unit.re, unit.re, unit.im * unit.im);
    fur_scalar top = fur_times(a, fur_conjugate(unit));
    return fur_complex(scalbn(top.re / square, -exponent), scalbn(top.im / square, -exponent));
}

static inline bool fur_is_finite(fur_scalar a)
{
    return fabs(a.re) < HUGE_VAL && fabs(a.im) < HUGE_VAL;
}

#endif
