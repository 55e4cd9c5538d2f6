/* Shared by the tests of stencils on blocks of vectors, on the CPU and on a GPU. */
#ifndef FURROW_TESTS_STENCIL_BLOCK_TRIAL_H
#define FURROW_TESTS_STENCIL_BLOCK_TRIAL_H

#include "stencil_trial.h"

/* The number of combinations of layouts of X and Y. Bits 0 and 1 are set if X and Y are
 * column-major, bit 2 if there are gaps. */
#define STENCIL_BLOCK_WAYS 8

/* Multiplies `cols` random columns by the trial's stencil, alpha and beta included, with a kernel
 * in the context. Checks that each column has the bits of the reference on the host. */
void stencil_block_check(const stencil_trial *t, fur_context *context, const char *kernel,
                         int64_t cols, int way, rng *r);

/* Draws a stencil with random axes, radius and constants or fields, and a product with it. */
stencil_trial *stencil_block_draw(fur_value_type value, int boundaries, int points, int64_t most,
                                  rng *r);

#endif
