/* An upper bound of the least singular value of a triangle that grows by columns: Bischof,
 * Incremental condition estimation, 1990. It is mostly right to some digits, and takes 2 k
 * operations for column k. */
#ifndef FURROW_METHOD_LEAST_SINGULAR_H
#define FURROW_METHOD_LEAST_SINGULAR_H

#include <furrow/base.h>

typedef struct fur_least_singular {
    double value;        /* HUGE_VAL if the triangle has 0 columns */
    fur_scalar *witness; /* a unit vector with ||witness^H R|| = value; one entry for each column */
} fur_least_singular;

/* Adds column k to R. Its entry k, the pivot, is real and positive. scale: about the size of R's
 * entries, so that squares do not overflow or underflow. */
void fur_least_singular_grow(fur_least_singular *l, int64_t k, const fur_scalar *column,
                             double scale);

#endif
