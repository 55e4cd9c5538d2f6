/* A bound of the error of x that is valid in spite of rounding. */
#ifndef FURROW_SOLVER_ERROR_BOUND_H
#define FURROW_SOLVER_ERROR_BOUND_H

#include "csr.h"

/* Computes a rigorous lower bound *error of ||x' - x||_A / ||x'||_A, where A x' = b and A is
 * Hermitian and positive definite.
 *
 * c is an estimate of x' - x. Only its direction matters. If c gives no information or numbers
 * overflow, *error is NaN. All arrays are on the host. */
fur_status fur_error_bound(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                           const fur_vector *c, double *error);

#endif
