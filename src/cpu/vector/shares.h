/* Reductions of shared vectors (furrow/author/sharing.h). Each rank adds up the leaves that end in
 * its part, as complete subtrees of the whole vector's tree. Then every rank adds the subtrees of
 * all ranks in the order of the tree. If a leaf lies on several ranks, these add it one after the
 * other, and pass its lanes on. */
#ifndef FURROW_CPU_SHARES_H
#define FURROW_CPU_SHARES_H

#include "fold.h"
#include "leaves.h"
#include "shared.h"

/* The most subtrees, in addition to the blocks, that the ends of a range are cut into. */
#define MAX_ENDS 128

/* Complete subtrees side by side, from left to right. Two siblings are merged into one. */
typedef struct forest {
    pair_combine combine;
    int depth;
    int level[MAX_ENDS];
    int64_t first[MAX_ENDS]; /* leaf */
    pair sum[MAX_ENDS];
} forest;

static inline void forest_push(forest *f, int64_t first, int level, pair sum)
{
    while (f->depth > 0 && f->level[f->depth - 1] == level && (first >> level & 1) == 1) {
        f->depth--;
        first = f->first[f->depth];
        sum = f->combine(f->sum[f->depth], sum);
        level++;
    }
    f->level[f->depth] = level;
    f->first[f->depth] = first;
    f->sum[f->depth++] = sum;
}

/* The sum of all subtrees, if they form one whole tree. Subtrees without a sibling move up. */
static inline pair forest_root(const forest *f)
{
    if (f->depth == 0)
        return (pair){0, 0};
    pair sum = f->sum[f->depth - 1];
    for (int i = f->depth - 2; i >= 0; i--)
        sum = f->combine(f->sum[i], sum);
    return sum;
}

static inline fur_status shared_status(const fur_env *env)
{
    return env->shared ? env->shared->status : FUR_OK;
}

/* Complete subtrees that the threads walk; subtree i has leaves start[i] .. start[i+1]-1. */
typedef struct subtrees {
    const reduction *r;
    int results;
    int64_t *start;
    pair *sums;
} subtrees;

static inline void walk_subtrees(void *job, int64_t begin, int64_t end)
{
    const subtrees *s = job;
    for (int64_t i = begin; i < end; i++) {
        pair *sums = s->sums + i * s->results;
        if (s->r->leaf_of_many)
            walk_block_of_many(s->r, s->start[i], s->start[i + 1], sums);
        else
            *sums = walk_block(s->r, s->start[i], s->start[i + 1]);
    }
}

/* Adds the whole leaves first .. last-1 of this part to one forest for each result. */
static inline void walk_leaves(const fur_env *env, const reduction *r, int results, int64_t first,
                               int64_t last, forest *forests)
{
    pair sums[MAX_SUMS + MAX_ENDS * FUR_MANY_MAX];
    int64_t start[MAX_BLOCKS + MAX_ENDS + 1] = {first};
    subtrees s = {r, results, start, sums};
    int64_t worth = (last - first) * results / LEAF_GRAIN;
    bool alone = fur_lanes(env->threads, worth) == 1;
    int64_t most = alone ? 1 : fur_smaller(MAX_BLOCKS, MAX_SUMS / results);
    int64_t count = 0;
    int level = 0;
    while ((last - first) >> level > most)
        level++;
    for (; first < last; count++) {
        first += INT64_C(1) << fur_subtree_level(first, last, level);
        start[count + 1] = first;
    }
    fur_parallel(env, worth, count, walk_subtrees, &s);
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < results; k++)
            forest_push(&forests[k], start[i], fur_subtree_level(start[i], start[i + 1], 61),
                        sums[i * results + k]);
}

/* Adds entries begin .. end-1 of this part, all of one leaf, to its lanes. Each result has its
 * lanes of re, then its lanes of im. */
static inline void add_to_lanes(const reduction *r, int results, int64_t begin, int64_t end,
                                double *lanes)
{
    int64_t row = r->leaf_entries / FUR_LEAF_ROWS;
    int64_t at = (r->before + begin) % row;
    int64_t full = at == 0 ? begin : fur_smaller(end, begin + row - at);
    for (int k = 0; k < results; k++) {
        double *re = lanes + 2 * k * row;
        if (begin < full)
            r->lanes(r, k, begin, full, re + at, re + row + at);
        if (full < end)
            r->lanes(r, k, full, end, re, re + row);
    }
}

/* The next rank in a direction that has entries. */
static inline int neighbour(const fur_shared *s, int direction)
{
    int rank = s->with.rank + direction;
    while (s->bounds[rank] == s->bounds[rank + 1])
        rank += direction;
    return rank;
}

/* Receives the lanes of the leaf in which this part begins from the rank before. At the beginning
 * of a leaf the lanes are 0. */
static inline fur_status take_lanes(const fur_shared *s, const reduction *r, size_t bytes)
{
    if (r->before % r->leaf_entries == 0) {
        memset(s->lanes, 0, bytes);
        return FUR_OK;
    }
    return s->with.receive(s->with.user, neighbour(s, -1), s->lanes, bytes);
}

/* Adds the leaves that end in this part to the forests. The lanes of a leaf that continues on the
 * next rank are sent to it. They are sent first if they need nothing from other ranks. */
