/* Relaxes an order to a smaller bandwidth.
 *
 * Consider a vertex at place p. Its neighbours and itself are at places lo .. hi. At the places
 * hi-t .. lo+t it would be within t of all of them. If hi-t > lo+t there is no such place. In each
 * sweep every vertex asks for the nearest of these places, or, if there is none, for the middle (lo
 * + hi)/2. All vertices are then sorted by the places that they ask for. Equal places keep the
 * current order.
 *
 * t begins far below the bandwidth and rises towards it, several times. At first nearly all
 * vertices move to their middle, later only the vertices that determine the bandwidth. */
#ifndef FURROW_REORDER_RELAX_H
#define FURROW_REORDER_RELAX_H

#include "reorder.h"

/* int32_t of a component's scratch for every vertex. */
#define FUR_RELAX_SCRATCH 6

/* The workspace of sweeps. */
typedef struct fur_relaxation {
    const fur_env *env;
    const fur_graph *graph;
    uint64_t *items;  /* the places, times two, that the vertices ask for */
    uint64_t *room;   /* space to sort the items */
    int32_t *present; /* the current order */
    int32_t *place;   /* place of each vertex in it */
    int parts;        /* parts of the sort */
    int32_t *counts;
} fur_relaxation;

/* The component's scratch belongs to the relaxation until fur_relaxation_close. */
fur_status fur_relaxation_open(const fur_component *component, fur_relaxation *out);
void fur_relaxation_close(fur_env *env, fur_relaxation *relaxation);

/* Makes the input's order of the component the current order. Returns its bandwidth. */
int64_t fur_relaxation_input(fur_relaxation *relaxation, const fur_component *component);

/* Sweeps from an order of the given bandwidth. Returns the best order found, and its bandwidth. No
 * order has a bandwidth less than `least`. */
void fur_relax(fur_relaxation *relaxation, int64_t least, int32_t *order, int64_t *bandwidth);

#endif
