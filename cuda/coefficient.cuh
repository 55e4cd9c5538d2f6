// Coefficients that lie on the device: read by every thread, where a kernel begins.
#ifndef FURROW_CUDA_COEFFICIENT_CUH
#define FURROW_CUDA_COEFFICIENT_CUH

#include "slot.h"

// False, for all threads alike, if the kernel must do nothing; the scalars are halted then. Threads
// that read them after that find them halted instead of not finite, which is no difference.
__device__ inline bool fur_coefficient_read(const fur_ratio &ratio, fur_scalar *out)
{
    bool usable = fur_ratio_value(&ratio, out);
    if (!usable && blockIdx.x == 0 && threadIdx.x == 0)
        fur_ratio_halt(&ratio);
    return usable;
}

#endif
