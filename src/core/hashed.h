/* Pseudo-random vectors that are equal on every machine and in every run. */
#ifndef FURROW_CORE_HASHED_H
#define FURROW_CORE_HASHED_H

#include <furrow/vector.h>

/* Sets entries with parts in (-1, 1). They are hashes of the numbers from `first` on, one for each
 * part. */
fur_status fur_vector_fill_hashed(fur_vector *x, uint64_t first);

#endif
