// SpMV with one thread a row and a window of x in shared memory: the entries of x at the indices of
// the block's own rows. If a matrix is ordered for a small bandwidth, most of its columns are
// there. Nickolls, Buck, Garland and Skadron, Scalable Parallel Programming with CUDA, ACM Queue
// 2008, csrmul_cached. Later beaten by `sell`, `delta` and `stream`.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y, read as unevenly
// as in reference.cu. 2 n flops.
#include "cost.cuh"
#include "spmv.cuh"

#define BLOCK 256u

namespace
{

// x with a window of it in shared memory.
template <class Value> struct windowed {
    const Value *x;
    const Value *window;
    uint32_t begin;
    uint32_t size;

    // x[column], from shared memory if it is in the window.
    __device__ Value operator[](int32_t column) const
    {
        // a column before the window gives a huge number
        uint32_t place = static_cast<uint32_t>(column) - begin;
        return place < size ? window[place] : x[column];
    }
};

// One thread multiplies one row, after the block has loaded its window of x. Bytes and flops a row:
// above.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK) multiply(fur_spmv_operands<Value, Offset> p)
{
    __shared__ Value window[BLOCK];
    uint32_t begin = blockIdx.x * BLOCK;
    uint32_t cols = static_cast<uint32_t>(p.cols);
    uint32_t row = begin + threadIdx.x;
    if (row < cols)
        window[threadIdx.x] = p.x[row];
    __syncthreads();
    windowed<Value> x = {p.x, window, begin, begin < cols ? min(cols - begin, BLOCK) : 0};
    if (row < p.rows)
        p.finish(fur_row_sum(p.values, p.columns, x, p.offsets[row], p.offsets[row + 1]),
                 &p.y[row]);
}

fur_status apply(const fur_spmv_call *call)
{
    if (call->a->rows == 0)
        return FUR_OK;
    return fur_with_product(call, [&](auto product) {
        unsigned blocks = fur_blocks(product.rows, BLOCK);
        multiply<<<blocks, BLOCK, 0, fur_cuda_stream(call->env)>>>(product);
        return fur_cuda_launched(call->env, "spmv rows_cached");
    });
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_rows_cached = {
    {"rows_cached", "one thread a row, x of the block's own rows in shared memory",
     "Nickolls, Buck, Garland, Skadron 2008", true, 0},
    // the first-level cache of present devices saves the same loads as the window
    fur_cuda_walk_cost,
    nullptr, // work
    nullptr, // plan
    nullptr, // refresh
    apply,
    nullptr, // release
    nullptr, // matrix_bytes
};
