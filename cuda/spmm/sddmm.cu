// Products of two blocks of vectors at the entries of a matrix, for row-major blocks: two to eight
// threads an entry, each with the lanes that 16 bytes of a row of Y hold. A group of threads has
// some consecutive entries, four of which are on their way at once; neighbouring entries share
// their row of X, and most rows of Y, by the first-level cache. Long rows are so shared out like
// any others. After Gale, Zaharia, Young and Elsen 2020 (Sputnik), with the entries cut instead of
// the rows.
//
// Bytes an entry and k columns: k entries for its row of Y, column, value (two with beta); a row:
// offset, k entries of X. 2 k flops an entry.
#include "spmm.cuh"

#define BLOCK 256
#define ALL_LANES 0xffffffffu
// Entries of a group whose rows of Y are read side by side, and entries of a group at most.
#define TOGETHER 4
#define MOST_ENTRIES 32
// Blocks for each multiprocessor that are to be there before groups get more entries.
#define BLOCKS_WANTED 8

namespace
{

// The lanes of a thread, and the threads of an entry.
template <class Value> constexpr int lanes_each = fur_piece<Value>::entries;
template <class Value> constexpr int group_threads = FUR_SDDMM_LANES / lanes_each<Value>;
template <class Value> constexpr int groups_a_block = BLOCK / group_threads<Value>;

// C = alpha X Y^H + beta A on A's pattern.
template <class Value> struct sampling {
    int64_t rows;
    int64_t entries;
    int64_t cols; // of X and Y
    fur_row_starts starts;
    const int32_t *columns;
    const Value *old; // A's values, which may be C's
    Value *values;
    const Value *x;
    int64_t x_row;
    const Value *y;
    int64_t y_row;
    fur_finish<Value> finish;

    explicit sampling(const fur_sddmm_call *call)
        : rows(call->a->rows), entries(call->a->entries),
          cols(call->x->cols), starts{call->a->offsets, call->a->offset_type == FUR_I64},
          columns(call->a->columns), old(static_cast<const Value *>(call->a->values)),
          values(static_cast<Value *>(call->values)), x(static_cast<const Value *>(call->x->data)),
          x_row(call->x->stride), y(static_cast<const Value *>(call->y->data)),
          y_row(call->y->stride), finish(call)
    {
    }
};

// The row of an entry, the last that does not begin behind it, by all lanes of a warp: 32 rows at a
// time.
__device__ int64_t find_row_by_warp(const fur_row_starts &starts, int64_t rows, int64_t entry)
{
    int lane = threadIdx.x % FUR_WARP;
    int64_t low = 0;
    int64_t count = rows;
    while (count > 1) {
        int64_t step = (count + FUR_WARP - 1) / FUR_WARP;
        bool not_behind = lane * step < count && starts[low + lane * step] <= entry;
        int last = __popc(__ballot_sync(ALL_LANES, not_behind)) - 1;
        low += last * step;
        count = min(step, count - last * step);
    }
    return low;
}

// The same among rows low .. high, by one thread.
__device__ int64_t find_row(const fur_row_starts &starts, int64_t low, int64_t high, int64_t entry)
{
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (starts[middle] <= entry)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// The same from the row of an earlier entry on: mostly it is this one or the next.
__device__ int64_t advance(const fur_row_starts &starts, int64_t row, int64_t high, int64_t entry)
{
    if (row == high || starts[row + 1] > entry)
        return row;
    row++;
    return row == high || starts[row + 1] > entry ? row : find_row(starts, row + 1, high, entry);
}

template <class Value> __device__ Value from_below(Value value, int distance, int width)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {__shfl_down_sync(ALL_LANES, value.re, distance, width),
                __shfl_down_sync(ALL_LANES, value.im, distance, width)};
    else
        return __shfl_down_sync(ALL_LANES, value, distance, width);
}

// The lanes of a group, folded in halves; its first thread has the sum.
template <class Value> __device__ Value fold(Value (&lane)[lanes_each<Value>])
{
    constexpr int each = lanes_each<Value>;
#pragma unroll
    for (int half = FUR_SDDMM_LANES / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < (half < each ? half : each); i++) {
            Value other = half < each ? lane[(i + half) % each]
                                      : from_below(lane[i], half / each, group_threads<Value>);
            lane[i] = fur_add(lane[i], other);
        }
    return lane[0];
}

// A thread's entries of a row: 16 bytes at once where rows lie like that.
template <class Value, bool whole> __device__ fur_piece<Value> read_piece(const Value *p)
{
    fur_piece<Value> piece;
    if constexpr (whole) {
        piece = fur_read(reinterpret_cast<const fur_piece<Value> *>(p));
    } else {
#pragma unroll
        for (int i = 0; i < lanes_each<Value>; i++)
            piece.entry[i] = fur_read(p + i);
    }
    return piece;
}

// TOGETHER entries: where their rows begin for this thread, and its lanes of their sums.
template <class Value> struct together {
    const Value *x[TOGETHER];
    const Value *y[TOGETHER];
    Value sum[TOGETHER][lanes_each<Value>];
};

// All whole groups of lanes, then the columns that are left.
template <class Value, bool whole>
__device__ void add_columns(int64_t cols, int part, together<Value> *t)
{
    constexpr int each = lanes_each<Value>;
    int64_t full = cols - cols % FUR_SDDMM_LANES;
#pragma unroll 2
    for (int64_t k = 0; k < full; k += FUR_SDDMM_LANES) {
        fur_piece<Value> x[TOGETHER];
        fur_piece<Value> y[TOGETHER];
#pragma unroll
        for (int u = 0; u < TOGETHER; u++) {
            y[u] = read_piece<Value, whole>(t->y[u] + k);
            x[u] = read_piece<Value, whole>(t->x[u] + k);
        }
#pragma unroll
        for (int u = 0; u < TOGETHER; u++)
#pragma unroll
            for (int i = 0; i < each; i++)
                t->sum[u][i] = fur_fma(fur_conj(x[u].entry[i]), y[u].entry[i], t->sum[u][i]);
    }
#pragma unroll
    for (int i = 0; i < each; i++)
        if (full + part * each + i < cols)
#pragma unroll
            for (int u = 0; u < TOGETHER; u++)
                t->sum[u][i] = fur_fma(fur_conj(fur_read(t->x[u] + full + i)),
                                       fur_read(t->y[u] + full + i), t->sum[u][i]);
}

// `run` entries a group. Bytes and flops: above.
template <class Value, bool whole>
__global__ void __launch_bounds__(BLOCK) sample(const __grid_constant__ sampling<Value> s, int run)
{
    constexpr int threads = group_threads<Value>;
    constexpr int each = lanes_each<Value>;
    __shared__ int64_t ends[2]; // the rows of the block's first and last entry
    int64_t first = blockIdx.x * (int64_t(groups_a_block<Value>) * run);
    int64_t last = min(s.entries, first + int64_t(groups_a_block<Value>) * run) - 1;
    int warp = threadIdx.x / FUR_WARP;
    if (warp < 2) {
        int64_t row = find_row_by_warp(s.starts, s.rows, warp == 0 ? first : last);
        if (threadIdx.x % FUR_WARP == 0)
            ends[warp] = row;
    }
    __syncthreads();
    int part = threadIdx.x % threads;
    int64_t begin = first + threadIdx.x / threads * int64_t(run);
    int64_t row = find_row(s.starts, ends[0], ends[1], min(begin, last));
    for (int64_t e = begin; e < begin + run; e += TOGETHER) {
        together<Value> t = {};
#pragma unroll
        for (int u = 0; u < TOGETHER; u++) {
            int64_t entry = min(e + u, last); // lanes of a warp stay together
            row = advance(s.starts, row, ends[1], entry);
            t.x[u] = s.x + row * s.x_row + part * each;
            t.y[u] = s.y + s.columns[entry] * s.y_row + part * each;
        }
        add_columns<Value, whole>(s.cols, part, &t);
#pragma unroll
        for (int u = 0; u < TOGETHER; u++) {
            Value sum = fur_conj(fold(t.sum[u]));
            if (part == 0 && e + u <= last)
                s.values[e + u] = s.finish.combine(sum, &s.old[e + u]);
        }
    }
}

// Entries for a group: more where there are blocks enough, as each block looks for its rows.
template <class Value> int entries_a_group(const fur_device *device, int64_t entries)
{
    int64_t groups = int64_t(groups_a_block<Value>) * BLOCKS_WANTED * device->multiprocessors;
    int64_t fair = fur_ceil_div(fur_ceil_div(entries, groups), TOGETHER) * TOGETHER;
    return static_cast<int>(fair < MOST_ENTRIES ? fair : MOST_ENTRIES);
}

// Whether rows begin at multiples of 16 bytes.
template <class Value> bool in_pieces(const fur_vectors_view *v)
{
    return v->stride % lanes_each<Value> == 0 && reinterpret_cast<uintptr_t>(v->data) % 16 == 0;
}

template <class Value> fur_status launch(const fur_sddmm_call *call)
{
    const sampling<Value> s(call);
    int run = entries_a_group<Value>(call->env->device, s.entries);
    unsigned blocks = fur_blocks(s.entries, int64_t(groups_a_block<Value>) * run);
    cudaStream_t stream = fur_cuda_stream(call->env);
    if (in_pieces<Value>(call->x) && in_pieces<Value>(call->y))
        sample<Value, true><<<blocks, BLOCK, 0, stream>>>(s, run);
    else
        sample<Value, false><<<blocks, BLOCK, 0, stream>>>(s, run);
    return fur_cuda_launched(call->env, "sddmm");
}

} // namespace

extern "C" fur_status fur_cuda_sddmm(const fur_sddmm_call *call)
{
    return fur_with_value(call->a->value_type,
                          [&](auto value) { return launch<decltype(value)>(call); });
}
