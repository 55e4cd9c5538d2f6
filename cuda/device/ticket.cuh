// Finishing in the launch that began: the blocks that share a result count themselves, and the last
// one adds up what all have left in memory. Which one that is changes nothing, as it adds in an
// order of its own.
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

#endif
