// The reciprocals for Jacobi's preconditioner. The index of the first nonfinite reciprocal is
// complemented, as in csr/csr.cu, so that it is the largest number. Bytes an entry: twice its size.
#include "reciprocal.cuh"
#include "vector.cuh"

#include <algorithm>

#define BLOCK 256
#define BLOCKS_A_MULTIPROCESSOR 8

namespace
{

// The last block to finish publishes the figures for the host.
__device__ void publish(fur_figures *total, fur_figures *published)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&total->ticket, 1ULL) + 1 < gridDim.x)
        return;
    __threadfence();
    *published = *total;
    *total = {};
}

// x_i = 1 / x_i. The last block to finish publishes the first index that is not finite.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    invert_all(int64_t n, Value *x, fur_figures *total, fur_figures *published)
{
    for (int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x; i < n;
         i += gridDim.x * int64_t(BLOCK))
        if (!fur_invert(&x[i]))
            atomicMax(&total->bad_row, ~static_cast<unsigned long long>(i));
    publish(total, published);
}

__device__ bool same_bits(float a, float b)
{
    return __float_as_uint(a) == __float_as_uint(b);
}

__device__ bool same_bits(double a, double b)
{
    return __double_as_longlong(a) == __double_as_longlong(b);
}

template <class Real> __device__ bool same_bits(fur_complex_of<Real> a, fur_complex_of<Real> b)
{
    return same_bits(a.re, b.re) && same_bits(a.im, b.im);
}

// Records an entry that differs from the first entry as bad.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    compare_all(int64_t n, const Value *x, fur_figures *total, fur_figures *published)
{
    Value first = x[0];
    for (int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x; i < n;
         i += gridDim.x * int64_t(BLOCK))
        if (!same_bits(x[i], first))
            atomicMax(&total->bad_row, 1ULL);
    publish(total, published);
}

unsigned blocks_for(const fur_device *device, int64_t n)
{
    int64_t most = int64_t(device->multiprocessors) * BLOCKS_A_MULTIPROCESSOR;
    return static_cast<unsigned>(std::min(fur_ceil_div(n, BLOCK), most));
}

} // namespace

fur_status fur_cuda_is_constant(fur_env *env, fur_value_type value, int64_t n, const void *x,
                                bool *constant)
{
    fur_device *device = env->device;
    *constant = true;
    if (n == 0)
        return FUR_OK;
    FUR_TRY(fur_with_value(value, [&](auto zero) {
        using Value = decltype(zero);
        compare_all<<<blocks_for(device, n), BLOCK, 0, fur_cuda_stream(env)>>>(
            n, static_cast<const Value *>(x), device->figures, device->published);
        return fur_cuda_launched(env, "is_constant");
    }));
    FUR_TRY(fur_cuda_wait(env));
    *constant = !device->published->bad_row;
    return FUR_OK;
}

fur_status fur_cuda_reciprocals(fur_env *env, fur_value_type value, int64_t n, void *x,
                                int64_t *bad)
{
    fur_device *device = env->device;
    *bad = -1;
    if (n == 0)
        return FUR_OK;
    FUR_TRY(fur_with_value(value, [&](auto zero) {
        using Value = decltype(zero);
        invert_all<<<blocks_for(device, n), BLOCK, 0, fur_cuda_stream(env)>>>(
            n, static_cast<Value *>(x), device->figures, device->published);
        return fur_cuda_launched(env, "reciprocals");
    }));
    FUR_TRY(fur_cuda_wait(env));
    if (device->published->bad_row)
        *bad = static_cast<int64_t>(~device->published->bad_row);
    return FUR_OK;
}
