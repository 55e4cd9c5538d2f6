/* Every chunk counts its keys. The counts of a key are then summed over the chunks, in order. */
#include "bucket.h"
#include "split.h"
#include "team.h"

#define ELEMENT_GRAIN 32768

/* The counters of all chunks together must not be larger than the input. */
static int chunk_count(int threads, int64_t count, int64_t keys_end)
{
    return fur_lanes(threads, count / fur_larger(ELEMENT_GRAIN, keys_end + 1));
}

static void count_keys(void *job, int64_t begin, int64_t end)
{
    const fur_bucketing *b = job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t *counts = b->next + chunk * b->keys_end;
        int64_t last = fur_split(b->count, b->chunks, (int)chunk + 1);
        for (int64_t e = fur_split(b->count, b->chunks, (int)chunk); e < last; e++)
            counts[b->keys[e]]++;
    }
}

/* Replaces counts[chunk][key] by the place of that chunk's first element with that key. */
static void counts_to_places(int chunks, int64_t keys_end, int64_t *counts, int64_t *starts)
{
    int64_t total = 0;
    for (int64_t key = 0; key < keys_end; key++) {
        starts[key] = total;
        for (int chunk = 0; chunk < chunks; chunk++) {
            int64_t *slot = &counts[chunk * keys_end + key];
            int64_t found = *slot;
            *slot = total;
            total += found;
        }
    }
    starts[keys_end] = total;
}

fur_status fur_bucket_count(fur_env *env, int64_t count, const int32_t *keys, int64_t keys_end,
                            int64_t *starts, fur_bucketing *out)
{
    int chunks = count > 0 ? chunk_count(env->threads, count, keys_end) : 0;
    fur_bucketing b = {count, keys, keys_end, chunks, NULL};
    FUR_TRY(fur_env_allocate_zeros(env, chunks * keys_end, sizeof *b.next, &b.next));
    fur_parallel(env, chunks, chunks, count_keys, &b);
    counts_to_places(chunks, keys_end, b.next, starts);
    *out = b;
    return FUR_OK;
}
