/* A bound of ||b - A x|| that rounding cannot break. */
#ifndef FURROW_SOLVER_RESIDUAL_BOUND_H
#define FURROW_SOLVER_RESIDUAL_BOUND_H

#include "csr.h"

/* *bound: ||b - A x||_2 is certainly at most this many times b_norm, the computed ||b||_2, or this
 * itself where that is 0; NaN where numbers overflow. The host computes it, from copies if A, b and
 * x are out of its reach. */
fur_status fur_residual_bound(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                              double b_norm, double *bound);

#endif
