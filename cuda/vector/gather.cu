// Copies entries of a vector in another order, rounds them, or generates them. Bytes an entry:
// twice its size and 4 for its index. A permuted side moves sectors of 32 bytes.
#include "vector.cuh"

#include "hash.h"

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

// y_i = x_i in single precision
__global__ void __launch_bounds__(BLOCK) round_single(int64_t n, const double *x, double *y)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < n)
        y[i] = double(float(x[i]));
}

// x_i = fur_hashed_number(first + i)
template <class Real>
__global__ void __launch_bounds__(BLOCK) fill_hashed(int64_t n, uint64_t first, Real *x)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < n)
        x[i] = static_cast<Real>(fur_hashed_number(first + static_cast<uint64_t>(i)));
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

fur_status fur_cuda_round_single(fur_env *env, int64_t n, const double *x, double *y)
{
    if (n == 0)
        return FUR_OK;
    round_single<<<fur_blocks(n, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(n, x, y);
    return fur_cuda_launched(env, "round");
}

fur_status fur_cuda_fill_hashed(fur_env *env, int64_t n, uint64_t first, bool single, void *x)
{
    if (n == 0)
        return FUR_OK;
    if (single)
        fill_hashed<<<fur_blocks(n, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            n, first, static_cast<float *>(x));
    else
        fill_hashed<<<fur_blocks(n, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            n, first, static_cast<double *>(x));
    return fur_cuda_launched(env, "hashed numbers");
}
