// Lists of entries of x, processed by all threads of a launch. A value of 4, 8 or 16 bytes is
// copied as bytes, whatever its type.
#ifndef FURROW_RANKS_ENTRIES_CUH
#define FURROW_RANKS_ENTRIES_CUH

#include <cuda_runtime.h>

#include <stddef.h>
#include <stdint.h>

#define BLOCK 256

// The most blocks of a launch. Each thread then has several entries.
#define MAX_BLOCKS 1024

inline unsigned blocks_for(int64_t threads, int64_t most)
{
    int64_t blocks = (threads + BLOCK - 1) / BLOCK;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

__device__ inline int thread_number()
{
    return static_cast<int>(blockIdx.x * BLOCK + threadIdx.x);
}

__device__ inline int thread_count()
{
    return static_cast<int>(gridDim.x * BLOCK);
}

// Calls f with a value of `size` bytes.
template <class F> inline cudaError_t with_size(size_t size, F f)
{
    if (size == 4)
        f(uint32_t());
    else if (size == 8)
        f(uint64_t());
    else
        f(uint4());
    return cudaGetLastError();
}

#endif
