/* Arithmetic on the scalars of a method that keeps them on the host, with one spelling for real and
 * complex. It uses only +, -, *, /, sqrt and fma, in a fixed order, so that the bits are equal on
 * every machine. */
#ifndef FURROW_METHOD_NUMBER_H
#define FURROW_METHOD_NUMBER_H

#include <furrow/base.h>
#include <furrow/vector.h>

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

static inline fur_scalar fur_product(fur_scalar a, fur_scalar b)
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

/* The omega that minimises ||s - omega t||, from t.s = conj(t) s, ||t|| and ||s||. If the cosine of
 * s and t is less than `cosine`, omega is enlarged. A method that divides by omega can continue
 * with any omega that is not 0, and loses digits if omega is small (Sleijpen and van der Vorst
 * 1995). */
static inline fur_scalar fur_residual_step(fur_scalar ts, double t_norm, double s_norm,
                                           double cosine)
{
    fur_scalar part = fur_complex(ts.re / t_norm, ts.im / t_norm); /* the component of s along t */
    double modulus = fur_modulus(part);
    if (modulus < cosine * s_norm)
        part =
            modulus > 0 ? fur_scaled(cosine * s_norm / modulus, part) : fur_real(cosine * s_norm);
    return fur_complex(part.re / t_norm, part.im / t_norm);
}

/* ||x|| from x.x. If the squares have overflowed or underflowed, the norm is computed again. */
static inline fur_status fur_norm_from(const fur_vector *x, fur_scalar square, double *norm)
{
    *norm = sqrt(square.re);
    return square.re > 1e-280 && square.re < HUGE_VAL ? FUR_OK : fur_norm2(x, norm);
}

#endif
