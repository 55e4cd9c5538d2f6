// Temporary storage for a call of CUB.
#ifndef FURROW_CUDA_CUB_CUH
#define FURROW_CUDA_CUB_CUH

#include "device.cuh"

// Calls run(storage, bytes) twice, as CUB requires. The first call has no storage and sets `bytes`.
template <class Run> fur_status fur_with_storage(fur_env *env, const char *name, Run run)
{
    void *storage = nullptr;
    size_t bytes = 0;
    cudaError_t error = run(storage, bytes);
    if (error != cudaSuccess)
        return fur_cuda_fail(env, name, error);
    FUR_TRY(fur_cuda_allocate(env, static_cast<int64_t>(bytes) + 1, 1, &storage));
    error = run(storage, bytes);
    fur_cuda_release(env, storage);
    return error == cudaSuccess ? FUR_OK : fur_cuda_fail(env, name, error);
}

#endif
