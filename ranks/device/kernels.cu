// Kernels of the halo on a GPU: they pack entries of x, put them in place, and multiply the
// boundary's rows.
#include "entries.cuh"
#include "kernels.h"
#include "spmv.cuh"

namespace
{

// to_i = from_at[i]
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    gather(int64_t count, const int32_t *at, const Value *from, Value *to)
{
    for (int64_t i = thread_number(); i < count; i += thread_count())
        to[i] = from[at[i]];
}

// One thread multiplies one row, because there are few rows.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK)
    multiply(int64_t rows, const Offset *offsets, const int32_t *columns, const Value *values,
             const Value *x, const int32_t *number, Value *y)
{
    for (int64_t i = thread_number(); i < rows; i += thread_count())
        y[number[i]] = fur_row_sum(values, columns, x, offsets[i], offsets[i + 1]);
}

} // namespace

cudaError_t device_pack(const device_lists *l, const void *x, void *packed, cudaStream_t stream)
{
    if (l->give_count == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        gather<<<blocks_for(l->give_count, MAX_BLOCKS), BLOCK, 0, stream>>>(
            l->give_count, l->give, static_cast<const Value *>(x), static_cast<Value *>(packed));
    });
}

cudaError_t device_keep(const device_lists *l, const void *x, void *outer, cudaStream_t stream)
{
    if (l->own_count == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        gather<<<blocks_for(l->own_count, MAX_BLOCKS), BLOCK, 0, stream>>>(
            l->own_count, l->own, static_cast<const Value *>(x),
            static_cast<Value *>(outer) + l->own_at);
    });
}

template <class Value>
cudaError_t multiply_rows(const device_lists *l, const fur_csr_view *a, const void *outer, void *y,
                          cudaStream_t stream)
{
    unsigned blocks = blocks_for(l->boundary_rows, MAX_BLOCKS);
    auto values = static_cast<const Value *>(a->values);
    auto x = static_cast<const Value *>(outer);
    auto out = static_cast<Value *>(y);
    if (a->offset_type == FUR_I32)
        multiply<<<blocks, BLOCK, 0, stream>>>(l->boundary_rows,
                                               static_cast<const int32_t *>(a->offsets), a->columns,
                                               values, x, l->boundary, out);
    else
        multiply<<<blocks, BLOCK, 0, stream>>>(l->boundary_rows,
                                               static_cast<const int64_t *>(a->offsets), a->columns,
                                               values, x, l->boundary, out);
    return cudaGetLastError();
}

cudaError_t device_rows(const device_lists *l, const fur_csr_view *a, const void *outer, void *y,
                        cudaStream_t stream)
{
    static constexpr decltype(&multiply_rows<float>) by_type[FUR_VALUE_COUNT] = {
        multiply_rows<float>, multiply_rows<double>, multiply_rows<fur_c64>,
        multiply_rows<fur_c128>};
    return l->boundary_rows == 0 ? cudaSuccess : by_type[a->value_type](l, a, outer, y, stream);
}
