/* Renumbers a graph in the order in which its components were found. */
#include "components.h"
#include "team.h"

#define ROW_GRAIN 4096

static void renumber_vertices(const fur_pattern *pattern, const int32_t *order, int32_t *position,
                              fur_renumbered *r)
{
    const fur_graph *g = &pattern->graph;
    r->offsets[0] = 0;
    for (int64_t p = 0; p < g->vertices; p++) {
        int32_t v = order[p];
        position[v] = (int32_t)p;
        r->offsets[p + 1] = r->offsets[p] + fur_graph_degree(g, v);
    }
    for (int64_t p = 0; p < g->vertices; p++)
        r->rank[position[pattern->by_rank[p]]] = (int32_t)p;
}

/* The rows of a component while they are renumbered. */
typedef struct renumbering {
    const fur_graph *g;
    const int32_t *order;
    const int32_t *position;
    int32_t first; /* the component's first place */
    fur_renumbered *r;
} renumbering;

static void renumber_rows(void *job, int64_t begin, int64_t end)
{
    const renumbering n = *(renumbering *)job;
    for (int64_t p = n.first + begin; p < n.first + end; p++) {
        int32_t v = n.order[p];
        int64_t row_end = fur_graph_begin(n.g, v + 1);
        int64_t next = n.r->offsets[p];
        for (int64_t k = fur_graph_begin(n.g, v); k < row_end; k++)
            if (n.g->neighbours[k] != v)
                n.r->neighbours[next++] = n.position[n.g->neighbours[k]] - n.first;
    }
}

static fur_status fill(fur_env *env, const fur_pattern *pattern, const fur_components *c,
                       fur_renumbered *r)
{
    const fur_graph *g = &pattern->graph;
    int64_t n = g->vertices;
    int32_t *position;
    FUR_TRY(fur_env_allocate(env, n + 1, sizeof *r->offsets, &r->offsets));
    FUR_TRY(fur_env_allocate(env, fur_graph_begin(g, n), sizeof *r->neighbours, &r->neighbours));
    FUR_TRY(fur_env_allocate(env, n, sizeof *r->rank, &r->rank));
    FUR_TRY(fur_env_allocate(env, n, sizeof *position, &position));
    renumber_vertices(pattern, c->order, position, r);
    for (int64_t s = 0; s < c->count; s++) {
        int32_t size = c->spans[s].end - c->spans[s].begin;
        renumbering job = {g, c->order, position, c->spans[s].begin, r};
        fur_parallel(env, size / ROW_GRAIN, size, renumber_rows, &job);
    }
    fur_env_release(env, position);
    return FUR_OK;
}

fur_status fur_renumbered_create(fur_env *env, fur_pattern *pattern,
                                 const fur_components *components, fur_renumbered *out)
{
    fur_renumbered r = {.offsets = NULL};
    FUR_TRY(fur_pattern_rank(env, pattern));
    fur_status status = fill(env, pattern, components, &r);
    if (status == FUR_OK)
        *out = r;
    else
        fur_renumbered_release(env, &r);
    return status;
}

void fur_renumbered_release(fur_env *env, fur_renumbered *renumbered)
{
    fur_env_release(env, renumbered->rank);
    fur_env_release(env, renumbered->neighbours);
    fur_env_release(env, renumbered->offsets);
}

fur_graph fur_renumbered_graph(const fur_renumbered *renumbered, const fur_span *span)
{
    return (fur_graph){.vertices = span->end - span->begin,
                       .offset_type = FUR_I64,
                       .offsets = renumbered->offsets + span->begin,
                       .neighbours = renumbered->neighbours,
                       .rank = renumbered->rank + span->begin};
}
