/* The data of a context with shared vectors, for its reductions (furrow/author/sharing.h). */
#ifndef FURROW_KERNEL_SHARED_H
#define FURROW_KERNEL_SHARED_H

#include "bits.h"
#include "env.h"

#include <furrow/author/sharing.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of a leaf of a reduction, and the most lanes of a leaf (docs/numerics.md). */
#define FUR_LEAF_ROWS 32
#define FUR_LEAF_LANES 128
/* Entries of the smallest leaf, with values of type c128. It gives the most subtrees. */
#define FUR_LEAF_LEAST 1024

typedef struct fur_shared {
    fur_sharing with;  /* its bounds are the next member */
    int64_t *bounds;   /* bounds of all ranks */
    double *lanes;     /* lanes of a cut leaf, for all sums of one reduction */
    double *mine;      /* sums of subtrees that this rank sends */
    double *all;       /* sums of subtrees of all ranks */
    fur_status status; /* FUR_OK, or the status of the first failure; after it nothing is shared */
} fur_shared;

/* Refuses a vector whose size differs from this rank's part. */
static inline fur_status fur_shared_check(fur_env *env, const fur_shared *s, int64_t n)
{
    int64_t part = s->bounds[s->with.rank + 1] - s->bounds[s->with.rank];
    if (n == part)
        return FUR_OK;
    return fur_env_fail(
        env, FUR_UNSUPPORTED,
        "the vector has %lld entries, but this rank's part of the shared vectors has %lld",
        (long long)n, (long long)part);
}

/* The first leaf that belongs to this rank or a later one. A leaf belongs to the rank that has its
 * last entry. */
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

/* The number of complete subtrees that cover leaves first .. last-1. Between first and last lies
 * a turning point: the bound of the largest subtree that begins or ends there. Up to it the
 * subtrees have the sizes of the bits of the distance, in rising order. Beyond it they are in
 * falling order. */
FUR_ANYWHERE int fur_subtree_count(int64_t first, int64_t last)
{
    if (first >= last)
        return 0;
    int level = fur_highest_bit((uint64_t)(first ^ last));
    int64_t turn = last >> level << level;
    return fur_count_bits((uint64_t)(turn - first)) + fur_count_bits((uint64_t)(last - turn));
}

/* The most subtrees of a rank, which is the number of sums that each rank sends. */
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

/* A mailbox (furrow/author/sharing.h) consists of words of 16 bytes. Its first word is its own.
 * Then follow the words of the sums that one reduction sends, for two turns, each channel and each
 * rank. Last are the words of the lanes of a leaf that a bound cuts, for two turns and each
 * channel. */
#define FUR_MAIL_BYTES 16
#define FUR_MAIL_CHANNELS 8
#define FUR_MAIL_SUMS 8                     /* the most parts of a subtree's sum */
#define FUR_MAIL_LANES (4 * FUR_LEAF_LANES) /* a lane's sum has at most 4 parts */

/* The number of words for one rank, turn and channel. */
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
