// Stencils of radius 1 with their sums in registers: a block marches through the planes, and each
// entry of x, once in shared memory, is added to the points of three planes, of which a thread has
// several side by side. Volkov, Programming inverse memory hierarchy: case of stencils on GPUs,
// ParCFD 2010; Micikevicius 2009.
//
// Bytes a point: two entries for x and y; from the second-level cache 1.2 for x and one for y,
// because tiles of 64 x 16 points (f64) share their edges. 2 flops a term.
#include "near.cuh"

namespace
{

// Takes in slices by pieces, and the entries beside a line's pieces one by one.
template <class Value> struct piece_loader {
    using tile = fur_near_tile<Value>;
    static constexpr int most = (tile::lines + tile::warps - 1) / tile::warps;
    uint32_t from[most]; // pieces of lines so many warps apart: entries from the plane's first
    uint32_t side;       // UINT32_MAX: nowhere
    int side_at;         // its entry of the slice

    __device__ piece_loader(const fur_march &m, const fur_place &place)
    {
        int64_t x = place.x + threadIdx.x % FUR_WARP * tile::piece;
#pragma unroll
        for (int n = 0; n < most; n++) {
            int line = threadIdx.x / FUR_WARP + n * tile::warps;
            from[n] = x < m.extent[0] ? entry(m, place, x, line) : UINT32_MAX;
        }
        // Two threads a line; the grid may end before the tile does.
        int line = threadIdx.x / 2;
        int64_t end = min(int64_t(tile::width), m.extent[0] - place.x);
        int64_t column = threadIdx.x % 2 == 0 ? -1 : end;
        int64_t at = fur_halo_point(m.boundary[0], m.extent[0], m.radius[0], place.x + column);
        side = at >= 0 ? entry(m, place, at, line) : UINT32_MAX;
        side_at = line * tile::pitch + tile::piece + static_cast<int>(column);
    }

    // The entry of column x on a line of the slice.
    __device__ static uint32_t entry(const fur_march &m, const fur_place &place, int64_t x,
                                     int line)
    {
        int64_t y = fur_halo_point(m.boundary[1], m.extent[1], m.radius[1], place.y - 1 + line);
        return line < tile::lines && y >= 0 ? static_cast<uint32_t>(x + m.extent[0] * y)
                                            : UINT32_MAX;
    }

    // Begins to copy a slice; the caller commits.
    __device__ void begin(const Value *plane, Value *slice) const
    {
        Value *to = slice + threadIdx.x / FUR_WARP * tile::pitch +
                    (threadIdx.x % FUR_WARP + 1) * tile::piece;
#pragma unroll
        for (int n = 0; n < most; n++)
            if (from[n] != UINT32_MAX)
                __pipeline_memcpy_async(to + n * tile::warps * tile::pitch, plane + from[n],
                                        FUR_NEAR_PIECE);
        if (side != UINT32_MAX)
            __pipeline_memcpy_async(slice + side_at, plane + side, sizeof(Value));
    }
};

// The same entry by entry, for lines of any length.
template <class Value> struct entry_loader {
    using tile = fur_near_tile<Value>;
    static constexpr int used = tile::width + 2; // of a line's entries
    fur_slice_loader<Value, (used * tile::lines + FUR_MARCH_THREADS - 1) / FUR_MARCH_THREADS> all;

    __device__ entry_loader(const fur_march &m, const fur_place &place)
        : all(m, place.x - 1, place.y - 1, used, tile::lines)
    {
    }

    __device__ void begin(const Value *plane, Value *slice) const
    {
        all.begin(plane, [&](int entry) {
            return slice + entry / used * tile::pitch + entry % used + tile::piece - 1;
        });
    }
};

template <class Shape, class Loader, bool Whole, class Value>
__global__ void __launch_bounds__(FUR_MARCH_THREADS, FUR_MARCH_RESIDENT)
    multiply(fur_march m, fur_near<Value> near, const Value *x, Value *y,
             fur_stencil_finish<Value> finish)
{
    using tile = fur_near_tile<Value>;
    extern __shared__ __align__(128) unsigned char memory[];
    auto ring = reinterpret_cast<Value *>(memory);
    fur_place place = fur_march_place(m, tile::width, tile::height);
    Loader loader(m, place);
    auto fetch = [&](int n, unsigned turn) {
        int64_t plane = fur_march_plane(m, place, n);
        if (plane >= 0)
            loader.begin(x + plane * m.plane_entries(),
                         ring + turn % FUR_NEAR_RING * tile::entries);
        __pipeline_commit();
    };
    auto wait = [](unsigned) { __pipeline_wait_prior(FUR_NEAR_RING - 2); };
    fur_near_march<Shape, Whole>(m, place, near, finish, ring, y, fetch, wait);
}

template <class Value> constexpr size_t ring_bytes = FUR_NEAR_RING *fur_near_tile<Value>::bytes;

// Calls f with a value, and the kernel for the stencil whose lines consist of whole pieces or not.
template <class F> fur_status with_kernel(const fur_stencil_view *s, bool whole, F f)
{
    return fur_with_near(s, [&](auto value, auto shape) {
        using Value = decltype(value);
        using Shape = decltype(shape);
        return whole ? f(value, multiply<Shape, piece_loader<Value>, true, Value>)
                     : f(value, multiply<Shape, entry_loader<Value>, false, Value>);
    });
}

// The march is that of both kernels.
fur_status build(fur_env *env, const fur_stencil_view *s, fur_march *m)
{
    auto make = [&](auto value, auto kernel) {
        using Value = decltype(value);
        using tile = fur_near_tile<Value>;
        return fur_march_make(env, s, tile::width, tile::height, kernel, ring_bytes<Value>, m);
    };
    FUR_TRY(with_kernel(s, false, make));
    return with_kernel(s, true, make);
}

fur_status plan(fur_env *env, const fur_stencil_view *s, void **state)
{
    return fur_make_state<fur_march>(env, fur_env_release, state,
                                     [&](fur_march *m) { return build(env, s, m); });
}

fur_status apply(const fur_stencil_call *call)
{
    auto m = static_cast<const fur_march *>(call->state);
    return with_kernel(call->s, fur_near_whole(call), [&](auto value, auto kernel) {
        using Value = decltype(value);
        kernel<<<fur_march_blocks(*m), FUR_MARCH_THREADS, ring_bytes<Value>,
                 fur_cuda_stream(call->env)>>>(
            *m, fur_near<Value>(call->s), static_cast<const Value *>(call->x),
            static_cast<Value *>(call->y), fur_stencil_finish<Value>(call));
        return fur_cuda_launched(call->env, "stencil registers");
    });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_stencil_registers = {
    "registers",
    "radius 1: each slice of a tile feeds three planes of sums in registers",
    "Volkov 2010; Micikevicius 2009",
    true,  // exact
    false, // by_name
    fur_near_refusal,
    plan,
    apply,
    fur_env_release,
    1, // depth
};
