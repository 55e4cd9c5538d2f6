// Room for CUB's algorithms for the time of a call.
#ifndef FURROW_CUDA_CUB_CUH
#define FURROW_CUDA_CUB_CUH

#include "device.cuh"

// run(storage, bytes) is called twice, as CUB will have it: without storage to set bytes, then
// with.
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
