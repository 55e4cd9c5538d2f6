/* The components of a graph, found by one pass from the least vertex of each by (degree, index),
 * and the graph renumbered in that order, in which neighbours are close in memory. */
#ifndef FURROW_REORDER_COMPONENTS_H
#define FURROW_REORDER_COMPONENTS_H

#include "pass.h"

/* A component of two vertices or more. */
typedef struct fur_span {
    int32_t begin; /* its first place */
    int32_t end;   /* past its last */
    fur_pass pass;
} fur_span;

typedef struct fur_components {
    int32_t *order;   /* the vertex at each place */
    int64_t isolated; /* vertices without neighbours: the first places */
    int64_t count;    /* spans; together they are the other places */
    fur_span *spans;
    int64_t largest; /* vertices of the largest */
} fur_components;

/* Leaves the walk, which has seen nothing, with the bits of all but isolated vertices set. */
fur_status fur_components_create(fur_env *env, fur_pattern *pattern, fur_walk *walk,
                                 fur_components *out);
/* Accepts a zeroed one. */
void fur_components_release(fur_env *env, fur_components *components);

/* The graph, in which the vertex at a place has the number place - begin of its component. */
typedef struct fur_renumbered {
    int64_t *offsets; /* by places */
    int32_t *neighbours;
    int32_t *rank;
} fur_renumbered;

fur_status fur_renumbered_create(fur_env *env, fur_pattern *pattern,
                                 const fur_components *components, fur_renumbered *out);
/* Accepts a zeroed one. */
void fur_renumbered_release(fur_env *env, fur_renumbered *renumbered);

/* The graph of a component, a part of those arrays. */
fur_graph fur_renumbered_graph(const fur_renumbered *renumbered, const fur_span *span);

#endif
