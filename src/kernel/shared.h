/* What a context with shared vectors keeps for its reductions (furrow/sharing.h). */
#ifndef FURROW_KERNEL_SHARED_H
#define FURROW_KERNEL_SHARED_H

#include <furrow/sharing.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of a leaf of a reduction, and the most lanes that it has (docs/numerics.md). */
#define FUR_LEAF_ROWS 32
#define FUR_LEAF_LANES 128

typedef struct fur_shared {
    fur_sharing with;  /* its bounds are the following */
    int64_t *bounds;   /* of all ranks */
    double *lanes;     /* of a cut leaf, for as many sums as one reduction has */
    double *mine;      /* the sums of subtrees that this rank sends */
    double *all;       /* and those of all ranks */
    fur_status status; /* FUR_OK, or of the first failure: nothing is shared any more */
} fur_shared;

/* The first leaf that does not belong to the ranks before a bound: a leaf belongs to the rank that
 * has its last entry. */
static inline int64_t fur_shared_leaf(const fur_shared *s, int rank, int64_t leaf_entries)
{
    int64_t bound = s->bounds[rank];
    return bound == s->bounds[s->with.ranks] ? (bound + leaf_entries - 1) / leaf_entries
                                             : bound / leaf_entries;
}

/* The level of the largest complete subtree that begins with leaf `first` and ends before `last`,
 * at most `most`. */
static inline int fur_subtree_level(int64_t first, int64_t last, int most)
{
    int level = 0;
    while (level < most && (first >> level & 1) == 0 && first + (INT64_C(2) << level) <= last)
        level++;
    return level;
}

/* How many complete subtrees leaves first .. last-1 are. */
static inline int fur_subtree_count(int64_t first, int64_t last)
{
    int count = 0;
    for (; first < last; count++)
        first += INT64_C(1) << fur_subtree_level(first, last, 61);
    return count;
}

/* The most subtrees that a rank has, and so sends for each sum. */
static inline int fur_shared_most(const fur_shared *s, int64_t leaf_entries)
{
    int most = 1;
    for (int rank = 0; rank < s->with.ranks; rank++) {
        int count = fur_subtree_count(fur_shared_leaf(s, rank, leaf_entries),
                                      fur_shared_leaf(s, rank + 1, leaf_entries));
        most = count > most ? count : most;
    }
    return most;
}

#ifdef __cplusplus
}
#endif
#endif
