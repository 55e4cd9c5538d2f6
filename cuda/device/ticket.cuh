// Tickets that blocks take. They let a launch finish its own result: the blocks that share a result
// count themselves, and the last block adds up the parts in memory. It adds in a fixed order, so
// that the result does not depend on which block is last.
#ifndef FURROW_CUDA_TICKET_CUH
#define FURROW_CUDA_TICKET_CUH

#include <cuda_runtime.h>

// One thread calls it after its block has written its part. Returns true for the last of `count`
// calls. After a barrier, all threads of that block see the parts of all blocks. The ticket is 0
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

// Returns the number of the calling block in the order in which blocks have begun. A block may wait
// for any block with a smaller number. All bits of the ticket are set at first.
__device__ inline int64_t fur_begin_block(unsigned *ticket)
{
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(ticket, 1u) + 1u;
    __syncthreads();
    return number;
}

#endif
