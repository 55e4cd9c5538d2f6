/* Several entries at one position of a matrix. */
#ifndef FURROW_TESTS_PRECOND_DUPLICATES_H
#define FURROW_TESTS_PRECOND_DUPLICATES_H

#include "support.h"

/* That a preconditioner takes kept duplicates for their sum, to the bit. */
void check_duplicates(rng *r, const fur_precond_options *options);

#endif
