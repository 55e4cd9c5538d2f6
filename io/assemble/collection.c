/* Collects entries, directly in the arrays or in buckets. */
#include "assemble.h"

#include <furrow/author/try.h>

#include "split.h"

void fur_arrays_fill_ones(const fur_arrays *arrays, int64_t begin, int64_t count)
{
    static const float single[] = {1, 0};
    static const double full[] = {1, 0};
    const void *one =
        fur_value_is_single(arrays->value_type) ? (const void *)single : (const void *)full;
    size_t bytes = (size_t)count * arrays->value_size, filled = arrays->value_size;
    if (count == 0) /* the array may be NULL */
        return;
    char *values = arrays->values + (size_t)begin * arrays->value_size;
    memcpy(values, one, filled);
    for (; filled < bytes; filled *= 2) /* the filled part is the pattern for the next copy */
        memcpy(values + filled, values, filled < bytes - filled ? filled : bytes - filled);
}

fur_status fur_arrays_allocate(fur_storage *storage, int64_t entries, fur_arrays *arrays,
                               fur_failure *failure)
{
    arrays->offset_type = entries > INT32_MAX ? FUR_I64 : FUR_I32;
    size_t bytes = (size_t)(arrays->rows + 1) * fur_offset_size(arrays->offset_type);
    FUR_TRY(fur_storage_allocate(storage, bytes, &arrays->offsets, failure));
    memset(arrays->offsets, 0, bytes);
    FUR_TRY(fur_storage_allocate(storage, (size_t)entries * sizeof *arrays->columns,
                                 &arrays->columns, failure));
    return fur_storage_allocate(storage, (size_t)entries * arrays->value_size, &arrays->values,
                                failure);
}

void fur_arrays_release(fur_storage *storage, fur_arrays *arrays)
{
    fur_storage_release(storage, arrays->offsets);
    fur_storage_release(storage, arrays->columns);
    fur_storage_release(storage, arrays->values);
    fur_arrays_clear(arrays);
}

static size_t bucket_value_size(const fur_job *job)
{
    return job->numbers > 0 ? fur_value_size(job->value_type) : 0;
}

static fur_status open_buckets(fur_collection *collection, fur_failure *failure)
{
    const fur_job *job = collection->job;
    const fur_mtx_header *header = &job->header;
    collection->direct = false;
    FUR_TRY(fur_buckets_open(collection->storage, header->rows, header->entries_in_file,
                             bucket_value_size(job), failure, &collection->buckets));
    atomic_store(&collection->in_buckets, true);
    return FUR_OK;
}

fur_status fur_collection_open(fur_storage *storage, const fur_job *job, bool direct,
                               fur_failure *failure, fur_collection *out)
{
    const fur_mtx_header *header = &job->header;
    *out = (fur_collection){.storage = storage,
                            .job = job,
                            .direct = direct && !fur_job_expands(job),
                            .columns_rise = true,
                            .last_row = -1,
                            .buckets = {.storage = storage},
                            .arrays = {.rows = header->rows,
                                       .value_type = job->value_type,
                                       .value_size = fur_value_size(job->value_type)}};
    return out->direct
               ? fur_arrays_allocate(storage, header->entries_in_file, &out->arrays, failure)
               : open_buckets(out, failure);
}

void fur_collection_close(fur_collection *collection)
{
    fur_arrays_release(collection->storage, &collection->arrays);
    fur_buckets_close(&collection->buckets);
}

/* Returns whether the order of the batch allows it to go directly to the arrays. */
static bool is_in_order(const fur_collection *collection, const fur_batch *batch)
{
    bool general = collection->job->header.symmetry == FUR_MTX_GENERAL;
    return batch->rows_rise && (general || batch->lower);
}

/* Prepares the batch for the buckets. */
static void part(const fur_collection *collection, fur_batch *batch, fur_delivery *delivery)
{
    if (collection->job->header.symmetry != FUR_MTX_GENERAL)
        fur_batch_apply_symmetry(collection->job, batch);
    fur_buckets_count(&collection->buckets, batch, &delivery->share);
    delivery->parted = true;
}

void fur_collection_prepare(const fur_collection *collection, fur_batch *batch,
                            fur_delivery *delivery)
{
    if (atomic_load(&collection->in_buckets))
        part(collection, batch, delivery);
}

/* Stores the end of the last row in its offset. */
static void end_last_row(const fur_collection *collection)
{
    if (collection->last_row >= 0)
        fur_arrays_set_offset(&collection->arrays, collection->last_row + 1, collection->count);
}

/* Sets the offsets of empty rows: an empty row ends where the previous row ends. */
static void fill_offsets(const fur_arrays *arrays)
{
    int64_t end = 0;
    for (int64_t row = 0; row < arrays->rows; row++) {
        int64_t offset = fur_arrays_offset(arrays, row + 1);
        end = offset > end ? offset : end;
        fur_arrays_set_offset(arrays, row + 1, end);
    }
}

void fur_collection_end(fur_collection *collection)
{
    end_last_row(collection);
    fill_offsets(&collection->arrays);
}

