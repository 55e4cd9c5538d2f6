// Products by dense blocks along the diagonal, with the bits of src/cpu/block/dense_blocks.c. Each
// thread computes one row. The rows of a block are in neighbouring threads. The entries are stored
// by columns, so that these threads read a column together.
//
// Bytes a row in blocks of k rows: k entries in their stored form, 4 and 16 / k for the block, two
// entries for x and y. 2 k flops.
#include "block.cuh"
#include "half.h"
#include "value.cuh"

#define BLOCK 256

namespace
{

template <class Value> struct product {
    int64_t rows;
    const fur_dense_block *blocks;
    const char *entries;
    const int32_t *block_of;
    const Value *x;
    Value *y;
};

// Part k of the entries, converted from their stored form.
template <int form, class Real> __device__ Real part(const char *entries, int k)
{
    if constexpr (form == FUR_DENSE_SINGLE)
        return fur_stream(reinterpret_cast<const float *>(entries) + k);
    else if constexpr (form == FUR_DENSE_HALF)
        return fur_half_value(fur_stream(reinterpret_cast<const uint16_t *>(entries) + k));
    else
        return fur_stream(reinterpret_cast<const Real *>(entries) + k);
}

template <int form, class Value> __device__ Value entry(const char *entries, int k)
{
    using real = typename fur_value_of<Value>::real;
    if constexpr (fur_value_of<Value>::is_complex)
        return {part<form, real>(entries, 2 * k), part<form, real>(entries, 2 * k + 1)};
    else
        return part<form, real>(entries, k);
}

// Row i of a block of n rows times x, without the scale factor.
template <int form, class Value>
__device__ Value multiply_row(const char *entries, int i, int n, const Value *x)
{
    Value sum = fur_zero<Value>();
    for (int j = 0; j < n; j++)
        sum = fur_fma(entry<form, Value>(entries, j * n + i), x[j], sum);
    return sum;
}

template <class Value>
__global__ void __launch_bounds__(BLOCK) apply_blocks(const __grid_constant__ product<Value> p)
{
    using real = typename fur_value_of<Value>::real;
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row >= p.rows)
        return;
    fur_dense_block b = p.blocks[p.block_of[row]];
    const char *entries = p.entries + b.start;
    const Value *x = p.x + b.first;
    int i = static_cast<int>(row - b.first);
    Value sum;
    if (b.form == FUR_DENSE_HALF)
        sum = multiply_row<FUR_DENSE_HALF>(entries, i, b.rows, x);
    else if (b.form == FUR_DENSE_SINGLE)
        sum = multiply_row<FUR_DENSE_SINGLE>(entries, i, b.rows, x);
    else
        sum = multiply_row<FUR_DENSE_FULL>(entries, i, b.rows, x);
    real factor = static_cast<real>(fur_power_of_two(b.exponent));
    if constexpr (fur_value_of<Value>::is_complex)
        p.y[row] = {sum.re * factor, sum.im * factor};
    else
        p.y[row] = sum * factor;
}

} // namespace

fur_status fur_cuda_dense_blocks(fur_env *env, const fur_dense_blocks *m, const void *x, void *y)
{
    if (m->rows == 0)
        return FUR_OK;
    return fur_with_value(m->value_type, [&](auto zero) {
        using Value = decltype(zero);
        product<Value> p = {m->rows,
                            m->blocks,
                            static_cast<const char *>(m->entries),
                            m->block_of,
                            static_cast<const Value *>(x),
                            static_cast<Value *>(y)};
        apply_blocks<<<fur_blocks(m->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(p);
        return fur_cuda_launched(env, "dense blocks");
    });
}
