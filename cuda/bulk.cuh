// Bulk copies of tensors into shared memory by Hopper's copy engine, and the barriers that they
// arrive at (PTX ISA 8.0: cp.async.bulk.tensor, mbarrier).
#ifndef FURROW_CUDA_BULK_CUH
#define FURROW_CUDA_BULK_CUH

#include "ahead.cuh"

#include <cudaTypedefs.h>

// A barrier that one thread tells of bytes to come. The block must meet before it is used.
__device__ inline void fur_arrival_init(uint64_t *arrival)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                 "fence.mbarrier_init.release.cluster;"
                 :
                 : "r"(fur_shared_address(arrival))
                 : "memory");
}

// Returns when all bytes of the arrival's phase are there; phases alternate between 0 and 1.
__device__ inline void fur_arrival_wait(uint64_t *arrival, unsigned phase)
{
    uint32_t arrived = 0;
    while (arrived == 0)
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t"
                     "}"
                     : "=r"(arrived)
                     : "r"(fur_shared_address(arrival)), "r"(phase)
                     : "memory");
}

// Begins to copy a box of the tensor, with zeros where it reaches beyond, `bytes` in all, to an
// address that is a multiple of 128.
__device__ inline void fur_bulk_box(void *to, const CUtensorMap *map, int x, int y, int z,
                                    unsigned bytes, uint64_t *arrival)
{
    uint32_t at = fur_shared_address(arrival);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(at), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];"
                 :
                 : "r"(fur_shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(z), "r"(at)
                 : "memory");
}

#endif
