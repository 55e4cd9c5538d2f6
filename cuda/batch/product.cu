// Products of a batch of matrices and vectors. Each thread computes one entry of the result, and
// neighbouring threads have neighbouring systems.
//
// Bytes a row of n entries and system: n entries of A, two of x and y. Columns and offsets come
// from the first-level cache for all systems but the first. 2 n flops.
#include "batch.cuh"

#define BLOCK 256
// The most blocks of rows in a launch.
#define MAX_ROWS int64_t(65535)

namespace
{

// A block multiplies some rows of some systems. Bytes and flops: above.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    multiply(fur_batch_systems<Value> a, fur_batch_side<const Value> x, fur_batch_side<Value> y,
             fur_finish<Value> finish)
{
    int64_t s = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (s >= a.count)
        return;
    for (int64_t i = blockIdx.y * int64_t(blockDim.y) + threadIdx.y; i < a.rows;
         i += gridDim.y * int64_t(blockDim.y))
        finish(a.multiply(i, s, [&](int32_t j) { return x(j, s); }), &y(i, s));
}

// Threads of a block along the systems, a power of two.
unsigned side_of(int64_t count)
{
    unsigned side = 1;
    while (side < BLOCK && side < count)
        side *= 2;
    return side;
}

} // namespace

fur_status fur_cuda_batch_apply(const fur_batch_call *call)
{
    return fur_with_value(call->x->value_type, [&](auto zero) {
        using Value = decltype(zero);
        fur_batch_systems<Value> a(call->a);
        unsigned side = side_of(a.count);
        dim3 block(side, BLOCK / side);
        int64_t high = fur_ceil_div(a.rows, block.y);
        dim3 grid(fur_blocks(a.count, side),
                  static_cast<unsigned>(high < MAX_ROWS ? high : MAX_ROWS));
        multiply<Value><<<grid, block, 0, fur_cuda_stream(call->env)>>>(
            a, fur_batch_side<const Value>(call->x), fur_batch_side<Value>(call->y),
            fur_finish<Value>(call));
        return fur_cuda_launched(call->env, "batch product");
    });
}
