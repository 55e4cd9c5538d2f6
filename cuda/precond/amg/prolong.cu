// The smoothed prolongation, as in src/precond/amg/prolong.c: one thread for a node, or one team
// for a row. Bytes: the pattern reads the graph and the aggregates of its nodes; the values read
// the matrix, the graph, T and P.
#include "amg.cuh"
#include "arrange.cuh"

#include <climits>

// Distinct aggregates that a thread lists. If there are more, it finds them one after the other.
#define LISTED 32

namespace
{

// The distinct aggregates of a node and its strong neighbours, in ascending order.
struct reach {
    fur_amg_graph graph;
    const int32_t *aggregate;

    // Returns the least aggregate greater than `after`, or INT_MAX if there is none.
    __device__ int32_t next(int64_t node, int32_t after) const
    {
        const int32_t *column = graph.column + graph.begin[node];
        int32_t least = aggregate[node] > after ? aggregate[node] : INT_MAX;
        for (int32_t k = 0; k < graph.count[node]; k++) {
            int32_t other = aggregate[column[k]];
            least = other > after && other < least ? other : least;
        }
        return least;
    }

    // Inserts a number into a sorted list. Returns false if the list is full.
    __device__ static bool insert(int32_t number, int32_t *list, int *count)
    {
        int k = *count;
        while (k > 0 && list[k - 1] > number)
            k--;
        if (number < 0 || (k > 0 && list[k - 1] == number))
            return true;
        if (*count == LISTED)
            return false;
        for (int t = *count; t > k; t--)
            list[t] = list[t - 1];
        list[k] = number;
        ++*count;
        return true;
    }

    // Calls f(aggregate) for each aggregate.
    template <class F> __device__ void for_all(int64_t node, F f) const
    {
        const int32_t *column = graph.column + graph.begin[node];
        int32_t list[LISTED];
        int count = 0;
        bool fits = insert(aggregate[node], list, &count);
        for (int32_t k = 0; k < graph.count[node] && fits; k++)
            fits = insert(aggregate[column[k]], list, &count);
        if (fits) {
            for (int k = 0; k < count; k++)
                f(list[k]);
            return;
        }
        for (int32_t at = next(node, -1); at != INT_MAX; at = next(node, at))
            f(at);
    }
};

struct count_node : reach {
    int64_t *starts;

    __device__ void operator()(int64_t node) const
    {
        int64_t count = 0;
        if (node < graph.nodes)
            for_all(node, [&](int32_t) { count++; });
        starts[node] = count;
    }
};

// Writes the offsets and columns of a node's rows of P.
template <class Offset> struct plan_node : reach {
    int block;
    int modes;
    const int64_t *starts;
    Offset *offsets;
    int32_t *columns;

    __device__ void operator()(int64_t node) const
    {
        int64_t length = starts[node + 1] - starts[node];
        int64_t first = starts[node] * block * modes;
        for (int c = 0; c < block; c++)
            offsets[node * block + c] = static_cast<Offset>(first + length * modes * c);
        if (node + 1 == graph.nodes)
            offsets[graph.nodes * block] = static_cast<Offset>(starts[node + 1] * block * modes);
        int64_t at = first;
        for_all(node, [&](int32_t number) {
            for (int c = 0; c < block; c++)
                for (int mode = 0; mode < modes; mode++)
                    columns[at + length * modes * c + mode] = number * modes + mode;
            at += modes;
        });
    }
};

// Computes a row of P = (I - omega D^-1 A') T.
template <class Value> struct fill_row {
    fur_row_starts a_offsets;
    const int32_t *a_columns;
    const Value *a_values;
    int block;
    int modes;
    double omega;
    fur_amg_graph graph;
    const int32_t *aggregate;
    const Value *t;
    fur_row_starts offsets;
    const int32_t *columns;
    Value *values;

    // Returns the position of row j's aggregate among the `count` aggregates of a row of P, or -1
    // if it has none.
    __device__ int slot_of(int64_t begin, int count, int32_t j) const
    {
        int32_t number = aggregate[j / block];
        int32_t column = number * modes;
        int low = 0;
        int high = count;
        while (high - low > 1) {
            int middle = low + (high - low) / 2;
            if (columns[begin + int64_t(middle) * modes] <= column)
                low = middle;
            else
                high = middle;
        }
        return number >= 0 ? low : -1;
    }

    // values[to ..] += a T_j
    __device__ void add(int64_t to, Value a, int64_t j) const
    {
#pragma unroll 1
        for (int mode = 0; mode < modes; mode++)
            values[to + mode] = fur_add(values[to + mode], fur_mul(a, t[j * modes + mode]));
    }

    // -omega / D, or 0 if the row must not be smoothed.
    __device__ Value factor(Value diagonal, Value stored) const
    {
        if constexpr (fur_value_of<Value>::is_complex) {
            double re = diagonal.re;
            double im = diagonal.im;
            double square = re * re + im * im;
            double along = re * double(stored.re) + im * double(stored.im);
            double of_stored =
                double(stored.re) * double(stored.re) + double(stored.im) * double(stored.im);
            return along > FUR_AMG_LEAST * of_stored
                       ? fur_from<Value>({-omega * re / square, omega * im / square})
                       : fur_zero<Value>();
        } else {
            double d = diagonal;
            double of_stored = stored;
            double quotient = -omega / d;
            bool smooths = d * of_stored > FUR_AMG_LEAST * of_stored * of_stored;
            return fur_from<Value>({smooths ? quotient : 0, 0});
        }
    }

    // Returns whether node `other` is a strong neighbour of `node`.
    __device__ bool is_strong(int64_t node, int32_t other) const
    {
        const int32_t *column = graph.column + graph.begin[node];
        int32_t low = 0;
        int32_t high = graph.count[node];
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (column[middle] < other)
                low = middle + 1;
            else
                high = middle;
        }
        return low < graph.count[node] && column[low] == other;
    }

