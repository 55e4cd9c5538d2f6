/* Relaxation of an order to a smaller bandwidth.
 *
 * A vertex at place p, whose neighbours and itself are at places lo .. hi, is within t of all of
 * them at the places hi-t .. lo+t, or at none. In each sweep every vertex asks for the nearest of
 * these places, or for the middle (lo + hi)/2, and all are sorted by what they ask for, in their
 * present order where that is equal. t begins far below the bandwidth and rises towards it, again
 * and again: first nearly all move to their middle, then only those that stretch the band. */
#ifndef FURROW_REORDER_RELAX_H
#define FURROW_REORDER_RELAX_H

#include "reorder.h"

/* int32_t of a component's scratch for every vertex. */
#define FUR_RELAX_SCRATCH 6

/* The working memory of sweeps. */
typedef struct fur_relaxation {
    const fur_env *env;
    const fur_graph *graph;
    uint64_t *items;  /* what the vertices ask for, in twice places */
    uint64_t *room;   /* to sort them */
    int32_t *present; /* the order in work */
    int32_t *place;   /* of each vertex in it */
    int parts;        /* that they are sorted in */
    int32_t *counts;
} fur_relaxation;

/* The component's scratch belongs to the relaxation until it is closed. */
fur_status fur_relaxation_open(const fur_component *component, fur_relaxation *out);
void fur_relaxation_close(fur_env *env, fur_relaxation *relaxation);

/* The bandwidth of the input's order of the component, which becomes the one in work. */
int64_t fur_relaxation_input(fur_relaxation *relaxation, const fur_component *component);

/* Sweeps from an order of the given bandwidth; leaves the best of the orders found, and its
 * bandwidth. No order has one below `least`. */
void fur_relax(fur_relaxation *relaxation, int64_t least, int32_t *order, int64_t *bandwidth);

#endif
