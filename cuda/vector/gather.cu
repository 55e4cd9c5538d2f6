// Entries of a vector in another order. Bytes an entry: 4 for where it comes from or goes, and
// twice its size, once in sectors of 32 bytes.
#include "vector.cuh"

#define BLOCK 256

namespace
{

// y_i = x_from[i]
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    gather(int64_t n, const int32_t *from, const Value *x, Value *y)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < n)
        y[i] = x[fur_stream(from + i)];
}

// y_to[i] = x_i
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    scatter(int64_t n, const int32_t *to, const Value *x, Value *y)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < n)
        y[fur_stream(to + i)] = x[i];
}

} // namespace

fur_status fur_cuda_gather(fur_env *env, fur_value_type value, int64_t n, const int32_t *from,
                           const void *x, void *y)
{
    if (n == 0)
        return FUR_OK;
    return fur_with_value(value, [&](auto entry) {
        using Value = decltype(entry);
        gather<<<fur_blocks(n, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            n, from, static_cast<const Value *>(x), static_cast<Value *>(y));
        return fur_cuda_launched(env, "gather");
    });
}

fur_status fur_cuda_scatter(fur_env *env, fur_value_type value, int64_t n, const int32_t *to,
                            const void *x, void *y)
{
    if (n == 0)
        return FUR_OK;
    return fur_with_value(value, [&](auto entry) {
        using Value = decltype(entry);
        scatter<<<fur_blocks(n, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            n, to, static_cast<const Value *>(x), static_cast<Value *>(y));
        return fur_cuda_launched(env, "scatter");
    });
}
