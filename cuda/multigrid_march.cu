// A red-black sweep in one pass over a large grid, from one array to another: blocks march along z
// through a tile, and the second colour follows the first one two planes behind.
//
// Each block has a halo of two points, and takes the first colour one point beyond its tile by
// itself, as nobody waits for anybody else; so x must stay as it was until all are done, and what
// comes out is another array. Bytes a point: 3 entries, where a launch a colour in place moves 6;
// from the second-level cache 1.3 for x and 1.2 for b. A second array costs nothing: two sweeps are
// back in the first.
//
// A thread has a pair of points, one of each colour, in a warp's 32 pairs of a line, and their
// planes in registers; neighbours along x are in the next lane, those along y in shared memory.
#include "lanes.cuh"
#include "march.cuh"
#include "multigrid_march.cuh"

// Lines of a block with its halo, a warp each: as many as there are registers for.
#define LINES 20
#define HALO 2
#define WIDTH (2 * FUR_WARP - 2 * HALO)
#define HEIGHT (LINES - 2 * HALO)
// Planes in shared memory: one that comes in, of the first colour, one between, of the second.
#define RING 4
// Grids of fewer points stay in the second-level cache, and have too few tiles.
#ifndef MARCH_POINTS
#    define MARCH_POINTS (1 << 22)
#endif

