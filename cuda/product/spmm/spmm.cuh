// Products Y = alpha A X + beta Y with blocks of vectors, one kernel in each file (spmm_kernels.def
// lists them), and products of two blocks at the entries of a matrix. The shared part is a product
// with typed arrays.
#ifndef FURROW_CUDA_SPMM_CUH
#define FURROW_CUDA_SPMM_CUH

#include "device.cuh"
#include "value.cuh"

extern "C" fur_sddmm fur_cuda_sddmm;

// A row-major or column-major block with its strides: entry (i, j) is at data[i row + j column].
template <class Value> struct fur_block {
    Value *data;
    int64_t row;
    int64_t column;

    explicit fur_block(const fur_vectors_view *v)
        : data(static_cast<Value *>(v->data)), row(fur_row_step(v)), column(fur_column_step(v))
    {
    }
};

template <class Value> struct fur_block_product {
    int64_t rows;
    int64_t cols; // columns of X and Y
    fur_row_starts starts;
    const int32_t *columns;
    const Value *values;
    fur_block<const Value> x;
    fur_block<Value> y;
    fur_finish<Value> finish;
    bool y_in_pieces; // rows of Y can be read and written in pieces, as those of X

    explicit fur_block_product(const fur_spmm_call *call)
        : rows(call->a->rows),
          cols(call->y->cols), starts{call->a->offsets, call->a->offset_type == FUR_I64},
          columns(call->a->columns), values(static_cast<const Value *>(call->a->values)),
          x(call->x), y(call->y), finish(call), y_in_pieces(false)
    {
    }
};

// Calls f with the product in its value type.
template <class F> fur_status fur_with_block_product(const fur_spmm_call *call, F f)
{
    return fur_with_value(call->a->value_type,
                          [&](auto value) { return f(fur_block_product<decltype(value)>(call)); });
}

// Loads a value that many threads read, through the first-level cache.
template <class T> __device__ inline T fur_read(const T *p)
{
    using raw = typename fur_raw_of<sizeof(T)>::type;
    raw bits = __ldg(reinterpret_cast<const raw *>(p));
    return *reinterpret_cast<T *>(&bits);
}

// Stores a result that is not read soon, so that it does not evict X from the caches.
template <class T> __device__ inline void fur_write_away(T *p, T value)
{
    using raw = typename fur_raw_of<sizeof(T)>::type;
    __stcs(reinterpret_cast<raw *>(p), *reinterpret_cast<raw *>(&value));
}

#endif
