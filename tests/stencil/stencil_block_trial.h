/* Shared by the tests of stencils on blocks of vectors, on the CPU and on a GPU. */
#ifndef FURROW_TESTS_STENCIL_BLOCK_TRIAL_H
#define FURROW_TESTS_STENCIL_BLOCK_TRIAL_H

#include "stencil_trial.h"

/* Every way to lay X and Y out: bits 0 and 1 say whether X and Y are column-major, bit 2 whether
 * there are gaps. */
#define STENCIL_BLOCK_WAYS 8

/* Multiplies `cols` random columns by the trial's stencil, alpha and beta included, by that kernel
 * in the context. Each column must have the bits of the reference on the host. */
void stencil_block_check(const stencil_trial *t, fur_context *context, const char *kernel,
                         int64_t cols, int way, rng *r);

/* A stencil of some axes, points, radius and boundaries, with constants or fields, and a product.
 */
stencil_trial *stencil_block_draw(fur_value_type value, int boundaries, int points, int64_t most,
                                  rng *r);

#endif
