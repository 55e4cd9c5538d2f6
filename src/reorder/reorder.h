/* The interface between fur_reorder and its methods. A method is one file that defines one
 * descriptor, and one line in methods.def. It sees one connected component at a time. reorder.c has
 * the code common to all methods: checks, the graph, its components, the fallback to the input's
 * order, the reversal and the report. */
#ifndef FURROW_REORDER_REORDER_H
#define FURROW_REORDER_REORDER_H

#include "graph.h"
#include "kernel.h"

#include <furrow/reorder.h>

/* A pass of Cuthill and McKee's order over a component: the number of its levels, the beginning of
 * the last level, and the bandwidth of the order. */
typedef struct fur_pass {
    int32_t levels;
    int32_t last_level;
    int32_t bandwidth;
} fur_pass;

/* A connected component of at least two vertices. The graph is either the whole matrix's graph, or
 * only this component, if the method wants this. The component is then numbered in the order of
 * Cuthill and McKee from its least vertex by (degree, index), so that neighbours are close in
 * memory. */
typedef struct fur_component {
    fur_env *env;
    fur_graph graph;
    int64_t vertices;        /* vertices of the component */
    const int32_t *index;    /* if renumbered: the row of the matrix for each vertex */
    fur_pass first;          /* the pass of the order that is given on entry */
    int64_t edges;           /* edges of the whole graph, each counted from both ends */
    int64_t input_bandwidth; /* bandwidth of the whole matrix as given */
    /* a walk over the graph in which the component's vertices are not seen: see pass.h */
    struct fur_walk *walk;
    /* Workspace, not cleared. For every vertex of the matrix, and one more, it has as many int32_t
     * as the method's `scratch`. */
    int32_t *scratch;
} fur_component;

/* The result of a method. */
typedef struct fur_component_order {
    /* The vertex at each place. On entry it is the pass whose root is least by (degree, index). */
    int32_t *order;
    bool better; /* better than the input's order, by the method's criterion */
    int64_t bandwidth;
} fur_component_order;

typedef struct fur_reorder_entry {
    fur_method_info info;
    bool reversed;   /* the whole matrix's order is reversed at the end */
    bool renumbered; /* the method wants components renumbered */
    int64_t scratch; /* int32_t of workspace for every vertex */
    fur_status (*run)(const fur_component *component, fur_component_order *out);
    /* Computes the whole order on a device that supports it. NULL: only on the host. */
    fur_order_service *(*service)(const fur_order_services *device);
} fur_reorder_entry;

#endif
