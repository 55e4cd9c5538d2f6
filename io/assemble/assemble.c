/* Makes the matrix: empties buckets into the arrays, sorts rows, and closes the gaps that
 * duplicates leave. All steps run in parallel over ranges of rows. */
#include "assemble.h"

#include <furrow/author/try.h>

#include "parallel.h"
#include "split.h"
#include "matrix.h"

#define INLINE static inline __attribute__((always_inline))

/* Number of ranges of rows for threads, if no buckets define the ranges. */
#define RANGES 256

typedef struct assembly {
    fur_collection *collection;
    fur_rows rows;
    int ranges;
    fur_row_range *range;
    fur_rows_outcome *outcome; /* of each range */
    fur_failure *failure;
} assembly;

/* Goes through all records of a bucket. Counts them by row, or stores them. The offset after the
 * row holds the position of the next record, and is incremented. */
INLINE void pass_records(const fur_buckets *buckets, const fur_bucket *bucket,
                         const fur_arrays *arrays, bool count, size_t value_size)
{
    size_t size = 2 * sizeof(int32_t) + value_size;
    int64_t left = bucket->count;
    for (const fur_chunk *chunk = bucket->first; left > 0; chunk = chunk->next) {
        int64_t here = left < buckets->chunk_records ? left : buckets->chunk_records;
        const char *at = chunk->records;
        for (int64_t i = 0; i < here; i++, at += size) {
            int32_t row;
            memcpy(&row, at, sizeof row);
            int64_t place = fur_arrays_offset(arrays, (int64_t)row + 1);
            fur_arrays_set_offset(arrays, (int64_t)row + 1, place + 1);
            if (count)
                continue;
            memcpy(&arrays->columns[place], at + 4, sizeof(int32_t));
            memcpy(arrays->values + (size_t)place * value_size, at + 8, value_size);
        }
        left -= here;
    }
}

/* Constant sizes let the compiler turn the copies into single instructions. */
static void pass(const fur_buckets *buckets, const fur_bucket *bucket, const fur_arrays *arrays,
                 bool count)
{
    switch (buckets->value_size) {
    case 0:
        pass_records(buckets, bucket, arrays, count, 0);
        break;
    case 4:
        pass_records(buckets, bucket, arrays, count, 4);
        break;
    case 8:
        pass_records(buckets, bucket, arrays, count, 8);
        break;
    default:
        pass_records(buckets, bucket, arrays, count, 16);
        break;
    }
}

/* Replaces the number of entries of each row by the position of its first entry. */
static void place_rows(const fur_arrays *arrays, const fur_row_range *rows)
{
    int64_t place = rows->begin;
    for (int64_t row = rows->first; row < rows->last; row++) {
        int64_t count = fur_arrays_offset(arrays, row + 1);
        fur_arrays_set_offset(arrays, row + 1, place);
        place += count;
    }
}

/* Moves a bucket's records into the arrays: counts them by row, computes the offsets, then stores
 * each record. */
static void empty_bucket(assembly *a, int index)
{
    fur_buckets *buckets = &a->collection->buckets;
    const fur_arrays *arrays = &a->rows.arrays;
    const fur_bucket *bucket = &buckets->bucket[index];
    pass(buckets, bucket, arrays, true);
    place_rows(arrays, &a->range[index]);
    pass(buckets, bucket, arrays, false);
    if (buckets->value_size == 0)
        fur_arrays_fill_ones(arrays, a->range[index].begin, bucket->count);
    fur_buckets_empty(buckets, index);
}

/* Makes a range for each bucket. */
static void cut_by_buckets(assembly *a)
{
    const fur_buckets *buckets = &a->collection->buckets;
    int64_t begin = 0;
    for (int i = 0; i < a->ranges; i++) {
        int64_t last = ((int64_t)i + 1) << buckets->shift;
        a->range[i] = (fur_row_range){.first = (int64_t)i << buckets->shift,
                                      .last = last < buckets->rows ? last : buckets->rows,
                                      .begin = begin};
        begin += buckets->bucket[i].count;
    }
}

