/* The pieces that the sections of a .fur file are checked in. */
#ifndef FURROW_IO_BINARY_PIECES_H
#define FURROW_IO_BINARY_PIECES_H

#include "binary_format.h"

typedef struct fur_binary_piece {
    fur_binary_section section;
    uint64_t begin; /* in the section */
    uint64_t size;
} fur_binary_piece;

/* Pieces of offsets, columns and values together; each section begins a new one. */
int64_t fur_binary_count_pieces(const fur_binary_layout *layout);

/* The piece that the table has at this index. */
fur_binary_piece fur_binary_get_piece(const fur_binary_layout *layout, int64_t index);

/* XXH3, 64 bits, seed 0 (Collet 2019). */
uint64_t fur_binary_sum(const void *bytes, uint64_t size);

/* The table of the arrays, one for each section. */
void fur_binary_make_table(fur_context *context, const fur_binary_layout *layout,
                           const void *const arrays[FUR_BINARY_SECTIONS], uint64_t *table);

#endif
