// The tentative prolongation, as in src/precond/amg/tentative.c, with one thread for an aggregate.
// Bytes: each near-nullspace vector in and out, twice, and once more for each vector before it.
#include "amg.cuh"
#include "arrange.cuh"

namespace
{

template <class Value> struct set_constant {
    int block;
    Value *near;

    __device__ void operator()(int64_t row) const
    {
        for (int mode = 0; mode < block; mode++)
            near[row * block + mode] = fur_from<Value>({row % block == mode ? 1.0 : 0.0, 0});
    }
};

// Sets the keys by which nodes are sorted. Nodes without an aggregate come last.
struct list_nodes {
    const int32_t *aggregate;
    int32_t aggregates;
    int32_t *key;
    int32_t *node;

    __device__ void operator()(int64_t i) const
    {
        key[i] = aggregate[i] >= 0 ? aggregate[i] : aggregates;
        node[i] = static_cast<int32_t>(i);
    }
};

// Finds where each aggregate begins among the sorted nodes: at the first node whose key is not
// smaller.
struct find_start {
    const int32_t *key;
    int64_t nodes;
    int64_t *start;

    __device__ void operator()(int64_t aggregate) const
    {
        int64_t low = 0;
        int64_t high = nodes;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (key[middle] < aggregate)
                low = middle + 1;
            else
                high = middle;
        }
        start[aggregate] = low;
    }
};

// Copies the near-nullspace. The rows of a node without an aggregate are 0.
template <class Value> struct begin_tentative {
    const int32_t *aggregate;
    int64_t of_node;
    const Value *fine;
    Value *t;

    __device__ void operator()(int64_t i) const
    {
        t[i] = aggregate[i / of_node] >= 0 ? fine[i] : fur_zero<Value>();
    }
};

template <class Value> struct orthonormalise {
    const int32_t *node;
    const int64_t *start;
    int block;
    int modes;
    Value *t;
    Value *coarse;

    // Adds conj(x) y to a sum.
    __device__ static __forceinline__ void add(fur_scalar *sum, Value x, Value y)
    {
        if constexpr (fur_value_of<Value>::is_complex) {
            sum->re += double(x.re) * double(y.re) + double(x.im) * double(y.im);
            sum->im += double(x.re) * double(y.im) - double(x.im) * double(y.re);
        } else {
            sum->re += double(x) * double(y);
        }
    }

    // factor (y - h x)
    __device__ static __forceinline__ Value reduce(Value x, Value y, fur_scalar h, double factor)
    {
        if constexpr (fur_value_of<Value>::is_complex) {
            double re = double(y.re) - (h.re * double(x.re) - h.im * double(x.im));
            double im = double(y.im) - (h.re * double(x.im) + h.im * double(x.re));
            return fur_from<Value>({factor * re, factor * im});
        } else {
            return fur_from<Value>({factor * (double(y) - h.re * double(x)), 0});
        }
    }

    // conj(x) . y of two columns of T over an aggregate
    __device__ __forceinline__ fur_scalar dot(int64_t aggregate, int x, int y) const
    {
        fur_scalar sum = {0, 0};
#pragma unroll 1
        for (int64_t k = start[aggregate]; k < start[aggregate + 1]; k++) {
            const Value *row = t + int64_t(node[k]) * block * modes;
#pragma unroll 1
            for (int c = 0; c < block; c++, row += modes)
                add(&sum, row[x], row[y]);
        }
        return sum;
    }

    // column y = factor (column y - h column x)
    __device__ __forceinline__ void subtract(int64_t aggregate, int x, int y, fur_scalar h,
                                             double factor) const
    {
#pragma unroll 1
        for (int64_t k = start[aggregate]; k < start[aggregate + 1]; k++) {
            Value *row = t + int64_t(node[k]) * block * modes;
#pragma unroll 1
            for (int c = 0; c < block; c++, row += modes)
                row[y] = reduce(row[x], row[y], h, factor);
        }
    }

    // Makes column y orthogonal to the columns before it and normalises it, or sets it to 0. Also
    // sets its column of R.
    __device__ __forceinline__ void column(int64_t aggregate, int y) const
    {
        Value *r = coarse + aggregate * modes * modes;
        constexpr double least = sizeof(typename fur_value_of<Value>::real) == 4
                                     ? FUR_AMG_DEPENDENT_SINGLE
                                     : FUR_AMG_DEPENDENT_DOUBLE;
        double first = sqrt(dot(aggregate, y, y).re);
#pragma unroll 1
        for (int pass = 0; pass < 2; pass++)
#pragma unroll 1
            for (int x = 0; x < y; x++) {
                fur_scalar h = dot(aggregate, x, y);
                subtract(aggregate, x, y, h, 1);
                r[x * modes + y] = fur_add(r[x * modes + y], fur_from<Value>(h));
            }
        double norm = sqrt(dot(aggregate, y, y).re);
        bool dependent = !(norm > least * first);
        subtract(aggregate, y, y, {0, 0}, dependent ? 0 : 1 / norm);
        r[y * modes + y] = fur_from<Value>({dependent ? 0 : norm, 0});
    }

    __device__ void operator()(int64_t aggregate) const
    {
        for (int i = 0; i < modes * modes; i++)
            coarse[aggregate * modes * modes + i] = fur_zero<Value>();
#pragma unroll 1
        for (int y = 0; y < modes; y++)
            column(aggregate, y);
    }
};

