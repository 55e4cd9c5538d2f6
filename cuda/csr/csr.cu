// Checks, figures and the diagonal of a matrix on the device.
//
// Each makes one pass. A thread inspects its rows, a block adds the counts of its threads, and the
// last block writes the totals where the host can read them. All counts are integers, so their
// order does not matter. Bytes a row: an offset. Bandwidth and profile also read the first and last
// columns, and the check of columns reads all columns.
#include "csr.cuh"

#define BLOCK 256
#define BLOCKS_A_MULTIPROCESSOR 8

namespace
{

enum aspect { LENGTHS, PATTERN, OFFSETS, COLUMNS };

// *most = max(*most, value)
__device__ void keep_most(unsigned long long *most, unsigned long long value)
{
    if (value > *most)
        *most = value;
}

// Records a row that breaks the contract. The number is complemented, so that the first such row
// has the largest value.
__device__ void blame(fur_figures *f, int64_t row)
{
    keep_most(&f->bad_row, ~static_cast<unsigned long long>(row));
}

// Adds the bandwidth and profile of a row, from its first and last columns.
__device__ void look_at_ends(fur_figures *f, int64_t row, int32_t first, int32_t last)
{
    int64_t left = row - first;
    int64_t right = last - row;
    keep_most(&f->bandwidth, static_cast<unsigned long long>(left < 0 ? -left : left));
    keep_most(&f->bandwidth, static_cast<unsigned long long>(right < 0 ? -right : right));
    f->profile += left > 0 ? static_cast<unsigned long long>(left) : 0;
}

// Returns whether the columns of a row increase strictly and are within 0 .. cols-1.
__device__ bool sound(const int32_t *columns, int64_t begin, int64_t end, int64_t cols)
{
    int64_t last = -1;
    for (int64_t k = begin; k < end; k++) {
        int64_t column = columns[k];
        if (column <= last || column >= cols)
            return false;
        last = column;
    }
    return true;
}

// Adds the properties of a row to a thread's counts.
template <aspect what, class Offset>
__device__ void examine_row(fur_figures *f, const fur_csr_view &a, int64_t row)
{
    const Offset *offsets = static_cast<const Offset *>(a.offsets);
    int64_t begin = offsets[row];
    int64_t end = offsets[row + 1];
    if constexpr (what == OFFSETS) {
        bool ends = (row > 0 || begin == 0) && (row + 1 < a.rows || end == a.entries);
        if (begin < 0 || begin > end || end > a.entries || !ends)
            blame(f, row);
    } else if constexpr (what == COLUMNS) {
        if (!sound(a.columns, begin, end, a.cols))
            blame(f, row);
    } else {
        auto length = static_cast<unsigned long long>(end - begin);
        keep_most(&f->row_longest, length);
        keep_most(&f->row_whole, length <= FUR_ROW_SEGMENT ? length : 0);
        keep_most(&f->row_spare, UINT32_MAX - length);
        f->empty_rows += begin == end;
        if (what == PATTERN && begin < end)
            look_at_ends(f, row, a.columns[begin], a.columns[end - 1]);
    }
}

// Adds counts with atomics: a thread's counts to the block's, or a block's counts to the grid's.
__device__ void gather(fur_figures *to, const fur_figures &from)
{
    atomicMax(&to->row_longest, from.row_longest);
    atomicMax(&to->row_whole, from.row_whole);
    atomicMax(&to->row_spare, from.row_spare);
    atomicAdd(&to->empty_rows, from.empty_rows);
    atomicMax(&to->bandwidth, from.bandwidth);
    atomicAdd(&to->profile, from.profile);
    atomicMax(&to->bad_row, from.bad_row);
}

// Combines the counts of a warp in its first lane: shuffles are cheaper than atomics on one
// address.
__device__ fur_figures gather_warp(fur_figures f)
{
    for (int half = FUR_WARP / 2; half > 0; half /= 2) {
        keep_most(&f.row_longest, __shfl_down_sync(~0U, f.row_longest, half));
        keep_most(&f.row_whole, __shfl_down_sync(~0U, f.row_whole, half));
        keep_most(&f.row_spare, __shfl_down_sync(~0U, f.row_spare, half));
        f.empty_rows += __shfl_down_sync(~0U, f.empty_rows, half);
        keep_most(&f.bandwidth, __shfl_down_sync(~0U, f.bandwidth, half));
        f.profile += __shfl_down_sync(~0U, f.profile, half);
        keep_most(&f.bad_row, __shfl_down_sync(~0U, f.bad_row, half));
    }
    return f;
}

// The counts over all rows, selected by `what`, for the host to read. Bytes a row: above.
template <aspect what, class Offset>
__global__ void __launch_bounds__(BLOCK, 4)
    examine_rows(fur_csr_view a, fur_figures *total, fur_figures *published)
{
    __shared__ fur_figures block;
    fur_figures f = {};
    if (threadIdx.x == 0)
        block = {};
    __syncthreads();
    for (int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x; row < a.rows;
         row += gridDim.x * int64_t(BLOCK))
        examine_row<what, Offset>(&f, a, row);
    f = gather_warp(f);
    if (threadIdx.x % FUR_WARP == 0)
        gather(&block, f);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    gather(total, block);
    __threadfence();
    if (atomicAdd(&total->ticket, 1ULL) + 1 < gridDim.x)
        return;
    __threadfence();
    *published = *total;
    *total = {};
}

// Counts over all rows and waits for the result.
template <aspect what> fur_status find(fur_env *env, const fur_csr_view *a, fur_figures *out)
{
    fur_device *device = env->device;
    int64_t most = int64_t(device->multiprocessors) * BLOCKS_A_MULTIPROCESSOR;
    int64_t blocks = fur_ceil_div(a->rows, BLOCK);
    *out = {};
    if (a->rows == 0)
        return FUR_OK;
    if (blocks > most)
        blocks = most;
    auto launch =
        a->offset_type == FUR_I32 ? examine_rows<what, int32_t> : examine_rows<what, int64_t>;
    launch<<<static_cast<unsigned>(blocks), BLOCK, 0, fur_cuda_stream(env)>>>(*a, device->figures,
                                                                              device->published);
    FUR_TRY(fur_cuda_launched(env, "examine rows"));
    FUR_TRY(fur_cuda_wait(env));
    *out = *device->published;
    return FUR_OK;
}

// Returns the statistics of fur_csr_measure from the counts.
fur_csr_statistics statistics_of(const fur_csr_view *a, const fur_figures &f)
{
    fur_csr_statistics s = {};
    if (a->rows == 0)
        return s;
    s.row_min = static_cast<int64_t>(UINT32_MAX - f.row_spare);
    s.row_max = static_cast<int64_t>(f.row_longest);
    s.row_mean = static_cast<double>(a->entries) / static_cast<double>(a->rows);
    s.empty_rows = static_cast<int64_t>(f.empty_rows);
    s.bandwidth = static_cast<int64_t>(f.bandwidth);
    s.profile = static_cast<int64_t>(f.profile);
    return s;
}

// The diagonal entry in row numbers[i], found by bisection. Duplicates of this entry are added to
// it.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK)
    diagonal(int64_t n, const int32_t *numbers, const Offset *offsets, const int32_t *columns,
             const Value *values, Value *d)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i >= n)
        return;
    int64_t row = numbers ? numbers[i] : i;
    int64_t end = offsets[i + 1];
    int64_t low = fur_find_column(columns, offsets[i], end, row);
    bool found = low < end && columns[low] == row;
    Value sum = found ? values[low] : fur_zero<Value>();
    for (low++; found && low < end && columns[low] == row; low++)
        sum = fur_add(sum, values[low]);
    d[row] = sum;
}

} // namespace

