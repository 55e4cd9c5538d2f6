/* Stable counting sort, in parallel over consecutive chunks of the input: the one primitive behind
 * transposition and assembly from coordinates. It counts; who uses it moves his elements. */
#ifndef FURROW_CORE_BUCKET_H
#define FURROW_CORE_BUCKET_H

#include "env.h"

/* Elements counted by key in consecutive chunks, each of which places its own after those of the
 * chunks before it: for each element e of fur_split(count, chunks, chunk), in their order, at
 * next[chunk * keys_end + keys[e]]++. */
typedef struct fur_bucketing {
    int64_t count;
    const int32_t *keys;
    int64_t keys_end;
    int chunks;
    int64_t *next; /* to be released */
} fur_bucketing;

/* Key k's elements will stand at starts[k] .. starts[k+1]-1; keys lie in 0 .. keys_end-1, and
 * starts has keys_end + 1 elements. */
fur_status fur_bucket_count(fur_env *env, int64_t count, const int32_t *keys, int64_t keys_end,
                            int64_t *starts, fur_bucketing *out);

#endif
