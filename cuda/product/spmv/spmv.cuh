// Products y = alpha A x + beta y, one kernel in each file (kernels.def lists them). The shared
// parts are a product with typed arrays, and the sum of a row in the order of docs/numerics.md.
#ifndef FURROW_CUDA_SPMV_CUH
#define FURROW_CUDA_SPMV_CUH

#include "device.cuh"
#include "long_sum.cuh"

// y = alpha A x + beta y with the types of A.
template <class Value, class Offset> struct fur_spmv_operands {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    const Offset *offsets;
    const int32_t *columns;
    const Value *values;
    const Value *x;
    Value *y;
    fur_finish<Value> finish;

    explicit fur_spmv_operands(const fur_spmv_call *call)
        : rows(call->a->rows), cols(call->a->cols), entries(call->a->entries),
          offsets(static_cast<const Offset *>(call->a->offsets)), columns(call->a->columns),
          values(static_cast<const Value *>(call->a->values)),
          x(static_cast<const Value *>(call->x)), y(static_cast<Value *>(call->y)), finish(call)
    {
    }
};

// Calls f with the product in its types.
template <class F> fur_status fur_with_product(const fur_spmv_call *call, F f)
{
    return fur_with_types(call->a, [&](auto value, auto offset) {
        return f(fur_spmv_operands<decltype(value), decltype(offset)>(call));
    });
}

// Returns the sum of a row of one segment. x is the vector, or an object that acts as the vector.
template <class Value, class X, class Offset>
__device__ inline Value fur_segment_sum(const Value *values, const int32_t *columns, X x,
                                        Offset begin, Offset end)
{
    Value sum = fur_zero<Value>();
    for (Offset k = begin; k < end; k++)
        sum = fur_fma(values[k], x[columns[k]], sum);
    return sum;
}

// Returns the sum of a row by one thread.
template <class Value, class X, class Offset>
__device__ inline Value fur_row_sum(const Value *values, const int32_t *columns, X x, Offset begin,
                                    Offset end)
{
    if (end - begin <= FUR_ROW_SEGMENT)
        return fur_segment_sum(values, columns, x, begin, end);
    return fur_long_sum<Value>(
        begin, end, [=](int64_t k, Value sum) { return fur_fma(values[k], x[columns[k]], sum); });
}

#endif
