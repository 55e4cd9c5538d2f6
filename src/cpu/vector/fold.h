/* The lanes of a leaf, in double precision, and their fold in halves. */
#ifndef FURROW_CPU_FOLD_H
#define FURROW_CPU_FOLD_H

#include "lanes.h"

/* Sets lanes to 0, which the compiler must not know: it would take "rep stos" for constants, and
 * that a tenth of a leaf's time. */
static inline void clear(double *lane, int lanes)
{
    volatile double unknown = 0;
    double zero = unknown;
    for (int j = 0; j < lanes; j++)
        lane[j] = zero;
}

static inline void halve(double *lane, int half)
{
    for (int j = 0; j < half; j++)
        lane[j] += lane[j + half];
}

/* Of 128, 64 or 32 lanes; halves of a constant length each become vectors. */
static inline double fold(double *lane, int lanes)
{
    if (lanes > 64)
        halve(lane, 64);
    if (lanes > 32)
        halve(lane, 32);
    halve(lane, 16);
    halve(lane, 8);
    return f64_fold(f64_load(lane));
}

#endif
