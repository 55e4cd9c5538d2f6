/* Shared by the tests of products with blocks on the CPU and on a GPU. It draws random blocks of
 * any layout and stride, and computes their product column by column by fur_spmv_apply's reference.
 * It compares the product of the block with that. */
#ifndef FURROW_TESTS_SPMM_TRIAL_H
#define FURROW_TESTS_SPMM_TRIAL_H

#include "support.h"

/* A product Y = alpha op(A) X + beta Y, with the blocks on the host in row-major order. */
typedef struct spmm_trial {
    fur_value_type value;
    fur_op op;
    int64_t x_rows;
    int64_t y_rows;
    int64_t cols;
    fur_scalar alpha;
    fur_scalar beta;
    void *x;
    void *y;
    void *expected; /* Y after the product */
} spmm_trial;

/* A random product with a matrix, and the single product of each column. If beta is 0, Y is full of
 * NaN. */
spmm_trial spmm_random(const fur_csr *a, fur_op op, int64_t cols, rng *r);
void spmm_release(spmm_trial *t);

/* Every way to lay X and Y out: bits 0 and 1 say whether X and Y are column-major, bit 2 whether
 * there are gaps. */
#define SPMM_WAYS 8

/* By a plan for the trial's operation in any context: the bits expected. */
void spmm_check(fur_context *context, const fur_spmm *plan, const spmm_trial *t, int way,
                const char *what);

#endif
