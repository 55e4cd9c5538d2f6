// A red-black sweep in one pass over a large grid, from one array to another. Blocks march along z
// through a tile. The second colour follows the first colour at a distance of two planes.
//
// Each block has a halo of two points. It relaxes the first colour one point beyond its tile, so
// that no block waits for another. Therefore x must not change until all blocks are done, and the
// result goes to another array. Bytes a point: 3 entries; one launch for each colour in place moves
// 6. From the second-level cache: 1.3 entries for x and 1.2 for b. The caller needs no second array
// afterwards: two sweeps return to the first.
//
// A thread has a pair of points, one of each colour. A warp has 32 pairs of a line. Their planes
// are in registers. Neighbours along x are in the next lane, and neighbours along y are in shared
// memory.
#include "march.cuh"
#include "multigrid.cuh"

#include <climits>

// Lines of a block with its halo, one warp each. The registers limit their number.
#define LINES 20
#define HALO 2
#define WIDTH (2 * FUR_WARP - 2 * HALO)
#define HEIGHT (LINES - 2 * HALO)
// Planes in shared memory: the incoming plane, those of the first and the second colour, and one
// between these.
#define RING 4
// Planes of a block. Their equations along z are in shared memory too.
#define PLANES 256
// Planes between a prefetch into the second-level cache and the load. (A larger distance was
// slower.)
#define AHEAD 2
// Smaller grids stay in the second-level cache and have too few tiles.
#ifndef MARCH_POINTS
#    define MARCH_POINTS (1 << 22)
#endif

namespace
{

// Two neighbouring points of a line, loaded at once.
template <class Value> struct alignas(2 * sizeof(Value)) pair {
    Value entry[2];
};

// The arguments of a sweep. `to` receives x after both colours; `from` is x before the sweep.
template <class Value> struct sweep {
    fur_grid g;
    fur_colour first;
    const Value *b;
    const Value *from;
    Value *to;
    bool in_pairs;   // lines are aligned, so that a pair can be loaded at once
    int64_t columns; // tiles along x
    int64_t rows;
    int64_t chunk; // planes of a block
};

// An axis whose points an int can count.
struct line {
    int points;
    bool round; // the axis is periodic: its ends are neighbours

    __device__ explicit line(const fur_grid_axis &a)
        : points(static_cast<int>(a.points)), round(a.periodic && a.points > 1)
    {
    }

    // Maps a position up to two points outside the axis to a point. A periodic axis wraps around.
    // Otherwise the point is the nearest end (fur_grid_inside).
    __device__ int point_at(int i) const
    {
        int inside = i < 0 ? (round ? i + points : 0) : i;
        int back = round ? inside - points : points - 1;
        // positions beyond the halo may map to any point
        return min(inside < points ? inside : back, points - 1);
    }

