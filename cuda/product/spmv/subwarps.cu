// SpMV with 2, 4, 8, 16 or 32 lanes a row: the largest number that a row of mean length fills. Bell
// and Garland, Implementing sparse matrix-vector multiplication on throughput-oriented processors,
// 2009 ("CSR vector", with less than a warp for short rows).
//
// Entry k of a row goes to lane k mod lanes. The lanes are folded in halves.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y. Neighbouring
// lanes read neighbouring entries, so that sectors are shared. 2 n flops, and `lanes` for the fold.
#include "lanes.cuh"
#include "spmv.cuh"

#define BLOCK 256

namespace
{

// Positions have 64 bits, because the last step of a lane goes past the end of the row.
template <int Lanes, class Value, class Offset>
__device__ Value lane_sum(const fur_spmv_operands<Value, Offset> &p, int64_t row)
{
    Value sum = fur_zero<Value>();
    int64_t end = p.offsets[row + 1];
    for (int64_t k = int64_t(p.offsets[row]) + threadIdx.x % Lanes; k < end; k += Lanes)
        sum = fur_fma(fur_stream(&p.values[k]), p.x[fur_stream(&p.columns[k])], sum);
    return sum;
}

// `Lanes` lanes multiply a row. Bytes and flops a row: above.
template <int Lanes, class Value, class Offset>
__global__ void __launch_bounds__(BLOCK) multiply(fur_spmv_operands<Value, Offset> p)
{
    int64_t row = blockIdx.x * int64_t(BLOCK / Lanes) + threadIdx.x / Lanes;
    Value sum = row < p.rows ? lane_sum<Lanes>(p, row) : fur_zero<Value>();
    sum = fur_fold_lanes(sum, Lanes);
    if (row < p.rows && threadIdx.x % Lanes == 0)
        p.finish(sum, &p.y[row]);
}

// Launches with the largest number of lanes that is at most `mean`.
template <int Lanes, class Product>
void launch(const Product &product, int64_t mean, cudaStream_t stream)
{
    if constexpr (Lanes > 2) {
        if (mean < Lanes)
            return launch<Lanes / 2>(product, mean, stream);
    }
    multiply<Lanes><<<fur_blocks(product.rows, BLOCK / Lanes), BLOCK, 0, stream>>>(product);
}

fur_status apply(const fur_spmv_call *call)
{
    const fur_csr_view *a = call->a;
    if (a->rows == 0)
        return FUR_OK;
    return fur_with_product(call, [&](auto product) {
        launch<FUR_WARP>(product, a->entries / a->rows, fur_cuda_stream(call->env));
        return fur_cuda_launched(call->env, "spmv subwarps");
    });
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_subwarps = {
    {"subwarps", "2 to 32 lanes for each row, by the mean row length", "Bell and Garland 2009",
     false, 0},
    nullptr, // cost
    nullptr, // work
    nullptr, // plan
    nullptr, // refresh
    apply,
    nullptr, // release
    nullptr, // matrix_bytes
};
