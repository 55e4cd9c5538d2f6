/* A small bandwidth: Cuthill and McKee's order from many starts, the input's own order, and
 * relaxation of the best of them. The work is a fixed number of passes and sweeps over the entries,
 * whatever the clock says. */
#include "pass.h"
#include "relax.h"

#include <string.h>

/* Starts from each end of the graph. */
#define STARTS_PER_END 4

extern const fur_reorder_entry fur_reorder_rcm;

/* A pass into the component's scratch, which becomes the order if it is better. */
static fur_pass try_root(const fur_component *c, int32_t root, fur_component_order *out)
{
    fur_pass pass;
    (void)fur_walk_pass(c->walk, root, INT64_MAX, c->scratch, &pass);
    if (pass.bandwidth < out->bandwidth) {
        out->bandwidth = pass.bandwidth;
        memcpy(out->order, c->scratch, (size_t)c->vertices * sizeof *out->order);
    }
    return pass;
}

/* Chooses starts spread over the level that is farthest from a root. Returns how many. */
static int spread(const fur_component *c, int32_t root, int32_t *starts, fur_component_order *out)
{
    int64_t begin = try_root(c, root, out).last_level;
    int64_t size = c->vertices - begin;
    int count = size < STARTS_PER_END ? (int)size : STARTS_PER_END;
    for (int i = 0; i < count; i++)
        starts[i] = c->scratch[begin + i * size / count];
    return count;
}

/* From both ends of the graph. */
static void try_ends(const fur_component *c, fur_component_order *out)
{
    int32_t starts[2 * STARTS_PER_END] = {0};
    int count = spread(c, out->order[0], starts, out);
    count += spread(c, starts[0], starts + count, out);
    for (int i = 1; i < count; i++)
        (void)try_root(c, starts[i], out);
}

/* The larger half of the largest degree: neighbours stand on two sides. */
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
        try_ends(component, out);
    if (out->bandwidth > least)
        FUR_TRY(relax(component, least, out));
    out->better = out->bandwidth < component->input_bandwidth;
    return FUR_OK;
}

const fur_reorder_entry fur_reorder_rcm_quality = {
    .info = {"rcm-quality", "a smaller bandwidth than rcm: many more starts, and relaxation",
             "Cuthill and McKee 1969; George and Liu 1979"},
    .reversed = true,
    .renumbered = true,
    .scratch = FUR_RELAX_SCRATCH,
    .run = run,
};
