// Prefetching: asynchronous copies into shared memory, and prefetches into the second-level cache.
#ifndef FURROW_CUDA_AHEAD_CUH
#define FURROW_CUDA_AHEAD_CUH

#include <cstdint>
#include <cuda_pipeline_primitives.h>

// The sector of the second-level cache, which is its unit of reads, and its line, in bytes.
#define FUR_SECTOR 32
#define FUR_CACHE_LINE 128

// Returns a shared memory address for PTX instructions.
__device__ inline uint32_t fur_shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Begins to copy `bytes` bytes, 4, 8 or 16, to a shared address; the caller commits.
template <int bytes> __device__ inline void fur_copy_ahead(uint32_t to, const void *from)
{
    if constexpr (bytes == 16) // bypasses the first-level cache
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     :
                     : "r"(to), "l"(from), "n"(bytes)
                     : "memory");
}

// Returns p, but hides its origin from the compiler. The compiler then adds an offset to the
// pointer once, and does not recompute parts of the sum.
template <class T> __device__ inline T *fur_opaque(T *p)
{
    asm volatile("" : "+l"(p));
    return p;
}

// Prefetches the sector of an address into the second-level cache.
__device__ inline void fur_prefetch(const void *address)
{
    asm volatile("prefetch.global.L2 [%0];" : : "l"(address));
}

#endif