    // Returns whether a position is a point of the grid, which is relaxed.
    __device__ bool has(int i) const
    {
        return (i >= 0 && i < points) || round;
    }
};

// A thread's position in the grid.
template <class Value> struct place {
    int i; // of the pair's first point; even
    int j;
    line z;
    int begin; // planes of the block
    int end;
    unsigned plane; // entries of a plane
    int entry;      // of the pair's first point, in a plane
    int apart;      // from the pair's first point to its second
    bool whole;     // the points of the pair are contiguous and aligned
    bool is_column[2];
    int first_begin; // planes in which the line relaxes the first colour
    int first_end;
    // planes in which the line relaxes the second colour, up to `end`; none if the line is in the
    // halo
    int second_begin;
    bool owns_lane;

    __device__ explicit place(const sweep<Value> &s) : z(s.g.axis[2])
    {
        line x(s.g.axis[0]);
        line y(s.g.axis[1]);
        int64_t tile = blockIdx.x / s.columns;
        int row = static_cast<int>(threadIdx.y);
        i = static_cast<int>(blockIdx.x % s.columns * WIDTH + 2 * threadIdx.x) - HALO;
        j = static_cast<int>(tile % s.rows * HEIGHT) - HALO + row;
        begin = static_cast<int>(tile / s.rows * s.chunk);
        end = static_cast<int>(min(begin + s.chunk, s.g.axis[2].points));
        plane = static_cast<unsigned>(x.points * y.points);
        entry = x.point_at(i) + x.points * y.point_at(j);
        apart = x.point_at(i + 1) - x.point_at(i);
        for (int n = 0; n < 2; n++)
            is_column[n] = x.has(i + n);
        whole = s.in_pairs && entry % 2 == 0 && apart == 1;
        bool relaxes = row >= 1 && row < LINES - 1 && y.has(j);
        first_begin = z.round ? begin - 1 : max(begin - 1, 0);
        first_end = !relaxes ? begin - 1 : z.round ? end + 1 : min(end + 1, z.points);
        second_begin = row >= HALO && row < LINES - HALO && j < y.points ? begin : INT_MAX;
        owns_lane = threadIdx.x >= 1 && threadIdx.x < FUR_WARP - 1 && i < x.points;
    }
};

// Returns the equation of the point that a position maps to.
template <class Value>
__device__ inline fur_equation<Value> row_at(const fur_grid_axis &a, int position)
{
    return fur_axis_equation<Value>(a, line(a).point_at(position));
}

// The shared memory of a block.
template <class Value> struct shared_planes {
    Value ring[RING * LINES * 2 * FUR_WARP]; // lines of both points of 32 pairs
    fur_equation<Value> rows[PLANES + 2];    // of planes begin - 1 and later
};

// The data of a block and a thread while the first colour is in plane n.
template <class Value> struct march {
    const sweep<Value> &s;
    place<Value> at;
    shared_planes<Value> &memory;
    fur_equation<Value> x[2];
    fur_equation<Value> y;
    pair<Value> next; // x in plane n + 1
    pair<Value> here;
    pair<Value> last[2]; // in planes n - 1 and n - 2, with the first colour relaxed
    Value below;         // in plane n - 3, of the first colour
    pair<Value> b;       // in plane n
    Value b_last[2];     // in planes n - 1 and n - 2, of the second colour
    int64_t coming;      // entry in plane n + 1

    __device__ march(const sweep<Value> &sweep, shared_planes<Value> &planes)
        : s(sweep), at(sweep),
          memory(planes), x{row_at<Value>(s.g.axis[0], at.i), row_at<Value>(s.g.axis[0], at.i + 1)},
          y(row_at<Value>(s.g.axis[1], at.j)), last{}, below(0), b_last{}
    {
        last[0] = load(s.from, entry(at.begin - 2));
        here = load(s.from, entry(at.begin - 1));
        b = load(s.b, entry(at.begin - 1));
        coming = entry(at.begin);
        next = load(s.from, coming);
        put(at.begin - 1, here);
        int thread = static_cast<int>(threadIdx.x + FUR_WARP * threadIdx.y);
        for (int n = thread; n < at.end - at.begin + 2; n += FUR_WARP * LINES)
            memory.rows[n] = row_at<Value>(s.g.axis[2], at.begin - 1 + n);
    }

    // Returns the thread's entry in the plane that the block reads as plane k.
    __device__ int64_t entry(int k) const
    {
        auto point = static_cast<unsigned>(at.z.point_at(min(k, at.end + 1)));
        return static_cast<int64_t>(uint64_t(at.plane) * point) + at.entry;
    }

    // Loads the thread's two points of an array.
    __device__ pair<Value> load(const Value *array, int64_t entry) const
    {
        if (at.whole)
            return *reinterpret_cast<const pair<Value> *>(array + entry);
        return {array[entry], array[entry + at.apart]};
    }

    // Prefetches the warp's line into the second-level cache.
    __device__ void ask(int64_t entry) const
    {
        if (threadIdx.x % (FUR_CACHE_LINE / sizeof(pair<Value>)) == 0) {
            fur_prefetch(s.from + entry);
            fur_prefetch(s.b + entry);
        }
    }

    // Writes a pair of plane k.
    __device__ void store(int k, const pair<Value> &entries)
    {
        Value *to = s.to + uint64_t(at.plane) * static_cast<unsigned>(k) + at.entry;
        if (at.whole) {
            *reinterpret_cast<pair<Value> *>(to) = entries;
        } else {
            to[0] = entries.entry[0];
            if (at.i + 1 < s.g.axis[0].points)
                to[at.apart] = entries.entry[1];
        }
    }

    // Returns the address in shared memory of the thread's n-th point in plane k, `lines` lines
    // further.
    __device__ Value *shared(int k, int lines, int n) const
    {
        int line = (k & (RING - 1)) * LINES + static_cast<int>(threadIdx.y) + lines;
        return &memory.ring[(2 * line + n) * FUR_WARP + static_cast<int>(threadIdx.x)];
    }

    // Writes the thread's two points into plane k of the ring.
    __device__ void put(int k, const pair<Value> &entries)
    {
        *shared(k, 0, 0) = entries.entry[0];
        *shared(k, 0, 1) = entries.entry[1];
    }

    // x at the n-th point of the pair after its relaxation. All its neighbours have the other
    // colour.
    template <int n>
    __device__ Value relaxed(int k, const pair<Value> &own, Value under, Value over,
                             Value right) const
    {
        const fur_equation<Value> z = memory.rows[k - at.begin + 1];
        Value beside = own.entry[1 - n];
        Value beyond = fur_shuffle(beside, static_cast<int>(threadIdx.x) - 1 + 2 * n);
        const Value around[6] = {under,
                                 *shared(k, -1, n),
                                 n == 0 ? beyond : beside,
                                 n == 0 ? beside : beyond,
                                 *shared(k, 1, n),
                                 over};
        Value residual = fur_point_residual(x[n], y, z, right, around, own.entry[n]);
        return fur_fma(static_cast<Value>(s.g.omega), residual / fur_point_diagonal(x[n], y, z),
                       own.entry[n]);
    }

    // Relaxes the first colour in plane k, where it is point `red` of the pair.
    template <int red> __device__ void relax_first(int k)
    {
        if (k < at.first_begin || k >= at.first_end)
            return;
        Value value = relaxed<red>(k, here, last[0].entry[red], next.entry[red], b.entry[red]);
        if (at.is_column[red]) {
            here.entry[red] = value;
            *shared(k, 0, red) = value;
        }
    }

    // Relaxes the second colour in plane k, two planes after the first colour, and stores both.
    template <int black> __device__ void relax_second(int k)
    {
        if (k < at.second_begin)
            return;
        pair<Value> both = last[1];
        both.entry[black] = relaxed<black>(k, last[1], below, last[0].entry[black], b_last[1]);
        if (at.owns_lane)
            store(k, both);
    }

    // Relaxes both colours while the first is in plane n.
    template <int red> __device__ void relax(int n)
    {
        relax_first<red>(n);
        relax_second<1 - red>(n - 2);
        below = last[1].entry[red];
        b_last[1] = b_last[0];
        b_last[0] = b.entry[1 - red];
    }

    // Relaxes both colours and advances by one plane.
    __device__ void turn(int n)
    {
        pair<Value> b_next = load(s.b, coming);
        coming = entry(n + 2);
        pair<Value> beyond = load(s.from, coming);
        ask(entry(n + 2 + AHEAD));
        if ((at.j + n + s.first) % 2 == 0) // uniform over the warp
            relax<0>(n);
        else
            relax<1>(n);
        put(n + 1, next);
        last[1] = last[0];
        last[0] = here;
        here = next;
        next = beyond;
        b = b_next;
    }
};

// One sweep of both colours. Bytes a point: 3 entries. 19 flops: 8 fma, 2 additions, a division.
template <class Value>
__global__ void __launch_bounds__(FUR_WARP *LINES, 1) relax(const __grid_constant__ sweep<Value> s)
{
    __shared__ shared_planes<Value> planes;
    march<Value> m(s, planes);
    __syncthreads();
#pragma unroll 1
    for (int n = m.at.begin - 1; n <= m.at.end + 1; n++) {
        m.turn(n);
        __syncthreads();
    }
}

// Returns whether an array is aligned for loads of pairs.
template <class Value> bool is_aligned(const void *array)
{
    return reinterpret_cast<uintptr_t>(array) % sizeof(pair<Value>) == 0;
}

// Chooses the number of planes of a block, and launches.
template <class Value>
fur_status run(fur_env *env, const fur_grid *g, fur_colour first, const void *b, const void *from,
               void *to)
{
    const fur_grid_axis *a = g->axis;
    int64_t columns = fur_ceil_div(a[0].points, WIDTH);
    int64_t rows = fur_ceil_div(a[1].points, HEIGHT);
    int64_t best = fur_march_chunk(columns * rows, a[2].points, env->device->multiprocessors,
                                   2 * HALO + FUR_MARCH_FILL);
    int64_t chunk = min(best, int64_t(PLANES));
    bool in_pairs = a[0].points % 2 == 0 && is_aligned<Value>(b) && is_aligned<Value>(from) &&
                    is_aligned<Value>(to);
    auto blocks = static_cast<unsigned>(columns * rows * fur_ceil_div(a[2].points, chunk));
    relax<<<blocks, dim3(FUR_WARP, LINES), 0, fur_cuda_stream(env)>>>(
        sweep<Value>{*g, first, static_cast<const Value *>(b), static_cast<const Value *>(from),
                     static_cast<Value *>(to), in_pairs, columns, rows, chunk});
    return fur_cuda_launched(env, "multigrid sweep");
}

} // namespace

// The tiles must be filled to at least two thirds along x and y. Otherwise their halos cost more
// than the pass saves.
bool fur_cuda_multigrid_marches(const fur_grid *g)
{
    return fur_grid_points(g) >= MARCH_POINTS && g->axis[0].points >= WIDTH &&
           g->axis[1].points >= HEIGHT && g->axis[0].points * g->axis[1].points <= INT32_MAX &&
           g->axis[2].points < INT32_MAX;
}

fur_status fur_cuda_multigrid_sweep(fur_env *env, const fur_grid *g, fur_colour first,
                                    const void *b, const void *from, void *to)
{
    return g->value_type == FUR_F32 ? run<float>(env, g, first, b, from, to)
                                    : run<double>(env, g, first, b, from, to);
}
