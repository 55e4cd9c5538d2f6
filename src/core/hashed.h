/* Vectors that look random and are the same everywhere and in every run. */
#ifndef FURROW_CORE_HASHED_H
#define FURROW_CORE_HASHED_H

#include <furrow/vector.h>

/* Entries with parts in (-1, 1): hashes of the numbers from `first` on, one for each part. */
fur_status fur_vector_fill_hashed(fur_vector *x, uint64_t first);

#endif
