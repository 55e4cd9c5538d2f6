/* Shared by the tests of products with values in single precision, on the CPU and on a GPU. */
#ifndef FURROW_TESTS_ROUNDED_CASES_H
#define FURROW_TESTS_ROUNDED_CASES_H

#include "support.h"

/* Takes a matrix with random values, some of them tiny. A plan for op(A) with rounded values has
 * the bits of the reference for the rounded matrix in its own type. It is within the bound of
 * fur_stored of the exact product. Both hold again with new values. */
void rounded_check(fur_context *context, rng *r, const shape *s, fur_value_type value, fur_op op,
                   const char *kernel);

#endif
