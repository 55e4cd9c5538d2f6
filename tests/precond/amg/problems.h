/* Matrices of boundary value problems, made without the library's own stencils. */
#ifndef FURROW_TESTS_AMG_PROBLEMS_H
#define FURROW_TESTS_AMG_PROBLEMS_H

#include "support.h"

/* A grid of points with unknown couplings to the neighbours of each axis. */
typedef struct grid {
    int64_t extent[3];
    double coupling[3];
    bool neumann; /* no boundary value anywhere: constants are in the nullspace */
    double jump;  /* couplings within blocks of 8 points are multiplied by it or by 1 */
    fur_value_type value;
    fur_offset_type offset;
} grid;

/* The Laplacian of the grid; of complex types with phases, so that it stays Hermitian. */
fur_csr *grid_matrix(fur_context *context, const grid *g);

/* Plane stress on n x n square elements of four nodes, (n + 1) (n + 1) points with two unknowns
 * each: fixed on the left, or free. Young's modulus 1, Poisson's ratio nu. points: the coordinates,
 * to be destroyed. */
fur_csr *elastic_plate(fur_context *context, int64_t n, double nu, bool fixed,
                       fur_vectors **points);

/* Iterations of cg to rtol with this hierarchy for b = 1, or for b = A (a random vector) if
 * `consistent`. The outcome must be `converged`. */
int64_t iterations(fur_amg *amg, const fur_csr *a, const char *method, double rtol,
                   bool consistent);

#endif
