/* The 7-point problem on which preconditioners are compared: N^3 points, Dirichlet boundaries. */
#ifndef FURROW_TESTS_PRECOND_POISSON_H
#define FURROW_TESTS_PRECOND_POISSON_H

#include "support.h"

fur_csr *poisson_make(fur_context *context, int64_t n);

/* Returns the number of iterations of `method` from 0 to 1e-8 for b = 1. NULL: cg. *residual
 * becomes the residual, unless `residual` is NULL. */
int64_t poisson_iterations(const fur_csr *a, const char *method, const fur_precond_options *options,
                           double *residual);

/* As above, for the stationary iteration x := x + M (b - A x). */
int64_t poisson_stationary(const fur_csr *a, const fur_precond_options *options, double *residual);

#endif
