// Work on all entries of a matrix, shared out evenly whatever the lengths of its rows.
#ifndef FURROW_CUDA_ENTRIES_CUH
#define FURROW_CUDA_ENTRIES_CUH

#include "device.cuh"

#define FUR_ENTRIES_BLOCK 256
// Entries of a block.
#define FUR_ENTRIES_SHARE 2048

// The last of the rows low .. high - 1 that begins at entry k or before it.
template <class Offset>
__device__ inline int64_t fur_row_of(const Offset *offsets, int64_t low, int64_t high, int64_t k)
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

// Calls f(row, k) for the entries k of the calling block.
template <class Offset, class F>
__device__ inline void fur_for_entries(int64_t rows, int64_t entries, const Offset *offsets, F f)
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

static inline unsigned fur_entries_blocks(int64_t entries)
{
    return fur_blocks(entries, FUR_ENTRIES_SHARE);
}

#endif