static inline fur_status walk_part(const fur_env *env, const reduction *r, int results,
                                   forest *forests)
{
    const fur_shared *s = env->shared;
    int row = (int)(r->leaf_entries / FUR_LEAF_ROWS);
    size_t bytes = (size_t)(2 * results * row) * sizeof(double);
    int64_t first = fur_shared_leaf(s, s->with.rank, r->leaf_entries);
    int64_t last = fur_shared_leaf(s, s->with.rank + 1, r->leaf_entries);
    bool enters = r->before % r->leaf_entries != 0;
    bool leaves = r->n > leaf_begin(r, last);
    if (r->n == 0)
        return FUR_OK;
    if (leaves && (first < last || !enters)) {
        memset(s->lanes, 0, bytes);
        add_to_lanes(r, results, leaf_begin(r, last), r->n, s->lanes);
        FUR_TRY(s->with.send(s->with.user, neighbour(s, 1), s->lanes, bytes));
    } else if (leaves) {
        FUR_TRY(take_lanes(s, r, bytes));
        add_to_lanes(r, results, 0, r->n, s->lanes);
        return s->with.send(s->with.user, neighbour(s, 1), s->lanes, bytes);
    }
    if (enters) {
        FUR_TRY(take_lanes(s, r, bytes));
        add_to_lanes(r, results, 0, leaf_end(r, first), s->lanes);
        for (int k = 0; k < results; k++) {
            double *re = s->lanes + (int64_t)2 * k * row;
            double sum = fold(re, row);
            forest_push(&forests[k], first, 0, (pair){sum, fold(re + row, row)});
        }
    }
    walk_leaves(env, r, results, first + enters, last, forests);
    return FUR_OK;
}

/* Gathers the subtrees of all ranks, and adds up the sums of the whole. */
static inline fur_status gather_forests(const fur_shared *s, const reduction *r, int results,
                                        const forest *forests, pair *out)
{
    int most = fur_shared_most(s, r->leaf_entries);
    pair *mine = (pair *)s->mine;
    for (int k = 0; k < results; k++)
        for (int i = 0; i < most; i++)
            mine[k * most + i] = i < forests[k].depth ? forests[k].sum[i] : (pair){0, 0};
    FUR_TRY(s->with.gather(s->with.user, mine, (size_t)(results * most) * sizeof *mine, s->all));
    for (int k = 0; k < results; k++) {
        forest f = {.combine = r->combine};
        for (int rank = 0; rank < s->with.ranks; rank++) {
            int64_t leaf = fur_shared_leaf(s, rank, r->leaf_entries);
            int64_t end = fur_shared_leaf(s, rank + 1, r->leaf_entries);
            const pair *all = (const pair *)s->all + ((int64_t)rank * results + k) * most;
            for (int i = 0; leaf < end; i++) {
                int level = fur_subtree_level(leaf, end, 61);
                forest_push(&f, leaf, level, all[i]);
                leaf += INT64_C(1) << level;
            }
        }
        out[k] = forest_root(&f);
    }
    return FUR_OK;
}

/* Reduces results whose order does not matter: one result from each rank. */
static inline fur_status reduce_unordered(const fur_env *env, const reduction *r, pair *out)
{
    const fur_shared *s = env->shared;
    pair sums[MAX_BLOCKS];
    pair mine;
    const pair *all = (const pair *)s->all;
    walk_into(env, r, 1, sums, &mine);
    FUR_TRY(s->with.gather(s->with.user, &mine, sizeof mine, s->all));
    *out = all[0];
    for (int rank = 1; rank < s->with.ranks; rank++)
        *out = r->combine(*out, all[rank]);
    return FUR_OK;
}

static inline fur_status reduce_ordered(const fur_env *env, const reduction *part, int results,
                                        pair *out)
{
    forest forests[FUR_MANY_MAX];
    reduction r = *part;
    r.before = env->shared->bounds[env->shared->with.rank];
    for (int k = 0; k < results; k++) {
        forests[k].combine = r.combine;
        forests[k].depth = 0;
    }
    FUR_TRY(walk_part(env, &r, results, forests));
    return gather_forests(env->shared, &r, results, forests, out);
}

/* Sets the status of the sharing. If it fails, the results are NaN. */
static inline void reduce_shared(fur_env *env, const reduction *r, int results, pair *out)
{
    fur_shared *s = env->shared;
    if (s->status == FUR_OK)
        s->status = fur_shared_check(env, s, r->n);
    if (s->status == FUR_OK)
        s->status = r->lanes ? reduce_ordered(env, r, results, out) : reduce_unordered(env, r, out);
    for (int k = 0; s->status != FUR_OK && k < results; k++)
        out[k] = (pair){NAN, NAN};
}

static inline pair reduce(fur_env *env, const reduction *r)
{
    pair sum;
    if (!env->shared)
        return walk(env, r);
    reduce_shared(env, r, 1, &sum);
    return sum;
}

static inline void reduce_many(fur_env *env, const reduction *r, pair *out)
{
    if (env->shared)
        reduce_shared(env, r, r->many->count, out);
    else
        walk_many(env, r, out);
}

#endif
