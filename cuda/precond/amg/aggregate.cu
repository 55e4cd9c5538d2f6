// Aggregates, as in src/precond/amg/aggregate.c: a maximal set of roots, no two of which are
// connected by two edges or fewer. It is found in rounds. A round reads the graph twice around
// undecided nodes.
#include "amg.cuh"
#include "arrange.cuh"

// Rounds between two checks by the host.
#define ROUNDS 4
#define ROUNDS_MAX 1000

#define ROOT 0u
#define NONE UINT32_MAX

namespace
{

struct election {
    fur_amg_graph graph;
    uint32_t *state; // for each node: ROOT, NONE or a priority
    // the least state in its neighbourhood; NONE also if the neighbourhood has a root
    uint32_t *least;
    int32_t *aggregate;
    int bits; // of a state that hold the node's number
    unsigned *open;

    __device__ bool is_open(int64_t i) const
    {
        return state[i] != ROOT && state[i] != NONE;
    }
};

struct begin : election {
    __device__ void operator()(int64_t i) const
    {
        bool alone = aggregate[i] == FUR_AMG_ALONE && graph.count[i] == 0;
        aggregate[i] = alone ? FUR_AMG_ALONE : FUR_AMG_FREE;
        state[i] = alone ? NONE : NONE - 1;
        least[i] = alone ? NONE : NONE - 1;
    }
};

struct give_priority : election {
    uint32_t round;

    __device__ void operator()(int64_t i) const
    {
        if (!is_open(i))
            return;
        auto node = static_cast<uint32_t>(i);
        uint32_t above = bits < 32 ? fur_amg_hash(node, round) << bits : 0;
        state[i] = above | (node + 1);
    }
};

struct find_least : election {
    __device__ void operator()(int64_t i) const
    {
        if (least[i] == NONE)
            return;
        const int32_t *column = graph.column + graph.begin[i];
        uint32_t low = state[i];
        for (int32_t t = 0; t < graph.count[i]; t++)
            low = min(low, state[column[t]]);
        least[i] = low == ROOT ? NONE : low;
    }
};

struct decide : election {
    __device__ void operator()(int64_t i) const
    {
        if (!is_open(i))
            return;
        const int32_t *column = graph.column + graph.begin[i];
        uint32_t own = state[i];
        bool near_root = least[i] == NONE;
        bool first = least[i] == own;
        for (int32_t t = 0; t < graph.count[i] && !near_root; t++) {
            near_root = least[column[t]] == NONE;
            first = first && least[column[t]] == own;
        }
        state[i] = near_root ? NONE : first ? ROOT : own;
        if (!near_root && !first)
            *open = 1;
    }
};

// Marks the nodes that get a number with 1. A prefix sum turns the marks into numbers.
struct mark_roots : election {
    int32_t *number;

    __device__ void operator()(int64_t i) const
    {
        number[i] = i < graph.nodes && state[i] == ROOT && aggregate[i] == FUR_AMG_FREE;
    }
};

struct number_roots : election {
    const int32_t *number;

