/* Bounds of ||b - A x|| and of the error of x that rounding cannot break. */
#ifndef FURROW_SOLVER_RESIDUAL_BOUND_H
#define FURROW_SOLVER_RESIDUAL_BOUND_H

#include "csr.h"

/* *residual: ||b - A x||_2 is certainly at most this many times b_norm, the computed ||b||_2, or
 * this itself if that is 0. *error: fur_error_bound, unless c is NULL. NaN if numbers overflow. The
 * host computes them, from copies if A and the vectors are out of its reach. */
fur_status fur_take_bounds(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                           const fur_vector *c, double b_norm, double *residual, double *error);

#endif
