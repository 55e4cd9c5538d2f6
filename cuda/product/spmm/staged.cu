// SpMM with one thread for a row and several columns, for column-major X or few columns. If
// neighbouring rows of A are similar, neighbouring threads read neighbouring entries of a column of
// X. The block's part of A is streamed through shared memory in stages. If the entries of a row are
// in several stages, its sums stay in registers between them.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries a column for X and Y. 2 n
// flops a column.
#include "long_rows.cuh"
#include "spmm.cuh"

#define BLOCK 128
#define RESIDENT 5
// Entries of A in shared memory.
#define ENTRIES 1536
namespace
{

// The most columns of a thread, limited by the registers.
template <class Value> constexpr int most_columns = sizeof(Value) < 16 ? 8 : 4;

// Returns the padded position of entry k: without padding, rows of 2^n entries would conflict in
// one bank.
__device__ int place_of(int k)
{
    return k + (k >> 4);
}

// A stage of A in shared memory.
template <class Value> struct stage {
    Value values[ENTRIES + ENTRIES / 16];
    int32_t columns[ENTRIES + ENTRIES / 16];
};

// The sums of a row while the stages pass.
template <class Value, int count> struct row_sums {
    int64_t begin;
    int64_t end;
    Value sum[count];
};

// Adds the entries of a row that are in the stage from `first` to `last`.
template <class Value, int count>
__device__ void add_part(const fur_block_product<Value> &p, const stage<Value> &a, int64_t first,
                         int64_t last, const Value *x, row_sums<Value, count> *row)
{
    int64_t stop = min(row->end, last);
#pragma unroll 2
    for (int64_t k = max(row->begin, first); k < stop; k++) {
        int place = place_of(static_cast<int>(k - first));
        Value value = a.values[place];
        const Value *at = x + a.columns[place] * p.x.row;
#pragma unroll
        for (int g = 0; g < count; g++)
            row->sum[g] = fur_fma(value, fur_read(at + g * p.x.column), row->sum[g]);
    }
}

// One thread multiplies a row by `count` columns. Bytes a row of n entries: n (entry + 4) + offset
// for A, once for `count` columns, and two entries a column for X and Y; 2 n flops a column.
template <class Value, int count>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    multiply(const __grid_constant__ fur_block_product<Value> p, int64_t first_column)
{
    __shared__ stage<Value> a;
    int64_t first_row = blockIdx.x * int64_t(BLOCK);
    int64_t last_row = min(p.rows, first_row + BLOCK);
    int64_t row = first_row + threadIdx.x;
    int64_t j = first_column + blockIdx.y * int64_t(count);
    const Value *x = p.x.data + j * p.x.column;
    row_sums<Value, count> sums = {};
    bool works = row < last_row;
    if (works) {
        sums.begin = p.starts[row];
        sums.end = p.starts[row + 1];
        works = sums.end - sums.begin <= FUR_ROW_SEGMENT;
    }
    if (!works)
        sums.begin = sums.end = 0;
#pragma unroll
    for (int g = 0; g < count; g++)
        sums.sum[g] = fur_zero<Value>();
    int64_t end = p.starts[last_row];
    for (int64_t first = p.starts[first_row]; first < end; first += ENTRIES) {
        int64_t last = min(end, first + ENTRIES);
        if (!__syncthreads_or(max(sums.begin, first) < min(sums.end, last)))
            continue; // the whole stage belongs to long rows
        for (int k = threadIdx.x; k < last - first; k += BLOCK) {
            a.columns[place_of(k)] = fur_stream(p.columns + first + k);
            a.values[place_of(k)] = fur_stream(p.values + first + k);
        }
        __syncthreads();
        add_part(p, a, first, last, x, &sums);
    }
    if (!works)
        return;
    Value *y = p.y.data + row * p.y.row + j * p.y.column;
#pragma unroll
    for (int g = 0; g < count; g++)
        p.finish(sums.sum[g], y + g * p.y.column);
}

// Launches `count` columns a thread as often as that many columns remain from *first on. Advances
// *first.
template <int count, class Value>
fur_status launch(const fur_spmm_call *call, const fur_block_product<Value> &p, int64_t *first)
{
    int64_t groups = (p.cols - *first) / count;
    if (groups == 0)
        return FUR_OK;
    dim3 grid(fur_blocks(p.rows, BLOCK), static_cast<unsigned>(groups));
    multiply<Value, count><<<grid, BLOCK, 0, fur_cuda_stream(call->env)>>>(p, *first);
    *first += groups * count;
    return fur_cuda_launched(call->env, "spmm rows, staged");
}

template <class Value>
fur_status apply_short_rows(const fur_spmm_call *call, const fur_block_product<Value> &p)
{
    int64_t first = 0;
    FUR_TRY(launch<most_columns<Value>>(call, p, &first));
    FUR_TRY(launch<4>(call, p, &first));
    FUR_TRY(launch<2>(call, p, &first));
    return launch<1>(call, p, &first);
}

fur_status apply(const fur_spmm_call *call)
{
    FUR_TRY(fur_with_block_product(call, [&](auto p) { return apply_short_rows(call, p); }));
    return fur_cuda_long_rows_apply(call);
}

} // namespace

extern "C" const fur_spmm_kernel fur_cuda_spmm_staged = {
    {"staged", "one thread per row and group of columns, A through shared memory", "", true, 0},
    fur_cuda_long_rows_plan,
    nullptr, // refresh
    apply,
    fur_cuda_long_rows_release,
};