namespace
{

template <class Value> struct alignas(2 * sizeof(Value)) pair {
    Value entry[2];

    __device__ Value at(int n) const // indexed without going through memory
    {
        return n == 0 ? entry[0] : entry[1];
    }

    __device__ void set(int n, Value value)
    {
        entry[0] = n == 0 ? value : entry[0];
        entry[1] = n == 0 ? entry[1] : value;
    }
};

template <class Value> struct sweep {
    fur_grid g;
    fur_colour first;
    const Value *b;
    const Value *from;
    Value *to;
    bool in_pairs;   // lines begin where a pair can be loaded at once
    int64_t columns; // tiles along x
    int64_t rows;
    int64_t chunk; // planes of a block
};

// The point that a position up to two points outside stands for: across a periodic axis, or at its
// end, whose own value is what a neighbour beyond it is taken for (fur_grid_inside).
__device__ inline int64_t point_at(const fur_grid_axis &a, int64_t i)
{
    bool round = a.periodic && a.points > 1;
    int64_t n = a.points;
    int64_t inside = i < 0 ? (round ? i + n : 0) : i < n ? i : round ? i - n : n - 1;
    return min(inside, n - 1); // beyond the halo: anything
}

// Whether a position is that of a point, which is relaxed.
__device__ inline bool is_point(const fur_grid_axis &a, int64_t i)
{
    return (i >= 0 && i < a.points) || (a.periodic && a.points > 1);
}

// A thread's place in the grid.
template <class Value> struct place {
    int i; // of the first of the pair; even
    int j;
    int begin; // planes
    int end;
    int entry[2]; // in a plane
    bool whole;   // the pair is side by side, and aligned
    bool is_column[2];
    bool relaxes;   // the line has the first colour
    bool owns_line; // it is of the tile, not of its halo
    bool owns_lane;

    __device__ explicit place(const sweep<Value> &s)
    {
        const fur_grid_axis *a = s.g.axis;
        int64_t line = blockIdx.x / s.columns;
        int row = static_cast<int>(threadIdx.y);
        i = static_cast<int>(blockIdx.x % s.columns * WIDTH + 2 * threadIdx.x) - HALO;
        j = static_cast<int>(line % s.rows * HEIGHT) - HALO + row;
        begin = static_cast<int>(line / s.rows * s.chunk);
        end = static_cast<int>(min(begin + s.chunk, a[2].points));
        for (int n = 0; n < 2; n++) {
            entry[n] = static_cast<int>(point_at(a[0], i + n) + a[0].points * point_at(a[1], j));
            is_column[n] = is_point(a[0], i + n);
        }
        whole = s.in_pairs && entry[0] % 2 == 0 && entry[1] == entry[0] + 1;
        relaxes = row >= 1 && row < LINES - 1 && is_point(a[1], j);
        owns_line = row >= HALO && row < LINES - HALO && j < a[1].points;
        owns_lane = threadIdx.x >= 1 && threadIdx.x < FUR_WARP - 1 && i < a[0].points;
    }
};

// What a block and a thread have of its planes while the first colour is in plane n.
template <class Value> struct march {
    const sweep<Value> &s;
    place<Value> at;
    Value *ring; // RING planes of LINES lines of both points of 32 pairs
    fur_axis_row<Value> x[2];
    fur_axis_row<Value> y;
    pair<Value> next; // x in plane n + 1
    pair<Value> here;
    pair<Value> last[2]; // in planes n - 1 and n - 2, the first colour relaxed
    Value below;         // in plane n - 3, of the first colour
    pair<Value> b;       // in plane n
    Value b_last[2];     // in planes n - 1 and n - 2, of the second colour

    __device__ march(const sweep<Value> &sweep, Value *memory)
        : s(sweep), at(sweep), ring(memory), x{{s.g.axis[0], point_at(s.g.axis[0], at.i)},
                                               {s.g.axis[0], point_at(s.g.axis[0], at.i + 1)}},
          y(s.g.axis[1], point_at(s.g.axis[1], at.j)), last{}, below(0), b_last{}
    {
        last[0] = load(s.from, at.begin - 2);
        here = load(s.from, at.begin - 1);
        next = load(s.from, at.begin);
        b = load(s.b, at.begin - 1);
        put(at.begin - 1, here);
    }

    __device__ pair<Value> load(const Value *array, int k) const
    {
        const Value *plane =
            array + s.g.axis[0].points * s.g.axis[1].points * point_at(s.g.axis[2], k);
        if (at.whole)
            return *reinterpret_cast<const pair<Value> *>(plane + at.entry[0]);
        return {plane[at.entry[0]], plane[at.entry[1]]};
    }

    __device__ void store(int k, const pair<Value> &entries)
    {
        Value *plane = s.to + s.g.axis[0].points * s.g.axis[1].points * k;
        if (at.whole) {
            *reinterpret_cast<pair<Value> *>(plane + at.entry[0]) = entries;
        } else {
            plane[at.entry[0]] = entries.entry[0];
            if (at.i + 1 < s.g.axis[0].points)
                plane[at.entry[1]] = entries.entry[1];
        }
    }

    // The entry of plane k in shared memory of the thread's n-th point, `lines` lines on.
    __device__ Value *shared(int k, int lines, int n) const
    {
        int line = (k & (RING - 1)) * LINES + static_cast<int>(threadIdx.y) + lines;
        return &ring[(2 * line + n) * FUR_WARP + static_cast<int>(threadIdx.x)];
    }

    __device__ void put(int k, const pair<Value> &entries)
    {
        *shared(k, 0, 0) = entries.entry[0];
        *shared(k, 0, 1) = entries.entry[1];
    }

    // x of the n-th of the pair after its turn. All its neighbours have the other colour.
    __device__ Value relaxed(int k, int n, const pair<Value> &own, Value under, Value over,
                             Value right) const
    {
        fur_axis_row<Value> z(s.g.axis[2], point_at(s.g.axis[2], k));
        const fur_axis_row<Value> row = n == 0 ? x[0] : x[1];
        Value beside = own.at(1 - n);
        Value beyond = fur_shuffle(beside, static_cast<int>(threadIdx.x) - 1 + 2 * n);
        const Value around[6] = {under,
                                 *shared(k, -1, n),
                                 n == 0 ? beyond : beside,
                                 n == 0 ? beside : beyond,
                                 *shared(k, 1, n),
                                 over};
        Value residual = fur_point_residual(row, y, z, right, around, own.at(n));
        return fur_fma(static_cast<Value>(s.g.omega), residual / fur_point_diagonal(row, y, z),
                       own.at(n));
    }

    // The first colour in plane k, where it is the red-th of the pair.
    __device__ void relax_first(int k, int red)
    {
        if (!at.relaxes || !is_point(s.g.axis[2], k))
            return;
        Value value = relaxed(k, red, here, last[0].at(red), next.at(red), b.at(red));
        if (red == 0 ? at.is_column[0] : at.is_column[1]) {
            here.set(red, value);
            *shared(k, 0, red) = value;
        }
    }

    // The second colour in plane k, two behind the first, and both to where they belong.
    __device__ void relax_second(int k, int black)
    {
        if (!at.owns_line)
            return;
        pair<Value> both = last[1];
        both.set(black, relaxed(k, black, last[1], below, last[0].at(black), b_last[1]));
        if (at.owns_lane)
            store(k, both);
    }

    // One plane on; red: where the first colour is in plane n.
    __device__ void turn(int red, const pair<Value> &coming, const pair<Value> &b_coming)
    {
        below = last[1].at(red);
        last[1] = last[0];
        last[0] = here;
        here = next;
        next = coming;
        b_last[1] = b_last[0];
        b_last[0] = b.at(1 - red);
        b = b_coming;
    }
};

template <class Value>
__global__ void __launch_bounds__(FUR_WARP *LINES, 1) relax(const __grid_constant__ sweep<Value> s)
{
    __shared__ Value ring[RING * LINES * 2 * FUR_WARP];
    march<Value> m(s, ring);
    __syncthreads();
#pragma unroll 1
    for (int n = m.at.begin - 1; n <= m.at.end + 1; n++) {
        int red = (m.at.j + n + s.first) & 1;
        pair<Value> coming = m.load(s.from, min(n + 2, m.at.end + 1));
        pair<Value> b_coming = m.load(s.b, min(n + 1, m.at.end));
        if (n <= m.at.end)
            m.relax_first(n, red);
        if (n >= m.at.begin + 2)
            m.relax_second(n - 2, 1 - red);
        m.put(n + 1, m.next);
        m.turn(red, coming, b_coming);
        __syncthreads();
    }
}

template <class Value> bool is_aligned(const void *array)
{
    return reinterpret_cast<uintptr_t>(array) % sizeof(pair<Value>) == 0;
}

template <class Value>
fur_status run(fur_env *env, const fur_grid *g, fur_colour first, const void *b, const void *from,
               void *to)
{
    const fur_grid_axis *a = g->axis;
    int64_t columns = fur_ceil_div(a[0].points, WIDTH);
    int64_t rows = fur_ceil_div(a[1].points, HEIGHT);
    int64_t chunk = fur_march_chunk(columns * rows, a[2].points, env->device->multiprocessors,
                                    2 * HALO + FUR_MARCH_FILL);
    bool in_pairs = a[0].points % 2 == 0 && is_aligned<Value>(b) && is_aligned<Value>(from) &&
                    is_aligned<Value>(to);
    auto blocks = static_cast<unsigned>(columns * rows * fur_ceil_div(a[2].points, chunk));
    relax<<<blocks, dim3(FUR_WARP, LINES), 0, fur_cuda_stream(env)>>>(
        sweep<Value>{*g, first, static_cast<const Value *>(b), static_cast<const Value *>(from),
                     static_cast<Value *>(to), in_pairs, columns, rows, chunk});
    return fur_cuda_launched(env, "multigrid sweep");
}

} // namespace

// Tiles must be filled to two thirds or more along x and y, or their halos cost more than is saved.
bool fur_cuda_multigrid_marches(const fur_grid *g)
{
    return fur_grid_points(g) >= MARCH_POINTS && g->axis[0].points >= WIDTH &&
           g->axis[1].points >= HEIGHT && g->axis[0].points * g->axis[1].points <= INT32_MAX &&
           g->axis[2].points < INT32_MAX;
}

fur_status fur_cuda_multigrid_sweep(fur_env *env, const fur_grid *g, fur_colour first,
                                    const void *b, const void *from, void *to)
{
    return g->value == FUR_F32 ? run<float>(env, g, first, b, from, to)
                               : run<double>(env, g, first, b, from, to);
}
