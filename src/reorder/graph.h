/* The graph for ordering a square matrix. It has a vertex for each row, and an edge between i and j
 * != i if A(i, j) or A(j, i) is stored. */
#ifndef FURROW_REORDER_GRAPH_H
#define FURROW_REORDER_GRAPH_H

#include "env.h"
#include "kernel.h"

#include <stdbool.h>

/* A graph. The neighbours of vertex v are at offsets[v] .. offsets[v+1]-1, each once. */
typedef struct fur_graph {
    int64_t vertices;
    fur_offset_type offset_type;
    const void *offsets; /* vertices + 1 of int32_t or int64_t */
    const int32_t *neighbours;
    /* The number of neighbours of v without v itself. NULL: the row length of v minus `loops`.
     * `loops` is 1 if every vertex is stored among its own neighbours, and 0 if no vertex is. */
    const int32_t *degree;
    int loops;
    /* Candidate vertices are compared by (degree, index), where index is the row of the matrix. If
     * vertices are renumbered, rank[v] is the place of v in this order of all vertices. NULL: they
     * are not renumbered. */
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

/* The first key for comparing vertices. The second key is their number. */
static inline int32_t fur_graph_rank(const fur_graph *g, int32_t v)
{
    return g->rank ? g->rank[v] : fur_graph_degree(g, v);
}

/* A key for comparisons by (degree, index). Its lower half is v. */
static inline uint64_t fur_graph_key(const fur_graph *g, int32_t v)
{
    return (uint64_t)(uint32_t)fur_graph_rank(g, v) << 32 | (uint32_t)v;
}

/* The graph of a matrix. It borrows the matrix's arrays if they are already a graph. */
typedef struct fur_pattern {
    fur_graph graph;
    int64_t edges;    /* number of edges, each counted from both ends */
    int64_t isolated; /* number of vertices without an edge */
    int32_t largest;  /* largest degree */
    /* least vertex by (degree, index) that has an edge; -1 if no vertex has one */
    int32_t least;
    int64_t bandwidth; /* bandwidth of the matrix as given */
    int64_t *offsets;  /* NULL, like neighbours: the matrix's arrays are used */
    int32_t *neighbours;
    int32_t *degree;  /* NULL: row lengths give the degrees */
    int32_t *by_rank; /* all vertices in order of (degree, index), after fur_pattern_rank */
} fur_pattern;

/* Makes the graph. The union with the transpose is formed if the pattern is unsymmetric or has
 * duplicates. The matrix must outlive the result. */
fur_status fur_pattern_create(fur_env *env, const fur_backend *host, const fur_csr_view *a,
                              fur_pattern *out);

/* Accepts a zeroed pattern. */
void fur_pattern_release(fur_env *env, fur_pattern *pattern);

/* Sets by_rank, unless it is set already. */
fur_status fur_pattern_rank(fur_env *env, fur_pattern *pattern);

/* The pattern of A + A^T without its diagonal: rows + 1 offsets, and strictly rising columns in
 * each row. */
fur_status fur_pattern_union(fur_env *env, const fur_csr_view *a, int64_t **offsets,
                             int32_t **neighbours);

#endif