/* Makes ranges with about the same number of rows. */
static void cut_by_rows(assembly *a)
{
    const fur_arrays *arrays = &a->rows.arrays;
    for (int i = 0; i < a->ranges; i++) {
        int64_t first = arrays->rows * i / a->ranges;
        a->range[i] = (fur_row_range){.first = first,
                                      .last = arrays->rows * (i + 1) / a->ranges,
                                      .begin = fur_arrays_offset(arrays, first)};
    }
}

/* Stores the failure of a thread. If several threads fail, one failure is kept. */
static void keep_failure(assembly *a, const fur_failure *failure)
{
    pthread_mutex_t *lock = &a->collection->storage->lock;
    pthread_mutex_lock(lock);
    *a->failure = *failure;
    pthread_mutex_unlock(lock);
}

/* Sorts the rows of each range independently. */
static void put_in_order(void *user, int64_t begin, int64_t end)
{
    assembly *a = user;
    fur_storage *storage = a->collection->storage;
    for (int i = (int)begin; i < end; i++) {
        fur_failure own = {.status = FUR_OK};
        if (!a->collection->direct)
            empty_bucket(a, i);
        if (fur_rows_put_in_order(storage, &a->rows, &a->range[i], &a->outcome[i], &own) != FUR_OK)
            keep_failure(a, &own);
    }
}

/* Moves each range to the end of the previous range. Returns the number of entries. */
static int64_t close_gaps(const assembly *a)
{
    const fur_arrays *arrays = &a->rows.arrays;
    int64_t to = 0;
    for (int i = 0; i < a->ranges; i++) {
        int64_t begin = a->range[i].begin, count = a->outcome[i].end - begin;
        if (to < begin) {
            fur_arrays_move_many(arrays, begin, begin + count, to);
            for (int64_t row = a->range[i].first; row < a->range[i].last; row++)
                fur_arrays_set_offset(arrays, row + 1,
                                      fur_arrays_offset(arrays, row + 1) - begin + to);
        }
        to += count;
    }
    return to;
}

static fur_csr_view view_of(const fur_collection *collection, int64_t entries)
{
    const fur_arrays *arrays = &collection->arrays;
    return (fur_csr_view){.size = sizeof(fur_csr_view),
                          .rows = arrays->rows,
                          .cols = collection->job->header.cols,
                          .entries = entries,
                          .value_type = arrays->value_type,
                          .offset_type = arrays->offset_type,
                          .offsets = arrays->offsets,
                          .columns = arrays->columns,
                          .values = arrays->values};
}

/* Passes the ownership of the arrays to a matrix. */
static fur_status adopt(fur_collection *collection, int64_t entries, fur_failure *failure,
                        fur_csr **out)
{
    fur_context *context = collection->storage->context;
    const fur_csr_view view = view_of(collection, entries);
    fur_status status = fur_csr_create(context, &view, FUR_OWNERSHIP_ADOPT, out);
    if (status == FUR_OK)
        fur_arrays_clear(&collection->arrays);
    return fur_failure_take(failure, status, context);
}

/* A matrix with duplicates can only be made from coordinates. */
static fur_status make_repeated(fur_collection *collection, int64_t entries, fur_failure *failure,
                                fur_csr **out)
{
    fur_storage *storage = collection->storage;
    const fur_csr_view view = view_of(collection, entries);
    int32_t *rows = NULL;
    FUR_TRY(fur_storage_allocate(storage, (size_t)entries * sizeof *rows, &rows, failure));
    for (int64_t row = 0; row < view.rows; row++)
        for (int64_t k = fur_arrays_offset(&collection->arrays, row);
             k < fur_arrays_offset(&collection->arrays, row + 1); k++)
            rows[k] = (int32_t)row;
    const fur_coo_view coo = {.size = sizeof coo,
                              .rows = view.rows,
                              .cols = view.cols,
                              .entries = entries,
                              .value_type = view.value_type,
                              .row_indices = rows,
                              .col_indices = view.columns,
                              .values = view.values};
    fur_status status = fur_csr_from_coo(storage->context, &coo, FUR_DUPLICATES_KEEP, out);
    fur_failure_take(failure, status, storage->context);
    fur_storage_release(storage, rows);
    return status;
}

