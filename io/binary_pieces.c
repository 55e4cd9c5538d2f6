/* Pieces and their checksums. */
#include "binary_pieces.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static int64_t count_pieces(const fur_binary_extent *section)
{
    return (int64_t)((section->size + FUR_BINARY_PIECE - 1) / FUR_BINARY_PIECE);
}

int64_t fur_binary_count_pieces(const fur_binary_layout *layout)
{
    int64_t count = 0;
    for (int i = FUR_BINARY_OFFSETS; i < FUR_BINARY_SECTIONS; i++)
        count += count_pieces(&layout->sections[i]);
    return count;
}

fur_binary_piece fur_binary_get_piece(const fur_binary_layout *layout, int64_t index)
{
    int i = FUR_BINARY_OFFSETS;
    for (; index >= count_pieces(&layout->sections[i]); i++)
        index -= count_pieces(&layout->sections[i]);
    uint64_t begin = (uint64_t)index * FUR_BINARY_PIECE;
    uint64_t left = layout->sections[i].size - begin;
    return (fur_binary_piece){.section = (fur_binary_section)i,
                              .begin = begin,
                              .size = left < FUR_BINARY_PIECE ? left : FUR_BINARY_PIECE};
}

uint64_t fur_binary_sum(const void *bytes, uint64_t size)
{
    return XXH3_64bits(bytes, size);
}

typedef struct summing {
    const fur_binary_layout *layout;
    const void *const *arrays;
    uint64_t *table;
} summing;

static void sum_pieces(void *user, int64_t begin, int64_t end)
{
    const summing *s = user;
    for (int64_t i = begin; i < end; i++) {
        fur_binary_piece piece = fur_binary_get_piece(s->layout, i);
        const char *bytes = s->arrays[piece.section];
        s->table[i] = fur_binary_sum(bytes + piece.begin, piece.size);
    }
}

void fur_binary_make_table(fur_context *context, const fur_binary_layout *layout,
                           const void *const arrays[FUR_BINARY_SECTIONS], uint64_t *table)
{
    fur_context_parallel(context, layout->pieces, 1, sum_pieces, &(summing){layout, arrays, table});
}
