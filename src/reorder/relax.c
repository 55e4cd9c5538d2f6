/* Sweeps: each computes the keys of all vertices, and sorts them by digits. */
#include "relax.h"
#include "atomic.h"
#include "sort.h"
#include "split.h"
#include "team.h"

#include <string.h>

#define VERTEX_GRAIN 4096

/* The cost of all sweeps, in edges visited from one end. A vertex costs as much as VERTEX_COST
 * edges, mostly for sorting. The number of sweeps is between LEAST_SWEEPS and MAX_SWEEPS. If half
 * of the sweeps bring no better order, the sweeps end. */
#define SWEPT_COST (1 << 24)
#define VERTEX_COST 4
#define LEAST_SWEEPS 60
#define MAX_SWEEPS 160

static int sweep_count(const fur_graph *g)
{
    int64_t edges = fur_graph_begin(g, g->vertices) - fur_graph_begin(g, 0);
    int64_t sweeps = SWEPT_COST / (edges + VERTEX_COST * g->vertices);
    if (sweeps > MAX_SWEEPS)
        return MAX_SWEEPS;
    return sweeps < LEAST_SWEEPS ? LEAST_SWEEPS : (int)sweeps;
}

/* The tolerance of a sweep: from 3/15 to 12/15 of the best bandwidth so far. */
static int64_t tolerance(int64_t bandwidth, int sweep)
{
    return bandwidth * (3 + sweep % 10) / 15;
}

fur_status fur_relaxation_open(const fur_component *component, fur_relaxation *out)
{
    int64_t n = component->vertices;
    int64_t parts = fur_lanes(component->env->threads, n / VERTEX_GRAIN);
    int32_t *scratch = component->scratch;
    fur_relaxation r = {.env = component->env,
                        .graph = &component->graph,
                        .parts = (int)parts,
                        .items = (uint64_t *)scratch,
                        .room = (uint64_t *)(scratch + 2 * n),
                        .present = scratch + 4 * n,
                        .place = scratch + 5 * n};
    FUR_TRY(fur_env_allocate(component->env, parts << FUR_DIGIT_BITS, sizeof *r.counts, &r.counts));
    *out = r;
    return FUR_OK;
}

void fur_relaxation_close(fur_env *env, fur_relaxation *relaxation)
{
    fur_env_release(env, relaxation->counts);
}

/* The place, times two, that a vertex at p asks for. */
static int32_t wish(int64_t p, int64_t lo, int64_t hi, int64_t within)
{
    if (hi - within > lo + within)
        return (int32_t)(lo + hi);
    int64_t nearest = p < hi - within ? hi - within : p > lo + within ? lo + within : p;
    return (int32_t)(2 * nearest);
}

/* A sweep, for the threads. */
typedef struct sweeping {
    const fur_relaxation *r;
    int64_t within;
    fur_shared bandwidth;
    const uint64_t *sorted; /* the sorted items */
} sweeping;

static void ask_vertices(void *job, int64_t begin, int64_t end)
{
    sweeping *s = job;
    const fur_relaxation *r = s->r;
    const fur_graph *g = r->graph;
    int64_t within = s->within;
    int64_t bandwidth = 0;
    for (int64_t v = begin; v < end; v++) {
        int32_t p = r->place[v];
        int32_t lo = p;
        int32_t hi = p;
        int64_t row_end = fur_graph_begin(g, v + 1);
        for (int64_t k = fur_graph_begin(g, v); k < row_end; k++) {
            int32_t place = r->place[g->neighbours[k]];
            lo = place < lo ? place : lo;
            hi = place > hi ? place : hi;
        }
        bandwidth = hi - p > bandwidth ? hi - p : bandwidth;
        r->items[p] = fur_item(wish(p, lo, hi, within), (int32_t)v);
    }
    fur_shared_largest(&s->bandwidth, bandwidth);
}

/* Sets the items for the current order, and returns its bandwidth. Vertices are visited by number,
 * as their neighbours are stored. Vertices of a range have places near each other, so that two
 * threads seldom write to the same cache line. */
static int64_t ask(const fur_relaxation *r, int64_t within)
{
    sweeping s = {.r = r, .within = within};
    fur_parallel(r->env, r->graph->vertices / VERTEX_GRAIN, r->graph->vertices, ask_vertices, &s);
    return s.bandwidth;
}

static void place_vertices(void *job, int64_t begin, int64_t end)
{
    const sweeping *s = job;
    for (int64_t p = begin; p < end; p++) {
        int32_t v = fur_item_number(s->sorted[p]);
        s->r->present[p] = v;
        s->r->place[v] = (int32_t)p;
    }
}

/* The order of the items becomes the current order. */
static void sort(fur_relaxation *r)
{
    int64_t n = r->graph->vertices;
    int32_t key_max = (int32_t)(2 * n - 2);
    sweeping s = {.r = r};
    s.sorted = fur_sort_items(r->env, r->items, r->room, n, key_max, r->parts, r->counts);
    fur_parallel(r->env, n / VERTEX_GRAIN, n, place_vertices, &s);
}

int64_t fur_relaxation_input(fur_relaxation *relaxation, const fur_component *component)
{
    fur_input_order(component->index, component->vertices, component->scratch, relaxation->present);
    for (int64_t p = 0; p < component->vertices; p++)
        relaxation->place[relaxation->present[p]] = (int32_t)p;
    return ask(relaxation, 0);
}

void fur_relax(fur_relaxation *relaxation, int64_t least, int32_t *order, int64_t *bandwidth)
{
    int64_t n = relaxation->graph->vertices;
    int sweeps = sweep_count(relaxation->graph);
    int better_at = 0;
    for (int64_t p = 0; p < n; p++) {
        relaxation->present[p] = order[p];
        relaxation->place[order[p]] = (int32_t)p;
    }
    for (int sweep = 0; sweep < sweeps && sweep - better_at < sweeps / 2; sweep++) {
        int64_t found = ask(relaxation, tolerance(*bandwidth, sweep));
        if (found < *bandwidth) {
            *bandwidth = found;
            memcpy(order, relaxation->present, (size_t)n * sizeof *order);
            better_at = sweep;
        }
        if (*bandwidth <= least)
            break;
        sort(relaxation);
    }
}
