/* One pass of Cuthill and McKee (1969): breadth first from a root, each vertex's children, its
 * neighbours that have no number yet, numbered by (degree, index). */
#ifndef FURROW_REORDER_PASS_H
#define FURROW_REORDER_PASS_H

#include "reorder.h"

#include <stdalign.h>

/* Two lines, as processors fetch lines in pairs. */
#define FUR_LANES_APART 128

/* The working memory for a part of a level, which is a thread's. */
typedef struct fur_lane {
    alignas(FUR_LANES_APART) uint64_t *seen; /* a bit a vertex */
    uint64_t *items;                         /* room to sort the children of one vertex */
    /* Where there are others: up to which place of the queue the bits tell what has a number; */
    int64_t known;
    /* the part, in the queue or in `kept`, and its place in the queue; */
    const int32_t *part;
    int64_t count;
    int64_t place;
    /* the children found, and of each the parent's index in the part. Other lanes read what was
     * found before, while this one finds more; */
    int32_t *found[2];
    int32_t *parents;
    int64_t found_count[2];
    /* those children that no lane before has found, and the largest difference of the index of one
     * from its parent's. */
    int32_t *kept;
    int64_t kept_count;
    int64_t reach;
} fur_lane;

#define FUR_LANES_MAX 8

/* The state of passes over a graph. A pass inverts the bits of its component's vertices in the
 * first lane, so that nothing is cleared between two passes: before each they are all 0, or all 1.
 */
typedef struct fur_walk {
    const fur_env *env;
    const fur_graph *graph;
    int parts; /* of a wide level */
    fur_lane lanes[FUR_LANES_MAX];
} fur_walk;

/* All bits are 0. */
fur_status fur_walk_open(fur_env *env, const fur_pattern *pattern, fur_walk *out);
void fur_walk_close(fur_env *env, fur_walk *walk);

/* Writes the component of a root to queue, which has room for one vertex more. When the bandwidth
 * has reached `limit` it ends, with the bits as they were before. Returns the vertices written. */
int64_t fur_walk_pass(fur_walk *walk, int32_t root, int64_t limit, int32_t *queue, fur_pass *out);

/* A pass over a component into its scratch, which becomes the order if it is better. One that does
 * not come to all vertices has no levels: it was left at the limit; or the pattern is unsymmetric,
 * against what its hash says. */
fur_pass fur_try_root(const fur_component *c, int32_t root, int64_t limit,
                      fur_component_order *out);

/* The least vertex, by (degree, index), of the last level of a pass, which has made this order. */
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
