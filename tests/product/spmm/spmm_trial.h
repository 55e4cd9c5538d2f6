/* Shared by the tests of products with blocks on the CPU and on a GPU. Draws random blocks of any
 * layout and stride. Compares the product with a block with the product of each column, which
 * fur_spmv_apply's reference computes. */
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

/* Draws a random product with a matrix and computes each expected column. If beta is 0, Y is full
 * of NaN. */
spmm_trial spmm_random(const fur_csr *a, fur_op op, int64_t cols, rng *r);
void spmm_release(spmm_trial *t);

/* Number of ways to lay out X and Y. Bits 0 and 1 of a way are set if X and Y are column-major, bit
 * 2 if there are gaps. */
#define SPMM_WAYS 8

/* Checks that the plan gives the expected bits, with X and Y laid out in the given way. The plan is
 * for the trial's operation, in any context. */
void spmm_check(fur_context *context, const fur_spmm *plan, const spmm_trial *t, int way,
                const char *what);

#endif
