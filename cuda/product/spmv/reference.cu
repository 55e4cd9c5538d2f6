// SpMV, reference: one thread a row. Nickolls, Buck, Garland and Skadron, Scalable Parallel
// Programming with CUDA, ACM Queue 2008, csrmul_kernel.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y. However, the
// threads of a warp read values and columns a row apart. Every sector is requested several times,
// and is useful only as long as the first-level cache keeps it. 2 n flops.
#include "cost.cuh"
#include "spmv.cuh"

#define BLOCK 256

namespace
{

// One thread multiplies one row. Bytes and flops a row: above.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK) multiply(fur_spmv_operands<Value, Offset> p)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row < p.rows)
        p.finish(fur_row_sum(p.values, p.columns, p.x, p.offsets[row], p.offsets[row + 1]),
                 &p.y[row]);
}

fur_status apply(const fur_spmv_call *call)
{
    if (call->a->rows == 0)
        return FUR_OK;
    return fur_with_product(call, [&](auto product) {
        multiply<<<fur_blocks(product.rows, BLOCK), BLOCK, 0, fur_cuda_stream(call->env)>>>(
            product);
        return fur_cuda_launched(call->env, "spmv reference");
    });
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_reference = {
    {"reference", "one thread per row", "Nickolls, Buck, Garland, Skadron 2008", true, 0},
    fur_cuda_walk_cost,
    nullptr, // work
    nullptr, // plan
    nullptr, // refresh
    apply,
    nullptr, // release
    nullptr, // matrix_bytes
};
