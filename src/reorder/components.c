/* The components of a graph, in order of their least vertices by (degree, index). */
#include "components.h"

/* A pass from each vertex in that order that no pass has come to. */
static void find(const fur_pattern *pattern, fur_walk *walk, fur_components *c)
{
    int64_t n = pattern->graph.vertices;
    int64_t place = 0;
    for (; place < n && fur_graph_degree(&pattern->graph, pattern->by_rank[place]) == 0; place++)
        c->order[place] = pattern->by_rank[place];
    c->isolated = place;
    for (int64_t r = place; place < n; r++) {
        int32_t root = pattern->by_rank[r];
        if (fur_bit(walk->lanes->seen, root))
            continue;
        fur_span *span = &c->spans[c->count++];
        int64_t size = fur_walk_pass(walk, root, INT64_MAX, c->order + place, &span->pass);
        span->begin = (int32_t)place;
        place += size;
        span->end = (int32_t)place;
        c->largest = size > c->largest ? size : c->largest;
    }
}

fur_status fur_components_create(fur_env *env, const fur_pattern *pattern, fur_walk *walk,
                                 fur_components *out)
{
    int64_t n = pattern->graph.vertices;
    fur_components c = {.order = NULL};
    FUR_TRY(fur_env_allocate(env, n + 1, sizeof *c.order, &c.order));
    fur_status status = fur_env_allocate(env, n / 2, sizeof *c.spans, &c.spans);
    if (status != FUR_OK) {
        fur_env_release(env, c.order);
        return status;
    }
    find(pattern, walk, &c);
    *out = c;
    return FUR_OK;
}

void fur_components_release(fur_env *env, fur_components *components)
{
    fur_env_release(env, components->spans);
    fur_env_release(env, components->order);
}
