/* Shared by the tests of products with values in single precision, on the CPU and on a GPU. */
#ifndef FURROW_TESTS_ROUNDED_CASES_H
#define FURROW_TESTS_ROUNDED_CASES_H

#include "support.h"

/* Checks plans for op(A) with rounded values, for a random matrix with some tiny values. The plan
 * must give the bits of the reference for the rounded matrix in its own type. The error against the
 * exact product must be within the bound of fur_stored. Both must hold again with new values. */
void rounded_check(fur_context *context, rng *r, const shape *s, fur_value_type value, fur_op op,
                   const char *kernel);

#endif