/* Closes the gaps and passes the arrays to a matrix, unless two entries are in conflict. */
static fur_status make_matrix(assembly *a, fur_conflict *conflict, fur_csr **out)
{
    bool repeated = false;
    for (int i = 0; i < a->ranges; i++) {
        repeated |= a->outcome[i].repeated;
        *conflict = a->outcome[i].conflict;
        if (conflict->row >= 0)
            return FUR_OK;
    }
    int64_t entries = close_gaps(a);
    return repeated ? make_repeated(a->collection, entries, a->failure, out)
                    : adopt(a->collection, entries, a->failure, out);
}

/* Sorts all ranges in parallel and makes the matrix. */
static fur_status assemble_ranges(assembly *a, fur_conflict *conflict, fur_csr **out)
{
    fur_storage *storage = a->collection->storage;
    FUR_TRY(
        fur_storage_allocate(storage, (size_t)a->ranges * sizeof *a->range, &a->range, a->failure));
    FUR_TRY(fur_storage_allocate(storage, (size_t)a->ranges * sizeof *a->outcome, &a->outcome,
                                 a->failure));
    if (a->collection->direct)
        cut_by_rows(a);
    else
        cut_by_buckets(a);
    a->failure->status = FUR_OK;
    fur_loop_in_order(storage->context, a->ranges, 1, put_in_order, a);
    FUR_TRY(a->failure->status);
    return make_matrix(a, conflict, out);
}

fur_status fur_assemble(fur_collection *collection, fur_failure *failure, fur_conflict *conflict,
                        fur_csr **out)
{
    const fur_mtx_read_options *options = &collection->job->options;
    *conflict = (fur_conflict){.row = -1};
    if (collection->direct)
        fur_collection_end(collection);
    else
        FUR_TRY(fur_arrays_allocate(collection->storage, collection->count, &collection->arrays,
                                    failure));
    if (collection->direct && collection->columns_rise)
        return adopt(collection, collection->count, failure, out);
    int64_t rows = collection->arrays.rows;
    assembly a = {
        .collection = collection,
        .rows = {.arrays = collection->arrays,
                 .duplicates = options->duplicates,
                 .lower_wins = options->mirrored == FUR_MTX_MIRRORED_LOWER},
        .ranges =
            !collection->direct ? collection->buckets.count : (int)(rows < RANGES ? rows : RANGES),
        .failure = failure,
    };
    fur_status status = assemble_ranges(&a, conflict, out);
    fur_storage_release(collection->storage, a.range);
    fur_storage_release(collection->storage, a.outcome);
    return status;
}

/* Writes the entries of a single column or row to their positions in a zero array. */
static void scatter(const fur_csr_view *view, char *dense)
{
    size_t size = fur_value_size(view->value_type);
    const char *values = view->values;
    for (int64_t row = 0; row < view->rows; row++) {
        int64_t end = fur_view_begin(view, row + 1);
        for (int64_t k = fur_view_begin(view, row); k < end; k++) {
            size_t index = (size_t)(view->cols == 1 ? row : view->columns[k]);
            memcpy(dense + index * size, values + (size_t)k * size, size);
        }
    }
}

fur_status fur_column_to_vector(fur_context *context, const char *path, const fur_csr *matrix,
                                fur_vector **out)
{
    fur_csr_view view = *fur_csr_get(matrix);
    if (view.rows != 1 && view.cols != 1)
        return fur_context_fail(context, FUR_INVALID,
                                "%.400s: found a matrix of %lld x %lld, expected one column or one "
                                "row for a vector",
                                path, (long long)view.rows, (long long)view.cols);
    int64_t size = view.cols == 1 ? view.rows : view.cols;
    size_t bytes = (size_t)size * fur_value_size(view.value_type);
    void *dense = NULL;
    FUR_TRY(fur_context_allocate(context, bytes, &dense));
    if (dense) {
        memset(dense, 0, bytes);
        scatter(&view, dense);
    }
    fur_status status =
        fur_vector_wrap(context, view.value_type, size, dense, FUR_OWNERSHIP_ADOPT, out);
    if (status != FUR_OK)
        fur_context_release(context, dense);
    return status;
}
