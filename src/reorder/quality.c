/* A small bandwidth. Cuthill and McKee's order is tried from many starts, and the input's own order
 * is tried too. The best of them is relaxed. The work is a fixed number of passes and sweeps over
 * the entries, and does not depend on the clock. */
#include "pass.h"
#include "relax.h"
#include "split.h"

#include <string.h>

/* The starts that are spread over the order. Their passes visit SPREAD_EDGES edges in all, each
 * counted from both ends. */
#define SPREAD_STARTS 64
#define SPREAD_EDGES (1 << 23)

/* Starts at each end of the graph. */
#define STARTS_PER_END 4

extern const fur_reorder_entry fur_reorder_rcm;

/* Tries vertices that are spread evenly over the order. */
static void try_spread(const fur_component *c, fur_component_order *out)
{
    int64_t starts = fur_smaller(SPREAD_EDGES / c->edges, SPREAD_STARTS);
    starts = fur_smaller(starts, c->vertices);
    int32_t roots[SPREAD_STARTS];
    for (int64_t i = 0; i < starts; i++)
        roots[i] = out->order[c->vertices - 1 - i * c->vertices / starts];
    for (int64_t i = 0; i < starts; i++)
        (void)fur_try_root(c, roots[i], out->bandwidth, out);
}

/* Chooses starts in the level that is farthest from a root. Returns their number. */
static int choose_end(const fur_component *c, int32_t root, int32_t *starts,
                      fur_component_order *out)
{
    int64_t begin = fur_try_root(c, root, INT64_MAX, out).last_level;
    int64_t size = c->vertices - begin;
    int count = size < STARTS_PER_END ? (int)size : STARTS_PER_END;
    for (int i = 0; i < count; i++)
        starts[i] = c->scratch[begin + i * size / count];
    return count;
}

/* Tries starts at both ends of the graph. */
static void try_ends(const fur_component *c, fur_component_order *out)
{
    int32_t starts[2 * STARTS_PER_END] = {0};
    int count = choose_end(c, out->order[0], starts, out);
    count += choose_end(c, starts[0], starts + count, out);
    for (int i = 1; i < count; i++)
        (void)fur_try_root(c, starts[i], INT64_MAX, out);
}

/* A lower bound: half of the largest degree, rounded up, because neighbours lie on two sides. */
static int64_t least_bandwidth(const fur_graph *g)
{
    int32_t largest = 0;
    for (int64_t v = 0; v < g->vertices; v++)
        largest = fur_graph_degree(g, v) > largest ? fur_graph_degree(g, v) : largest;
    return (largest + 1) / 2;
}

static fur_status relax(const fur_component *c, int64_t least, fur_component_order *out)
{
    fur_relaxation r;
    FUR_TRY(fur_relaxation_open(c, &r));
    int64_t input = fur_relaxation_input(&r, c);
    if (input < out->bandwidth) {
        out->bandwidth = input;
        memcpy(out->order, r.present, (size_t)c->vertices * sizeof *out->order);
    }
    fur_relax(&r, least, out->order, &out->bandwidth);
    fur_relaxation_close(c->env, &r);
    return FUR_OK;
}

static fur_status run(const fur_component *component, fur_component_order *out)
{
    int64_t least = least_bandwidth(&component->graph);
    FUR_TRY(fur_reorder_rcm.run(component, out));
    if (out->bandwidth > least)
        try_spread(component, out);
    if (out->bandwidth > least)
        try_ends(component, out);
    if (out->bandwidth > least)
        FUR_TRY(relax(component, least, out));
    out->better = out->bandwidth < component->input_bandwidth;
    return FUR_OK;
}

const fur_reorder_entry fur_reorder_rcm_quality = {
    .info = {"rcm-quality",
             "smaller bandwidth than rcm, by many more starting rows and relaxation; slower",
             "Cuthill and McKee 1969; George and Liu 1979"},
    .reversed = true,
    .renumbered = true,
    .scratch = FUR_RELAX_SCRATCH,
    .run = run,
};
