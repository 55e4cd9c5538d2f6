/* The graph of a matrix. */
#include "graph.h"
#include "atomic.h"
#include "hash.h"
#include "team.h"

#define ROW_GRAIN 4096

/* A counting sort of the vertices by degree. next: zeros, two more than the largest degree. */
static void sort_by_degree(const fur_graph *g, int32_t largest, int32_t *next, int32_t *by_rank)
{
    for (int64_t v = 0; v < g->vertices; v++)
        next[fur_graph_degree(g, v) + 1]++;
    for (int32_t d = 0; d < largest; d++)
        next[d + 1] += next[d];
    for (int64_t v = 0; v < g->vertices; v++)
        by_rank[next[fur_graph_degree(g, v)]++] = (int32_t)v;
}

fur_status fur_pattern_rank(fur_env *env, fur_pattern *p)
{
    int32_t *next;
    int32_t *by_rank;
    if (p->by_rank)
        return FUR_OK;
    FUR_TRY(fur_env_allocate_zeros(env, (int64_t)p->largest + 2, sizeof *next, &next));
    fur_status status = fur_env_allocate(env, p->graph.vertices, sizeof *by_rank, &by_rank);
    if (status == FUR_OK) {
        sort_by_degree(&p->graph, p->largest, next, by_rank);
        p->by_rank = by_rank;
    }
    fur_env_release(env, next);
    return status;
}

typedef struct degrees {
    const fur_graph *graph;
    fur_shared edges;
    fur_shared isolated;
    fur_shared largest;
    fur_shared least; /* degree and index */
    int32_t *degree;  /* NULL if the row lengths give the degrees */
} degrees;

static void survey_vertices(void *job, int64_t begin, int64_t end)
{
    degrees *d = job;
    int64_t edges = 0;
    int64_t isolated = 0;
    int32_t largest = 0;
    int64_t least = INT64_MAX;
    for (int64_t v = begin; v < end; v++) {
        int32_t degree = fur_graph_degree(d->graph, v);
        int64_t key = (int64_t)(degree > 0 ? degree : INT32_MAX) << 32 | v;
        edges += degree;
        isolated += degree == 0;
        largest = degree > largest ? degree : largest;
        least = key < least ? key : least;
    }
    fur_shared_add(&d->edges, edges);
    fur_shared_add(&d->isolated, isolated);
    fur_shared_largest(&d->largest, largest);
    fur_shared_least(&d->least, least);
}

/* Computes the figures of the degrees. */
static void survey(const fur_env *env, fur_pattern *p)
{
    degrees d = {.graph = &p->graph, .least = INT64_MAX};
    fur_parallel(env, p->graph.vertices / ROW_GRAIN, p->graph.vertices, survey_vertices, &d);
    p->edges = d.edges;
    p->isolated = d.isolated;
    p->largest = (int32_t)d.largest;
    p->least = d.edges > 0 ? (int32_t)(uint32_t)d.least : -1;
}

/* Returns whether v is among its own stored neighbours, which are in rising order. */
static bool has_loop(const fur_graph *g, int32_t v)
{
    int64_t begin = fur_graph_begin(g, v);
    int64_t count = fur_graph_begin(g, (int64_t)v + 1) - begin;
    const int32_t *row = g->neighbours + begin;
    while (count > 1) {
        int64_t half = count / 2;
        row += row[half] <= v ? half : 0;
        count -= half;
    }
    return count > 0 && *row == v;
}

static void count_neighbours(void *job, int64_t begin, int64_t end)
{
    const degrees *d = job;
    const fur_graph *g = d->graph;
    for (int64_t v = begin; v < end; v++)
        d->degree[v] =
            (int32_t)(fur_graph_begin(g, v + 1) - fur_graph_begin(g, v)) - has_loop(g, (int32_t)v);
}

static fur_status symmetrise(fur_env *env, const fur_csr_view *a, fur_pattern *p)
{
    FUR_TRY(fur_pattern_union(env, a, &p->offsets, &p->neighbours));
    p->graph.offset_type = FUR_I64;
    p->graph.offsets = p->offsets;
    p->graph.neighbours = p->neighbours;
    return FUR_OK;
}

/* Stores the degrees if the lengths of the rows do not give them. */
static fur_status set_degrees(fur_env *env, fur_pattern *p)
{
    int64_t n = p->graph.vertices;
    FUR_TRY(fur_env_allocate(env, n, sizeof *p->degree, &p->degree));
    degrees d = {.graph = &p->graph, .degree = p->degree};
    fur_parallel(env, n / ROW_GRAIN, n, count_neighbours, &d);
    p->graph.degree = p->degree;
    return FUR_OK;
}

static fur_status fill(fur_env *env, const fur_backend *host, const fur_csr_view *a, fur_pattern *p)
{
    fur_pattern_scan scan;
    host->pattern_scan(env, a, fur_seed(), &scan);
    p->bandwidth = scan.bandwidth;
    if (!scan.symmetric || scan.duplicates)
        FUR_TRY(symmetrise(env, a, p));
    else if (scan.diagonal == a->rows)
        p->graph.loops = 1;
    else if (scan.diagonal > 0)
        FUR_TRY(set_degrees(env, p));
    survey(env, p);
    return FUR_OK;
}

fur_status fur_pattern_create(fur_env *env, const fur_backend *host, const fur_csr_view *a,
                              fur_pattern *out)
{
    fur_pattern p = {.graph = {.vertices = a->rows,
                               .offset_type = a->offset_type,
                               .offsets = a->offsets,
                               .neighbours = a->columns}};
    fur_status status = fill(env, host, a, &p);
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
