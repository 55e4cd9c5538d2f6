// CUB's algorithms on the context's stream: room for the time of a call, and the sum of all that
// comes before.
#ifndef FURROW_CUDA_CUB_CUH
#define FURROW_CUDA_CUB_CUH

#include "device.cuh"

#include <cub/device/device_scan.cuh>

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

// Replaces a[i] by a[0] + ... + a[i - 1], for i < n: counts become offsets.
template <class Count> fur_status fur_exclusive_scan(fur_env *env, Count *a, int64_t n)
{
    return fur_with_storage(
        env, "cub::DeviceScan::ExclusiveSum", [&](void *storage, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSum(storage, bytes, a, a, n, fur_cuda_stream(env));
        });
}

#endif
