/* Shared by the tests of sampled products on the CPU and on a GPU. Draws random blocks and computes
 * the result entry by entry, as docs/numerics.md defines it. */
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

/* Draws a random product on the pattern of a matrix of the host, and computes the expected
 * values. */
sddmm_trial sddmm_random(const fur_csr *a, int64_t cols, rng *r);
void sddmm_release(sddmm_trial *t);

/* Number of ways to lay out X and Y. See SPMM_WAYS. */
#define SDDMM_WAYS 8

/* Checks that the product has the expected bits, as a new matrix and in place. `a` has the trial's
 * pattern and values, in any context. Its values are unchanged afterwards. */
void sddmm_check(const fur_csr *a, const sddmm_trial *t, int way, const char *what);

#endif
