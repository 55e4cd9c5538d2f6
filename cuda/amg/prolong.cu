// The smoothed prolongation, as src/amg/prolong.c: a node, or a row, a thread. Bytes: the graph and
// what it leads to for the pattern; the matrix, the graph, T and P for the values.
#include "amg.cuh"
#include "arrange.cuh"

#include <climits>

// Distinct aggregates that a thread lists; of more it finds one after the other.
#define LISTED 32

namespace
{

// The aggregates of a node and its strong neighbours, rising, each once.
struct reach {
    fur_amg_graph graph;
    const int32_t *aggregate;

    // The least that is above `after`; INT_MAX without any.
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

    // Adds one to a rising list; false if there is no room.
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

    // Calls f(aggregate) for each.
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

// The offsets and columns of the rows of a node.
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

// A row of P: (I - omega D^-1 A') T.
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

    // Where an aggregate's entries are in a row of P.
    __device__ int64_t place(int64_t begin, int64_t count, int32_t number) const
    {
        int32_t column = number * modes;
        int64_t low = 0;
        int64_t high = count / modes;
        while (high - low > 1) {
            int64_t middle = low + (high - low) / 2;
            if (columns[begin + middle * modes] <= column)
                low = middle;
            else
                high = middle;
        }
        return begin + low * modes;
    }

    // row += a T_j
    __device__ void add(int64_t begin, int64_t count, Value a, int64_t j) const
    {
        int32_t number = aggregate[j / block];
        if (number < 0)
            return;
        int64_t to = place(begin, count, number);
        for (int mode = 0; mode < modes; mode++)
            values[to + mode] = fur_add(values[to + mode], fur_mul(a, t[j * modes + mode]));
    }

    // -omega / D, 0 for a row that is not to be smoothed.
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
            return d * of_stored > FUR_AMG_LEAST * of_stored * of_stored
                       ? fur_from<Value>({-omega / d, 0})
                       : fur_zero<Value>();
        }
    }

    __device__ void operator()(int64_t row) const
    {
        int64_t begin = offsets[row];
        int64_t count = offsets[row + 1] - begin;
        int64_t node = row / block;
        const int32_t *strong = graph.column + graph.begin[node];
        const int32_t *strong_end = strong + graph.count[node];
        Value diagonal = fur_zero<Value>();
        Value stored = fur_zero<Value>();
        for (int64_t k = 0; k < count; k++)
            values[begin + k] = fur_zero<Value>();
        if (count == 0)
            return;
        int64_t end = a_offsets[row + 1];
        for (int64_t k = a_offsets[row]; k < end; k++) {
            int64_t column = a_columns[k];
            int64_t j = column;
            int64_t other = j / block;
            Value a = a_values[k];
            while (strong < strong_end && *strong < other)
                strong++;
            if (other != node && (strong == strong_end || *strong != other))
                j = node * block + j % block;
            if (j == row)
                diagonal = fur_add(diagonal, a);
            if (column == row)
                stored = fur_add(stored, a);
            add(begin, count, a, j);
        }
        Value by = factor(diagonal, stored);
        for (int64_t k = 0; k < count; k++)
            values[begin + k] = fur_mul(by, values[begin + k]);
        add(begin, count, fur_from<Value>({1, 0}), row);
    }
};

} // namespace

// Waits.
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
                                             fur_amg_writable<Offset>(p->offsets),
                                             fur_amg_writable<int32_t>(p->columns)});
    });
}

fur_status fur_cuda_amg_fill_prolongation(fur_env *env, const fur_csr_view *a, int block, int modes,
                                          double omega, const fur_amg_graph *graph,
                                          const int32_t *aggregate, const void *t,
                                          const fur_csr_view *p)
{
    return fur_with_value(a->value_type, [&](auto one) {
        using Value = decltype(one);
        return fur_amg_run(env, "values of a prolongation", a->rows,
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
                                           fur_amg_writable<Value>(p->values)});
    });
}
