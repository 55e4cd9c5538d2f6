// SpMM, reference. One thread computes one entry of Y, and neighbouring threads have neighbouring
// columns.
//
// Bytes a row of n entries and a column: n (entry + 4) + offset for A, which the threads of a row
// share through the first-level cache, two entries for X and Y. 2 n flops.
#include "long_sum.cuh"
#include "spmm.cuh"

#define BLOCK 256

namespace
{

// One thread computes one entry of Y. Bytes and flops: above.
template <class Value> __global__ void __launch_bounds__(BLOCK) multiply(fur_block_product<Value> p)
{
    int64_t at = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    int64_t row = at / p.cols;
    int64_t j = at - row * p.cols;
    if (row >= p.rows)
        return;
    const Value *x = p.x.data + j * p.x.column;
    int64_t begin = p.starts[row];
    int64_t end = p.starts[row + 1];
    auto term = [values = p.values, columns = p.columns, x, step = p.x.row](int64_t k, Value sum) {
        return fur_fma(values[k], x[columns[k] * step], sum);
    };
    Value sum = fur_zero<Value>();
    if (end - begin > FUR_ROW_SEGMENT)
        sum = fur_long_sum<Value>(begin, end, term);
    else
        for (int64_t k = begin; k < end; k++)
            sum = term(k, sum);
    p.finish(sum, p.y.data + row * p.y.row + j * p.y.column);
}

fur_status apply(const fur_spmm_call *call)
{
    return fur_with_block_product(call, [&](auto p) {
        int64_t blocks = fur_ceil_div(p.rows * p.cols, BLOCK);
        if (blocks > INT32_MAX)
            return fur_env_fail(
                call->env, FUR_UNSUPPORTED,
                "kernel \"reference\" does not support a block of %lld x %lld entries",
                static_cast<long long>(p.rows), static_cast<long long>(p.cols));
        multiply<<<static_cast<unsigned>(blocks), BLOCK, 0, fur_cuda_stream(call->env)>>>(p);
        return fur_cuda_launched(call->env, "spmm reference");
    });
}

} // namespace

extern "C" const fur_spmm_kernel fur_cuda_spmm_reference = {
    {"reference", "one thread per entry of Y", "", true, 0},
    nullptr, // plan
    nullptr, // refresh
    apply,
    nullptr, // release
};
