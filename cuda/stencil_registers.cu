// Stencils of radius 1 with their sums in registers: a block marches through the planes, and each
// entry of x, once in shared memory, is added to the points of three planes, of which a thread has
// several side by side. Volkov, Programming inverse memory hierarchy: case of stencils on GPUs,
// ParCFD 2010; Micikevicius 2009.
//
// Bytes a point: two entries for x and y; from the second-level cache 1.2 for x and one for y,
// because tiles of 64 x 32 points share their edges. 2 flops a term.
#include "near.cuh"

namespace
{

template <class Shape, class Value>
__global__ void __launch_bounds__(FUR_MARCH_THREADS, FUR_MARCH_RESIDENT)
    multiply(fur_march m, fur_near<Value> near, const Value *x, Value *y, fur_finish<Value> finish)
{
    using tile = fur_near_tile<Value>;
    extern __shared__ __align__(16) unsigned char memory[];
    auto ring = reinterpret_cast<Value *>(memory);
    fur_place place = fur_march_place(m, tile::width, tile::height);
    fur_slice_loader<Value, tile::loads> loader(m, place.x - 1, place.y - 1, tile::pitch,
                                                tile::lines);
    auto fetch = [&](int n, unsigned turn) {
        int64_t plane = fur_march_plane(m, place, n);
        if (plane >= 0)
            loader.begin(x + plane * m.plane_entries(),
                         ring + turn % FUR_NEAR_RING * tile::entries);
        __pipeline_commit();
    };
    auto wait = [](unsigned) { __pipeline_wait_prior(FUR_NEAR_RING - 2); };
    fur_near_march<Shape>(m, place, near, finish, ring, y, fetch, wait);
}

template <class Value> constexpr size_t ring_bytes = FUR_NEAR_RING *fur_near_tile<Value>::bytes;

fur_status build(fur_env *env, const fur_stencil_view *s, fur_march *m)
{
    return fur_with_near(s, [&](auto value, auto shape) {
        using Value = decltype(value);
        using tile = fur_near_tile<Value>;
        return fur_march_make(env, s, tile::width, tile::height, multiply<decltype(shape), Value>,
                              ring_bytes<Value>, m);
    });
}

fur_status plan(fur_env *env, const fur_stencil_view *s, void **state)
{
    return fur_make_state<fur_march>(env, fur_env_release, state,
                                     [&](fur_march *m) { return build(env, s, m); });
}

fur_status apply(const fur_stencil_call *call)
{
    auto m = static_cast<const fur_march *>(call->state);
    return fur_with_near(call->s, [&](auto value, auto shape) {
        using Value = decltype(value);
        multiply<decltype(shape)><<<fur_march_blocks(*m), FUR_MARCH_THREADS, ring_bytes<Value>,
                                    fur_cuda_stream(call->env)>>>(
            *m, fur_near<Value>(call->s), static_cast<const Value *>(call->x),
            static_cast<Value *>(call->y), fur_finish<Value>(call));
        return fur_cuda_launched(call->env, "stencil registers");
    });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_stencil_registers = {
    "registers",
    "radius 1: each slice of a tile feeds three planes of sums in registers",
    "Volkov 2010; Micikevicius 2009",
    true, // exact
    fur_near_refusal,
    plan,
    apply,
    fur_env_release,
};