// The nodes of each aggregate, in ascending order.
struct sorting {
    fur_amg_room<int32_t> key;
    fur_amg_room<int32_t> sorted;
    fur_amg_room<int32_t> number;
    fur_amg_room<int32_t> node;
    fur_amg_room<int64_t> start;

    explicit sorting(fur_env *env) : key(env), sorted(env), number(env), node(env), start(env)
    {
    }

    fur_status run(fur_env *env, int64_t nodes, const int32_t *aggregate, int64_t aggregates)
    {
        FUR_TRY(key.take(nodes));
        FUR_TRY(sorted.take(nodes));
        FUR_TRY(number.take(nodes));
        FUR_TRY(node.take(nodes));
        FUR_TRY(start.take(aggregates + 1));
        FUR_TRY(fur_amg_run(
            env, "list nodes", nodes,
            list_nodes{aggregate, static_cast<int32_t>(aggregates), key.at, number.at}));
        FUR_TRY(fur_sort_pairs(env, key.at, sorted.at, number.at, node.at, nodes,
                               fur_bits(aggregates)));
        return fur_amg_run(env, "starts of aggregates", aggregates + 1,
                           find_start{sorted.at, nodes, start.at});
    }
};

} // namespace

fur_status fur_cuda_amg_fill_constants(fur_env *env, fur_value_type value, int64_t rows, int block,
                                       void *near)
{
    return fur_with_value(value, [&](auto one) {
        using Value = decltype(one);
        return fur_amg_run(env, "constants", rows,
                           set_constant<Value>{block, static_cast<Value *>(near)});
    });
}

fur_status fur_cuda_amg_fill_tentative(fur_env *env, fur_value_type value, int block, int modes,
                                       int64_t nodes, const int32_t *aggregate, int64_t aggregates,
                                       const void *fine, void *t, void *coarse)
{
    sorting sorted(env);
    FUR_TRY(sorted.run(env, nodes, aggregate, aggregates));
    return fur_with_value(value, [&](auto one) {
        using Value = decltype(one);
        int64_t of_node = int64_t(block) * modes;
        auto to = static_cast<Value *>(t);
        FUR_TRY(fur_amg_run(
            env, "begin a tentative prolongation", nodes * of_node,
            begin_tentative<Value>{aggregate, of_node, static_cast<const Value *>(fine), to}));
        return fur_amg_run(env, "tentative prolongation", aggregates,
                           orthonormalise<Value>{sorted.node.at, sorted.start.at, block, modes, to,
                                                 static_cast<Value *>(coarse)});
    });
}
