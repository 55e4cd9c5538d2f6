/* Small matrices on which kernels are timed on this machine. */
#ifndef FURROW_SPMV_TRIAL_H
#define FURROW_SPMV_TRIAL_H

#include "kernel.h"

/* All trials except the last stay in the first caches with their vectors. The last trial's x does
 * not. */
#define FUR_TRIALS 13
#define FUR_FAR_TRIAL (FUR_TRIALS - 1)

/* A matrix, its profile, and vectors for products. */
typedef struct fur_trial {
    fur_csr_view a;
    fur_spmv_profile profile;
    int32_t *offsets;
    int32_t *columns;
    void *values;
    void *x;
    void *y;
} fur_trial;

/* Sets `out`, which is all 0, to trial `index`. It must be released in any case. */
fur_status fur_trial_create(fur_env *env, int index, fur_value_type value, fur_trial *out);
void fur_trial_release(fur_env *env, fur_trial *t);

#endif
