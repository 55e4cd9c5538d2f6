/* Powers of two that scale numbers to near 1. Multiplying by them does not round. */
#ifndef FURROW_BASE_UNIT_H
#define FURROW_BASE_UNIT_H

#include "anywhere.h"

#include <math.h>
#include <stdbool.h>

/* The largest exponents of powers of two that have a normal reciprocal. */
#define FUR_UNIT_MAX 1022
#define FUR_UNIT_MAX_SINGLE 126

/* The power of two that scales `size` into [1, 2). It must have a normal reciprocal in single or
 * double precision; if necessary the nearest such power is returned. 0, infinity and NaN get 1. */
FUR_ANYWHERE double fur_unit_scale(bool single, double size)
{
    const int most = single ? FUR_UNIT_MAX_SINGLE : FUR_UNIT_MAX;
    if (!(size > 0 && size < HUGE_VAL))
        return 1;
    int exponent = -ilogb(size);
    return scalbn(1.0, exponent < -most ? -most : exponent > most ? most : exponent);
}

#endif
