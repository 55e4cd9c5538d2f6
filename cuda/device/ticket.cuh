// Tickets that blocks take. Finishing in the launch that began: the blocks that share a result
// count themselves, and the last one adds up what all have left in memory. Which one that is
// changes nothing, as it adds in an order of its own.
#ifndef FURROW_CUDA_TICKET_CUH
#define FURROW_CUDA_TICKET_CUH

#include <cuda_runtime.h>

// To be called by one thread, after it wrote its block's part: true for the last of `count` calls,
// whose block then sees the parts of all, once its threads have met at a barrier. Tickets are 0
// before and after.
__device__ inline bool fur_last_to_arrive(unsigned *ticket, unsigned count)
{
    __threadfence();
    bool last = atomicAdd(ticket, 1u) == count - 1;
    if (last)
        *ticket = 0;
    __threadfence();
    return last;
}

// The number of the calling block among those that have begun: whom it waits for has begun before.
// All bits of the ticket are set at first.
__device__ inline int64_t fur_begin_block(unsigned *ticket)
{
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(ticket, 1u) + 1u;
    __syncthreads();
    return number;
}

#endif
