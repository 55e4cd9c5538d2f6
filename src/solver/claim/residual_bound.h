/* Bounds of ||b - A x|| and of the error of x that are valid in spite of rounding. */
#ifndef FURROW_SOLVER_RESIDUAL_BOUND_H
#define FURROW_SOLVER_RESIDUAL_BOUND_H

#include "csr.h"

/* *residual: ||b - A x||_2 is at most this times b_norm, which is the computed ||b||_2. If b_norm
 * is 0, it is the bound itself. *error: the result of fur_error_bound, unless c is NULL. NaN if
 * numbers overflow. The host computes both, from copies if it cannot read A and the vectors. */
fur_status fur_take_bounds(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                           const fur_vector *c, double b_norm, double *residual, double *error);

#endif
