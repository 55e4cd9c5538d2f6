/* Sorting children by (degree, index). */
#include "children.h"
#include "split.h"

/* Keys up to which insertion sort is the faster. */
#define FEW 16

static void insertion_sort(uint64_t *keys, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        int64_t k = i;
        for (; k > 0 && keys[k - 1] > key; k--)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

/* Without branches on the keys, which nothing could predict. */
static void merge(const uint64_t *a, const uint64_t *a_end, const uint64_t *b,
                  const uint64_t *b_end, uint64_t *out)
{
    while (a < a_end && b < b_end) {
        bool second = *b < *a;
        *out++ = second ? *b : *a;
        b += second;
        a += !second;
    }
    while (a < a_end)
        *out++ = *a++;
    while (b < b_end)
        *out++ = *b++;
}

/* Merge sort from sorted pieces up; the result is in keys or in room, as is returned. */
static uint64_t *sort_keys(uint64_t *keys, int64_t count, uint64_t *room)
{
    for (int64_t i = 0; i < count; i += FEW)
        insertion_sort(keys + i, fur_smaller(FEW, count - i));
    for (int64_t size = FEW; size < count; size *= 2) {
        for (int64_t i = 0; i < count; i += 2 * size) {
            int64_t middle = fur_smaller(i + size, count);
            int64_t end = fur_smaller(i + 2 * size, count);
            merge(keys + i, keys + middle, keys + middle, keys + end, room + i);
        }
        uint64_t *sorted = room;
        room = keys;
        keys = sorted;
    }
    return keys;
}

static void sort_children(const fur_families *families, fur_family f)
{
    uint64_t *keys = families->keys;
    for (int64_t i = 0; i < f.count; i++)
        keys[i] = fur_graph_key(families->graph, f.children[i]);
    const uint64_t *sorted = sort_keys(keys, f.count, keys + f.count);
    for (int64_t i = 0; i < f.count; i++)
        f.children[i] = (int32_t)(uint32_t)sorted[i];
}

FUR_PREFETCHES void prefetch_key(const fur_graph *g, int32_t v)
{
    if (g->rank || g->degree)
        __builtin_prefetch((g->rank ? g->rank : g->degree) + v);
    else
        fur_prefetch_offset(g, v);
}

/* An only child needs no sorting. */
void fur_families_add(fur_families *families, int32_t *children, int64_t count)
{
    if (count < 2)
        return;
    for (int64_t i = 0; i < count && i < FEW; i++)
        prefetch_key(families->graph, children[i]);
    if (families->end - families->first == FUR_FAMILIES_LAG)
        sort_children(families, families->waiting[families->first++ % FUR_FAMILIES_LAG]);
    families->waiting[families->end++ % FUR_FAMILIES_LAG] = (fur_family){children, count};
}

void fur_families_finish(fur_families *families)
{
    while (families->first != families->end)
        sort_children(families, families->waiting[families->first++ % FUR_FAMILIES_LAG]);
}
