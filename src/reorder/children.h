/* The children of a vertex, in the order of Cuthill and McKee. */
#ifndef FURROW_REORDER_CHILDREN_H
#define FURROW_REORDER_CHILDREN_H

#include "graph.h"

/* Children of one parent that are not sorted yet. */
typedef struct fur_family {
    int32_t *children;
    int64_t count;
} fur_family;

/* The last few families: a family is sorted when some others have come after it, so that the
 * degrees of its children have come from memory by then. */
#define FUR_FAMILIES_LAG 8 /* a power of two */

typedef struct fur_families {
    const fur_graph *graph;
    uint64_t *items; /* room for twice the largest degree */
    fur_family waiting[FUR_FAMILIES_LAG];
    unsigned first;
    unsigned end;
} fur_families;

/* Takes a family in; its children move until fur_families_finish, but not from their places. */
void fur_families_add(fur_families *families, int32_t *children, int64_t count);
void fur_families_finish(fur_families *families);

/* GCC takes a function that only prefetches for one without effect, and leaves calls to it out,
 * unless it has been inlined before. */
#define FUR_PREFETCHES static inline __attribute__((always_inline))

FUR_PREFETCHES void fur_prefetch_offset(const fur_graph *g, int32_t v)
{
    if (g->offset_type == FUR_I32)
        __builtin_prefetch((const int32_t *)g->offsets + v);
    else
        __builtin_prefetch((const int64_t *)g->offsets + v);
}

#endif
