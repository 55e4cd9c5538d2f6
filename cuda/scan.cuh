// Sums of all that comes before: from counts to offsets.
#ifndef FURROW_CUDA_SCAN_CUH
#define FURROW_CUDA_SCAN_CUH

#include "device.cuh"

#include <cub/device/device_scan.cuh>

// Replaces a[i] by a[0] + ... + a[i - 1], for i < n.
template <class Count> fur_status fur_exclusive_scan(fur_env *env, Count *a, int64_t n)
{
    cudaStream_t stream = fur_cuda_stream(env);
    void *workspace = nullptr;
    size_t bytes = 0;
    FUR_CUDA(env, cub::DeviceScan::ExclusiveSum(nullptr, bytes, a, a, n, stream));
    FUR_TRY(fur_cuda_allocate(env, static_cast<int64_t>(bytes), 1, &workspace));
    cudaError_t error = cub::DeviceScan::ExclusiveSum(workspace, bytes, a, a, n, stream);
    fur_cuda_release(env, workspace);
    return error == cudaSuccess ? FUR_OK
                                : fur_cuda_fail(env, "cub::DeviceScan::ExclusiveSum", error);
}

#endif
