/* The graph that a square matrix is ordered by: a vertex for each row, an edge between i and j != i
 * where A(i, j) or A(j, i) is stored. */
#ifndef FURROW_REORDER_GRAPH_H
#define FURROW_REORDER_GRAPH_H

#include "env.h"
#include "kernel.h"

#include <stdbool.h>

/* Vertex v has its neighbours at offsets[v] .. offsets[v+1]-1, each once. */
typedef struct fur_graph {
    int64_t vertices;
    fur_offset_type offset_type;
    const void *offsets; /* vertices + 1 of int32_t or int64_t */
    const int32_t *neighbours;
    /* The neighbours of v, v itself not counted. NULL: those of all vertices but `loops`, which is
     * 1 if every vertex is stored among its own neighbours and 0 if none is. */
    const int32_t *degree;
    int loops;
    /* Vertices that come in question are compared by (degree, index), index that of the row of the
     * matrix. Where vertices are renumbered, rank[v] is the place of v in that order of all; NULL:
     * they are not. */
    const int32_t *rank;
} fur_graph;

static inline int64_t fur_graph_begin(const fur_graph *g, int64_t v)
{
    return fur_offsets_get(g->offset_type, g->offsets, v);
}

static inline int32_t fur_graph_degree(const fur_graph *g, int64_t v)
{
    return g->degree ? g->degree[v]
                     : (int32_t)(fur_graph_begin(g, v + 1) - fur_graph_begin(g, v)) - g->loops;
}

/* The first key by which vertices are compared; the second is their number. */
static inline int32_t fur_graph_rank(const fur_graph *g, int32_t v)
{
    return g->rank ? g->rank[v] : fur_graph_degree(g, v);
}

/* The least of some vertices by (degree, index) has the least key; v is its lower half. */
static inline uint64_t fur_graph_key(const fur_graph *g, int32_t v)
{
    return (uint64_t)(uint32_t)fur_graph_rank(g, v) << 32 | (uint32_t)v;
}

/* The graph of a matrix, whose arrays it borrows where they are one already. */
typedef struct fur_pattern {
    fur_graph graph;
    int64_t edges;     /* each counted from both ends */
    int64_t isolated;  /* vertices without an edge */
    int32_t largest;   /* degree */
    int32_t least;     /* by (degree, index), of the vertices with an edge; -1 if there is none */
    int64_t bandwidth; /* of the matrix as it was given */
    int64_t *offsets;  /* NULL, as neighbours: the matrix's */
    int32_t *neighbours;
    int32_t *degree;  /* NULL: the graph needs none */
    int32_t *by_rank; /* all vertices in order of (degree, index), once that is asked for */
} fur_pattern;

/* The union with the transpose is formed where the pattern is unsymmetric or has duplicates. The
 * matrix must outlive the result. */
fur_status fur_pattern_create(fur_env *env, const fur_backend *host, const fur_csr_view *a,
                              fur_pattern *out);

/* Accepts a zeroed pattern. */
void fur_pattern_release(fur_env *env, fur_pattern *pattern);

/* Sets by_rank, unless that is done. */
fur_status fur_pattern_rank(fur_env *env, fur_pattern *pattern);

/* The pattern of A + A^T without its diagonal: rows + 1 offsets; columns increase strictly in a
 * row. */
fur_status fur_pattern_union(fur_env *env, const fur_csr_view *a, int64_t **offsets,
                             int32_t **neighbours);

#endif
