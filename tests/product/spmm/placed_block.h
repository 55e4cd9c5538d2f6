/* A block of vectors for a test, in any layout. With gaps, it is a part of a larger block. */
#ifndef FURROW_TESTS_PLACED_BLOCK_H
#define FURROW_TESTS_PLACED_BLOCK_H

#include "support.h"

typedef struct placed_block {
    fur_vectors *memory;
    fur_vectors *block;
} placed_block;

/* Makes a block with a copy of the entries, which are on the host in row-major order. */
placed_block block_place(fur_context *context, fur_value_type value, int64_t rows, int64_t cols,
                         fur_layout layout, bool gaps, const void *entries);
void block_remove(placed_block *p);

/* Destroys the block and returns its entries in row-major order. The caller frees them. */
void *block_take_back(placed_block *p);

/* Makes a row-major block of zeros. */
fur_vectors *block_make(fur_context *context, fur_value_type value, int64_t rows, int64_t cols);

#endif
