/* The components of a graph. Each is found by one pass from its least vertex by (degree, index).
 * The graph can then be renumbered in the order of the passes, so that neighbours are close in
 * memory. */
#ifndef FURROW_REORDER_COMPONENTS_H
#define FURROW_REORDER_COMPONENTS_H

#include "pass.h"

/* A component of at least two vertices. */
typedef struct fur_span {
    int32_t begin; /* first place */
    int32_t end;   /* one past its last place */
    fur_pass pass;
} fur_span;

typedef struct fur_components {
    int32_t *order;   /* the vertex at each place */
    int64_t isolated; /* vertices without neighbours, which have the first places */
    int64_t count;    /* spans, which together have the other places */
    fur_span *spans;
    int64_t largest; /* vertices of the largest component */
} fur_components;

/* Requires a walk in which no vertex has been seen. Leaves it with the bits of all vertices set,
 * except isolated vertices. */
fur_status fur_components_create(fur_env *env, fur_pattern *pattern, fur_walk *walk,
                                 fur_components *out);
/* Accepts zeroed components. */
void fur_components_release(fur_env *env, fur_components *components);

/* The renumbered graph. The vertex at a place has the number place - begin of its component. */
typedef struct fur_renumbered {
    int64_t *offsets; /* by places */
    int32_t *neighbours;
    int32_t *rank;
} fur_renumbered;

fur_status fur_renumbered_create(fur_env *env, fur_pattern *pattern,
                                 const fur_components *components, fur_renumbered *out);
/* Accepts a zeroed argument. */
void fur_renumbered_release(fur_env *env, fur_renumbered *renumbered);

/* The graph of a component, as a part of those arrays. */
fur_graph fur_renumbered_graph(const fur_renumbered *renumbered, const fur_span *span);

#endif
