/* The arrays of a matrix while they are filled, and sorting the entries of its rows. */
#ifndef FURROW_IO_ARRAYS_H
#define FURROW_IO_ARRAYS_H

#include "offsets.h"
#include "parallel.h"
#include "value_type.h"

#include <furrow/files.h>

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

/* Moves entry `from` to position `to`. */
static inline void fur_arrays_move(const fur_arrays *arrays, int64_t from, int64_t to)
{
    arrays->columns[to] = arrays->columns[from];
    memcpy(arrays->values + (size_t)to * arrays->value_size,
           arrays->values + (size_t)from * arrays->value_size, arrays->value_size);
}

/* Moves entries [begin, end) to positions from `to` on. */
static inline void fur_arrays_move_many(const fur_arrays *arrays, int64_t begin, int64_t end,
                                        int64_t to)
{
    size_t size = arrays->value_size, count = (size_t)(end - begin);
    memmove(arrays->columns + to, arrays->columns + begin, count * sizeof *arrays->columns);
    memmove(arrays->values + (size_t)to * size, arrays->values + (size_t)begin * size,
            count * size);
}

/* Sets `count` values from `begin` on to 1. */
void fur_arrays_fill_ones(const fur_arrays *arrays, int64_t begin, int64_t count);

/* Allocates arrays for `entries` entries. The offsets are zero. */
fur_status fur_arrays_allocate(fur_storage *storage, int64_t entries, fur_arrays *arrays,
                               fur_failure *failure);

/* Forgets the arrays after their ownership has passed to another object. */
static inline void fur_arrays_clear(fur_arrays *arrays)
{
    arrays->offsets = NULL;
    arrays->columns = NULL;
    arrays->values = NULL;
}

void fur_arrays_release(fur_storage *storage, fur_arrays *arrays);

/* This bit in a column marks an entry of a symmetric file that comes from above the diagonal.
 * Without it, such an entry looks like a duplicate. */
#define FUR_FROM_ABOVE INT32_MIN

/* The rows to be sorted, so that the columns of a row strictly increase, and the treatment of
 * duplicates. */
typedef struct fur_rows {
    fur_arrays arrays;
    fur_duplicates duplicates;
    bool lower_wins; /* of a pair from both triangles; otherwise such a pair is an error */
} fur_rows;

/* The first position in row order at which two entries are in conflict. row -1: no conflict. */
typedef struct fur_conflict {
    int64_t row;
    int32_t col;
    bool mirrored; /* one entry is from above the diagonal and one from below */
} fur_conflict;

/* A range of rows and the position of its first entry. The position is stored here because the
 * offset that holds it may change together with the previous range. */
typedef struct fur_row_range {
    int64_t first;
    int64_t last; /* after the last row */
    int64_t begin;
} fur_row_range;

/* The result of sorting a range. */
typedef struct fur_rows_outcome {
    int64_t end;   /* position after its last entry; its begin is unchanged */
    bool repeated; /* duplicates were kept */
    fur_conflict conflict;
} fur_rows_outcome;

/* Sorts each row of the range stably by column, and treats duplicates as *rows says. Entries close
 * up within the range, and all its offsets except the first are updated. Errors: FUR_OUT_OF_MEMORY,
 * or FUR_OVERFLOW for an unsorted row of 2^32 entries. */
fur_status fur_rows_put_in_order(fur_storage *storage, const fur_rows *rows,
                                 const fur_row_range *range, fur_rows_outcome *out,
                                 fur_failure *failure);

#endif
