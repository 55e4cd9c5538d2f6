/* Matrices for the tests of recognition: stencils, whole and altered, and others. All are the
 * caller's to destroy. */
#ifndef FURROW_TESTS_RECOGNISE_MATRICES_H
#define FURROW_TESTS_RECOGNISE_MATRICES_H

#include "stencil_trial.h"

fur_csr *assemble(fur_context *context, const fur_stencil_definition *d);

/* The stencil of that name with Dirichlet boundaries, and its matrix in f64. */
fur_stencil_definition named(int points, fur_value_type value, int64_t nx, int64_t ny, int64_t nz);
fur_csr *grid(fur_context *context, int points, int64_t nx, int64_t ny, int64_t nz);

/* Extents of 2 to `most` points in all. */
void draw_extents(fur_stencil_definition *d, rng *r, int64_t most);
/* A star of the axes given and other offsets, with constants. */
void draw_offsets(fur_stencil_definition *d, rng *r, fur_stencil_offset *offsets,
                  fur_scalar *coefficients);
/* Fields in place of the constants; they stay the caller's. */
void draw_fields(fur_context *context, fur_stencil_definition *d, rng *r, int64_t rows,
                 fur_vector **fields);

/* A copy of an f64 matrix, its entries altered so often in one of alteration_count ways, or if it
 * is -1 in any; *row is the one altered last. */
fur_csr *altered(fur_context *context, const fur_csr *whole, rng *r, int way, int64_t count,
                 int32_t *row);
extern const int alteration_count;

/* Adds 1 to a value in each of `count` rows of an f64 matrix. */
void alter_rows(fur_csr *a, rng *r, int64_t count);

fur_csr *permuted_grid(fur_context *context);
fur_csr *periodic_grid(fur_context *context, int64_t n);
fur_csr *empty_matrix(fur_context *context, int64_t rows, int64_t cols);
/* Entries (i, i) and (i, (i + shift) mod n). */
fur_csr *circulant(fur_context *context, int64_t n, int64_t shift);
/* Rows of `count` entries in random columns. */
fur_csr *scattered(fur_context *context, int64_t rows, int64_t count);
fur_csr *dense_random(fur_context *context, int64_t rows);
/* One of the shapes of support.h. */
fur_csr *shape_matrix(fur_context *context, const char *name);

#endif
