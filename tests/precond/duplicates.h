/* Several entries at one position of a matrix. */
#ifndef FURROW_TESTS_PRECOND_DUPLICATES_H
#define FURROW_TESTS_PRECOND_DUPLICATES_H

#include "support.h"

/* Checks that a preconditioner adds kept duplicates, with the bits of their sum. */
void check_duplicates(rng *r, const fur_precond_options *options);

#endif
