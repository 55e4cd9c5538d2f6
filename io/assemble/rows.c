/* Sorts rows and merges duplicates. */
#include "arrays.h"

#include <furrow/author/try.h>

#include "sort.h"

/* Rows of at most this length are sorted by insertion. */
#define SHORT_ROW 32

typedef struct row_keys {
    uint64_t *keys;
    size_t capacity; /* in bytes */
} row_keys;

static int32_t column_of(const fur_arrays *arrays, int64_t k)
{
    return arrays->columns[k] & ~FUR_FROM_ABOVE;
}

static bool is_from_above(const fur_arrays *arrays, int64_t k)
{
    return (arrays->columns[k] & FUR_FROM_ABOVE) != 0;
}

/* Returns whether columns increase. Columns with the bit FUR_FROM_ABOVE are negative. */
static bool rises(const fur_arrays *arrays, int64_t begin, int64_t end)
{
    bool falls = begin < end && arrays->columns[begin] < 0;
    for (int64_t k = begin + 1; k < end; k++)
        falls |= arrays->columns[k] <= arrays->columns[k - 1];
    return !falls;
}

/* Removes entry k and inserts it at position `to` < k. The entries between move up by one. */
static void insert(const fur_arrays *arrays, int64_t k, int64_t to)
{
    char value[16];
    size_t size = arrays->value_size;
    int32_t column = arrays->columns[k];
    memcpy(value, arrays->values + (size_t)k * size, size);
    memmove(arrays->columns + to + 1, arrays->columns + to, (size_t)(k - to) * sizeof(int32_t));
    memmove(arrays->values + (size_t)(to + 1) * size, arrays->values + (size_t)to * size,
            (size_t)(k - to) * size);
    arrays->columns[to] = column;
    memcpy(arrays->values + (size_t)to * size, value, size);
}

static void sort_short(const fur_arrays *arrays, int64_t begin, int64_t end)
{
    for (int64_t k = begin + 1; k < end; k++) {
        int64_t to = k;
        while (to > begin && column_of(arrays, to - 1) > column_of(arrays, k))
            to--;
        if (to < k)
            insert(arrays, k, to);
    }
}

/* Moves entries so that entry i of the row becomes the entry whose position is the lower half of
 * key i. Follows each cycle of the permutation once. A key that has been processed gets its own
 * position. */
static void apply_keys(const fur_arrays *arrays, int64_t begin, uint64_t *keys, int64_t count)
{
    char held[16];
    size_t size = arrays->value_size;
    for (int64_t start = 0; start < count; start++) {
        int64_t to = start, from = (uint32_t)fur_item_number(keys[start]);
        if (from == start)
            continue;
        int32_t column = arrays->columns[begin + start];
        memcpy(held, arrays->values + (size_t)(begin + start) * size, size);
        for (; from != start; from = (uint32_t)fur_item_number(keys[to])) {
            fur_arrays_move(arrays, begin + from, begin + to);
            keys[to] = (uint64_t)to;
            to = from;
        }
        arrays->columns[begin + to] = column;
        memcpy(arrays->values + (size_t)(begin + to) * size, held, size);
        keys[to] = (uint64_t)to;
    }
}

/* Sorts a long row. A key combines column and position, so that all keys differ. Any sort then
 * keeps the order of equal columns. */
static fur_status sort_long(fur_storage *storage, const fur_arrays *arrays, int64_t begin,
                            int64_t end, row_keys *scratch, fur_failure *failure)
{
    int64_t count = end - begin;
    if (count > UINT32_MAX)
        return fur_failure_set(failure, FUR_OVERFLOW,
                               "a row has %lld unsorted entries; at most 2^32 - 1 can be sorted",
                               (long long)count);
    FUR_TRY(fur_storage_grow(storage, &scratch->keys, &scratch->capacity,
                             (size_t)count * sizeof(uint64_t), 0, failure));
    for (int64_t i = 0; i < count; i++)
        scratch->keys[i] = fur_item(column_of(arrays, begin + i), (int32_t)i);
    fur_sort_in_place(scratch->keys, count);
    apply_keys(arrays, begin, scratch->keys, count);
    return FUR_OK;
}