    __device__ void operator()(int64_t i) const
    {
        if (number[i + 1] > number[i])
            aggregate[i] = number[i];
    }
};

// Joins the neighbours of roots to their aggregates. From here on, `least` holds aggregates.
struct join_roots : election {
    __device__ void operator()(int64_t i) const
    {
        const int32_t *column = graph.column + graph.begin[i];
        int32_t joined = aggregate[i];
        for (int32_t t = 0; t < graph.count[i] && joined == FUR_AMG_FREE; t++)
            if (state[column[t]] == ROOT)
                joined = aggregate[column[t]];
        least[i] = static_cast<uint32_t>(joined);
    }
};

// A remaining node joins the aggregate with the most of its neighbours. If several have the same
// count, the least number wins.
struct join_best : election {
    __device__ int32_t best(int64_t i) const
    {
        const int32_t *column = graph.column + graph.begin[i];
        int32_t seen[FUR_AMG_CHOICES];
        int32_t votes[FUR_AMG_CHOICES];
        int count = 0;
        for (int32_t t = 0; t < graph.count[i]; t++) {
            auto other = static_cast<int32_t>(least[column[t]]);
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

    __device__ void operator()(int64_t i) const
    {
        auto joined = static_cast<int32_t>(least[i]);
        aggregate[i] = joined == FUR_AMG_FREE ? best(i) : joined;
    }
};

struct mark_rest : election {
    int32_t *number;

    __device__ void operator()(int64_t i) const
    {
        number[i] = i < graph.nodes && aggregate[i] == FUR_AMG_FREE;
    }
};

// Makes an aggregate of each node that has none. Their numbers follow the others.
struct number_rest : election {
    const int32_t *number;
    int32_t first;

    __device__ void operator()(int64_t i) const
    {
        if (number[i + 1] > number[i])
            aggregate[i] = first + number[i];
    }
};

// Runs rounds until all nodes are decided.
fur_status elect(fur_env *env, const election &e)
{
    unsigned open = 1;
    for (uint32_t round = 1; open && round <= ROUNDS_MAX; round += ROUNDS) {
        for (uint32_t k = 0; k < ROUNDS; k++) {
            if (k + 1 == ROUNDS)
                FUR_TRY(fur_cuda_clear(env, e.open, sizeof open));
            FUR_TRY(fur_amg_run(env, "priorities", e.graph.nodes, give_priority{{e}, round + k}));
            FUR_TRY(fur_amg_run(env, "least priorities", e.graph.nodes, find_least{{e}}));
            FUR_TRY(fur_amg_run(env, "roots", e.graph.nodes, decide{{e}}));
        }
        FUR_TRY(fur_cuda_copy(env, &open, e.open, sizeof open));
    }
    return FUR_OK;
}

// Numbers the nodes that a pass has marked. *count = how many there are.
fur_status count_marked(fur_env *env, int64_t nodes, int32_t *number, int32_t *count)
{
    FUR_TRY(fur_exclusive_scan(env, number, nodes + 1));
    return fur_cuda_copy(env, count, number + nodes, sizeof *count);
}

fur_status gather(fur_env *env, const election &e, int32_t *number, int64_t *aggregates)
{
    int64_t n = e.graph.nodes;
    int32_t roots;
    int32_t rest;
    FUR_TRY(fur_amg_run(env, "mark roots", n + 1, mark_roots{{e}, number}));
    FUR_TRY(count_marked(env, n, number, &roots));
    FUR_TRY(fur_amg_run(env, "number roots", n, number_roots{{e}, number}));
    FUR_TRY(fur_amg_run(env, "neighbours of roots", n, join_roots{{e}}));
    FUR_TRY(fur_amg_run(env, "best aggregates", n, join_best{{e}}));
    FUR_TRY(fur_amg_run(env, "mark the rest", n + 1, mark_rest{{e}, number}));
    FUR_TRY(count_marked(env, n, number, &rest));
    if (rest > 0)
        FUR_TRY(fur_amg_run(env, "number the rest", n, number_rest{{e}, number, roots}));
    *aggregates = int64_t(roots) + rest;
    return FUR_OK;
}

} // namespace

fur_status fur_cuda_amg_aggregate(fur_env *env, const fur_amg_graph *graph, int32_t *aggregate,
                                  int64_t *aggregates)
{
    int64_t n = graph->nodes;
    fur_amg_room<uint32_t> state(env);
    fur_amg_room<uint32_t> least(env);
    fur_amg_room<int32_t> number(env);
    fur_amg_room<unsigned> open(env);
    FUR_TRY(state.take(n));
    FUR_TRY(least.take(n));
    FUR_TRY(number.take(n + 1));
    FUR_TRY(open.take(1));
    election e = {*graph, state.at, least.at, aggregate, 0, open.at};
    while (e.bits < 32 && (n + 1) >> e.bits != 0)
        e.bits++;
    FUR_TRY(fur_amg_run(env, "begin aggregates", n, begin{{e}}));
    FUR_TRY(elect(env, e));
    return gather(env, e, number.at, aggregates);
}
