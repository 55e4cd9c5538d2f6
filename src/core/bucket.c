/* Stable counting sort, in parallel over consecutive chunks of the input: every chunk counts its
 * keys, the counts of a key are summed over the chunks in order, and every chunk then places its
 * elements after those of the chunks before it. */
#include "bucket.h"
#include "split.h"

#include <string.h>

/* Elements below which a further thread costs more than it brings. */
#define ELEMENT_GRAIN 32768

/* The counters of all chunks together should not outgrow the input. */
static int chunk_count(int threads, int64_t count, int64_t keys_end)
{
    int team = fur_team(threads, count, ELEMENT_GRAIN);
    return fur_team(team, count, keys_end + 1);
}

static void count_keys(const int32_t *keys, int64_t begin, int64_t end, int64_t *counts)
{
    for (int64_t e = begin; e < end; e++)
        counts[keys[e]]++;
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

static void place_elements(const int32_t *keys, int64_t begin, int64_t end, int64_t *next,
                           int64_t *place)
{
    for (int64_t e = begin; e < end; e++)
        place[e] = next[keys[e]]++;
}

fur_status fur_bucket_sort(fur_env *env, int64_t count, const int32_t *keys, int64_t keys_end,
                           int64_t *starts, int64_t *place)
{
    if (count == 0) {
        memset(starts, 0, (size_t)(keys_end + 1) * sizeof *starts);
        return FUR_OK;
    }
    int chunks = chunk_count(env->threads, count, keys_end);
    int64_t *counts;
    FUR_TRY(fur_env_allocate_zeros(env, chunks * keys_end, sizeof *counts, &counts));

#pragma omp parallel for schedule(static, 1) num_threads(chunks) if (chunks > 1)
    for (int chunk = 0; chunk < chunks; chunk++)
        count_keys(keys, fur_split(count, chunks, chunk), fur_split(count, chunks, chunk + 1),
                   counts + chunk * keys_end);

    counts_to_places(chunks, keys_end, counts, starts);

#pragma omp parallel for schedule(static, 1) num_threads(chunks) if (chunks > 1)
    for (int chunk = 0; chunk < chunks; chunk++)
        place_elements(keys, fur_split(count, chunks, chunk), fur_split(count, chunks, chunk + 1),
                       counts + chunk * keys_end, place);

    fur_env_release(env, counts);
    return FUR_OK;
}
