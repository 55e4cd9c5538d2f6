/* Sorts children by (degree, index). Columns rise along rows, so that children come in order of
 * their indices. A stable sort by degree is therefore enough. */
#include "children.h"
#include "sort.h"

/* Up to this many children are sorted by counting. Counting takes count^2 / 2 steps without
 * unpredictable branches. More children are sorted by the digits of their degrees. */
#define FEW 24

/* Keys of 64 bits are compared one by one. A vector load of keys that were just stored one by one
 * would have to wait. */
static void sort_few(const fur_graph *g, int32_t *children, int count)
{
    uint64_t key[FEW];
    int32_t place[FEW];
    for (int k = 0; k < count; k++)
        key[k] = fur_graph_key(g, children[k]);
    for (int j = 0; j < count; j++) {
        int32_t larger = 0; /* larger keys before this one */
        for (int k = 0; k < j; k++) {
            int32_t behind = key[j] < key[k];
            place[k] += behind;
            larger += behind;
        }
        place[j] = j - larger;
    }
    for (int k = 0; k < count; k++)
        children[place[k]] = fur_item_number(key[k]);
}

static void sort_many(const fur_graph *g, int32_t *children, int64_t count, uint64_t *items)
{
    int32_t counts[1 << FUR_DIGIT_BITS];
    int32_t largest = 0;
    for (int64_t k = 0; k < count; k++) {
        int32_t rank = fur_graph_rank(g, children[k]);
        items[k] = fur_item(rank, children[k]);
        largest = rank > largest ? rank : largest;
    }
    const uint64_t *sorted = fur_sort_items(NULL, items, items + count, count, largest, 1, counts);
    for (int64_t k = 0; k < count; k++)
        children[k] = fur_item_number(sorted[k]);
}

static void sort_children(const fur_families *families, fur_family f)
{
    if (f.count <= FEW)
        sort_few(families->graph, f.children, (int)f.count);
    else
        sort_many(families->graph, f.children, f.count, families->items);
}

FUR_PREFETCHES void prefetch_key(const fur_graph *g, int32_t v)
{
    if (g->rank || g->degree)
        __builtin_prefetch((g->rank ? g->rank : g->degree) + v);
    else
        fur_prefetch_offset(g, v);
}

/* A single child needs no sorting. */
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
