/* The arrays of a matrix while they are being filled, and the order of the entries in their rows.
 */
#ifndef FURROW_IO_ARRAYS_H
#define FURROW_IO_ARRAYS_H

#include "offsets.h"
#include "parallel.h"
#include "value_type.h"

#include <furrow/mtx.h>

#include <string.h>

typedef struct fur_arrays {
    int64_t rows;
    fur_value_type value_type;
    size_t value_size;
    fur_offset_type offset_type;
    void *offsets; /* rows + 1 */
    int32_t *columns;
    char *values;
} fur_arrays;

static inline int64_t fur_arrays_offset(const fur_arrays *arrays, int64_t i)
{
    return fur_offsets_get(arrays->offset_type, arrays->offsets, i);
}

static inline void fur_arrays_set_offset(const fur_arrays *arrays, int64_t i, int64_t offset)
{
    fur_offsets_set(arrays->offset_type, arrays->offsets, i, offset);
}

/* Entry `from` to position `to`. */
static inline void fur_arrays_move(const fur_arrays *arrays, int64_t from, int64_t to)
{
    arrays->columns[to] = arrays->columns[from];
    memcpy(arrays->values + (size_t)to * arrays->value_size,
           arrays->values + (size_t)from * arrays->value_size, arrays->value_size);
}

/* Entries [begin, end) to position `to` and behind. */
static inline void fur_arrays_move_many(const fur_arrays *arrays, int64_t begin, int64_t end,
                                        int64_t to)
{
    size_t size = arrays->value_size, count = (size_t)(end - begin);
    memmove(arrays->columns + to, arrays->columns + begin, count * sizeof *arrays->columns);
    memmove(arrays->values + (size_t)to * size, arrays->values + (size_t)begin * size,
            count * size);
}

/* Values from `begin` on become 1. */
void fur_arrays_fill_ones(const fur_arrays *arrays, int64_t begin, int64_t count);

/* Memory for `entries` entries; offsets are zero. */
fur_status fur_arrays_allocate(fur_storage *storage, int64_t entries, fur_arrays *arrays,
                               fur_failure *failure);

/* Somebody else has the arrays now. */
static inline void fur_arrays_clear(fur_arrays *arrays)
{
    arrays->offsets = NULL;
    arrays->columns = NULL;
    arrays->values = NULL;
}

void fur_arrays_release(fur_storage *storage, fur_arrays *arrays);

/* A column with this bit belongs to an entry of a symmetric file that comes from above the
 * diagonal: only so can it be told from one that was stored twice. */
#define FUR_FROM_ABOVE INT32_MIN

/* Rows that are to be put in order (columns increase, each once), and what becomes of entries at
 * the same position. */
typedef struct fur_rows {
    fur_arrays arrays;
    fur_duplicates duplicates;
    bool lower_wins; /* of a pair from both triangles: else it is an error */
} fur_rows;

/* The first position, by rows, at which two entries must not be; row -1: none. */
typedef struct fur_conflict {
    int64_t row;
    int32_t col;
    bool mirrored; /* one is from above the diagonal, the other from below */
} fur_conflict;

/* A range of rows, and the position of its first entry: the offset that says so may be changed
 * together with the range before. */
typedef struct fur_row_range {
    int64_t first;
    int64_t last; /* behind the last row */
    int64_t begin;
} fur_row_range;

/* The outcome of a range. */
typedef struct fur_rows_outcome {
    int64_t end;   /* position behind its last entry; it begins where it began */
    bool repeated; /* duplicates were kept */
    fur_conflict conflict;
} fur_rows_outcome;

/* Sorts each row of the range by column, stably, and does with duplicates what *rows says;
 * entries close up within the range, and its offsets, those behind the first, follow.
 * FUR_OUT_OF_MEMORY, or FUR_OVERFLOW for an unsorted row of 2^32 entries. */
fur_status fur_rows_put_in_order(fur_storage *storage, const fur_rows *rows,
                                 const fur_row_range *range, fur_rows_outcome *out,
                                 fur_failure *failure);

#endif
