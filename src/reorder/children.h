/* The children of a vertex, in the order of Cuthill and McKee. */
#ifndef FURROW_REORDER_CHILDREN_H
#define FURROW_REORDER_CHILDREN_H

#include "graph.h"

/* The unsorted children of one parent. */
typedef struct fur_family {
    int32_t *children;
    int64_t count;
} fur_family;

/* The last few families. A family is sorted only after some later families have been added. By then
 * the degrees of its children have arrived from memory. */
#define FUR_FAMILIES_LAG 8 /* a power of two */

typedef struct fur_families {
    const fur_graph *graph;
    uint64_t *items; /* space for twice the largest degree */
    fur_family waiting[FUR_FAMILIES_LAG];
    unsigned first;
    unsigned end;
} fur_families;

/* Adds a family. Until fur_families_finish its children may change their order within their
 * places. */
void fur_families_add(fur_families *families, int32_t *children, int64_t count);
void fur_families_finish(fur_families *families);

/* GCC removes calls of functions that only prefetch, because it sees no effect. Inlining prevents
 * this. */
#define FUR_PREFETCHES static inline __attribute__((always_inline))

FUR_PREFETCHES void fur_prefetch_offset(const fur_graph *g, int32_t v)
{
    if (g->offset_type == FUR_I32)
        __builtin_prefetch((const int32_t *)g->offsets + v);
    else
        __builtin_prefetch((const int64_t *)g->offsets + v);
}

#endif
