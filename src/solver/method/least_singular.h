/* The least singular value of a triangle that grows by columns, from above: Bischof, Incremental
 * condition estimation, 1990. It is mostly right to some digits, at 2 k operations a column k. */
#ifndef FURROW_METHOD_LEAST_SINGULAR_H
#define FURROW_METHOD_LEAST_SINGULAR_H

#include <furrow/base.h>

typedef struct fur_least_singular {
    double value;        /* HUGE_VAL of a triangle without columns */
    fur_scalar *witness; /* a unit vector with ||witness^H R|| = value: an entry for each column */
} fur_least_singular;

/* R gets column k, whose entry k, the pivot, is real and above 0. scale: of the size of R's
 * entries, so that squares have room. */
void fur_least_singular_grow(fur_least_singular *l, int64_t k, const fur_scalar *column,
                             double scale);

#endif
