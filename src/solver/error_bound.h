/* A bound of the error of x that rounding cannot break. */
#ifndef FURROW_SOLVER_ERROR_BOUND_H
#define FURROW_SOLVER_ERROR_BOUND_H

#include "csr.h"

/* *error: ||x' - x||_A / ||x'||_A is certainly at least this, where A x' = b and A is Hermitian and
 * positive definite. c: an estimate of x' - x, of which only the direction counts. NaN if c tells
 * nothing or numbers overflow. All arrays lie on the host. */
fur_status fur_error_bound(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                           const fur_vector *c, double *error);

#endif
