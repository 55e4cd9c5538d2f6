/* Numbers of 16 bits: binary16 of IEEE 754 without infinities, NaN and subnormal numbers. They are
 * converted by integer operations, so that every machine gives the same bits. */
#ifndef FURROW_BASE_HALF_H
#define FURROW_BASE_HALF_H

#include "anywhere.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The value of the number, without rounding. The shift leaves an exponent that is 112 too small. */
FUR_ANYWHERE float fur_half_value(uint16_t half)
{
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    x *= 0x1p112f;
    memcpy(&bits, &x, sizeof bits);
    bits |= sign;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The nearest number (ties to even) for a modulus less than 2^15. If the modulus is less than
 * 2^-14, 0. */
static inline uint16_t fur_half_nearest(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    double size = fabs(x);
    if (size < 0x1p-14)
        return sign;
    int exponent = ilogb(size);
    int digits = (int)nearbyint(scalbn(size, 10 - exponent)); /* 1024 .. 2048 */
    return (uint16_t)(sign + ((exponent + 14) << 10) + digits);
}

#endif
