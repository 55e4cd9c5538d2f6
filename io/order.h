/* Putting the entries of rows in the order of a matrix: columns increase, each once. */
#ifndef FURROW_IO_ORDER_H
#define FURROW_IO_ORDER_H

#include "arrays.h"

#include <furrow/mtx.h>

/* A column with this bit belongs to an entry of a symmetric file that comes from above the
 * diagonal: only so can it be told from one that was stored twice. */
#define FUR_FROM_ABOVE INT32_MIN

typedef struct fur_order {
    fur_arrays arrays;
    fur_duplicates duplicates;
    bool lower_wins; /* of a pair from both triangles: else it is an error */
} fur_order;

/* The first position, by rows, at which two entries must not be; row -1: none. */
typedef struct fur_conflict {
    int64_t row;
    int32_t col;
    bool mirrored; /* one is from above the diagonal, the other from below */
} fur_conflict;

/* A range of rows, and the position of its first entry: the offset that says so may be changed
 * together with the range before. */
typedef struct fur_rows {
    int64_t first;
    int64_t last; /* behind the last row */
    int64_t begin;
} fur_rows;

/* What came out of a range. */
typedef struct fur_ordered {
    int64_t end;   /* position behind its last entry; it begins where it began */
    bool repeated; /* duplicates were kept */
    fur_conflict conflict;
} fur_ordered;

/* Sorts each row by column, stably, and does with duplicates what `order` says; entries close up
 * within the range, and its offsets, those behind the first, follow. FUR_OUT_OF_MEMORY, or
 * FUR_OVERFLOW for an unsorted row of 2^32 entries. */
fur_status fur_order_rows(fur_heap *heap, const fur_order *order, const fur_rows *rows,
                          fur_ordered *out, fur_failure *failure);

#endif
