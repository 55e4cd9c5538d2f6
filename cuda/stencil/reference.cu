// Stencils, reference: one thread a point, and neighbours from the caches. Datta, Murphy, Volkov,
// Williams, Carter, Oliker, Patterson, Shalf and Yelick, Stencil computation optimization and
// auto-tuning on state-of-the-art multicore architectures, SC 2008, whose starting point is this
// kernel.
//
// Bytes a point: two entries for x and y, and one for each field. From the second-level cache: one
// entry for each line of neighbours that the block does not share. 2 flops a term.
#include "carried.cuh"

#define BLOCK 256
// Threads of a block along x, if the grid has other axes.
#define WIDTH 64

namespace
{

// y = alpha S x + beta y, with the terms in either place.
template <class Value, class Terms, bool Long> struct product {
    fur_stencil_view s;
    Terms terms;
    const Value *x;
    Value *y;
    fur_stencil_finish<Value> finish;

    explicit product(const fur_stencil_call *call)
        : s(*call->s), terms(call->s, call->state), x(static_cast<const Value *>(call->x)),
          y(static_cast<Value *>(call->y)), finish(call)
    {
    }

    // Returns the sum of a point whose neighbours are all inside the grid.
    __device__ Value inner_sum(int64_t p) const
    {
        fur_term_sum<Value, Long> sum;
#pragma unroll Long ? 1 : 4
        for (int k = 0; k < s.points; k++)
            sum.add(terms[k].coefficient(p), x[p + terms[k].step]);
        return sum.result();
    }

    // Returns the sum of any point. Each neighbour is found by the rules of the boundary.
    __device__ Value outer_sum(const int64_t at[3], int64_t p) const
    {
        fur_term_sum<Value, Long> sum;
        for (int k = 0; k < s.points; k++) {
            fur_stencil_offset o = terms[k].offset;
            int64_t neighbour = fur_stencil_reaches(s, at, o) ? p + terms[k].step
                                                              : fur_stencil_neighbour(&s, at, o);
            if (neighbour >= 0)
                sum.add(terms[k].coefficient(p), x[neighbour]);
        }
        return sum.result();
    }
};

// One thread computes one point, in steps of the launch grid along y and z. Bytes and flops a
// point: above.
template <class Product>
__global__ void __launch_bounds__(BLOCK) multiply(const __grid_constant__ Product product)
{
    const fur_stencil_view &s = product.s;
    int64_t at[3] = {blockIdx.x * int64_t(blockDim.x) + threadIdx.x};
    if (at[0] >= s.extent[0])
        return;
    for (at[2] = blockIdx.z; at[2] < s.extent[2]; at[2] += gridDim.z)
        for (at[1] = blockIdx.y * int64_t(blockDim.y) + threadIdx.y; at[1] < s.extent[1];
             at[1] += gridDim.y * int64_t(blockDim.y)) {
            int64_t p = fur_stencil_point(s, at);
            // All lanes of a warp take the same branch.
            bool inside = __all_sync(__activemask(), fur_stencil_inside(s, at));
            product.finish.put(inside ? product.inner_sum(p) : product.outer_sum(at, p),
                               &product.y[p]);
        }
}

fur_status plan(fur_env *env, const fur_stencil_view *s, void **state)
{
    if (!fur_is_carried(s))
        return fur_cuda_stencil_terms(env, s, state);
    *state = nullptr;
    return FUR_OK;
}

// Launches one thread for each point.
template <class Product> fur_status launch(const fur_stencil_call *call)
{
    const int64_t *extent = call->s->extent;
    dim3 block = extent[1] > 1 ? dim3(WIDTH, BLOCK / WIDTH) : dim3(BLOCK);
    dim3 grid(fur_blocks(extent[0], block.x), fur_grid_blocks(fur_ceil_div(extent[1], block.y)),
              fur_grid_blocks(extent[2]));
    multiply<<<grid, block, 0, fur_cuda_stream(call->env)>>>(Product(call));
    return fur_cuda_launched(call->env, "stencil reference");
}

fur_status apply(const fur_stencil_call *call)
{
    return fur_with_value(call->s->value_type, [&](auto value) {
        using Value = decltype(value);
        return fur_is_carried(call->s)
                   ? launch<product<Value, fur_carried_terms<Value>, false>>(call)
                   : launch<product<Value, fur_planned_terms<Value>, true>>(call);
    });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_stencil_reference = {
    {"reference", "one thread per point, neighbours from the caches",
     "Datta, Murphy, Volkov, Williams, Carter, Oliker, Patterson, Shalf, Yelick 2008", true, 0},
    false,   // by_name
    nullptr, // yields
    nullptr, // refusal
    plan,
    apply,
    fur_cuda_release,
};
