// The rows of C that follow from no other: their columns, sorted and each once. Either all
// products' columns are sorted in shared memory, a warp a row (bitonic sort, Batcher 1968), or they
// are marked in a set of bits there, a block a row, from which they come out sorted; a row that is
// wider than the set takes it several times.
#include "spgemm.cuh"

#define SORT_BLOCK 128
#define MARK_BLOCK 256

namespace
{

// What a launch works on: `columns` is null while rows are counted.
struct forming {
    fur_rows a;
    fur_rows b;
    const int32_t *list;
    unsigned count;
    const fur_spgemm_range *ranges;
    int64_t *starts;
    int32_t *columns;
};

// Sorts n numbers, a power of two, by the lanes of a warp.
__device__ void sort_by_warp(int32_t *numbers, int n, int lane)
{
    for (int size = 2; size <= n; size *= 2)
        for (int half = size / 2; half > 0; half /= 2) {
            for (int i = lane; i < n / 2; i += FUR_WARP) {
                int low = 2 * i - (i & (half - 1));
                int32_t x = numbers[low];
                int32_t y = numbers[low + half];
                if ((x > y) == ((low & size) == 0)) {
                    numbers[low] = y;
                    numbers[low + half] = x;
                }
            }
            __syncwarp();
        }
}

// Writes each number of a sorted list once, if `to` is not null; returns how many there are.
__device__ int64_t write_once(const int32_t *numbers, int count, int lane, int32_t *to)
{
    int64_t written = 0;
    for (int k = 0; k < count; k += FUR_WARP) {
        int i = k + lane;
        bool first = i < count && (i == 0 || numbers[i - 1] != numbers[i]);
        unsigned all = __ballot_sync(0xffffffffu, first);
        if (first && to)
            to[written + __popc(all & ((1u << lane) - 1))] = numbers[i];
        written += __popc(all);
    }
    return written;
}

// Rows of at most FUR_SPGEMM_SORTED products, a warp each. Bytes: the columns of A and B.
__global__ void __launch_bounds__(SORT_BLOCK) sort_rows(forming f)
{
    __shared__ int32_t all[SORT_BLOCK / FUR_WARP][FUR_SPGEMM_SORTED];
    unsigned index = (blockIdx.x * SORT_BLOCK + threadIdx.x) / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    int32_t *numbers = all[threadIdx.x / FUR_WARP];
    if (index >= f.count)
        return;
    int64_t row = f.list[index];
    int count = 0;
    for (int64_t e = f.a.start(row); e < f.a.start(row + 1); e++) {
        int64_t from = f.b.start(f.a.columns[e]);
        int more = static_cast<int>(f.b.start(f.a.columns[e] + 1) - from);
        for (int t = lane; t < more; t += FUR_WARP)
            numbers[count + t] = f.b.columns[from + t];
        count += more;
    }
    int n = FUR_WARP;
    while (n < count)
        n *= 2;
    for (int i = count + lane; i < n; i += FUR_WARP)
        numbers[i] = INT32_MAX;
    __syncwarp();
    sort_by_warp(numbers, n, lane);
    int64_t written =
        write_once(numbers, count, lane, f.columns ? f.columns + f.starts[row] : nullptr);
    if (!f.columns && lane == 0)
        f.starts[row] = written;
}

// The sum of what the threads before have, and *total of all, of a block of MARK_BLOCK.
__device__ int sum_before(int mine, int *total)
{
    __shared__ int sums[MARK_BLOCK / FUR_WARP];
    int lane = threadIdx.x % FUR_WARP;
    int sum = mine;
    for (int step = 1; step < FUR_WARP; step *= 2) {
        int other = __shfl_up_sync(0xffffffffu, sum, step);
        sum += lane >= step ? other : 0;
    }
    __syncthreads();
    if (lane == FUR_WARP - 1)
        sums[threadIdx.x / FUR_WARP] = sum;
    __syncthreads();
    int before = 0;
    *total = 0;
    for (int i = 0; i < MARK_BLOCK / FUR_WARP; i++) {
        before += i < static_cast<int>(threadIdx.x) / FUR_WARP ? sums[i] : 0;
        *total += sums[i];
    }
    return before + sum - mine;
}

// Marks the columns of a row from `base` on, of `width`, in a set that is empty.
__device__ void mark_columns(const forming &f, int64_t row, int64_t base, int64_t width,
                             unsigned *set)
{
    int64_t end = f.a.start(row + 1);
    int warp = threadIdx.x / FUR_WARP;
    for (int64_t e = f.a.start(row) + warp; e < end; e += MARK_BLOCK / FUR_WARP) {
        int64_t stop = f.b.start(f.a.columns[e] + 1);
        int64_t t = f.b.start(f.a.columns[e]) + threadIdx.x % FUR_WARP;
        for (; t < stop; t += FUR_WARP) {
            int64_t at = f.b.columns[t] - base;
            if (at >= 0 && at < width)
                atomicOr(&set[at / 32], 1u << (at % 32));
        }
    }
}

// Rows of any number of products, a block each; the set has `size` columns. Bytes: the columns of A
// and B for each time that the row takes the set.
__global__ void __launch_bounds__(MARK_BLOCK) mark_rows(forming f, int64_t size)
{
    extern __shared__ unsigned set[];
    int64_t row = f.list[blockIdx.x];
    fur_spgemm_range range = f.ranges[row];
    int64_t written = 0;
    for (int64_t base = range.first; base <= range.last; base += size) {
        int64_t width = min(size, range.last - base + 1);
        int words = static_cast<int>((width + 31) / 32);
        int share = (words + MARK_BLOCK - 1) / MARK_BLOCK;
        int begin = min(static_cast<int>(threadIdx.x) * share, words);
        int end = min(begin + share, words);
        for (int i = threadIdx.x; i < words; i += MARK_BLOCK)
            set[i] = 0;
        __syncthreads();
        mark_columns(f, row, base, width, set);
        __syncthreads();
        int mine = 0;
        for (int i = begin; i < end; i++)
            mine += __popc(set[i]);
        int total;
        int before = sum_before(mine, &total);
        if (f.columns) {
            int32_t *to = f.columns + f.starts[row] + written + before;
            for (int i = begin; i < end; i++)
                for (unsigned bits = set[i]; bits; bits &= bits - 1)
                    *to++ = static_cast<int32_t>(base) + 32 * i + __ffs(bits) - 1;
        }
        written += total;
        __syncthreads();
    }
    if (!f.columns && threadIdx.x == 0)
        f.starts[row] = written;
}

fur_status launch_marks(fur_env *env, const forming &f, int size)
{
    int bytes = size / 8;
    if (f.count == 0)
        return FUR_OK;
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_CUDA(env,
             cudaFuncSetAttribute(mark_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    mark_rows<<<f.count, MARK_BLOCK, bytes, stream>>>(f, size);
    return fur_cuda_launched(env, "mark columns of a product");
}

fur_status launch_sorts(fur_env *env, const forming &f)
{
    if (f.count == 0)
        return FUR_OK;
    sort_rows<<<fur_blocks(int64_t(f.count) * FUR_WARP, SORT_BLOCK), SORT_BLOCK, 0,
                fur_cuda_stream(env)>>>(f);
    return fur_cuda_launched(env, "sort columns of a product");
}

} // namespace

// Counts the leaders' columns, or writes them.
fur_status fur_cuda_spgemm_form(fur_env *env, const fur_spgemm_state *s, fur_rows a, fur_rows b,
                                int32_t *columns)
{
    const int sizes[] = {0, FUR_SPGEMM_NEAR_COLUMNS, FUR_SPGEMM_WIDE_COLUMNS,
                         FUR_SPGEMM_ALL_COLUMNS};
    for (int bin = 0; bin < FUR_SPGEMM_BINS; bin++) {
        forming f = {a,         b,      s->lists + bin * s->rows, s->host.lists[bin], s->ranges,
                     s->starts, columns};
        FUR_TRY(bin == FUR_SPGEMM_SORT ? launch_sorts(env, f) : launch_marks(env, f, sizes[bin]));
    }
    return FUR_OK;
}
