/* A bound of the error of x that is valid in spite of rounding. */
#ifndef FURROW_SOLVER_ERROR_BOUND_H
#define FURROW_SOLVER_ERROR_BOUND_H

#include "csr.h"

/* *error: a rigorous lower bound of ||x' - x||_A / ||x'||_A, where A x' = b and A is Hermitian and
 * positive definite. c: an estimate of x' - x; only its direction matters. *error is NaN if c gives
 * no information or numbers overflow. All arrays are on the host. */
fur_status fur_error_bound(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                           const fur_vector *c, double *error);

#endif
