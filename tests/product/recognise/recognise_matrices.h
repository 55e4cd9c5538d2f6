/* Matrices for the tests of recognition: stencils, unchanged and altered, and other matrices. The
 * caller destroys them. */
#ifndef FURROW_TESTS_RECOGNISE_MATRICES_H
#define FURROW_TESTS_RECOGNISE_MATRICES_H

#include "stencil_trial.h"

fur_csr *assemble(fur_context *context, const fur_stencil_definition *d);

/* Return the stencil of `points` points with Dirichlet boundaries, and its matrix in f64. */
fur_stencil_definition named(int points, fur_value_type value, int64_t nx, int64_t ny, int64_t nz);
fur_csr *grid(fur_context *context, int points, int64_t nx, int64_t ny, int64_t nz);

/* Draws extents for a grid of 2 to `most` points. */
void draw_extents(fur_stencil_definition *d, rng *r, int64_t most);
/* Draws a star of d->axes axes and other offsets, with constant coefficients. */
void draw_offsets(fur_stencil_definition *d, rng *r, fur_stencil_offset *offsets,
                  fur_scalar *coefficients);
/* Replaces the constants by random fields, which the caller destroys. */
void draw_fields(fur_context *context, fur_stencil_definition *d, rng *r, int64_t rows,
                 fur_vector **fields);

/* Returns a copy of an f64 matrix with `count` random alterations of kind `way`; -1: any of
 * alteration_count kinds. *row becomes the row altered last. */
fur_csr *altered(fur_context *context, const fur_csr *whole, rng *r, int way, int64_t count,
                 int32_t *row);
extern const int alteration_count;

/* Adds 1 to a value in each of `count` rows of an f64 matrix. */
void alter_rows(fur_csr *a, rng *r, int64_t count);

fur_csr *permuted_grid(fur_context *context);
fur_csr *periodic_grid(fur_context *context, int64_t n);
fur_csr *empty_matrix(fur_context *context, int64_t rows, int64_t cols);
/* Makes a matrix with entries (i, i) and (i, (i + shift) mod n). */
fur_csr *circulant(fur_context *context, int64_t n, int64_t shift);
/* Makes a matrix with `count` entries in each row, in random columns. */
fur_csr *scattered(fur_context *context, int64_t rows, int64_t count);
fur_csr *dense_random(fur_context *context, int64_t rows);
/* Makes a random matrix of one of the shapes of support.h. */
fur_csr *shape_matrix(fur_context *context, const char *name);

#endif
