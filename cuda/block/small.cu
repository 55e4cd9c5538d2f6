// A block of vectors times a small matrix, Y = alpha X C + beta Y. Each thread computes one entry
// of Y. The rows of X are in shared memory, and C is read through the caches. Y may be X, because a
// block reads all its rows before it writes any.
//
// Bytes a row: one entry for each column of X and of Y (two with beta); 2 k flops an entry.
#include "block.cuh"
#include "value.cuh"

#define BLOCK 256
// Bytes of X in shared memory.
#define SHARED_BYTES 32768

namespace
{

template <class Value> struct small_product {
    int64_t rows;
    int k;
    int m;
    const Value *x;
    int64_t x_row;
    int64_t x_column;
    const Value *c;
    Value *y;
    int64_t y_row;
    int64_t y_column;
    fur_finish<Value> finish;

    small_product(const fur_block_call *call, const Value *small)
        : rows(call->y->rows), k(static_cast<int>(call->x->cols)),
          m(static_cast<int>(call->y->cols)), x(static_cast<const Value *>(call->x->data)),
          x_row(fur_row_step(call->x)), x_column(fur_column_step(call->x)), c(small),
          y(static_cast<Value *>(call->y->data)), y_row(fur_row_step(call->y)),
          y_column(fur_column_step(call->y)), finish(call)
    {
    }
};

// Multiplies `near` rows at a time. Bytes and flops: above.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    multiply_small(const __grid_constant__ small_product<Value> p, int near, bool by_rows)
{
    extern __shared__ double2 memory[];
    Value *rows = reinterpret_cast<Value *>(memory);
    for (int64_t first = blockIdx.x * int64_t(near); first < p.rows;
         first += gridDim.x * int64_t(near)) {
        int count = static_cast<int>(min(int64_t(near), p.rows - first));
        for (int t = threadIdx.x; t < count * p.k; t += BLOCK) {
            int r = by_rows ? t / p.k : t % count;
            int l = by_rows ? t % p.k : t / count;
            rows[r * p.k + l] = p.x[(first + r) * p.x_row + l * p.x_column];
        }
        __syncthreads();
        for (int t = threadIdx.x; t < count * p.m; t += BLOCK) {
            int r = t / p.m;
            int j = t % p.m;
            Value sum = fur_zero<Value>();
#pragma unroll 4
            for (int l = 0; l < p.k; l++)
                sum = fur_fma(p.c[l * p.m + j], rows[r * p.k + l], sum);
            p.finish(sum, p.y + (first + r) * p.y_row + j * p.y_column);
        }
        __syncthreads();
    }
}

template <class Value> fur_status launch(const fur_block_call *call, const Value *small)
{
    small_product<Value> p(call, small);
    int row_bytes = p.k * static_cast<int>(sizeof(Value));
    int near = row_bytes > 0 ? SHARED_BYTES / row_bytes : BLOCK;
    near = near < BLOCK ? near : BLOCK;
    int64_t most = int64_t(8) * call->env->device->multiprocessors;
    int64_t work = fur_ceil_div(p.rows, near);
    unsigned blocks = static_cast<unsigned>(work < most ? work : most);
    multiply_small<<<blocks, BLOCK, near * row_bytes, fur_cuda_stream(call->env)>>>(
        p, near, call->x->layout == FUR_LAYOUT_ROWS);
    return fur_cuda_launched(call->env, "block times a small matrix");
}

} // namespace

extern "C" fur_status fur_cuda_block_multiply(const fur_block_call *call)
{
    int64_t count = call->x->cols * call->y->cols;
    size_t size = fur_value_size(call->y->value_type);
    void *small;
    FUR_TRY(fur_cuda_allocate(call->env, count, size, &small));
    fur_status status = FUR_OK;
    if (count > 0)
        status = fur_cuda_copy(call->env, small, call->c, count * static_cast<int64_t>(size));
    if (status == FUR_OK)
        status = fur_with_value(call->y->value_type, [&](auto value) {
            return launch(call, static_cast<const decltype(value) *>(small));
        });
    fur_cuda_release(call->env, small);
    return status;
}
