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

int fur_binary_team(fur_context *context, const fur_binary_layout *layout)
{
    int threads = fur_context_threads(context);
    return layout->pieces < threads ? (int)layout->pieces + (layout->pieces == 0) : threads;
}

void fur_binary_make_table(fur_context *context, const fur_binary_layout *layout,
                           const void *const arrays[FUR_BINARY_SECTIONS], uint64_t *table)
{
    int team = fur_binary_team(context, layout);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < layout->pieces; i++) {
        fur_binary_piece piece = fur_binary_get_piece(layout, i);
        table[i] = fur_binary_sum((const char *)arrays[piece.section] + piece.begin, piece.size);
    }
}
