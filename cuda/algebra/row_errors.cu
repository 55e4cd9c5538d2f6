// Residuals row by row, as in src/csr/row_errors.c. One thread handles a row, and adds in the same
// order.
#include "algebra.cuh"

#include "unit.h"

#define BLOCK 128

namespace
{

// |re| + |im|
template <class Value> __device__ double modulus(Value value)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fabs(double(value.re)) + fabs(double(value.im));
    else
        return fabs(double(value));
}

template <class Value> __device__ Value negated(Value value)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {-value.re, -value.im};
    else
        return -value;
}

// v := R v. Bytes a row: the values of A in the row, and v twice.
template <class Value>
__global__ void __launch_bounds__(BLOCK) scale_rows(fur_matrix<Value> a, int64_t rows, Value *v)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row >= rows)
        return;
    double most = 0;
    for (int64_t k = a.starts[row]; k < a.starts[row + 1]; k++)
        most = fmax(most, modulus(a.values[k]));
    double scale =
        fur_unit_scale(sizeof(typename fur_value_of<Value>::real) == sizeof(float), most);
    v[row] = fur_mul(fur_from<Value>({scale, 0}), v[row]);
}

// Bytes a row: the row of A, b and the error; x comes from the caches.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    find_errors(fur_matrix<Value> a, int64_t rows, const Value *b, const Value *x, Value *errors)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row >= rows)
        return;
    Value r = b ? b[row] : fur_zero<Value>();
    double terms = modulus(r);
    for (int64_t k = a.starts[row]; k < a.starts[row + 1]; k++) {
        Value of_x = x[a.columns[k]];
        r = fur_fma(negated(a.values[k]), of_x, r);
        terms = fma(modulus(a.values[k]), modulus(of_x), terms);
    }
    double error = terms == 0 ? 0 : modulus(r) / terms;
    errors[row] = fur_from<Value>({error, 0});
}

unsigned blocks_for(int64_t rows)
{
    return static_cast<unsigned>((rows + BLOCK - 1) / BLOCK);
}

} // namespace

fur_status fur_cuda_scale_by_rows(fur_env *env, const fur_csr_view *a, void *v)
{
    if (a->rows == 0)
        return FUR_OK;
    return fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        scale_rows<<<blocks_for(a->rows), BLOCK, 0, fur_cuda_stream(env)>>>(
            fur_matrix<Value>(a), a->rows, static_cast<Value *>(v));
        return fur_cuda_launched(env, "scale_rows");
    });
}

fur_status fur_cuda_row_errors(fur_env *env, const fur_csr_view *a, const void *b, const void *x,
                               void *errors)
{
    if (a->rows == 0)
        return FUR_OK;
    return fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        find_errors<<<blocks_for(a->rows), BLOCK, 0, fur_cuda_stream(env)>>>(
            fur_matrix<Value>(a), a->rows, static_cast<const Value *>(b),
            static_cast<const Value *>(x), static_cast<Value *>(errors));
        return fur_cuda_launched(env, "find_errors");
    });
}
