// Stencils of radius 1 with their sums in registers. A block has a tile of the x-y plane and
// marches along z. It copies each slice of x into shared memory once and adds it to the sums of
// three planes: the plane before it, its own, and the plane after it. A thread has several
// neighbouring points in each plane. Volkov, Programming inverse memory hierarchy: case of stencils
// on GPUs, ParCFD 2010; Micikevicius 2009. Later beaten by `bulk` on most grids of up to 300 points
// a side. It is still the fastest on larger grids (H200).
//
// Bytes a point: two entries, one for x and one for y. The second-level cache moves 1.2 entries for
// x, because tiles of 64 x 32 points (f64) share their edges, and one for y. This holds if a piece
// of 16 bytes has the same address modulo 128 in shared memory as in x. Otherwise each sector of 32
// bytes is loaded once for each of its pieces. 2 flops a term.
// bytes is fetched once for each of its pieces. 2 flops a term.
#include "near.cuh"

namespace
{

// The parameters of fur_near_form, in its order: threads, warps along a line, lines of a thread,
// slices, planes of prefetch, most blocks, late. They are the fastest of the measured values. More
// slices in flight than the memory needs to be busy delay every slice. If the terms are found at
// run time (ANY), the kernel is bound by instructions. More lines in a thread reduce the
// instructions of a point, but c128 has no registers for four lines.
template <fur_near_work work, size_t bytes> struct form;
template <size_t bytes>
struct form<FUR_NEAR_FLAT, bytes> : fur_near_form<128, 1, 4, 2, 1, 0, false> {
};
template <size_t bytes> struct form<FUR_NEAR_FEW, bytes> : fur_near_form<256, 1, 4, 4, 1, 1, true> {
};
template <size_t bytes>
struct form<FUR_NEAR_MANY, bytes> : fur_near_form<512, bytes == 4 ? 1 : 2, 2, 4, 1, 1, false> {
};
template <size_t bytes>
struct form<FUR_NEAR_ANY, bytes> : fur_near_form<128, 1, 4, 2, 0, 0, false> {
};
template <> struct form<FUR_NEAR_ANY, 16> : fur_near_form<128, 1, 2, 2, 0, 0, false> {
};

template <class Value, class Shape>
using tile_of = fur_near_tile<Value, Shape, form<Shape::work, sizeof(Value)>, 128, 128>;

// Copies slices in pieces of 16 bytes, and the entries to the left and right of the tile one by
// one.
template <class Tile> struct piece_loader {
    using tile = Tile;
    using Value = typename tile::Value;
    static constexpr int most = (tile::lines + tile::rows - 1) / tile::rows;
    // pieces on lines a fixed number of rows apart: offsets from the plane's first entry
    uint32_t from[most];
    uint32_t side; // UINT32_MAX: none
    int side_at;   // its entry in the slice

    __device__ piece_loader(const fur_march &m, const fur_place &place)
    {
        int64_t x = place.x + tile::column() * tile::piece;
#pragma unroll
        for (int n = 0; n < most; n++) {
            int line = tile::row() + n * tile::rows;
            from[n] = x < m.extent[0] ? entry(m, place, x, line) : UINT32_MAX;
        }
        // Two threads handle a line. The grid may end before the tile.
        int line = threadIdx.x / 2;
        int64_t end = min(int64_t(tile::width), m.extent[0] - place.x);
        int64_t column = threadIdx.x % 2 == 0 ? -1 : end;
        int64_t at = m.near_point(0, place.x + column);
        side = at >= 0 ? entry(m, place, at, line) : UINT32_MAX;
        side_at = line * tile::pitch + tile::first + static_cast<int>(column);
    }

    // Returns the index of the entry in column x on a line of the slice.
    __device__ static uint32_t entry(const fur_march &m, const fur_place &place, int64_t x,
                                     int line)
    {
        int64_t y = m.near_point(1, place.y - 1 + line);
        return line < tile::lines && y >= 0 ? static_cast<uint32_t>(x + m.extent[0] * y)
                                            : UINT32_MAX;
    }

    // Starts to copy a slice. The caller commits.
    __device__ void begin(const Value *plane, Value *slice) const
    {
        constexpr int line = tile::pitch * sizeof(Value);
        uint32_t at = fur_shared_address(slice);
        uint32_t to =
            at + tile::row() * line + tile::first * sizeof(Value) + tile::column() * FUR_NEAR_PIECE;
#pragma unroll
        for (int n = 0; n < most; n++)
            if (from[n] != UINT32_MAX)
                fur_copy_ahead<FUR_NEAR_PIECE>(to + n * tile::rows * line, plane + from[n]);
        if (side != UINT32_MAX)
            fur_copy_ahead<sizeof(Value)>(at + side_at * sizeof(Value), plane + side);
    }

    // Prefetches a slice into the second-level cache, sector by sector.
    __device__ void ask(const Value *plane) const
    {
#pragma unroll
        for (int n = 0; n < most; n++)
            if (from[n] != UINT32_MAX && threadIdx.x % (FUR_SECTOR / FUR_NEAR_PIECE) == 0)
                fur_prefetch(plane + from[n]);
    }
};

// Copies slices entry by entry, for lines of any length.
template <class Tile> struct entry_loader {
    using tile = Tile;
    using Value = typename tile::Value;
    static constexpr int used = tile::width + 2; // entries of a line that are used
    fur_slice_loader<Value, tile::Form::threads, used * tile::lines> all;

    __device__ entry_loader(const fur_march &m, const fur_place &place)
        : all(m, place.x - 1, place.y - 1, used, tile::lines)
    {
    }

    __device__ void begin(const Value *plane, Value *slice) const
    {
        all.begin(plane, [&](int entry) {
            return slice + entry / used * tile::pitch + entry % used + tile::first - 1;
        });
    }

    // Does not prefetch.
    __device__ void ask(const Value *) const
    {
    }
};

// y = alpha S x + beta z. Each block has a tile and a share of the planes. Bytes and flops a point:
// above.
template <class Loader, fur_near_kind kind, class Value = typename Loader::Value,
          class Form = typename Loader::tile::Form>
__global__ void __launch_bounds__(Form::threads, Form::resident)
    multiply(fur_march m, fur_near<Value> near, const Value *x, Value *y,
             fur_stencil_finish<Value> finish)
{
    using tile = typename Loader::tile;
    extern __shared__ __align__(128) unsigned char memory[];
    auto ring = reinterpret_cast<Value *>(memory);
    fur_place place = fur_march_place(m, tile::width, tile::height);
    fur_near_planes planes(m, place);
    Loader loader(m, place);
    auto at = [&](int plane) {
        return fur_opaque(x + static_cast<uint64_t>(static_cast<unsigned>(plane)) *
                                  static_cast<unsigned>(m.plane_entries()));
    };
    auto begin = [&](int n, unsigned turn) {
        int plane = planes.at(n);
        if (plane >= 0)
            loader.begin(at(plane), ring + turn % Form::slices * tile::entries);
        __pipeline_commit();
    };
    auto ask = [&](int n) {
        int later = planes.at(n + Form::ahead);
        if (Form::ahead > 0 && later >= 0)
            loader.ask(at(later));
    };
    auto wait = [](unsigned) { __pipeline_wait_prior(Form::slices - 2); };
    fur_near_march<tile, kind>(m, place, near, finish, ring, y, begin, ask, wait);
}

// Calls f with the tile and the kernel for this stencil and kind of lines.
template <class F> fur_status with_kernel(const fur_stencil_view *s, fur_near_kind kind, F f)
{
    return fur_with_near(s, [&](auto value, auto shape) {
        using tile = tile_of<decltype(value), decltype(shape)>;
        if (kind == FUR_NEAR_PIECES)
            return f(tile(), multiply<piece_loader<tile>, FUR_NEAR_PIECES>);
        return kind == FUR_NEAR_ENTRIES
                   ? f(tile(), multiply<entry_loader<tile>, FUR_NEAR_ENTRIES>)
                   : f(tile(), multiply<piece_loader<tile>, FUR_NEAR_PIECES_Z>);
    });
}

// Prepares the march, which all kernels share.
fur_status build(fur_env *env, const fur_stencil_view *s, fur_march *m)
{
    auto make = [&](auto of, auto kernel) {
        using tile = decltype(of);
        return fur_march_make(env, s, kernel, tile::march(tile::Form::slices * tile::bytes), m);
    };
    FUR_TRY(with_kernel(s, FUR_NEAR_ENTRIES, make));
    FUR_TRY(with_kernel(s, FUR_NEAR_PIECES_Z, make));
    return with_kernel(s, FUR_NEAR_PIECES, make);
}

fur_status plan(fur_env *env, const fur_stencil_view *s, void **state)
{
    return fur_make_state<fur_march>(env, fur_env_release, state,
                                     [&](fur_march *m) { return build(env, s, m); });
}

fur_status apply(const fur_stencil_call *call)
{
    auto m = static_cast<const fur_march *>(call->state);
    return with_kernel(call->s, fur_near_kind_of(call), [&](auto of, auto kernel) {
        using tile = decltype(of);
        using Value = typename tile::Value;
        kernel<<<fur_march_blocks(*m), tile::Form::threads, m->shared,
                 fur_cuda_stream(call->env)>>>(
            *m, fur_near<Value>(call->s), static_cast<const Value *>(call->x),
            static_cast<Value *>(call->y), fur_stencil_finish<Value>(call));
        return fur_cuda_launched(call->env, "stencil registers");
    });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_stencil_registers = {
    {"registers", "radius 1: each slice of a tile feeds three planes of sums in registers",
     "Volkov 2010; Micikevicius 2009", true, 0},
    false,   // by_name
    nullptr, // yields
    fur_near_refusal,
    plan,
    apply,
    fur_env_release,
};
