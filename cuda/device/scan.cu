// Exclusive prefix sums.
#include "arrange.cuh"
#include "cub.cuh"

#include <cub/device/device_scan.cuh>

namespace
{

template <class Count> fur_status scan(fur_env *env, Count *a, int64_t n)
{
    return fur_with_storage(
        env, "cub::DeviceScan::ExclusiveSum", [&](void *storage, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSum(storage, bytes, a, a, n, fur_cuda_stream(env));
        });
}

} // namespace

extern "C" fur_status fur_cuda_exclusive_scan(fur_env *env, size_t size, void *a, int64_t n)
{
    return size == 4 ? scan(env, static_cast<uint32_t *>(a), n)
                     : scan(env, static_cast<uint64_t *>(a), n);
}
