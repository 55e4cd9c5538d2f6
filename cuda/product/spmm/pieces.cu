// SpMM by pieces of rows of a row-major X. Neighbouring threads have neighbouring pieces, of 16
// bytes if rows are aligned to 16 bytes. The pieces of a row of X determine the threads of a row of
// A. Their number need not be a power of two nor divide a warp, because threads exchange nothing: k
// = 9 takes nine threads a row, and k = 100 in double precision takes fifty.
//
// A block processes a range of consecutive rows. Rows of X that neighbouring rows of A share then
// stay in the first-level cache, including rows one grid line apart. After Huang, Dai, Wang and
// Yang 2020 (GE-SpMM) and Gale, Zaharia, Young and Elsen 2020 (Sputnik).
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries a column for X and Y. 2 n
// flops a column.
#include "long_rows.cuh"
#include "spmm.cuh"

#define BLOCK 512
#define RESIDENT 2
// Entries of a row whose pieces of X are loaded together; half as many for 16-byte entries.
#define AHEAD 4
// The most rows of A in a block.
#define MAX_ROWS 1024

namespace
{

template <class Value> constexpr int ahead = sizeof(Value) > 8 ? AHEAD / 2 : AHEAD;

template <class Value, int width> struct alignas(width * sizeof(Value)) columns_of {
    Value entry[width];
};

template <class Value, int width> __device__ columns_of<Value, width> read_columns(const Value *x)
{
    using piece = columns_of<Value, width>;
    return fur_read(reinterpret_cast<const piece *>(x));
}

// Adds the products of at most `ahead` entries from `begin` on.
template <class Value, int width>
__device__ void add_entries(const fur_block_product<Value> &p, const Value *x, int64_t begin,
                            int count, Value (&sum)[width])
{
    Value a[ahead<Value>];
    columns_of<Value, width> piece[ahead<Value>];
#pragma unroll
    for (int u = 0; u < ahead<Value>; u++)
        if (u < count) {
            int32_t column = fur_read(p.columns + begin + u);
            a[u] = fur_read(p.values + begin + u);
            piece[u] = read_columns<Value, width>(x + column * p.x.row);
        }
#pragma unroll
    for (int u = 0; u < ahead<Value>; u++)
        if (u < count)
#pragma unroll
            for (int i = 0; i < width; i++)
                sum[i] = fur_fma(a[u], piece[u].entry[i], sum[i]);
}

// The sums of a row of one segment.
template <class Value, int width>
__device__ void sum_row(const fur_block_product<Value> &p, const Value *x, int64_t begin,
                        int64_t end, Value (&sum)[width])
{
#pragma unroll
    for (int i = 0; i < width; i++)
        sum[i] = fur_zero<Value>();
    int64_t k = begin;
    for (; k + ahead<Value> <= end; k += ahead<Value>)
        add_entries<Value, width>(p, x, k, ahead<Value>, sum);
    if (k < end)
        add_entries<Value, width>(p, x, k, static_cast<int>(end - k), sum);
}

template <class Value, int width>
__device__ void finish_row(const fur_block_product<Value> &p, Value (&sum)[width], Value *y)
{
    using piece = columns_of<Value, width>;
    if (p.y.column == 1 && p.y_in_pieces) {
        piece out;
        if (!p.finish.overwrite)
            out = *reinterpret_cast<const piece *>(y);
#pragma unroll
        for (int i = 0; i < width; i++)
            out.entry[i] = p.finish.combine(sum[i], &out.entry[i]);
        fur_write_away(reinterpret_cast<piece *>(y), out);
        return;
    }
#pragma unroll
    for (int i = 0; i < width; i++)
        p.finish(sum[i], y + i * p.y.column);
}

// Uses `threads` threads for a row, each with `width` columns. Bytes a row of n entries: n (entry +
// 4) + offset for A, two entries a column for X and Y; 2 n flops a column.
template <class Value, int width>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    multiply(const __grid_constant__ fur_block_product<Value> p, int threads, int rows_a_block)
{
    int at_once = BLOCK / threads;
    int group = static_cast<int>(threadIdx.x) / threads;
    int64_t first =
        (blockIdx.y * int64_t(threads) + static_cast<int>(threadIdx.x) % threads) * width;
    if (group >= at_once || first >= p.cols)
        return;
    const Value *x = p.x.data + first * p.x.column;
    int64_t last = min(p.rows, (blockIdx.x + int64_t(1)) * rows_a_block);
    for (int64_t row = blockIdx.x * int64_t(rows_a_block) + group; row < last; row += at_once) {
        int64_t begin = p.starts[row];
        int64_t end = p.starts[row + 1];
        if (end - begin > FUR_ROW_SEGMENT)
            continue;
        Value sum[width];
        sum_row<Value, width>(p, x, begin, end, sum);
        finish_row<Value, width>(p, sum, p.y.data + row * p.y.row + first * p.y.column);
    }
}

// Returns the number of rows of A in a block: the number that suits the cache, or fewer if there
// would be too few blocks.
int rows_a_block_for(const fur_device *device, int64_t rows, int at_once, int64_t chunks)
{
    int64_t blocks = int64_t(4) * RESIDENT * device->multiprocessors;
    int64_t fair = fur_ceil_div(rows * chunks, blocks);
    int64_t most = fair < MAX_ROWS ? fair : MAX_ROWS;
    return static_cast<int>(fur_ceil_div(most, at_once) * at_once);
}

template <int width, class Value>
fur_status launch(const fur_spmm_call *call, const fur_block_product<Value> &p)
{
    int64_t pieces = fur_ceil_div(p.cols, width);
    int64_t chunks = fur_ceil_div(pieces, BLOCK / 4);
    int threads = static_cast<int>(fur_ceil_div(pieces, chunks));
    int at_once = BLOCK / threads;
    int rows = rows_a_block_for(call->env->device, p.rows, at_once, chunks);
    dim3 grid(fur_blocks(p.rows, rows), static_cast<unsigned>(chunks));
    multiply<Value, width><<<grid, BLOCK, 0, fur_cuda_stream(call->env)>>>(p, threads, rows);
    return fur_cuda_launched(call->env, "spmm rows, in pieces");
}

// Returns whether the rows of X or Y consist of whole pieces of 16 bytes.
template <class Value> bool in_pieces(const fur_vectors_view *v)
{
    constexpr int64_t width = fur_piece<Value>::entries;
    return v->layout == FUR_LAYOUT_ROWS && v->stride % width == 0 && v->cols % width == 0 &&
           reinterpret_cast<uintptr_t>(v->data) % 16 == 0;
}

template <class Value>
fur_status apply_short_rows(const fur_spmm_call *call, fur_block_product<Value> p)
{
    constexpr int width = fur_piece<Value>::entries;
    bool whole = in_pieces<Value>(call->x);
    p.y_in_pieces = !whole || in_pieces<Value>(call->y);
    return whole ? launch<width>(call, p) : launch<1>(call, p);
}

fur_status apply(const fur_spmm_call *call)
{
    FUR_TRY(fur_with_block_product(call, [&](auto p) { return apply_short_rows(call, p); }));
    return fur_cuda_long_rows_apply(call);
}

} // namespace

extern "C" const fur_spmm_kernel fur_cuda_spmm_pieces = {
    {"pieces", "threads on pieces of rows of X", "after Huang et al. 2020, Gale et al. 2020", true,
     0},
    fur_cuda_long_rows_plan,
    nullptr, // refresh
    apply,
    fur_cuda_long_rows_release,
};
