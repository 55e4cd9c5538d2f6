/* Systems side by side. A thread has one chunk of systems in its own workspace. There the entries
 * of a row, one for each system, fill one cache line, or two cache lines if values are complex. The
 * part below #ifdef is a template over VALUE. */
#ifndef FURROW_CPU_CHUNK_H
#define FURROW_CPU_CHUNK_H

#include "kernel.h"
#include "lanes.h"
#include "scalar.h"

/* Rows of the caller's arrays that are prefetched. These rows lie a whole row of the block
 * apart. */
#define CHUNK_AHEAD 16

/* A method: it solves the systems from `first` on in a workspace of `bytes` bytes. */
typedef struct batch_method {
    int64_t (*bytes)(const fur_batch_view *a, const fur_batch_form *form);
    void (*solve)(const fur_batch_solve_call *call, int64_t first, void *room);
} batch_method;

/* The number of systems in a chunk. */
#define CHUNK_BYTES 64
static inline int64_t chunk_side(fur_value_type value)
{
    return CHUNK_BYTES / (value == FUR_F32 || value == FUR_C64 ? 4 : 8);
}

#endif
#ifdef VALUE
#define SIDE (CHUNK_BYTES / (int)sizeof(REAL))

/* Copies a row of a chunk, of which the caller's block has `count` entries. The other entries are
 * 0. */
static inline void FN(load_row)(const VALUE *from, int count, VALUE *to)
{
    if (count == SIDE) {
        memcpy(to, from, SIDE * sizeof *to);
    } else {
        memset(to, 0, SIDE * sizeof *to);
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

/* Copies `rows` such rows from the columns of a block, from column `first` on. */
static inline void FN(load_rows)(const fur_vectors_view *v, int64_t first, int count, VALUE *to)
{
    const VALUE *from = v->data;
    for (int64_t i = 0; i < v->rows; i++) {
        const VALUE *row = from + i * v->stride + first;
        if (i + CHUNK_AHEAD < v->rows)
            __builtin_prefetch(row + CHUNK_AHEAD * v->stride);
        FN(load_row)(row, count, to + i * SIDE);
    }
}
#endif
