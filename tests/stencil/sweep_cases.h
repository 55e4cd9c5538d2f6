/* Cases for repeated sweeps of stencils, on the CPU and on a GPU. Kernels for sweeps, and sequences
 * of single products, have the bits of products by the CPU's reference. */
#ifndef FURROW_TESTS_SWEEP_CASES_H
#define FURROW_TESTS_SWEEP_CASES_H

#include "stencil_trial.h"

#define MAX_SWEEP_KERNELS 16

typedef struct sweeper {
    fur_context *context;
    rng random;
    int ran[MAX_SWEEP_KERNELS]; /* runs of each kernel for sweeps */
} sweeper;

/* Tests half of some random stencils on small grids, with and without b, at a combination of
 * boundaries. The number of sweeps is 0 to 9. */
void sweep_random(sweeper *s, fur_value_type value, int boundaries);

/* Tests a grid of several tiles along each axis. Grids are numbered from 0. */
void sweep_large(sweeper *s, int number, int boundaries);
extern const int sweep_large_count;

/* Compares sweeps of small integers with plain loops in integers, at a combination of boundaries.
 */
void sweep_integers(sweeper *s, fur_value_type value, int boundaries);

/* Checks that each kernel for sweeps has accepted a stencil. */
void sweep_check_tally(const sweeper *s, fur_value_type value);

#endif
