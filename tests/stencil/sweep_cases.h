/* Cases for repeated sweeps of stencils, on the CPU and on a GPU. Kernels for sweeps, and kernels
 * for products one after the other, are compared with products by the CPU's reference, bit
 * for bit. */
#ifndef FURROW_TESTS_SWEEP_CASES_H
#define FURROW_TESTS_SWEEP_CASES_H

#include "stencil_trial.h"

#define MAX_SWEEP_KERNELS 16

typedef struct sweeper {
    fur_context *context;
    rng random;
    int ran[MAX_SWEEP_KERNELS]; /* how often each kernel for sweeps made some */
} sweeper;

/* Half of some random stencils, small grids, with b and without, at a combination of boundaries:
 * none to nine sweeps. */
void sweep_random(sweeper *s, fur_value_type value, int boundaries);

/* Grids of several tiles along each axis, numbered from 0. */
void sweep_large(sweeper *s, int number, int boundaries);
extern const int sweep_large_count;

/* Small integers at a combination of boundaries, against plain loops that know no rounding. */
void sweep_integers(sweeper *s, fur_value_type value, int boundaries);

/* No kernel for sweeps refused every stencil. */
void sweep_check_tally(const sweeper *s, fur_value_type value);

#endif
