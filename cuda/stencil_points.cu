// Stencils, reference: one thread a point, neighbours from the caches. Datta, Murphy, Volkov,
// Williams, Carter, Oliker, Patterson, Shalf and Yelick, Stencil computation optimization and
// auto-tuning on state-of-the-art multicore architectures, SC 2008, of which this is the beginning.
//
// Bytes a point: two entries for x and y, and one for each field; from the second-level cache one
// for each line of neighbours that the block does not share. 2 flops a term.
#include "stencil.cuh"

#define BLOCK 256
// Threads of a block along x where there are other axes.
#define WIDTH 64

namespace
{

template <class Value, bool Long> struct product {
    fur_stencil_view s;
    const fur_stencil_term<Value> *terms;
    const Value *x;
    Value *y;
    fur_finish<Value> finish;

    explicit product(const fur_stencil_call *call)
        : s(*call->s), terms(static_cast<const fur_stencil_term<Value> *>(call->state)),
          x(static_cast<const Value *>(call->x)), y(static_cast<Value *>(call->y)), finish(call)
    {
    }

    __device__ Value inner_sum(int64_t p) const
    {
        fur_term_sum<Value, Long> sum;
#pragma unroll 4
        for (int k = 0; k < s.points; k++)
            sum.add(terms[k].coefficient(p), x[p + terms[k].step]);
        return sum.result();
    }

    __device__ Value outer_sum(const int64_t at[3], int64_t p) const
    {
        fur_term_sum<Value, Long> sum;
        for (int k = 0; k < s.points; k++) {
            int64_t neighbour = fur_stencil_neighbour(&s, at, terms[k].offset);
            if (neighbour >= 0)
                sum.add(terms[k].coefficient(p), x[neighbour]);
        }
        return sum.result();
    }
};

template <class Product> __global__ void __launch_bounds__(BLOCK) multiply(Product product)
{
    const fur_stencil_view &s = product.s;
    int64_t at[3] = {blockIdx.x * int64_t(blockDim.x) + threadIdx.x};
    if (at[0] >= s.extent[0])
        return;
    for (at[2] = blockIdx.z; at[2] < s.extent[2]; at[2] += gridDim.z)
        for (at[1] = blockIdx.y * int64_t(blockDim.y) + threadIdx.y; at[1] < s.extent[1];
             at[1] += gridDim.y * int64_t(blockDim.y)) {
            int64_t p = fur_stencil_point(s, at);
            product.finish(fur_stencil_inside(s, at) ? product.inner_sum(p)
                                                     : product.outer_sum(at, p),
                           &product.y[p]);
        }
}

fur_status apply(const fur_stencil_call *call)
{
    const int64_t *extent = call->s->extent;
    dim3 block = extent[1] > 1 ? dim3(WIDTH, BLOCK / WIDTH) : dim3(BLOCK);
    dim3 grid(fur_blocks(extent[0], block.x), fur_grid_blocks(fur_ceil_div(extent[1], block.y)),
              fur_grid_blocks(extent[2]));
    return fur_with_terms(call->s, [&](auto value, auto is_long) {
        multiply<<<grid, block, 0, fur_cuda_stream(call->env)>>>(
            product<decltype(value), is_long>(call));
        return fur_cuda_launched(call->env, "stencil points");
    });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_stencil_points = {
    "points",
    "one thread a point, neighbours from the caches",
    "Datta, Murphy, Volkov, Williams, Carter, Oliker, Patterson, Shalf, Yelick 2008",
    true,    // exact
    nullptr, // refusal
    fur_cuda_stencil_terms,
    apply,
    fur_cuda_release,
};
