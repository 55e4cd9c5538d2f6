/* One pass of Cuthill and McKee (1969): a breadth-first search from a root. The children of a
 * vertex are its neighbours without a number. They are numbered by (degree, index). */
#ifndef FURROW_REORDER_PASS_H
#define FURROW_REORDER_PASS_H

#include "reorder.h"

#include <stdalign.h>

/* Two cache lines, because processors fetch lines in pairs. */
#define FUR_LANES_APART 128

/* The workspace of a thread, for its part of a level. */
typedef struct fur_lane {
    alignas(FUR_LANES_APART) uint64_t *seen; /* one bit for each vertex */
    uint64_t *items;                         /* space to sort the children of one vertex */
    /* If there are several lanes: the place in the queue up to which the bits are up to date. */
    int64_t known;
    /* The part, in the queue or in `kept`, and its place in the queue. */
    const int32_t *part;
    int64_t count;
    int64_t place;
    /* The children found, and the index of each child's parent in the part. While this lane finds
     * children, other lanes read the list of the level before. */
    int32_t *found[2];
    int32_t *parents;
    int64_t found_count[2];
    /* The children that no earlier lane has found, and the largest difference between the index of
     * a child and the index of its parent. */
    int32_t *kept;
    int64_t kept_count;
    int64_t reach;
} fur_lane;

#define FUR_LANES_MAX 8

/* The state of passes over a graph. A pass inverts the bits of its component's vertices in the
 * first lane. Nothing is cleared between two passes: before each pass the bits are all 0, or all
 * 1. */
typedef struct fur_walk {
    const fur_env *env;
    const fur_graph *graph;
    int parts; /* number of parts of a wide level */
    fur_lane lanes[FUR_LANES_MAX];
} fur_walk;

/* Makes a walk whose bits are all 0. */
fur_status fur_walk_open(fur_env *env, const fur_pattern *pattern, fur_walk *out);
void fur_walk_close(fur_env *env, fur_walk *walk);

/* Writes the component of a root to queue, which has space for one more vertex. If the bandwidth
 * reaches `limit`, the pass ends and restores the bits. Returns the number of vertices written. */
int64_t fur_walk_pass(fur_walk *walk, int32_t root, int64_t limit, int32_t *queue, fur_pass *out);

/* Runs a pass over a component into its scratch. If the order is better, it becomes the order. A
 * pass that does not reach all vertices has 0 levels. It was stopped at the limit, or the pattern
 * is unsymmetric although its hash is symmetric. */
fur_pass fur_try_root(const fur_component *c, int32_t root, int64_t limit,
                      fur_component_order *out);

/* The least vertex, by (degree, index), of the last level of the pass that made this order. */
int32_t fur_pass_far_end(const fur_component *c, const int32_t *order, const fur_pass *pass);

static inline uint64_t fur_bit(const uint64_t *bits, int32_t v)
{
    return bits[v >> 6] >> (v & 63) & 1;
}

static inline void fur_bit_invert(uint64_t *bits, int32_t v)
{
    bits[v >> 6] ^= UINT64_C(1) << (v & 63);
}

#endif
