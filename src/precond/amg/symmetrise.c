/* Makes the union of a graph with its transpose, if they differ. Aggregates need edges that both
 * ends have. */
#include "atomic.h"
#include "hierarchy.h"
#include "sort.h"

#define NODE_GRAIN 4096

typedef struct comparison {
    const fur_amg_graph *graph;
    fur_shared sum;
} comparison;

/* Adds the hashes of the entries above the diagonal and subtracts those below. */
static void compare_halves(void *job, int64_t begin, int64_t end)
{
    comparison *c = job;
    uint64_t sum = 0;
    for (int64_t i = begin; i < end; i++) {
        const int32_t *column = c->graph->column + c->graph->begin[i];
        for (int32_t k = 0; k < c->graph->count[i]; k++) {
            int64_t j = column[k];
            sum += i < j ? (uint64_t)fur_amg_hash_edge((uint64_t)i, (uint64_t)j)
                         : 0 - (uint64_t)fur_amg_hash_edge((uint64_t)j, (uint64_t)i);
        }
    }
    fur_shared_add(&c->sum, (int64_t)sum);
}

/* Collects both directions of every edge as sorted items, each once in the new graph. */
static int64_t collect(const fur_amg_graph *graph, uint64_t *items)
{
    int64_t count = 0;
    for (int64_t i = 0; i < graph->nodes; i++) {
        const int32_t *column = graph->column + graph->begin[i];
        for (int32_t k = 0; k < graph->count[i]; k++) {
            items[count++] = fur_item((int32_t)i, column[k]);
            items[count++] = fur_item(column[k], (int32_t)i);
        }
    }
    fur_sort_in_place(items, count);
    int64_t distinct = 0;
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || items[k] != items[k - 1])
            items[distinct++] = items[k];
    return distinct;
}

static void take_items(fur_amg_graph *graph, const uint64_t *items, int64_t count)
{
    int64_t k = 0;
    for (int64_t i = 0; i < graph->nodes; i++) {
        graph->begin[i] = k;
        for (; k < count && fur_item_key(items[k]) == i; k++)
            graph->column[k] = fur_item_number(items[k]);
        graph->count[i] = (int32_t)(k - graph->begin[i]);
    }
    graph->begin[graph->nodes] = k;
}

fur_status fur_amg_symmetrise(fur_env *env, fur_amg_graph *graph)
{
    comparison c = {graph, 0};
    uint64_t *items;
    int32_t *column;
    int64_t edges = 0;
    fur_parallel(env, graph->nodes / NODE_GRAIN, graph->nodes, compare_halves, &c);
    if (c.sum == 0)
        return FUR_OK;
    for (int64_t i = 0; i < graph->nodes; i++)
        edges += graph->count[i];
    FUR_TRY(fur_env_allocate(env, 2 * edges, sizeof *items, &items));
    int64_t count = collect(graph, items);
    fur_status status = fur_env_allocate(env, count, sizeof *column, &column);
    if (status == FUR_OK) {
        fur_env_release(env, graph->column);
        graph->column = column;
        take_items(graph, items, count);
    }
    fur_env_release(env, items);
    return status;
}
