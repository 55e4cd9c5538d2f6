/* The components of a graph, in order of their least vertices by (degree, index). */
#include "components.h"

/* Vertices without neighbours get the first places. */
static void place_isolated(const fur_pattern *pattern, fur_components *c)
{
    int64_t n = pattern->isolated > 0 ? pattern->graph.vertices : 0;
    c->isolated = 0;
    for (int64_t v = 0; v < n; v++)
        if (fur_graph_degree(&pattern->graph, v) == 0)
            c->order[c->isolated++] = (int32_t)v;
}

/* Adds the root's component. Returns the first place after it. */
static int64_t add_component(fur_walk *walk, int32_t root, int64_t place, fur_components *c)
{
    fur_span *span = &c->spans[c->count++];
    int64_t size = fur_walk_pass(walk, root, INT64_MAX, c->order + place, &span->pass);
    span->begin = (int32_t)place;
    span->end = (int32_t)(place + size);
    c->largest = size > c->largest ? size : c->largest;
    return place + size;
}

/* Runs a pass from each vertex, in order, that no pass has reached. Often the first pass reaches
 * all. */
static fur_status find(fur_env *env, fur_pattern *pattern, fur_walk *walk, fur_components *c)
{
    int64_t n = pattern->graph.vertices;
    place_isolated(pattern, c);
    if (c->isolated == n)
        return FUR_OK;
    int64_t place = add_component(walk, pattern->least, c->isolated, c);
    if (place == n)
        return FUR_OK;
    FUR_TRY(fur_pattern_rank(env, pattern));
    for (int64_t r = c->isolated; place < n; r++)
        if (!fur_bit(walk->lanes->seen, pattern->by_rank[r]))
            place = add_component(walk, pattern->by_rank[r], place, c);
    return FUR_OK;
}

fur_status fur_components_create(fur_env *env, fur_pattern *pattern, fur_walk *walk,
                                 fur_components *out)
{
    int64_t n = pattern->graph.vertices;
    fur_components c = {.order = NULL};
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, n + 1, sizeof *c.order, &c.order));
    FUR_TRY_DONE(fur_env_allocate(env, n / 2, sizeof *c.spans, &c.spans));
    FUR_TRY_DONE(find(env, pattern, walk, &c));
    *out = c;
    c = (fur_components){.order = NULL};
done:
    fur_components_release(env, &c);
    return status;
}

void fur_components_release(fur_env *env, fur_components *components)
{
    fur_env_release(env, components->spans);
    fur_env_release(env, components->order);
}
