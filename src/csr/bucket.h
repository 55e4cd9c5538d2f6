/* A stable counting sort, in parallel over consecutive chunks of the input. Transposition and
 * assembly from coordinates use it. It only counts: the caller moves its own elements. */
#ifndef FURROW_CORE_BUCKET_H
#define FURROW_CORE_BUCKET_H

#include "env.h"

/* Elements that are counted by key in consecutive chunks. Each chunk places its elements after the
 * elements of earlier chunks. The caller moves each element e of fur_split(count, chunks, chunk),
 * in order, to place next[chunk * keys_end + keys[e]]++. */
typedef struct fur_bucketing {
    int64_t count;
    const int32_t *keys;
    int64_t keys_end;
    int chunks;
    int64_t *next; /* the caller releases it */
} fur_bucketing;

/* Counts elements by key. The elements of key k will be at starts[k] .. starts[k+1]-1. Keys are 0
 * .. keys_end-1, and starts has keys_end + 1 elements. */
fur_status fur_bucket_count(fur_env *env, int64_t count, const int32_t *keys, int64_t keys_end,
                            int64_t *starts, fur_bucketing *out);

#endif
