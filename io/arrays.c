/* Memory of a matrix's arrays. */
#include "arrays.h"
#include "scan.h"

void fur_arrays_fill_ones(const fur_arrays *arrays, int64_t begin, int64_t count)
{
    static const float single[] = {1, 0};
    static const double full[] = {1, 0};
    bool is_single = arrays->value_type == FUR_F32 || arrays->value_type == FUR_C64;
    const void *one = is_single ? (const void *)single : (const void *)full;
    size_t bytes = (size_t)count * arrays->value_size, filled = arrays->value_size;
    if (count == 0) /* there may be no array */
        return;
    char *values = arrays->values + (size_t)begin * arrays->value_size;
    memcpy(values, one, filled);
    for (; filled < bytes; filled *= 2) /* the ones so far serve as pattern for the next */
        memcpy(values + filled, values, filled < bytes - filled ? filled : bytes - filled);
}

fur_status fur_arrays_allocate(fur_heap *heap, int64_t entries, fur_arrays *arrays,
                               fur_failure *failure)
{
    arrays->wide = entries > INT32_MAX;
    arrays->offsets = NULL;
    arrays->columns = NULL;
    arrays->values = NULL;
    size_t offset_bytes = (size_t)(arrays->rows + 1) * (arrays->wide ? 8 : 4);
    void *offsets = NULL, *columns = NULL, *values = NULL;
    fur_status status;
    FUR_TRY_DONE(fur_heap_allocate(heap, offset_bytes, &offsets, failure));
    FUR_TRY_DONE(
        fur_heap_allocate(heap, (size_t)entries * sizeof *arrays->columns, &columns, failure));
    FUR_TRY_DONE(fur_heap_allocate(heap, (size_t)entries * arrays->value_size, &values, failure));
    memset(offsets, 0, offset_bytes);
done:
    arrays->offsets = offsets;
    arrays->columns = columns;
    arrays->values = values;
    if (status != FUR_OK)
        fur_arrays_release(heap, arrays);
    return status;
}

void fur_arrays_release(fur_heap *heap, fur_arrays *arrays)
{
    fur_heap_release(heap, arrays->offsets);
    fur_heap_release(heap, arrays->columns);
    fur_heap_release(heap, arrays->values);
    arrays->offsets = NULL;
    arrays->columns = NULL;
    arrays->values = NULL;
}