/* Makes a batch of the entries [begin, end) of the arrays. The offsets give their rows. */
static int64_t lend(const fur_arrays *arrays, int64_t row, int64_t begin, int64_t end,
                    fur_batch *batch)
{
    batch->cols = arrays->columns + begin;
    batch->values = arrays->values + (size_t)begin * arrays->value_size;
    batch->count = end - begin;
    for (int64_t k = begin; k < end; k++) {
        while (fur_arrays_offset(arrays, row + 1) <= k)
            row++;
        batch->rows[k - begin] = (int32_t)row;
    }
    return row;
}

/* Number of entries that are moved at a time. */
#define MOVED 8192

/* Moves all entries from the arrays to the buckets. */
static fur_status move_to_buckets(fur_collection *collection, fur_share *share, int32_t *rows,
                                  fur_failure *failure)
{
    int64_t row = 0;
    fur_batch batch = {.rows = rows};
    for (int64_t begin = 0; begin < collection->count; begin += MOVED) {
        int64_t end = fur_smaller(begin + MOVED, collection->count);
        row = lend(&collection->arrays, row, begin, end, &batch);
        fur_buckets_count(&collection->buckets, &batch, share);
        FUR_TRY(fur_buckets_reserve(&collection->buckets, share, failure));
        fur_buckets_write(&collection->buckets, &batch, share);
    }
    return FUR_OK;
}

/* Switches to buckets because rows are no longer in order. The entries in the arrays are in order
 * and come first. */
static fur_status leave_arrays(fur_collection *collection, fur_failure *failure)
{
    fur_share *share = NULL;
    int32_t *rows = NULL;
    fur_status status;
    for (int polls = 0; atomic_load(&collection->copied) < collection->count; polls++)
        fur_wait(polls);
    fur_collection_end(collection);
    FUR_TRY_DONE(open_buckets(collection, failure));
    FUR_TRY_DONE(fur_storage_allocate(collection->storage, sizeof *share, &share, failure));
    FUR_TRY_DONE(fur_storage_allocate(collection->storage, MOVED * sizeof *rows, &rows, failure));
    FUR_TRY_DONE(move_to_buckets(collection, share, rows, failure));
done:
    fur_storage_release(collection->storage, share);
    fur_storage_release(collection->storage, rows);
    fur_arrays_release(collection->storage, &collection->arrays);
    return status;
}

/* Gives the batch the next places of the arrays. */
static void claim_places(fur_collection *collection, const fur_batch *batch, fur_delivery *delivery)
{
    int64_t last = batch->count - 1;
    bool same_row = batch->rows[0] == collection->last_row;
    collection->columns_rise &=
        batch->columns_rise && !(same_row && batch->cols[0] <= collection->last_col);
    if (!same_row)
        end_last_row(collection);
    delivery->begin = collection->count;
    collection->count += batch->count;
    collection->last_row = batch->rows[last];
    collection->last_col = batch->cols[last];
}

fur_status fur_collection_claim(fur_collection *collection, fur_batch *batch,
                                fur_delivery *delivery, fur_failure *failure)
{
    delivery->direct = collection->direct;
    if (batch->count == 0)
        return FUR_OK;
    if (collection->direct && is_in_order(collection, batch) &&
        batch->rows[0] >= collection->last_row) {
        claim_places(collection, batch, delivery);
        return FUR_OK;
    }
    if (collection->direct)
        FUR_TRY(leave_arrays(collection, failure));
    if (!delivery->parted)
        part(collection, batch, delivery);
    delivery->direct = false;
    collection->count += batch->count;
    return fur_buckets_reserve(&collection->buckets, &delivery->share, failure);
}

static void put_values(const fur_collection *collection, const fur_batch *batch, int64_t begin)
{
    const fur_arrays *arrays = &collection->arrays;
    if (collection->job->numbers > 0)
        memcpy(arrays->values + (size_t)begin * arrays->value_size, batch->values,
               (size_t)batch->count * arrays->value_size);
    else
        fur_arrays_fill_ones(arrays, begin, batch->count);
}

/* Writes the row ends of a batch, except the last one: its row may continue in the next batch. Each
 * later entry of a row overwrites the end that an earlier entry has written. */
static void put_offsets(const fur_arrays *arrays, const fur_batch *batch, int64_t begin)
{
    int64_t count = batch->count;
    const int32_t *rows = batch->rows;
    while (count > 0 && rows[count - 1] == batch->rows[batch->count - 1])
        count--;
    int32_t *narrow = (int32_t *)arrays->offsets + 1;
    int64_t *wide = (int64_t *)arrays->offsets + 1;
    if (arrays->offset_type == FUR_I64)
        for (int64_t k = 0; k < count; k++)
            wide[rows[k]] = begin + k + 1;
    else
        for (int64_t k = 0; k < count; k++)
            narrow[rows[k]] = (int32_t)(begin + k + 1);
}

void fur_collection_put(fur_collection *collection, const fur_batch *batch, fur_delivery *delivery)
{
    if (batch->count == 0)
        return;
    if (!delivery->direct) {
        fur_buckets_write(&collection->buckets, batch, &delivery->share);
        return;
    }
    memcpy(collection->arrays.columns + delivery->begin, batch->cols,
           (size_t)batch->count * sizeof(int32_t));
    put_values(collection, batch, delivery->begin);
    put_offsets(&collection->arrays, batch, delivery->begin);
    atomic_fetch_add(&collection->copied, batch->count);
}
