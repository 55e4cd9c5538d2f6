/* Matrices of boundary value problems, made without the library's own stencils. */
#ifndef FURROW_TESTS_AMG_PROBLEMS_H
#define FURROW_TESTS_AMG_PROBLEMS_H

#include "support.h"

/* A grid of points, with a coupling between neighbours on each axis. */
typedef struct grid {
    int64_t extent[3];
    double coupling[3];
    bool neumann; /* no boundary values: constants are in the null space */
    double jump;  /* factor of the couplings in every second block of 8 points; 0: none */
    fur_value_type value;
    fur_offset_type offset;
} grid;

/* Makes the Laplacian of the grid. Complex types get phases, so that the matrix stays Hermitian. */
fur_csr *grid_matrix(fur_context *context, const grid *g);

/* Makes the matrix of plane stress on n x n square elements of four nodes. It has (n + 1) (n + 1)
 * points with two unknowns each. The left side is fixed, or all is free. Young's modulus is 1,
 * Poisson's ratio `nu`. *points becomes the coordinates, which the caller destroys. */
fur_csr *elastic_plate(fur_context *context, int64_t n, double nu, bool fixed,
                       fur_vectors **points);

/* Returns the iterations of `method` to rtol with this hierarchy, for b = 1, or b = A times a
 * random vector if `consistent`. Checks that the outcome is `converged`. */
int64_t iterations(fur_amg *amg, const fur_csr *a, const char *method, double rtol,
                   bool consistent);

#endif
