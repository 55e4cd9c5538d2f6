/* Buckets of entries as chains of chunks. */
#include "buckets.h"

#include <furrow/author/try.h>

#include "parallel.h"
#include "split.h"

#include <string.h>
#include <sys/mman.h>

/* A multiple of the page size, so that pages can be returned to the system. If the system has
 * larger pages, they are kept. */
#define CHUNK_SIZE ((size_t)32768)
#define PAGE_SIZE ((size_t)4096)
#define SLAB_CHUNKS 127 /* 4 MiB with their alignment, for huge pages */

/* Wanted number of entries in a bucket: their records and the resulting rows fit into a core's
 * cache. */
#define BUCKET_ENTRIES 16384

/* The number of chunks that are kept. Returning fewer is not worth the system calls. */
#define CHUNKS_KEPT 1024

fur_status fur_buckets_open(fur_storage *storage, int64_t rows, int64_t entries, size_t value_size,
                            fur_failure *failure, fur_buckets *out)
{
    fur_buckets buckets = {.storage = storage, .value_size = value_size, .rows = rows};
    int64_t wanted = entries / BUCKET_ENTRIES + 1;
    int64_t most = fur_smaller(wanted, FUR_BUCKETS_MAX);
    while (((rows - 1) >> buckets.shift) + 1 > most)
        buckets.shift++;
    buckets.count = rows > 0 ? (int)(((rows - 1) >> buckets.shift) + 1) : 0;
    buckets.chunk_records = (int64_t)((CHUNK_SIZE - sizeof(fur_chunk)) / fur_record_size(&buckets));
    size_t bytes = (size_t)buckets.count * sizeof(fur_bucket);
    FUR_TRY(fur_storage_allocate(storage, bytes, &buckets.bucket, failure));
    if (buckets.bucket)
        memset(buckets.bucket, 0, bytes);
    *out = buckets;
    return FUR_OK;
}

void fur_buckets_close(fur_buckets *buckets)
{
    while (buckets->slabs) {
        void *slab = buckets->slabs;
        memcpy(&buckets->slabs, slab, sizeof buckets->slabs);
        fur_storage_release(buckets->storage, slab);
    }
    fur_storage_release(buckets->storage, buckets->bucket);
}

void fur_buckets_count(const fur_buckets *buckets, const fur_batch *batch, fur_share *share)
{
    memset(share->counts, 0, (size_t)buckets->count * sizeof *share->counts);
    for (int64_t k = 0; k < batch->count; k++)
        share->counts[batch->rows[k] >> buckets->shift]++;
}

/* Allocates another slab. The first slab is as small as the matrix allows. */
static fur_status add_slab(fur_buckets *buckets, fur_failure *failure)
{
    int64_t chunks = buckets->slabs ? SLAB_CHUNKS : fur_smaller(buckets->count, SLAB_CHUNKS);
    void *slab = NULL;
    FUR_TRY(
        fur_storage_allocate(buckets->storage, ((size_t)chunks + 1) * CHUNK_SIZE, &slab, failure));
    memcpy(slab, &buckets->slabs, sizeof buckets->slabs);
    buckets->slabs = slab;
    size_t into = PAGE_SIZE - (uintptr_t)slab % PAGE_SIZE;
    buckets->fresh = (char *)slab + into;
    buckets->fresh_chunks = chunks;
    return FUR_OK;
}

/* Appends a chunk to the bucket's chain. */
static fur_status add_chunk(fur_buckets *buckets, fur_bucket *bucket, fur_failure *failure)
{
    if (buckets->fresh_chunks == 0)
        FUR_TRY(add_slab(buckets, failure));
    fur_chunk *chunk = (fur_chunk *)(void *)buckets->fresh;
    buckets->fresh += CHUNK_SIZE;
    buckets->fresh_chunks--;
    buckets->chunks++;
    chunk->next = NULL;
    if (bucket->last)
        bucket->last->next = chunk;
    else
        bucket->first = chunk;
    bucket->last = chunk;
    return FUR_OK;
}

/* Reserves room for one bucket's part. It begins in the last chunk if that has room. */
static fur_status reserve(fur_buckets *buckets, int index, fur_share *share, fur_failure *failure)
{
    fur_bucket *bucket = &buckets->bucket[index];
    int64_t used = bucket->count % buckets->chunk_records;
    int64_t room = used > 0 ? buckets->chunk_records - used : 0;
    if (room == 0) {
        FUR_TRY(add_chunk(buckets, bucket, failure));
        room = buckets->chunk_records;
        used = 0;
    }
    share->chunk[index] = bucket->last;
    share->at[index] = used;
    for (; room < share->counts[index]; room += buckets->chunk_records)
        FUR_TRY(add_chunk(buckets, bucket, failure));
    bucket->count += share->counts[index];
    return FUR_OK;
}

fur_status fur_buckets_reserve(fur_buckets *buckets, fur_share *share, fur_failure *failure)
{
    for (int index = 0; index < buckets->count; index++)
        if (share->counts[index] > 0)
            FUR_TRY(reserve(buckets, index, share, failure));
    return FUR_OK;
}

/* Constant sizes let the compiler turn the copies into single instructions. */
static inline __attribute__((always_inline)) void
write_all(const fur_buckets *buckets, const fur_batch *batch, fur_share *share, size_t value_size)
{
    const char *values = batch->values;
    for (int64_t k = 0; k < batch->count; k++) {
        int index = batch->rows[k] >> buckets->shift;
        if (share->at[index] == buckets->chunk_records) {
            share->chunk[index] = share->chunk[index]->next;
            share->at[index] = 0;
        }
        size_t record = 2 * sizeof(int32_t) + value_size;
        char *to = share->chunk[index]->records + (size_t)share->at[index]++ * record;
        memcpy(to, &batch->rows[k], sizeof(int32_t));
        memcpy(to + 4, &batch->cols[k], sizeof(int32_t));
        if (value_size > 0)
            memcpy(to + 8, values + (size_t)k * value_size, value_size);
    }
}

void fur_buckets_write(const fur_buckets *buckets, const fur_batch *batch, fur_share *share)
{
    switch (buckets->value_size) {
    case 0:
        write_all(buckets, batch, share, 0);
        break;
    case 4:
        write_all(buckets, batch, share, 4);
        break;
    case 8:
        write_all(buckets, batch, share, 8);
        break;
    default:
        write_all(buckets, batch, share, 16);
        break;
    }
}

void fur_buckets_empty(fur_buckets *buckets, int index)
{
    fur_chunk *chunk = buckets->bucket[index].first;
    while (chunk && buckets->chunks > CHUNKS_KEPT) {
        fur_chunk *next = chunk->next;
        (void)madvise(chunk, CHUNK_SIZE, MADV_DONTNEED);
        chunk = next;
    }
}
