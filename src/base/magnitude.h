/* The modulus of a complex number. It uses operations that every machine rounds alike. hypot of a C
 * library is not rounded alike everywhere (docs/numerics.md). */
#ifndef FURROW_BASE_MAGNITUDE_H
#define FURROW_BASE_MAGNITUDE_H

#include "anywhere.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* sqrt(re^2 + im^2). If a square could overflow or lose bits, both parts are scaled first, so that
 * the larger part is in [1, 2). */
FUR_ANYWHERE double fur_magnitude(double re, double im)
{
    double a = fabs(re);
    double b = fabs(im);
    double large = a > b ? a : b;
    if (large > 0x1p400 || (large < 0x1p-400 && large > 0)) {
        if (isinf(large) || isnan(a) || isnan(b))
            return a + b;
        int exponent = ilogb(large);
        a = scalbn(a, -exponent);
        b = scalbn(b, -exponent);
        return scalbn(sqrt(fma(a, a, b * b)), exponent);
    }
    return sqrt(fma(a, a, b * b));
}

/* The bits of a magnitude. They compare as magnitudes do, and NaN is above infinity. */
static inline int64_t fur_magnitude_bits(double x)
{
    int64_t bits;
    x = fabs(x); /* NaN may have a sign */
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The magnitude with these bits. All NaN become the same NaN. */
static inline double fur_magnitude_from(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return isnan(x) ? NAN : x;
}

#endif
