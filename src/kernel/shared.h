/* What a context with shared vectors keeps for its reductions (furrow/author/sharing.h). */
#ifndef FURROW_KERNEL_SHARED_H
#define FURROW_KERNEL_SHARED_H

#include "bits.h"
#include "env.h"

#include <furrow/author/sharing.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of a leaf of a reduction, and the most lanes that it has (docs/numerics.md). */
#define FUR_LEAF_ROWS 32
#define FUR_LEAF_LANES 128
/* Entries of the smallest leaf, which has the most subtrees: of c128. */
#define FUR_LEAF_LEAST 1024

typedef struct fur_shared {
    fur_sharing with;  /* its bounds are the following */
    int64_t *bounds;   /* of all ranks */
    double *lanes;     /* of a cut leaf, for as many sums as one reduction has */
    double *mine;      /* the sums of subtrees that this rank sends */
    double *all;       /* and those of all ranks */
    fur_status status; /* FUR_OK, or of the first failure: nothing is shared any more */
} fur_shared;

/* Refuses a vector whose size is not that of this rank's part. */
static inline fur_status fur_shared_check(fur_env *env, const fur_shared *s, int64_t n)
{
    int64_t part = s->bounds[s->with.rank + 1] - s->bounds[s->with.rank];
    if (n == part)
        return FUR_OK;
    return fur_env_fail(
        env, FUR_UNSUPPORTED,
        "a vector of %lld entries is not one that the context shares: its part has %lld",
        (long long)n, (long long)part);
}

/* The first leaf that does not belong to the ranks before a bound: a leaf belongs to the rank that
 * has its last entry. */
FUR_ANYWHERE int64_t fur_shared_leaf(const fur_shared *s, int rank, int64_t leaf_entries)
{
    int64_t bound = s->bounds[rank];
    return bound == s->bounds[s->with.ranks] ? (bound + leaf_entries - 1) / leaf_entries
                                             : bound / leaf_entries;
}

/* The level of the largest complete subtree that begins with leaf `first` and ends before `last`,
 * at most `most`. */
FUR_ANYWHERE int fur_subtree_level(int64_t first, int64_t last, int most)
{
    int aligned = first == 0 ? most : fur_lowest_bit((uint64_t)first);
    int fitting = last - first < 2 ? 0 : fur_highest_bit((uint64_t)(last - first));
    int level = aligned < fitting ? aligned : fitting;
    return level < most ? level : most;
}

/* How many complete subtrees leaves first .. last-1 are. Up to the bound of the largest subtree
 * that ends or begins within, they have the sizes of the bits of that distance, rising; and falling
 * from there on. */
FUR_ANYWHERE int fur_subtree_count(int64_t first, int64_t last)
{
    if (first >= last)
        return 0;
    int level = fur_highest_bit((uint64_t)(first ^ last));
    int64_t turn = last >> level << level;
    return fur_count_bits((uint64_t)(turn - first)) + fur_count_bits((uint64_t)(last - turn));
}

/* The most subtrees that a rank has, and so sends for each sum. */
FUR_ANYWHERE int fur_shared_most(const fur_shared *s, int64_t leaf_entries)
{
    int most = 1;
    for (int rank = 0; rank < s->with.ranks; rank++) {
        int count = fur_subtree_count(fur_shared_leaf(s, rank, leaf_entries),
                                      fur_shared_leaf(s, rank + 1, leaf_entries));
        most = count > most ? count : most;
    }
    return most;
}

/* A mailbox (furrow/author/sharing.h): words of 16 bytes. After one of its own, for two turns, each
 * channel and each rank, the words of the sums that one reduction sends; after them, for two turns
 * and each channel, those of the lanes of a leaf that a bound cuts. */
#define FUR_MAIL_BYTES 16
#define FUR_MAIL_CHANNELS 8
#define FUR_MAIL_SUMS 8                     /* parts of a subtree's sum, at most */
#define FUR_MAIL_LANES (4 * FUR_LEAF_LANES) /* a lane's sum has 4 parts at most */

/* The words of a rank, turn and channel. */
FUR_ANYWHERE int64_t fur_box_share(int64_t most)
{
    return most * FUR_MAIL_SUMS;
}

static inline int64_t fur_box_words(const fur_shared *s)
{
    return 1 +
           INT64_C(2) * FUR_MAIL_CHANNELS *
               (s->with.ranks * fur_box_share(fur_shared_most(s, FUR_LEAF_LEAST)) + FUR_MAIL_LANES);
}

#ifdef __cplusplus
}
#endif
#endif
