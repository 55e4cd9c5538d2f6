/* Random symmetric positive definite matrices: linear finite elements on simplices and on cells of
 * a grid in two and three dimensions, and Laplacians of weighted graphs. Coefficients jump by up to
 * 1e8, are log-normal, or are anisotropic. Some meshes are stretched, and some rows are scaled. */
#ifndef FURROW_TESTS_AMG_SPD_H
#define FURROW_TESTS_AMG_SPD_H

#include "support.h"

#define SPD_KINDS 5

/* Makes a random f64 matrix of about `rows` rows. It depends on `r` only. `name` becomes its
 * description. */
fur_status spd_make(fur_context *context, rng *r, int64_t rows, char name[128], fur_csr **out);

#endif
