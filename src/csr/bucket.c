/* Stable counting sort, in parallel over consecutive chunks of the input: every chunk counts its
 * keys, the counts of a key are summed over the chunks in order, and every chunk then places its
 * elements after those of the chunks before it. */
#include "bucket.h"
#include "split.h"
#include "team.h"

#include <string.h>

#define ELEMENT_GRAIN 32768

typedef struct sorting {
    int64_t count;
    const int32_t *keys;
    int64_t keys_end;
    int chunks;
    int64_t *counts; /* of each chunk, by key */
    int64_t *place;
} sorting;

/* The counters of all chunks together should not outgrow the input. */
static int chunk_count(int threads, int64_t count, int64_t keys_end)
{
    return fur_lanes(threads, count / fur_larger(ELEMENT_GRAIN, keys_end + 1));
}

static void count_keys(void *job, int64_t begin, int64_t end)
{
    const sorting *s = job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t *counts = s->counts + chunk * s->keys_end;
        int64_t last = fur_split(s->count, s->chunks, (int)chunk + 1);
        for (int64_t e = fur_split(s->count, s->chunks, (int)chunk); e < last; e++)
            counts[s->keys[e]]++;
    }
}

/* Turns counts[chunk][key] into the place of that chunk's first element with that key. */
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

static void place_elements(void *job, int64_t begin, int64_t end)
{
    const sorting *s = job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t *next = s->counts + chunk * s->keys_end;
        int64_t last = fur_split(s->count, s->chunks, (int)chunk + 1);
        for (int64_t e = fur_split(s->count, s->chunks, (int)chunk); e < last; e++)
            s->place[e] = next[s->keys[e]]++;
    }
}

fur_status fur_bucket_sort(fur_env *env, int64_t count, const int32_t *keys, int64_t keys_end,
                           int64_t *starts, int64_t *place)
{
    if (count == 0) {
        memset(starts, 0, (size_t)(keys_end + 1) * sizeof *starts);
        return FUR_OK;
    }
    int chunks = chunk_count(env->threads, count, keys_end);
    sorting s = {count, keys, keys_end, chunks, NULL, place};
    FUR_TRY(fur_env_allocate_zeros(env, chunks * keys_end, sizeof *s.counts, &s.counts));
    fur_parallel(env, chunks, chunks, count_keys, &s);
    counts_to_places(chunks, keys_end, s.counts, starts);
    fur_parallel(env, chunks, chunks, place_elements, &s);
    fur_env_release(env, s.counts);
    return FUR_OK;
}
