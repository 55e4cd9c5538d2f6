/* Colours for the rows of a matrix. In a fixed order, a row takes the first colour that no earlier
 * neighbour has. Rows whose earlier neighbours all have a colour could be coloured at once (Jones
 * and Plassmann 1993), with the same result. */
#include "colours.h"

#include <furrow/author/options.h>

#include "graph.h"
#include "graph_classes.h"
#include "sort.h"

/* The upper 31 bits of splitmix64 (Steele, Lea and Flood 2014) of an index. */
static int32_t hash_of(int64_t index)
{
    uint64_t z = ((uint64_t)index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int32_t)((z ^ (z >> 31)) >> 33);
}

/* Orders rows by (hash, index). */
static fur_status order_by_hash(fur_env *env, int64_t n, int32_t *order)
{
    uint64_t *items;
    FUR_TRY(fur_env_allocate(env, n, sizeof *items, &items));
    for (int64_t i = 0; i < n; i++)
        items[i] = fur_item(hash_of(i), (int32_t)i);
    fur_sort_in_place(items, n);
    for (int64_t i = 0; i < n; i++)
        order[i] = fur_item_number(items[i]);
    fur_env_release(env, items);
    return FUR_OK;
}

static fur_status set_order(fur_env *env, fur_pattern *pattern, fur_colour_order by, int32_t *order)
{
    int64_t n = pattern->graph.vertices;
    if (by == FUR_COLOUR_ORDER_HASHED)
        return order_by_hash(env, n, order);
    if (by == FUR_COLOUR_ORDER_LARGEST)
        FUR_TRY(fur_pattern_rank(env, pattern));
    for (int64_t i = 0; i < n; i++)
        order[i] = by == FUR_COLOUR_ORDER_LARGEST ? pattern->by_rank[n - 1 - i] : (int32_t)i;
    return FUR_OK;
}

/* The state of a colouring. used[k] = v + 1 if a neighbour of v has colour k. */
typedef struct colouring {
    const fur_graph *graph;
    int distance;
    int32_t *of; /* -1: no colour yet */
    int32_t *used;
} colouring;

/* Marks the colours of v's neighbours as used for `row`. */
static void note_neighbours(const colouring *c, int32_t v, int32_t row)
{
    const fur_graph *g = c->graph;
    for (int64_t k = fur_graph_begin(g, v); k < fur_graph_begin(g, (int64_t)v + 1); k++) {
        int32_t other = g->neighbours[k];
        if (other != row && c->of[other] >= 0)
            c->used[c->of[other]] = row + 1;
    }
}

/* Marks the colours of the neighbours of v's neighbours. */
static void note_second_neighbours(const colouring *c, int32_t v)
{
    const fur_graph *g = c->graph;
    for (int64_t k = fur_graph_begin(g, v); k < fur_graph_begin(g, (int64_t)v + 1); k++)
        note_neighbours(c, g->neighbours[k], v);
}

static int64_t colour_rows(const colouring *c, const int32_t *order)
{
    int32_t count = 0;
    for (int64_t i = 0; i < c->graph->vertices; i++)
        c->of[i] = -1;
    for (int64_t i = 0; i < c->graph->vertices; i++) {
        int32_t v = order[i];
        int32_t colour = 0;
        note_neighbours(c, v, v);
        if (c->distance == 2)
            note_second_neighbours(c, v);
        while (c->used[colour] == v + 1)
            colour++;
        c->of[v] = colour;
        count = colour >= count ? colour + 1 : count;
    }
    return count;
}

static fur_status take_first(fur_env *env, fur_pattern *pattern, const fur_colour_options *o,
                             int32_t *of, int64_t *count)
{
    int64_t n = pattern->graph.vertices;
    colouring c = {&pattern->graph, o->distance, of, NULL};
    int32_t *order = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *order, &order));
    FUR_TRY_DONE(fur_env_allocate_zeros(env, n + 1, sizeof *c.used, &c.used));
    FUR_TRY_DONE(set_order(env, pattern, o->order, order));
    *count = colour_rows(&c, order);
done:
    fur_env_release(env, c.used);
    fur_env_release(env, order);
    return status;
}

/* Finds two colours of a symmetric pattern. *count = 0 if they do not exist. */
static fur_status take_two(fur_env *env, const fur_csr_view *a, int32_t *of, int64_t *count)
{
    fur_colours two = {0};
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, a->rows, sizeof *two.order, &two.order));
    FUR_TRY_DONE(fur_env_allocate(env, a->rows, sizeof *two.position, &two.position));
    FUR_TRY_DONE(fur_colours_find(env, a, &two));
    for (int64_t i = 0; i < a->rows && two.red > 0; i++)
        of[i] = two.position[i] >= two.red;
    *count = two.red > 0 ? 2 : 0;
done:
    fur_env_release(env, two.position);
    fur_env_release(env, two.order);
    return status;
}

/* arguments: points to fur_colour_options */
static fur_status classify(const fur_csr *a, const void *arguments, int32_t *of, int64_t *count)
{
    const fur_colour_options *o = arguments;
    fur_env *env = &a->context->env;
    fur_pattern pattern;
    FUR_TRY(fur_pattern_create(env, a->context->backend, &a->view, &pattern));
    fur_status status = FUR_OK;
    bool symmetric = pattern.offsets == NULL;
    *count = 0;
    if (o->order == FUR_COLOUR_ORDER_AUTO && o->distance == 1 && symmetric)
        status = take_two(env, &a->view, of, count);
    if (status == FUR_OK && *count == 0)
        status = take_first(env, &pattern, o, of, count);
    fur_pattern_release(env, &pattern);
    return status;
}

static const fur_classification how = {"colours", classify, fur_colours_by_device};

fur_status fur_classes_from_colours(const fur_csr *a, const fur_colour_options *options,
                                    fur_classes **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    fur_colour_options o;
    FUR_TAKE_OPTIONS(a->context, fur_colour_options, &o, options);
    if (o.distance < 0 || o.distance > 2)
        return fur_context_fail(a->context, FUR_INVALID,
                                "the distance of a colouring is %d; it must be 1 or 2", o.distance);
    if ((unsigned)o.order > FUR_COLOUR_ORDER_HASHED)
        return fur_context_fail(a->context, FUR_INVALID,
                                "%d is not an order of colouring; use FUR_COLOUR_ORDER_AUTO, "
                                "_ROWS, _LARGEST or _HASHED",
                                (int)o.order);
    o.distance = o.distance == 0 ? 1 : o.distance;
    return fur_classes_create(a, &how, &o, out);
}
