/* The contract between fur_reorder and its methods: a method is one file that defines one
 * descriptor and one line in methods.def. It sees one connected component at a time; what is common
 * to all methods is done in reorder.c: checks, the graph, its components, the fallback to the
 * input's order, the reversal and the report. */
#ifndef FURROW_REORDER_REORDER_H
#define FURROW_REORDER_REORDER_H

#include "graph.h"
#include "kernel.h"

#include <furrow/reorder.h>

/* A pass of Cuthill and McKee's order over a component: how many levels it has, where the last one
 * begins, and the bandwidth of the order. */
typedef struct fur_pass {
    int32_t levels;
    int32_t last_level;
    int32_t bandwidth;
} fur_pass;

/* A connected component of two vertices or more. Either graph is that of the whole matrix; or, if
 * the method wants it so, only this component, numbered in the order of Cuthill and McKee from its
 * vertex of least (degree, index), so that neighbours are close in memory. */
typedef struct fur_component {
    fur_env *env;
    fur_graph graph;
    int64_t vertices;        /* of the component */
    const int32_t *index;    /* if renumbered: the row of the matrix that each vertex stands for */
    fur_pass first;          /* of the order that is there on entry */
    int64_t edges;           /* of the whole graph, each counted from both ends */
    int64_t input_bandwidth; /* of the whole matrix as it was given */
    struct fur_walk *walk;   /* over the graph, the component's vertices not seen: see pass.h */
    /* As many int32_t as the method asked for, for every vertex of the matrix and one more; not
     * cleared. */
    int32_t *scratch;
} fur_component;

/* The result of a method. */
typedef struct fur_component_order {
    /* The vertex at each place; on entry from the pass whose root has the least (degree, index). */
    int32_t *order;
    bool better; /* than the input's order, by what the method is after */
    int64_t bandwidth;
} fur_component_order;

typedef struct fur_reorder_entry {
    fur_method_info info;
    bool reversed;   /* the order of the whole matrix is turned round at the end */
    bool renumbered; /* wants components renumbered */
    int64_t scratch; /* int32_t for every vertex */
    fur_status (*run)(const fur_component *component, fur_component_order *out);
    /* The same order, whole, from a device that has it; NULL: the host's alone. */
    fur_order_service *(*service)(const fur_order_services *device);
} fur_reorder_entry;

#endif
