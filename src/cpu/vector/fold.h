/* The lanes of a leaf in double precision. They are summed in halves. */
#ifndef FURROW_CPU_FOLD_H
#define FURROW_CPU_FOLD_H

#include "lanes.h"

/* Sets lanes to 0. The compiler must not know the constant: it would use "rep stos", which takes a
 * tenth of a leaf's time. */
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

/* Folds 128, 64 or 32 lanes. Halves of constant length are vectorised. */
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
