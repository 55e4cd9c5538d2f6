/* The arrays of a matrix while they are being filled. */
#ifndef FURROW_IO_ARRAYS_H
#define FURROW_IO_ARRAYS_H

#include "heap.h"

#include <stdbool.h>
#include <string.h>

typedef struct fur_arrays {
    int64_t rows;
    fur_value_type value_type;
    size_t value_size;
    bool wide;     /* offsets are int64_t, not int32_t */
    void *offsets; /* rows + 1 */
    int32_t *columns;
    char *values;
} fur_arrays;

static inline int64_t fur_arrays_offset(const fur_arrays *arrays, int64_t i)
{
    return arrays->wide ? ((const int64_t *)arrays->offsets)[i]
                        : ((const int32_t *)arrays->offsets)[i];
}

static inline void fur_arrays_set_offset(const fur_arrays *arrays, int64_t i, int64_t offset)
{
    if (arrays->wide)
        ((int64_t *)arrays->offsets)[i] = offset;
    else
        ((int32_t *)arrays->offsets)[i] = (int32_t)offset;
}

/* Entry `from` to position `to`. */
static inline void fur_arrays_move(const fur_arrays *arrays, int64_t from, int64_t to)
{
    arrays->columns[to] = arrays->columns[from];
    memcpy(arrays->values + (size_t)to * arrays->value_size,
           arrays->values + (size_t)from * arrays->value_size, arrays->value_size);
}

/* Values from `begin` on become 1. */
void fur_arrays_fill_ones(const fur_arrays *arrays, int64_t begin, int64_t count);

/* Memory for `entries` entries; offsets are zero. On failure nothing is left to release. */
fur_status fur_arrays_allocate(fur_heap *heap, int64_t entries, fur_arrays *arrays,
                               fur_failure *failure);
void fur_arrays_release(fur_heap *heap, fur_arrays *arrays);

#endif
