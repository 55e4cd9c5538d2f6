/* Powers of two that bring numbers near 1. Such a product rounds nothing. */
#ifndef FURROW_BASE_UNIT_H
#define FURROW_BASE_UNIT_H

#include "anywhere.h"

#include <math.h>
#include <stdbool.h>

/* The largest exponents of powers of two that have a normal reciprocal. */
#define FUR_UNIT_MOST 1022
#define FUR_UNIT_MOST_SINGLE 126

/* The power of two that brings size into [1, 2), or as near as a power brings it that has a
 * reciprocal in single or double precision. 1 for 0, infinity and NaN. */
FUR_ANYWHERE double fur_unit_scale(bool single, double size)
{
    const int most = single ? FUR_UNIT_MOST_SINGLE : FUR_UNIT_MOST;
    if (!(size > 0 && size < HUGE_VAL))
        return 1;
    int exponent = -ilogb(size);
    return scalbn(1.0, exponent < -most ? -most : exponent > most ? most : exponent);
}

#endif
