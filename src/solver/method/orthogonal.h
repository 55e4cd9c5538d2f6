/* Orthogonal vectors: the Gram-Schmidt step. */
#ifndef FURROW_METHOD_ORTHOGONAL_H
#define FURROW_METHOD_ORTHOGONAL_H

#include "complex_number.h"
#include "solver.h"

#include "env.h"
#include "kernel.h"

/* The list of vectors as const. */
static inline const fur_vector *const *fur_reading(fur_vector *const *vectors)
{
    return (const fur_vector *const *)vectors;
}

static inline void fur_negate(int count, fur_scalar *alpha)
{
    for (int k = 0; k < count; k++)
        alpha[k] = fur_negative(alpha[k]);
}

/* y -= sum_k alpha_k x_k */
static inline fur_status fur_subtract_many(int count, fur_scalar *alpha, fur_vector *const *x,
                                           fur_vector *y)
{
    fur_negate(count, alpha);
    FUR_TRY(fur_axpy_many(count, alpha, fur_reading(x), y));
    fur_negate(count, alpha);
    return FUR_OK;
}

/* w -= V V^H w, twice, and the norm of the remainder. V has orthonormal columns. w is then
 * orthogonal to V up to its own rounding, even if little remains. projections: the sum of both V^H
 * w. second: workspace of `count` numbers. */
static inline fur_status fur_orthogonalise(int count, fur_vector *const *basis, fur_vector *w,
                                           fur_scalar *projections, fur_scalar *second,
                                           double *norm)
{
    FUR_TRY(fur_dot_many(count, fur_reading(basis), w, projections));
    fur_negate(count, projections);
    FUR_TRY(fur_axpy_many_dots(count, projections, fur_reading(basis), w, second));
    fur_negate(count, second);
    FUR_TRY(fur_axpy_many_norm2(count, second, fur_reading(basis), w, norm));
    for (int k = 0; k < count; k++)
        projections[k] = fur_sum(fur_negative(projections[k]), fur_negative(second[k]));
    return FUR_OK;
}

/* The vector transfers of fur_orthogonalise on the CPU. V moves three times and w five times. If V
 * has more than FUR_MANY_MAX vectors, the first ones move a fourth time, and w moves six more times
 * for each FUR_MANY_MAX. On a GPU all of V moves four times. */
static inline int fur_orthogonalise_transfers(int count)
{
    int rest = count > FUR_MANY_MAX ? count - FUR_MANY_MAX : 0;
    int groups = (count + FUR_MANY_MAX - 1) / FUR_MANY_MAX;
    return 3 * count + rest + 6 * groups - 1;
}

#endif
