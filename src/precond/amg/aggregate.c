/* Aggregates: a maximal set of roots no two of which are joined by two edges or fewer, their
 * neighbours, and the remaining nodes (Bell, Dalton and Olson 2012). Roots are found in rounds,
 * each with new hashed priorities. A node with the least priority among its neighbours' neighbours
 * becomes a root (Kelley and Rajamanickam 2022). Each pass reads the results of the previous pass,
 * so that the number of threads does not matter. */
#include "hierarchy.h"
#include "split.h"

#include <string.h>

#define NODE_GRAIN 2048
#define ROUNDS_MAX 1000

/* States of nodes: a root, a node that cannot be a root, and between them priorities. */
#define ROOT 0
#define NONE UINT32_MAX

typedef struct election {
    const fur_amg_graph *graph;
    uint32_t *state;  /* of each node */
    uint32_t *least;  /* of its neighbourhood; NONE also if the neighbourhood has a root */
    int32_t *open;    /* undecided nodes */
    int32_t *watched; /* nodes whose least may change */
    int64_t open_count;
    int64_t watched_count;
    int bits; /* bits of a state for the node's number */
    uint32_t round;
    int32_t *aggregate;
} election;

static void give_priorities(void *job, int64_t begin, int64_t end)
{
    const election *e = job;
    for (int64_t k = begin; k < end; k++) {
        uint32_t node = (uint32_t)e->open[k];
        uint32_t above = e->bits < 32 ? fur_amg_hash(node, e->round) << e->bits : 0;
        e->state[node] = above | (node + 1);
    }
}

static void find_least(void *job, int64_t begin, int64_t end)
{
    const election *e = job;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = e->watched[k];
        const int32_t *column = e->graph->column + e->graph->begin[i];
        uint32_t least = e->state[i];
        for (int32_t t = 0; t < e->graph->count[i]; t++)
            least = e->state[column[t]] < least ? e->state[column[t]] : least;
        e->least[i] = least == ROOT ? NONE : least;
    }
}

static void decide(void *job, int64_t begin, int64_t end)
{
    const election *e = job;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = e->open[k];
        const int32_t *column = e->graph->column + e->graph->begin[i];
        uint32_t own = e->state[i];
        bool near_root = e->least[i] == NONE;
        bool first = e->least[i] == own;
        for (int32_t t = 0; t < e->graph->count[i] && !near_root; t++) {
            near_root = e->least[column[t]] == NONE;
            first = first && e->least[column[t]] == own;
        }
        e->state[i] = near_root ? NONE : first ? ROOT : own;
    }
}

/* Keeps the nodes of a list whose value, state or least, is undecided. */
static int64_t keep(int32_t *list, int64_t count, const uint32_t *value)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++) {
        list[kept] = list[k];
        kept += value[list[k]] != NONE && value[list[k]] != ROOT;
    }
    return kept;
}

static void elect(fur_env *env, election *e)
{
    int64_t before = e->open_count + 1;
    while (e->open_count > 0 && e->open_count < before && e->round < ROUNDS_MAX) {
        before = e->open_count;
        e->round++;
        fur_parallel(env, e->open_count / NODE_GRAIN, e->open_count, give_priorities, e);
        fur_parallel(env, e->watched_count / NODE_GRAIN, e->watched_count, find_least, e);
        fur_parallel(env, e->open_count / NODE_GRAIN, e->open_count, decide, e);
        e->open_count = keep(e->open, e->open_count, e->state);
        e->watched_count = keep(e->watched, e->watched_count, e->least);
    }
}

/* Numbers the roots in their order. */
static int64_t number_roots(election *e)
{
    int64_t count = 0;
    for (int64_t i = 0; i < e->graph->nodes; i++)
        if (e->state[i] == ROOT && e->aggregate[i] == FUR_AMG_FREE)
            e->aggregate[i] = (int32_t)count++;
    return count;
}

