/* The leaves of a reduction, and the threads that add them up.
 *
 * Threads take blocks of 2^k leaves. Each block is a complete subtree of docs/numerics.md. The
 * result therefore depends neither on the size of the blocks nor on the thread that adds a
 * block. */
#ifndef FURROW_CPU_LEAVES_H
#define FURROW_CPU_LEAVES_H

#include "kernel.h"
#include "split.h"
#include "team.h"
#include "tree.h"

#define LEAF_BYTES 16384
#define ROW_BYTES 512

/* Enough blocks to balance many threads, and few enough to keep their sums on the stack. */
#define MAX_BLOCKS 1024
#define MAX_SUMS (4 * MAX_BLOCKS)
#define LEAF_GRAIN 4

/* The operands of a leaf function. Members that an operation does not use are 0. */
typedef struct reduction {
    int64_t n;
    int64_t leaf_entries;
    int64_t before; /* entries of the whole vector before this part */
    const void *x;
    const void *y;
    void *out;
    fur_scalar alpha;
    fur_scalar constant;  /* replaces the entries of y */
    const fur_many *many; /* additional vectors, or a replacement for x, or NULL */
    const fur_many *with; /* replaces y: one vector for each of `many`, or NULL */
    bool streams;         /* the vectors are larger than the cache */
    double scale;
    /* The result for entries begin .. end-1, which are one leaf. leaf_of_many: the results of
     * several vectors. */
    pair (*leaf)(const struct reduction *r, int64_t begin, int64_t end);
    void (*leaf_of_many)(const struct reduction *r, int64_t begin, int64_t end, pair *out);
    /* Adds entries of one leaf to the lanes of result k. The first entry belongs to the first lane.
     * Results are added in order of k. NULL: the order does not matter. */
    void (*lanes)(const struct reduction *r, int k, int64_t begin, int64_t end, double *re,
                  double *im);
    pair_combine combine;
} reduction;

/* The first entry of a leaf of the whole vector, counted from the beginning of this part. */
static inline int64_t leaf_begin(const reduction *r, int64_t leaf)
{
    return leaf * r->leaf_entries - r->before;
}

static inline int64_t leaf_end(const reduction *r, int64_t leaf)
{
    return fur_smaller(r->n, leaf_begin(r, leaf + 1));
}

static inline pair walk_block(const reduction *r, int64_t first, int64_t last)
{
    tree t;
    tree_begin(&t, r->combine);
    for (int64_t leaf = first; leaf < last; leaf++)
        tree_push(&t, r->leaf(r, leaf_begin(r, leaf), leaf_end(r, leaf)));
    return tree_root(&t);
}

/* As above, for many->count results. */
static inline void walk_block_of_many(const reduction *r, int64_t first, int64_t last, pair *out)
{
    const int count = r->many->count;
    tree trees[FUR_MANY_MAX];
    for (int k = 0; k < count; k++)
        tree_begin(&trees[k], r->combine);
    for (int64_t leaf = first; leaf < last; leaf++) {
        pair sums[FUR_MANY_MAX];
        r->leaf_of_many(r, leaf_begin(r, leaf), leaf_end(r, leaf), sums);
        for (int k = 0; k < count; k++)
            tree_push(&trees[k], sums[k]);
    }
    for (int k = 0; k < count; k++)
        out[k] = tree_root(&trees[k]);
}

/* Blocks of leaves. The sums of a block follow the sums of the block before. */
typedef struct blocks {
    const reduction *r;
    int64_t leaves;
    int64_t block;
    pair *sums;
} blocks;

static inline void walk_blocks(void *job, int64_t begin, int64_t end)
{
    const blocks *b = job;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = i * b->block;
        int64_t last = fur_smaller(b->leaves, first + b->block);
        if (b->r->leaf_of_many)
            walk_block_of_many(b->r, first, last, b->sums + i * b->r->many->count);
        else
            b->sums[i] = walk_block(b->r, first, last);
    }
}

/* `sums` has space for MAX_BLOCKS blocks; for several results, for MAX_SUMS sums in all. */
static inline void walk_into(const fur_env *env, const reduction *r, int results, pair *sums,
                             pair *out)
{
    blocks b = {.r = r, .block = 1, .sums = sums};
    int64_t vectors = r->many ? r->many->count : 1;
    b.leaves = (r->n + r->leaf_entries - 1) / r->leaf_entries;
    int64_t worth = b.leaves * vectors / LEAF_GRAIN;
    bool alone = fur_lanes(env->threads, worth) == 1;
    int64_t most = alone ? 1 : fur_smaller(MAX_BLOCKS, MAX_SUMS / results);
    while (b.leaves > b.block * most)
        b.block *= 2;
    int64_t count = (b.leaves + b.block - 1) / b.block;
    fur_parallel(env, worth, count, walk_blocks, &b);

    for (int k = 0; k < results; k++) {
        tree t;
        tree_begin(&t, r->combine);
        for (int64_t i = 0; i < count; i++)
            tree_push(&t, sums[i * results + k]);
        out[k] = tree_root(&t);
    }
}

static inline pair walk(const fur_env *env, const reduction *r)
{
    pair sums[MAX_BLOCKS];
    pair sum;
    walk_into(env, r, 1, sums, &sum);
    return sum;
}

static inline void walk_many(const fur_env *env, const reduction *r, pair *out)
{
    pair sums[MAX_SUMS];
    walk_into(env, r, r->many->count, sums, out);
}

#endif