// *row = the first row whose offsets are invalid, or -1. Waits.
fur_status fur_cuda_find_bad_offset(fur_env *env, const fur_csr_view *a, int64_t *row)
{
    fur_figures f;
    FUR_TRY(find<OFFSETS>(env, a, &f));
    *row = f.bad_row ? static_cast<int64_t>(~f.bad_row) : -1;
    return FUR_OK;
}

// *row = the first row with a column that is out of range or out of order, or -1. Waits.
fur_status fur_cuda_find_bad_column(fur_env *env, const fur_csr_view *a, int64_t *row)
{
    fur_figures f;
    FUR_TRY(find<COLUMNS>(env, a, &f));
    *row = f.bad_row ? static_cast<int64_t>(~f.bad_row) : -1;
    return FUR_OK;
}

// Computes the statistics of fur_csr_measure by one pass over offsets and columns. Waits.
fur_status fur_cuda_csr_measure(fur_env *env, const fur_csr_view *a, fur_csr_statistics *out)
{
    fur_figures f;
    FUR_TRY(find<PATTERN>(env, a, &f));
    *out = statistics_of(a, f);
    return FUR_OK;
}

// Computes the row lengths, which are the only basis for the choice of kernels here.
fur_status fur_cuda_spmv_profile(fur_env *env, const fur_csr_view *a, fur_spmv_profile *out)
{
    fur_figures f;
    FUR_TRY(find<LENGTHS>(env, a, &f));
    *out = fur_spmv_profile{};
    out->rows = statistics_of(a, f);
    out->row_whole = static_cast<int64_t>(f.row_whole);
    return FUR_OK;
}

// d_r = A(i, r) for i < min(rows, cols), where r = numbers[i], or r = i if numbers is NULL.
fur_status fur_cuda_csr_diagonal(fur_env *env, const fur_csr_view *a, const int32_t *numbers,
                                 void *d)
{
    int64_t n = a->rows < a->cols ? a->rows : a->cols;
    if (n == 0)
        return FUR_OK;
    return fur_with_types(a, [&](auto value, auto offset) {
        using Value = decltype(value);
        using Offset = decltype(offset);
        diagonal<<<fur_blocks(n, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            n, numbers, static_cast<const Offset *>(a->offsets), a->columns,
            static_cast<const Value *>(a->values), static_cast<Value *>(d));
        return fur_cuda_launched(env, "diagonal");
    });
}