/* Adds the neighbours of roots to their aggregates. From here on `least` has aggregates. */
static void join_roots(void *job, int64_t begin, int64_t end)
{
    const election *e = job;
    int32_t *joined = (int32_t *)e->least;
    for (int64_t i = begin; i < end; i++) {
        const int32_t *column = e->graph->column + e->graph->begin[i];
        joined[i] = e->aggregate[i];
        for (int32_t t = 0; t < e->graph->count[i] && joined[i] == FUR_AMG_FREE; t++)
            if (e->state[column[t]] == ROOT)
                joined[i] = e->aggregate[column[t]];
    }
}

/* Returns the aggregate with the most neighbours of node i; of several, the lowest. */
static int32_t best(const election *e, int64_t i)
{
    const int32_t *joined = (const int32_t *)e->least;
    const int32_t *column = e->graph->column + e->graph->begin[i];
    int32_t seen[FUR_AMG_CHOICES];
    int32_t votes[FUR_AMG_CHOICES];
    int count = 0;
    for (int32_t t = 0; t < e->graph->count[i]; t++) {
        int32_t other = joined[column[t]];
        int k = 0;
        while (k < count && seen[k] != other)
            k++;
        if (other < 0 || k == FUR_AMG_CHOICES)
            continue;
        votes[k] = k == count ? 1 : votes[k] + 1;
        seen[k] = other;
        count += k == count;
    }
    int32_t found = FUR_AMG_FREE;
    int32_t most = 0;
    for (int k = 0; k < count; k++)
        if (votes[k] > most || (votes[k] == most && seen[k] < found)) {
            most = votes[k];
            found = seen[k];
        }
    return found;
}

static void join_best(void *job, int64_t begin, int64_t end)
{
    const election *e = job;
    const int32_t *joined = (const int32_t *)e->least;
    for (int64_t i = begin; i < end; i++)
        e->aggregate[i] = joined[i] == FUR_AMG_FREE ? best(e, i) : joined[i];
}

/* Gives each node without an aggregate its own. There are such nodes only if rounds ended early. */
static int64_t number_rest(const election *e, int64_t count)
{
    for (int64_t i = 0; i < e->graph->nodes; i++)
        if (e->aggregate[i] == FUR_AMG_FREE)
            e->aggregate[i] = (int32_t)count++;
    return count;
}

static void begin_election(election *e)
{
    for (int64_t i = 0; i < e->graph->nodes; i++) {
        bool alone = e->aggregate[i] == FUR_AMG_ALONE && e->graph->count[i] == 0;
        e->aggregate[i] = alone ? FUR_AMG_ALONE : FUR_AMG_FREE;
        e->state[i] = alone ? NONE : NONE - 1;
        e->least[i] = NONE - 1;
        e->open[e->open_count] = (int32_t)i;
        e->watched[e->open_count] = (int32_t)i;
        e->open_count += !alone;
    }
    e->watched_count = e->open_count;
    while (e->bits < 32 && (e->graph->nodes + 1) >> e->bits != 0)
        e->bits++;
}

fur_status fur_amg_aggregate(fur_context *context, fur_amg_step *step)
{
    fur_env *env = &context->env;
    if (fur_is_remote(context))
        return fur_amg_device(context)->aggregate(env, &step->strong, step->aggregate,
                                                  &step->aggregates);
    int64_t n = step->strong.nodes;
    election e = {.graph = &step->strong, .aggregate = step->aggregate};
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *e.state, &e.state));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *e.least, &e.least));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *e.open, &e.open));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *e.watched, &e.watched));
    begin_election(&e);
    elect(env, &e);
    step->aggregates = number_roots(&e);
    fur_parallel(env, n / NODE_GRAIN, n, join_roots, &e);
    fur_parallel(env, n / NODE_GRAIN, n, join_best, &e);
    step->aggregates = number_rest(&e, step->aggregates);
done:
    fur_env_release(env, e.watched);
    fur_env_release(env, e.open);
    fur_env_release(env, e.least);
    fur_env_release(env, e.state);
    return status;
}
