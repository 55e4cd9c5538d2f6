/* Shared by the tests of sampled products on the CPU and on a GPU: random blocks, and the result by
 * the definition in docs/numerics.md, entry by entry. */
#ifndef FURROW_TESTS_SDDMM_TRIAL_H
#define FURROW_TESTS_SDDMM_TRIAL_H

#include "support.h"

/* C = alpha X Y^H + beta A on A's pattern, with the blocks on the host in row-major order. */
typedef struct sddmm_trial {
    fur_value_type value;
    int64_t x_rows;
    int64_t y_rows;
    int64_t entries;
    int64_t cols;
    fur_scalar alpha;
    fur_scalar beta;
    void *x;
    void *y;
    void *expected; /* the values of C */
} sddmm_trial;

/* A random product on the pattern of a matrix of the host, and what it must be. */
sddmm_trial sddmm_random(const fur_csr *a, int64_t cols, rng *r);
void sddmm_release(sddmm_trial *t);

/* Every way to lay X and Y out, as SPMM_WAYS. */
#define SDDMM_WAYS 8

/* As a new matrix and in place, in the context of `a`, which has the trial's pattern and values and
 * keeps them: the bits expected. */
void sddmm_check(const fur_csr *a, const sddmm_trial *t, int way, const char *what);

#endif
