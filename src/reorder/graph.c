/* The graph of a matrix. */
#include "graph.h"
#include "split.h"

/* Rows below which a further thread costs more than it brings. */
#define ROW_GRAIN 4096

/* Counting sort of the vertices by degree; returns the sum of the degrees. next: zeros, one more
 * than vertices. */
static int64_t sort_by_degree(const fur_graph *g, int32_t *next, int32_t *by_rank)
{
    int64_t sum = 0;
    int32_t largest = 0;
    for (int64_t v = 0; v < g->vertices; v++) {
        int32_t degree = fur_graph_degree(g, v);
        next[degree + 1]++;
        sum += degree;
        largest = degree > largest ? degree : largest;
    }
    for (int32_t d = 0; d < largest; d++)
        next[d + 1] += next[d];
    for (int64_t v = 0; v < g->vertices; v++)
        by_rank[next[fur_graph_degree(g, v)]++] = (int32_t)v;
    return sum;
}

static fur_status rank_vertices(fur_env *env, fur_pattern *p)
{
    int64_t n = p->graph.vertices;
    int32_t *next;
    FUR_TRY(fur_env_allocate(env, n, sizeof *p->by_rank, &p->by_rank));
    FUR_TRY(fur_env_allocate_zeros(env, n + 1, sizeof *next, &next));
    p->edges = sort_by_degree(&p->graph, next, p->by_rank);
    fur_env_release(env, next);
    return FUR_OK;
}

static void count_neighbours(const fur_graph *g, int threads, int32_t *degree)
{
    int team = fur_team(threads, g->vertices, ROW_GRAIN);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t v = 0; v < g->vertices; v++) {
        int32_t count = 0;
        int64_t end = fur_graph_begin(g, v + 1);
        for (int64_t k = fur_graph_begin(g, v); k < end; k++)
            count += g->neighbours[k] != v;
        degree[v] = count;
    }
}

static fur_status symmetrise(fur_env *env, const fur_csr_view *a, fur_pattern *p)
{
    FUR_TRY(fur_pattern_union(env, a, &p->offsets, &p->neighbours));
    p->graph.offset = FUR_I64;
    p->graph.offsets = p->offsets;
    p->graph.neighbours = p->neighbours;
    return FUR_OK;
}

/* Degrees, where the lengths of the rows do not tell them. */
static fur_status set_degrees(fur_env *env, fur_pattern *p)
{
    FUR_TRY(fur_env_allocate(env, p->graph.vertices, sizeof *p->degree, &p->degree));
    count_neighbours(&p->graph, env->threads, p->degree);
    p->graph.degree = p->degree;
    return FUR_OK;
}

static fur_status fill(fur_env *env, const fur_csr_view *a, fur_pattern *p)
{
    fur_scan scan;
    fur_pattern_scan(a, env->threads, &scan);
    p->bandwidth = scan.bandwidth;
    if (!scan.symmetric || scan.duplicates)
        FUR_TRY(symmetrise(env, a, p));
    else if (scan.diagonal == a->rows)
        p->graph.loops = 1;
    else if (scan.diagonal > 0)
        FUR_TRY(set_degrees(env, p));
    return rank_vertices(env, p);
}

fur_status fur_pattern_create(fur_env *env, const fur_csr_view *a, fur_pattern *out)
{
    fur_pattern p = {.graph = {.vertices = a->rows,
                               .offset = a->offset,
                               .offsets = a->offsets,
                               .neighbours = a->columns}};
    fur_status status = fill(env, a, &p);
    if (status == FUR_OK)
        *out = p;
    else
        fur_pattern_release(env, &p);
    return status;
}

void fur_pattern_release(fur_env *env, fur_pattern *pattern)
{
    fur_env_release(env, pattern->by_rank);
    fur_env_release(env, pattern->degree);
    fur_env_release(env, pattern->neighbours);
    fur_env_release(env, pattern->offsets);
}
