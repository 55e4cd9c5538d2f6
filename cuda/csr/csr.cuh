// Matrices on the device: checks, figures, transposes and permutations. Their shared code
// distributes all entries evenly over the threads, whatever the row lengths.
#ifndef FURROW_CUDA_CSR_CUH
#define FURROW_CUDA_CSR_CUH

#include "device.cuh"
#include "value.cuh"

extern "C" {
// The matrix functions of fur_remote.
fur_status fur_cuda_find_bad_offset(fur_env *env, const fur_csr_view *a, int64_t *row);
fur_status fur_cuda_find_bad_column(fur_env *env, const fur_csr_view *a, int64_t *row);
fur_status fur_cuda_csr_measure(fur_env *env, const fur_csr_view *a, fur_csr_statistics *out);
fur_status fur_cuda_spmv_profile(fur_env *env, const fur_csr_view *a, fur_spmv_profile *out);
fur_status fur_cuda_csr_transpose(fur_env *env, const fur_csr_view *a, bool conjugate,
                                  const fur_csr_view *out);
fur_status fur_cuda_csr_transpose_values(fur_env *env, const fur_csr_view *a, bool conjugate,
                                         const fur_csr_view *out);
fur_status fur_cuda_csr_permute(fur_env *env, const fur_csr_view *a, const int32_t *row_order,
                                const int32_t *col_position, const fur_csr_view *b);
fur_status fur_cuda_row_starts(fur_env *env, const fur_csr_view *a, int64_t count,
                               const int32_t *numbers, int64_t most, int64_t *starts);
fur_status fur_cuda_take_rows(fur_env *env, const fur_csr_view *a, const int32_t *numbers,
                              const int64_t *starts, const fur_csr_view *out);
fur_status fur_cuda_csr_diagonal(fur_env *env, const fur_csr_view *a, const int32_t *numbers,
                                 void *d);
}

#define FUR_ENTRIES_BLOCK 256
// Entries of a block.
#define FUR_ENTRIES_SHARE 2048

// Returns the last of rows low .. high - 1 that begins at or before entry k.
template <class Offsets>
__device__ inline int64_t fur_row_of(Offsets offsets, int64_t low, int64_t high, int64_t k)
{
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (offsets[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Calls f(row, k) for each entry k of the calling block.
template <class Offsets, class F>
__device__ inline void fur_for_entries(int64_t rows, int64_t entries, Offsets offsets, F f)
{
    __shared__ int64_t ends[2];
    int64_t first = blockIdx.x * int64_t(FUR_ENTRIES_SHARE);
    int64_t last = min(first + FUR_ENTRIES_SHARE, entries) - 1;
    if (threadIdx.x < 2)
        ends[threadIdx.x] = fur_row_of(offsets, 0, rows, threadIdx.x == 0 ? first : last);
    __syncthreads();
    for (int64_t k = first + threadIdx.x; k <= last; k += FUR_ENTRIES_BLOCK)
        f(fur_row_of(offsets, ends[0], ends[1] + 1, k), k);
}

// Returns the number of blocks for fur_for_entries.
static inline unsigned fur_entries_blocks(int64_t entries)
{
    return fur_blocks(entries, FUR_ENTRIES_SHARE);
}

// out = 0, 1, 2, ..., in blocks of FUR_ENTRIES_BLOCK. Bytes: n elements.
template <class Index> __global__ void fur_count_up(int64_t n, Index *out)
{
    int64_t i = blockIdx.x * int64_t(FUR_ENTRIES_BLOCK) + threadIdx.x;
    if (i < n)
        out[i] = static_cast<Index>(i);
}

// Returns the first position in begin .. end-1 whose column is at least `column`, or `end` if there
// is no such position.
__device__ inline int64_t fur_find_column(const int32_t *columns, int64_t begin, int64_t end,
                                          int64_t column)
{
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (columns[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

#endif