static fur_status sort(fur_storage *storage, const fur_arrays *arrays, int64_t begin, int64_t end,
                       row_keys *scratch, fur_failure *failure)
{
    if (end - begin > SHORT_ROW)
        return sort_long(storage, arrays, begin, end, scratch, failure);
    sort_short(arrays, begin, end);
    return FUR_OK;
}

/* Adds value `from` to value `to`. */
static void add(const fur_arrays *arrays, int64_t to, int64_t from)
{
    const int parts = fur_value_parts(arrays->value_type);
    float *f32 = (float *)(void *)arrays->values;
    double *f64 = (double *)(void *)arrays->values;
    for (int part = 0; part < parts; part++) {
        if (fur_value_is_single(arrays->value_type))
            f32[parts * to + part] += f32[parts * from + part];
        else
            f64[parts * to + part] += f64[parts * from + part];
    }
}

/* Returns whether there are entries both from above and from below the diagonal. */
static bool is_mirrored(const fur_arrays *arrays, int64_t begin, int64_t end)
{
    bool above = false, below = false;
    for (int64_t k = begin; k < end; k++) {
        above |= is_from_above(arrays, k);
        below |= !is_from_above(arrays, k);
    }
    return above && below;
}

/* Merges entries [begin, end) of a sorted row, which have the same position. Writes the remaining
 * entries from `to` on, and returns their end. */
static int64_t merge(const fur_rows *rows, int64_t row, int64_t begin, int64_t end, int64_t to,
                     fur_rows_outcome *out)
{
    const fur_arrays *arrays = &rows->arrays;
    bool mirrored = is_mirrored(arrays, begin, end);
    bool refused =
        mirrored ? !rows->lower_wins : end - begin > 1 && rows->duplicates == FUR_DUPLICATES_ERROR;
    if (refused && out->conflict.row < 0)
        out->conflict = (fur_conflict){row, column_of(arrays, begin), mirrored};
    int64_t first = to;
    for (int64_t k = begin; k < end; k++) {
        if (mirrored && is_from_above(arrays, k))
            continue;
        if (to > first && rows->duplicates == FUR_DUPLICATES_SUM) {
            add(arrays, first, k);
            continue;
        }
        if (rows->duplicates == FUR_DUPLICATES_LAST)
            to = first;
        out->repeated |= to > first;
        fur_arrays_move(arrays, k, to);
        arrays->columns[to] &= ~FUR_FROM_ABOVE;
        to++;
    }
    return to;
}

/* Moves a sorted row to `to`, with duplicates merged. Returns its new end. */
static int64_t close_up(const fur_rows *rows, int64_t row, int64_t begin, int64_t end, int64_t to,
                        fur_rows_outcome *out)
{
    while (begin < end) {
        int64_t behind = begin + 1;
        while (behind < end && column_of(&rows->arrays, behind) == column_of(&rows->arrays, begin))
            behind++;
        to = merge(rows, row, begin, behind, to, out);
        begin = behind;
    }
    return to;
}

/* A row that is in order is moved unchanged. Any other row is sorted and merged. */
fur_status fur_rows_put_in_order(fur_storage *storage, const fur_rows *rows,
                                 const fur_row_range *range, fur_rows_outcome *out,
                                 fur_failure *failure)
{
    const fur_arrays *arrays = &rows->arrays;
    fur_rows_outcome outcome = {.conflict = {.row = -1}};
    row_keys scratch = {0};
    fur_status status = FUR_OK;
    int64_t begin = range->begin, to = begin;
    for (int64_t row = range->first; row < range->last; row++) {
        int64_t end = fur_arrays_offset(arrays, row + 1);
        if (rises(arrays, begin, end)) {
            if (to < begin)
                fur_arrays_move_many(arrays, begin, end, to);
            to += end - begin;
        } else {
            FUR_TRY_DONE(sort(storage, arrays, begin, end, &scratch, failure));
            to = close_up(rows, row, begin, end, to, &outcome);
        }
        fur_arrays_set_offset(arrays, row + 1, to);
        begin = end;
    }
    outcome.end = to;
    *out = outcome;
done:
    fur_storage_release(storage, scratch.keys);
    return status;
}