    // An entry of A' in a lane. Weak entries are moved to the diagonal.
    struct moved {
        Value a;
        int32_t column;
        int32_t j;
        int slot; // the position of its aggregate
    };

    __device__ moved fetch(int32_t row, int64_t begin, int count, int64_t k) const
    {
        int32_t node = row / block;
        int32_t j = a_columns[k];
        moved m = {a_values[k], j, j, -1};
        if (j / block != node && !is_strong(node, j / block))
            m.j = node * block + j % block;
        m.slot = slot_of(begin, count, m.j);
        return m;
    }

    // Each lane adds to its own positions, in the order of A's entries.
    template <class Team> __device__ void operator()(int64_t index, const Team &team) const
    {
        auto row = static_cast<int32_t>(index);
        int64_t begin = offsets[row];
        int64_t stop = offsets[row + int64_t(1)];
        int count = static_cast<int>(stop - begin) / modes;
        Value diagonal = fur_zero<Value>();
        Value stored = fur_zero<Value>();
        if (count == 0)
            return;
#pragma unroll 1
        for (int64_t k = begin + team.lane; k < stop; k += Team::size)
            values[k] = fur_zero<Value>();
        team.sync();
        int64_t end = a_offsets[row + int64_t(1)];
        for (int64_t first = a_offsets[row]; first < end; first += Team::size) {
            moved mine = fetch(row, begin, count, min(first + team.lane, end - 1));
            int there = static_cast<int>(min(int64_t(Team::size), end - first));
#pragma unroll 1
            for (int lane = 0; lane < there; lane++) {
                Value a = team.from(mine.a, lane);
                int32_t j = team.from(mine.j, lane);
                int slot = team.from(mine.slot, lane);
                diagonal = j == row ? fur_add(diagonal, a) : diagonal;
                stored = team.from(mine.column, lane) == row ? fur_add(stored, a) : stored;
                if (slot >= 0 && slot % Team::size == team.lane)
                    add(begin + int64_t(slot) * modes, a, j);
            }
        }
        team.sync();
        Value by = factor(diagonal, stored);
#pragma unroll 1
        for (int64_t k = begin + team.lane; k < stop; k += Team::size)
            values[k] = fur_mul(by, values[k]);
        team.sync();
        int slot = slot_of(begin, count, row);
        if (slot >= 0 && team.lane == 0)
            add(begin + int64_t(slot) * modes, fur_from<Value>({1, 0}), row);
    }
};

} // namespace

// Waits for the total.
fur_status fur_cuda_amg_start_prolongation(fur_env *env, const fur_amg_graph *graph,
                                           const int32_t *aggregate, int64_t *starts,
                                           int64_t *total)
{
    FUR_TRY(fur_amg_run(env, "lengths of a prolongation", graph->nodes + 1,
                        count_node{{*graph, aggregate}, starts}));
    FUR_TRY(fur_exclusive_scan(env, starts, graph->nodes + 1));
    return fur_cuda_copy(env, total, starts + graph->nodes, sizeof *total);
}

fur_status fur_cuda_amg_plan_prolongation(fur_env *env, int block, int modes,
                                          const fur_amg_graph *graph, const int32_t *aggregate,
                                          const int64_t *starts, const fur_csr_view *p)
{
    return fur_with_offset(p, [&](auto offsets) {
        using Offset = std::remove_const_t<std::remove_pointer_t<decltype(offsets)>>;
        return fur_amg_run(env, "pattern of a prolongation", graph->nodes,
                           plan_node<Offset>{{*graph, aggregate},
                                             block,
                                             modes,
                                             starts,
                                             fur_writable<Offset>(p->offsets),
                                             fur_writable<int32_t>(p->columns)});
    });
}

fur_status fur_cuda_amg_fill_prolongation(fur_env *env, const fur_csr_view *a, int block, int modes,
                                          double omega, const fur_amg_graph *graph,
                                          const int32_t *aggregate, const void *t,
                                          const fur_csr_view *p)
{
    return fur_with_value(a->value_type, [&](auto one) {
        using Value = decltype(one);
        return fur_amg_run_rows(env, "values of a prolongation", a,
                                fill_row<Value>{{a->offsets, a->offset_type == FUR_I64},
                                                a->columns,
                                                static_cast<const Value *>(a->values),
                                                block,
                                                modes,
                                                omega,
                                                *graph,
                                                aggregate,
                                                static_cast<const Value *>(t),
                                                {p->offsets, p->offset_type == FUR_I64},
                                                p->columns,
                                                fur_writable<Value>(p->values)});
    });
}
