/* Random symmetric positive definite matrices: linear finite elements on simplices and on cells of
 * a grid in two and three dimensions, and Laplacians of weighted graphs. Coefficients jump by up to
 * 1e8, are log-normal or anisotropic; meshes are stretched; rows have scales. */
#ifndef FURROW_TESTS_AMG_SPD_H
#define FURROW_TESTS_AMG_SPD_H

#include "support.h"

#define SPD_KINDS 5

/* The matrix in f64 of about `rows` rows that the stream's numbers decide. `name`: its words. */
fur_status spd_make(fur_context *context, rng *r, int64_t rows, char name[128], fur_csr **out);

#endif
