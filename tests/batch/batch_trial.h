/* Shared by the tests of batches on the CPU and on a GPU. A trial has systems of one pattern, and
 * the result of a single product or solve for each system on the host. Functions compare them with
 * a batch in any context. */
#ifndef FURROW_TESTS_BATCH_TRIAL_H
#define FURROW_TESTS_BATCH_TRIAL_H

#include "support.h"

/* Systems on the host; entry (i, s) of an array at i count + s. */
typedef struct batch_trial {
    const fur_csr *matrix; /* on the host; only its pattern counts */
    fur_value_type value;
    int64_t count;
    void *values;
    void *b; /* or x of a product, of which cols may differ from rows */
    void *x; /* the guess, or y */
    /* The results of single products or solves: */
    void *expected;
    fur_batch_result *results;
} batch_trial;

/* A block with these entries in a context. `gaps`: the block is a view of a wider one, `wide`;
 * otherwise `wide` is NULL. The caller destroys both. */
typedef struct batch_block {
    fur_vectors *wide;
    fur_vectors *block;
} batch_block;

batch_block batch_block_make(fur_context *context, fur_value_type value, int64_t rows,
                             int64_t count, const void *entries, bool gaps);
void batch_block_release(batch_block *b);

/* Allocates values, b and x of these sizes, to be filled, and room for the expected results. */
batch_trial batch_make(const fur_csr *matrix, fur_value_type value, int64_t count, int64_t b_rows,
                       rng *r);
/* Random values and vectors; what products alpha A x + beta y give by the reference. */
batch_trial batch_random(const fur_csr *matrix, fur_value_type value, int64_t count,
                         fur_scalar alpha, fur_scalar beta, rng *r);
/* Systems on a symmetric pattern with diagonal, most of them positive definite and the others in
 * various ways not, with right-hand sides of any size; what fur_solver_solve makes of them. */
batch_trial batch_definite(const fur_csr *matrix, fur_value_type value, int64_t count,
                           const fur_batch_solver_options *options, rng *r);
/* Random systems on a pattern of `lower` diagonals below the main one and `upper` above it. Some
 * are singular, not finite, or large. Expects the results of elimination in the order of
 * docs/numerics.md. */
batch_trial batch_banded(const fur_csr *matrix, fur_value_type value, int64_t count, int64_t lower,
                         int64_t upper, rng *r);
void batch_release(batch_trial *t);

/* A square matrix of `lower` diagonals below the main one and `upper` above it. Some entries off
 * the main diagonal are missing. */
fur_csr *batch_band_pattern(fur_context *context, rng *r, int64_t rows, int64_t lower,
                            int64_t upper);

/* Checks, in any context, the expected bits and the results of solves. */
void batch_check_product(fur_context *context, const batch_trial *t, fur_scalar alpha,
                         fur_scalar beta, bool gaps, const char *what);
void batch_check_solve(fur_context *context, const batch_trial *t,
                       const fur_batch_solver_options *options, bool gaps, const char *what);
/* The guess is not finite in a column without entries, so no product shows it. */
void batch_check_nonfinite_guess(fur_context *context, fur_value_type value, rng *r);

#endif
