/* The orders of Cuthill and McKee (1969), and the reversed order of George (1971), as the best
 * order from several starts. The starts are the vertices of the search of George and Liu (1979) for
 * a pseudo-peripheral vertex. A small graph gets two additional starts. docs/reordering.md has the
 * rules. */
#include "pass.h"

/* A graph with fewer edges, counted from both ends, is tried from EXTRA_STARTS additional
 * starts. */
#define FEW_EDGES (1 << 20)
#define EXTRA_STARTS 2

/* Runs passes, each from the far end of the pass before, while each has more levels than all
 * before. A pass that is no better than the best order also ends the search. */
static void find_periphery(const fur_component *c, fur_component_order *out)
{
    const int32_t *order = out->order;
    fur_pass pass = c->first;
    int32_t levels = 0;
    while (pass.levels > levels) {
        int64_t limit = out->bandwidth;
        levels = pass.levels;
        pass = fur_try_root(c, fur_pass_far_end(c, order, &pass), limit, out);
        order = c->scratch;
        if (pass.bandwidth >= limit)
            break;
    }
}

/* Tries starts in the middles of equal parts of the order. */
static void try_others(const fur_component *c, fur_component_order *out)
{
    int32_t roots[EXTRA_STARTS];
    for (int64_t i = 0; i < EXTRA_STARTS; i++)
        roots[i] = out->order[c->vertices - 1 - (2 * i + 1) * c->vertices / (2 * EXTRA_STARTS)];
    for (int64_t i = 0; i < EXTRA_STARTS; i++)
        (void)fur_try_root(c, roots[i], out->bandwidth, out);
}

static fur_status run(const fur_component *c, fur_component_order *out)
{
    out->bandwidth = c->first.bandwidth;
    find_periphery(c, out);
    if (c->edges < FEW_EDGES)
        try_others(c, out);
    out->better = out->bandwidth < c->input_bandwidth;
    return FUR_OK;
}

static fur_order_service *service(const fur_order_services *device)
{
    return device->cuthill_mckee;
}

const fur_reorder_entry fur_reorder_rcm = {
    .info =
        {"rcm",
         "small bandwidth: reverse Cuthill-McKee from the best of several pseudo-peripheral rows",
         "Cuthill and McKee 1969; George 1971; George and Liu 1979"},
    .reversed = true,
    .scratch = 1,
    .run = run,
    .service = service,
};
const fur_reorder_entry fur_reorder_cm = {
    .info = {"cm", "as rcm, but not reversed: same bandwidth, usually a larger profile",
             "Cuthill and McKee 1969"},
    .scratch = 1,
    .run = run,
    .service = service,
};
