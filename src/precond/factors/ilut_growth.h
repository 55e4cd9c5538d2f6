/* How far incomplete factors are from those of a matrix whose elimination is stable. */
#ifndef FURROW_PRECOND_ILUT_GROWTH_H
#define FURROW_PRECOND_ILUT_GROWTH_H

#include "csr.h"

/* Rows of L and U in one array: `start` of each, and its `diagonal`, a pivot of U. */
typedef struct fur_ilut_rows {
    const int64_t *start;
    const int64_t *diagonal;
    const int32_t *columns;
    const void *values;
} fur_ilut_rows;

/* max_i |re z_i| + |im z_i| for L U z = A s, where s has entries 1 and -1 by a hash: about 1 for
 * good factors (Chow and Saad 1997 look at (L U)^-1 s). Infinite if z is not finite. z: room for
 * two doubles a row. */
double fur_ilut_growth(const fur_csr_view *a, const fur_ilut_rows *f, double *z);

#endif
