// Finds the strong couplings of nodes, as in src/precond/amg/strength.c. Bytes: the matrix twice, 4
// for every strong entry, about 30 a node.
#include "amg.cuh"

#include <furrow/precond.h>

namespace
{

template <class Value> __device__ double square(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return double(a.re) * double(a.re) + double(a.im) * double(a.im);
    else
        return double(a) * double(a);
}

// The matrix as rows of blocks.
template <class Value> struct blocks {
    fur_row_starts offsets;
    const int32_t *columns;
    const Value *values;
    int block;

    // Returns the position of the first entry of a row whose column is at least `column`.
    __device__ int64_t find(int64_t row, int64_t column) const
    {
        int64_t low = offsets[row];
        int64_t high = offsets[row + 1];
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (columns[middle] < column)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    // Returns the squared norm of block (i, j), or 0 if it has no entry.
    __device__ double square_at(int64_t i, int64_t j) const
    {
        double sum = 0;
#pragma unroll 1
        for (int c = 0; c < block; c++) {
            int64_t row = i * block + c;
            int64_t end = offsets[row + 1];
            for (int64_t k = find(row, j * block); k < end && columns[k] < (j + 1) * block; k++)
                sum += square(values[k]);
        }
        return sum;
    }

    // Calls f(node, square) for the blocks of node i, in ascending order.
    template <class F> __device__ __forceinline__ void for_blocks(int64_t i, F f) const
    {
        int64_t at[FUR_AMG_BLOCK_MAX];
#pragma unroll 1
        for (int c = 0; c < block; c++)
            at[c] = offsets[i * block + c];
        for (;;) {
            int64_t node = INT64_MAX;
#pragma unroll 1
            for (int c = 0; c < block; c++)
                if (at[c] < offsets[i * block + c + 1])
                    node = min(node, int64_t(columns[at[c]] / block));
            if (node == INT64_MAX)
                return;
            double sum = 0;
#pragma unroll 1
            for (int c = 0; c < block; c++)
                for (int64_t end = offsets[i * block + c + 1];
                     at[c] < end && columns[at[c]] / block == node; at[c]++)
                    sum += square(values[at[c]]);
            f(node, sum);
        }
    }
};

// The norm of each node's diagonal block, and the position where its list of neighbours begins.
template <class Value> struct measure {
    blocks<Value> a;
    double *diagonal;
    int64_t *begin;

    __device__ void operator()(int64_t i) const
    {
        diagonal[i] = sqrt(a.square_at(i, i));
        begin[i] = a.offsets[i * a.block];
    }
};

// The test for strong neighbours of a node.
template <class Value> struct choice {
    blocks<Value> a;
    double limit;
    const double *diagonal;
    fur_amg_graph graph;
    int32_t *aggregate;

    __device__ bool is_strong(double squares, int64_t i, int64_t j) const
    {
        double diagonals = diagonal[i] * diagonal[j];
        if (fur_amg_is_close(squares, diagonals, limit))
            squares = fmax(squares, a.square_at(j, i));
        return fur_amg_is_strong(squares, diagonals, limit);
    }

    // A node is alone if the sum of the norms of all blocks off its diagonal is small.
    __device__ void keep(int64_t i, int32_t count, double beside) const
    {
        graph.count[i] = count;
        aggregate[i] =
            count == 0 && beside <= FUR_AMG_SLIGHT * diagonal[i] ? FUR_AMG_ALONE : FUR_AMG_FREE;
    }
};

// Finds the strong neighbours of a node of one row, with a team for each row.
template <class Value> struct choose_entries : choice<Value> {
    // Returns the sum of the moduli off the diagonal.
    __device__ double entries_beside(int64_t i) const
    {
        double sum = 0;
        const blocks<Value> &a = this->a;
        int64_t end = a.offsets[i + 1];
        for (int64_t k = a.offsets[i]; k < end; k++)
            sum += a.columns[k] == i ? 0 : sqrt(square(a.values[k]));
        return sum;
    }

    template <class Team> __device__ void operator()(int64_t i, const Team &team) const
    {
        const blocks<Value> &a = this->a;
        int32_t *column = this->graph.column + this->graph.begin[i];
        int32_t count = 0;
        int64_t end = a.offsets[i + 1];
        for (int64_t first = a.offsets[i]; first < end; first += Team::size) {
            int64_t k = first + team.lane;
            int32_t j = k < end ? a.columns[k] : static_cast<int32_t>(i);
            unsigned strong = team.ballot(j != i && this->is_strong(square(a.values[k]), i, j));
            if (strong >> team.lane & 1)
                column[count + __popc(strong & (1u << team.lane) - 1)] = j;
            count += __popc(strong);
        }
        if (team.lane == 0)
            this->keep(i, count, count == 0 ? entries_beside(i) : 0);
    }
};

// Finds the strong neighbours of a node of several rows.
template <class Value> struct choose_blocks : choice<Value> {
    // Also computes the sum of the norms off the diagonal.
    __device__ int32_t whole_blocks(int64_t i, int32_t *column, double *beside) const
    {
        int32_t count = 0;
        double sum = 0;
        this->a.for_blocks(i, [&](int64_t node, double squares) {
            if (node == i)
                return;
            sum += sqrt(squares);
            if (this->is_strong(squares, i, node))
                column[count++] = static_cast<int32_t>(node);
        });
        *beside = sum;
        return count;
    }

    __device__ void operator()(int64_t i) const
    {
        double beside = 0;
        int32_t count = whole_blocks(i, this->graph.column + this->graph.begin[i], &beside);
        this->keep(i, count, beside);
    }
};

// Adds the hashes of the entries above the diagonal and subtracts those of the entries below.
__global__ void __launch_bounds__(FUR_AMG_BLOCK)
    compare_halves(fur_amg_graph graph, unsigned long long *result)
{
    int64_t i = fur_amg_index();
    unsigned long long sum = 0;
    if (i < graph.nodes) {
        const int32_t *column = graph.column + graph.begin[i];
        for (int32_t k = 0; k < graph.count[i]; k++) {
            int64_t j = column[k];
            sum += i < j ? uint64_t(fur_amg_hash_edge(uint64_t(i), uint64_t(j)))
                         : 0 - uint64_t(fur_amg_hash_edge(uint64_t(j), uint64_t(i)));
        }
    }
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(~0U, sum, half);
    if (threadIdx.x % FUR_WARP == 0 && sum != 0)
        atomicAdd(result, sum);
}

fur_status set_end(fur_env *env, const fur_amg_graph *graph, int64_t entries)
{
    return fur_cuda_copy(env, graph->begin + graph->nodes, &entries, sizeof entries);
}

// Waits for the result.
fur_status is_symmetric(fur_env *env, const fur_amg_graph *graph, bool *symmetric)
{
    fur_amg_room<unsigned long long> result(env);
    unsigned long long sum = 0;
    FUR_TRY(result.take(1));
    FUR_TRY(fur_cuda_clear(env, result.at, sizeof sum));
    if (graph->nodes > 0)
        compare_halves<<<fur_blocks(graph->nodes, FUR_AMG_BLOCK), FUR_AMG_BLOCK, 0,
                         fur_cuda_stream(env)>>>(*graph, result.at);
    FUR_TRY(fur_cuda_launched(env, "symmetry of a graph"));
    FUR_TRY(fur_cuda_copy(env, &sum, result.at, sizeof sum));
    *symmetric = sum == 0;
    return FUR_OK;
}

} // namespace

fur_status fur_cuda_amg_find_strong(fur_env *env, const fur_csr_view *a, int block, double limit,
                                    double *diagonal, const fur_amg_graph *graph,
                                    int32_t *aggregate, bool *symmetric)
{
    FUR_TRY(set_end(env, graph, a->entries));
    FUR_TRY(fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        blocks<Value> by_blocks = {{a->offsets, a->offset_type == FUR_I64},
                                   a->columns,
                                   static_cast<const Value *>(a->values),
                                   block};
        FUR_TRY(fur_amg_run(env, "diagonals", graph->nodes,
                            measure<Value>{by_blocks, diagonal, graph->begin}));
        choice<Value> how = {by_blocks, limit, diagonal, *graph, aggregate};
        return block > 1
                   ? fur_amg_run(env, "strong blocks", graph->nodes, choose_blocks<Value>{how})
                   : fur_amg_run_rows(env, "strong entries", a, choose_entries<Value>{how});
    }));
    return is_symmetric(env, graph, symmetric);
}
