/* Entries distributed into buckets by ranges of rows. Each bucket keeps the order of the file.
 *
 * The memory grows with the entries. When a bucket has been used, its memory is returned to the
 * system, so that the arrays can grow while the buckets shrink. */
#ifndef FURROW_IO_BUCKETS_H
#define FURROW_IO_BUCKETS_H

#include "batch.h"
#include "parallel.h"

#define FUR_BUCKETS_MAX 1024

/* Consecutive records of a row, a column and a value. */
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
    int shift; /* row >> shift is the bucket's index */
    int count;
    int64_t rows;
    fur_bucket *bucket;
    void *slabs; /* memory for chunks, linked through the first word of each slab */
    char *fresh; /* the next free chunk */
    int64_t fresh_chunks;
    int64_t chunks; /* number of chunks in use */
} fur_buckets;

/* The places of a batch's records. They are reserved in the order of the file, and written in any
 * order. */
typedef struct fur_share {
    int64_t counts[FUR_BUCKETS_MAX];
    fur_chunk *chunk[FUR_BUCKETS_MAX];
    int64_t at[FUR_BUCKETS_MAX];
} fur_share;

/* Opens buckets for about `entries` entries. More entries may be added. */
fur_status fur_buckets_open(fur_storage *storage, int64_t rows, int64_t entries, size_t value_size,
                            fur_failure *failure, fur_buckets *out);
void fur_buckets_close(fur_buckets *buckets);

/* Counts a batch's entries by bucket. */
void fur_buckets_count(const fur_buckets *buckets, const fur_batch *batch, fur_share *share);

/* Reserves room for the counted entries. Called by one thread at a time, in the order of the
 * file. */
fur_status fur_buckets_reserve(fur_buckets *buckets, fur_share *share, fur_failure *failure);

/* Writes the batch to its reserved room. */
void fur_buckets_write(const fur_buckets *buckets, const fur_batch *batch, fur_share *share);

/* Returns the bytes of a record. */
static inline size_t fur_record_size(const fur_buckets *buckets)
{
    return 2 * sizeof(int32_t) + buckets->value_size;
}

/* Returns a bucket's memory to the system. */
void fur_buckets_empty(fur_buckets *buckets, int index);

#endif
