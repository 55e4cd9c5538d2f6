/* The orders of Cuthill and McKee (1969), and reversed of George (1971), from the best of some
 * starts: those of the search of George and Liu (1979) for a pseudo-peripheral vertex, and where
 * passes are cheap others besides. docs/reordering.md has the rules. */
#include "pass.h"

#include <string.h>

/* More starts are tried on graphs below FEW_EDGES, and may look at EXTRA_EDGES in all; edges count
 * from both ends. */
#define FEW_EDGES (1 << 20)
#define EXTRA_EDGES (1 << 23)
#define EXTRA_STARTS 64

/* A pass into the component's scratch, which becomes the order if it is better. One that does not
 * come to all vertices has no levels: it was left at the limit; or the pattern is unsymmetric,
 * against what its hash says. */
static fur_pass try_root(const fur_component *c, int32_t root, int64_t limit,
                         fur_component_order *out)
{
    fur_pass pass;
    if (fur_walk_pass(c->walk, root, limit, c->scratch, &pass) != c->vertices)
        return (fur_pass){.levels = 0};
    if (pass.bandwidth < out->bandwidth) {
        out->bandwidth = pass.bandwidth;
        memcpy(out->order, c->scratch, (size_t)c->vertices * sizeof *out->order);
    }
    return pass;
}

/* From the far end of each pass the next, as long as the levels grow in number. Where `limited`, a
 * pass that is no better than the best ends the search. */
static void find_periphery(const fur_component *c, bool limited, fur_component_order *out)
{
    const int32_t *order = out->order;
    fur_pass pass = c->first;
    int32_t levels = 0;
    while (pass.levels > levels) {
        int64_t limit = limited ? out->bandwidth : INT64_MAX;
        levels = pass.levels;
        pass = try_root(c, fur_pass_far_end(c, order, &pass), limit, out);
        order = c->scratch;
        if (pass.bandwidth >= limit)
            break;
    }
}

/* From vertices spread evenly over the order. */
static void try_others(const fur_component *c, fur_component_order *out)
{
    int64_t starts = EXTRA_EDGES / c->edges;
    starts = starts > EXTRA_STARTS ? EXTRA_STARTS : starts;
    starts = starts > c->vertices ? c->vertices : starts;
    int32_t roots[EXTRA_STARTS];
    for (int64_t i = 0; i < starts; i++)
        roots[i] = out->order[c->vertices - 1 - i * c->vertices / starts];
    for (int64_t i = 0; i < starts; i++)
        (void)try_root(c, roots[i], out->bandwidth, out);
}

static fur_status run(const fur_component *c, fur_component_order *out)
{
    bool few = c->edges < FEW_EDGES;
    out->bandwidth = c->first.bandwidth;
    find_periphery(c, !few, out);
    if (few)
        try_others(c, out);
    out->better = out->bandwidth < c->input_bandwidth;
    return FUR_OK;
}

static fur_order_service *service(const fur_order_services *device)
{
    return device->cuthill_mckee;
}

const fur_reorder_entry fur_reorder_rcm = {
    .info = {"rcm",
             "a small bandwidth: reverse Cuthill-McKee, from the best of some pseudo-peripheral "
             "starts",
             "Cuthill and McKee 1969; George 1971; George and Liu 1979"},
    .reversed = true,
    .scratch = 1,
    .run = run,
    .service = service,
};
const fur_reorder_entry fur_reorder_cm = {
    .info = {"cm", "as rcm, not reversed: the same bandwidth, usually a larger profile",
             "Cuthill and McKee 1969"},
    .scratch = 1,
    .run = run,
    .service = service,
};
