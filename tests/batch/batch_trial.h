/* Shared by the tests of batches on the CPU and on a GPU. A trial has systems of one pattern, and
 * the result of a single product or solve for each system on the host. Functions compare them with
 * a batch in any context. */
#ifndef FURROW_TESTS_BATCH_TRIAL_H
#define FURROW_TESTS_BATCH_TRIAL_H

#include "support.h"

/* Systems on the host. Entry i of system s is at position i count + s of an array. */
typedef struct batch_trial {
    const fur_csr *matrix; /* on the host; only its pattern is used */
    fur_value_type value;
    int64_t count;
    void *values;
    void *b; /* or x of a product, with as many rows as A has columns */
    void *x; /* the initial guess, or y */
    /* The results of single products or solves: */
    void *expected;
    fur_batch_result *results;
} batch_trial;

/* A block with these entries in a context. It is a view of the block `wide`, which has more columns
 * if `gaps` is set. */
typedef struct batch_block {
    fur_vectors *wide;
    fur_vectors *block;
} batch_block;

batch_block batch_block_make(fur_context *context, fur_value_type value, int64_t rows,
                             int64_t count, const void *entries, bool gaps);
void batch_block_release(batch_block *b);

/* Makes random values, b and x of these sizes. The expected results are x. */
batch_trial batch_make(const fur_csr *matrix, fur_value_type value, int64_t count, int64_t b_rows,
                       rng *r);
/* Makes random values and vectors. Expects the products alpha A x + beta y of the reference
 * kernel. */
batch_trial batch_random(const fur_csr *matrix, fur_value_type value, int64_t count,
                         fur_scalar alpha, fur_scalar beta, rng *r);
/* Makes systems on a symmetric pattern with a diagonal, and right-hand sides of any size. Most
 * systems are positive definite; the others have various faults. Expects the results of
 * fur_solver_solve. */
batch_trial batch_definite(const fur_csr *matrix, fur_value_type value, int64_t count,
                           const fur_batch_solver_options *options, rng *r);
/* Makes random systems on a pattern of `lower` diagonals below the main one and `upper` above it.
 * Some are singular, not finite, or large. Expects the results of elimination in the order of
 * docs/numerics.md. */
batch_trial batch_banded(const fur_csr *matrix, fur_value_type value, int64_t count, int64_t lower,
                         int64_t upper, rng *r);
void batch_release(batch_trial *t);

/* Returns a square matrix of `lower` diagonals below the main one and `upper` above it. Some
 * entries off the main diagonal are missing. */
fur_csr *batch_band_pattern(fur_context *context, rng *r, int64_t rows, int64_t lower,
                            int64_t upper);

/* Check in any context that a batch gives the expected bits, and that solves report the expected
 * results. */
void batch_check_product(fur_context *context, const batch_trial *t, fur_scalar alpha,
                         fur_scalar beta, bool gaps, const char *what);
void batch_check_solve(fur_context *context, const batch_trial *t,
                       const fur_batch_solver_options *options, bool gaps, const char *what);
/* Checks a guess that is not finite in a column without entries, so that no product shows it. */
void batch_check_nonfinite_guess(fur_context *context, fur_value_type value, rng *r);

#endif
