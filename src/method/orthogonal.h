/* Orthogonal vectors: Gram-Schmidt's step and a basis out of nothing. */
#ifndef FURROW_SOLVER_ORTHOGONAL_H
#define FURROW_SOLVER_ORTHOGONAL_H

#include "number.h"
#include "solver.h"

#include "env.h"

/* A list of vectors to read. */
static inline const fur_vector *const *fur_reading(fur_vector *const *vectors)
{
    return (const fur_vector *const *)vectors;
}

/* y -= sum_k alpha_k x_k */
static inline fur_status fur_subtract_many(int count, fur_scalar *alpha, fur_vector *const *x,
                                           fur_vector *y)
{
    for (int k = 0; k < count; k++)
        alpha[k] = fur_negative(alpha[k]);
    FUR_TRY(fur_axpy_many(count, alpha, fur_reading(x), y));
    for (int k = 0; k < count; k++)
        alpha[k] = fur_negative(alpha[k]);
    return FUR_OK;
}

/* projections = V^H w and w -= V V^H w, V of orthonormal columns. Where it leaves little of w, what
 * it leaves is orthogonal to V only after a second time. */
static inline fur_status fur_project_out(int count, fur_vector *const *basis, fur_vector *w,
                                         fur_scalar *projections)
{
    FUR_TRY(fur_dot_many(count, fur_reading(basis), w, projections));
    return fur_subtract_many(count, projections, basis, w);
}

#endif
