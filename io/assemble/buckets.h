/* Entries in any order, parted by ranges of rows, in the order of the file within each.
 *
 * The memory grows with the entries, and each bucket's goes back to the system when the bucket has
 * been used: so that the arrays made of them can grow while the buckets shrink. */
#ifndef FURROW_IO_BUCKETS_H
#define FURROW_IO_BUCKETS_H

#include "batch.h"
#include "parallel.h"

#define FUR_BUCKETS_MOST 1024

/* Records one behind the other: row, column, value. */
typedef struct fur_chunk {
    struct fur_chunk *next;
    char records[];
} fur_chunk;

typedef struct fur_bucket {
    fur_chunk *first;
    fur_chunk *last;
    int64_t count;
} fur_bucket;

typedef struct fur_buckets {
    fur_storage *storage;
    size_t value_size; /* 0 for a pattern */
    int64_t chunk_records;
    int shift; /* row >> shift is the number of its bucket */
    int count;
    int64_t rows;
    fur_bucket *bucket;
    void *slabs; /* memory that chunks are cut from, linked through its first word */
    char *fresh; /* the next chunk */
    int64_t fresh_chunks;
    int64_t chunks; /* all that were cut */
} fur_buckets;

/* Where a batch's records go: reserved in the order of the file, written in any. */
typedef struct fur_share {
    int64_t counts[FUR_BUCKETS_MOST];
    fur_chunk *chunk[FUR_BUCKETS_MOST];
    int64_t at[FUR_BUCKETS_MOST];
} fur_share;

/* Buckets for about `entries` entries; more may come. */
fur_status fur_buckets_open(fur_storage *storage, int64_t rows, int64_t entries, size_t value_size,
                            fur_failure *failure, fur_buckets *out);
void fur_buckets_close(fur_buckets *buckets);

/* Counts a batch's entries by bucket. */
void fur_buckets_count(const fur_buckets *buckets, const fur_batch *batch, fur_share *share);

/* Sets room aside for what was counted. One thread at a time, in the order of the file. */
fur_status fur_buckets_reserve(fur_buckets *buckets, fur_share *share, fur_failure *failure);

/* Writes the batch into its room. */
void fur_buckets_write(const fur_buckets *buckets, const fur_batch *batch, fur_share *share);

/* Bytes of a record. */
static inline size_t fur_record_size(const fur_buckets *buckets)
{
    return 2 * sizeof(int32_t) + buckets->value_size;
}

/* Gives a bucket's memory back to the system. */
void fur_buckets_empty(fur_buckets *buckets, int index);

#endif
