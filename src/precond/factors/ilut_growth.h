/* A measure of how far incomplete factors are from the factors of a matrix with a stable
 * elimination. */
#ifndef FURROW_PRECOND_ILUT_GROWTH_H
#define FURROW_PRECOND_ILUT_GROWTH_H

#include "csr.h"

/* Rows of L and U in one array: the `start` of each row, and the place of its `diagonal`, a pivot
 * of U. */
typedef struct fur_ilut_rows {
    const int64_t *start;
    const int64_t *diagonal;
    const int32_t *columns;
    const void *values;
} fur_ilut_rows;

/* Returns max_i |re z_i| + |im z_i| for L U z = A s, where s has entries 1 and -1 by a hash. It is
 * about 1 for good factors (Chow and Saad 1997 use (L U)^-1 s). It is infinite if z is not finite.
 * z has room for two doubles a row. */
double fur_ilut_growth(const fur_csr_view *a, const fur_ilut_rows *f, double *z);

#endif
