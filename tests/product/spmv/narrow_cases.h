/* Matrices whose values fit narrower forms, and products with them: for tests on any device. */
#ifndef FURROW_TESTS_NARROW_CASES_H
#define FURROW_TESTS_NARROW_CASES_H

#include "support.h"

/* Kinds of values, by the form that they fit. */
typedef enum narrow_kind {
    NARROW_CONSTANTS, /* one for each diagonal: few different steps */
    NARROW_SPECIAL,   /* as above, with -0, infinity, NaN with payload, subnormals */
    NARROW_SINGLES,   /* parts in single precision */
    NARROW_ANY,
    NARROW_KINDS
} narrow_kind;

/* Makes a matrix of five diagonals with gaps, so that rows differ in length. */
fur_csr *narrow_matrix(fur_context *context, rng *r, fur_value_type value, narrow_kind k);

fur_spmv *narrow_plan(const fur_csr *a, const char *kernel);

/* Returns the bytes that a product of the plan moves. */
int64_t narrow_bytes(const fur_spmv *plan);

/* Checks that the plan gives the bits of the device's reference. */
void narrow_check(rng *r, const fur_csr *a, const fur_spmv *plan);

#endif
