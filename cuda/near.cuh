// Stencils of radius 1 with constant coefficients, from slices (march.cuh): each slice is read once
// and feeds the planes before, at and behind it, whose sums are in registers. A point's terms come
// in the order of planes, then lines, as they must.
#ifndef FURROW_CUDA_NEAR_CUH
#define FURROW_CUDA_NEAR_CUH

#include "march.cuh"

// Slices in shared memory: one that is read and those under way.
#define FUR_NEAR_RING 4
// What is read at once, and what lines are aligned to where they can be.
#define FUR_NEAR_PIECE 16

// The place of a neighbour among the 27.
__host__ __device__ constexpr int fur_near_place(int x, int y, int z)
{
    return (x + 1) + 3 * ((y + 1) + 3 * (z + 1));
}

template <class Value> struct fur_near {
    Value coefficient[27];
    unsigned present; // a bit for each place

    explicit fur_near(const fur_stencil_view *s) : present(0)
    {
        auto coefficients = static_cast<const Value *>(s->coefficients);
        for (int k = 0; k < s->points; k++) {
            fur_stencil_offset o = s->offsets[k];
            int place = fur_near_place(o.x, o.y, o.z);
            coefficient[place] = coefficients[k];
            present |= 1U << place;
        }
    }
};

// The places of a stencil known to the compiler. Some: not all of them need be there.
template <unsigned places, bool Some = false> struct fur_near_shape {
    __device__ static bool has(unsigned present, int place)
    {
        return (places >> place & 1) != 0 && (!Some || (present >> place & 1) != 0);
    }

    // Whether lines that are dy away have terms beside the point's column.
    __host__ __device__ static constexpr bool has_sides(int dy)
    {
        unsigned beside = 0;
        for (int dz = -1; dz <= 1; dz++)
            beside |= 1U << fur_near_place(-1, dy, dz) | 1U << fur_near_place(1, dy, dz);
        return (places & beside) != 0;
    }
};

#define FUR_NEAR_LINE (1U << 12 | 1U << 13 | 1U << 14)
#define FUR_NEAR_STAR2 (FUR_NEAR_LINE | 1U << 10 | 1U << 16)
#define FUR_NEAR_SQUARE (0x1ffU << 9)
#define FUR_NEAR_STAR3 (FUR_NEAR_STAR2 | 1U << 4 | 1U << 22)
#define FUR_NEAR_CUBE ((1U << 27) - 1)

// Calls f with a value of the stencil's type and its shape.
template <class F> fur_status fur_with_near(const fur_stencil_view *s, F f)
{
    return fur_with_value(s->value, [&](auto value) {
        switch (fur_near<decltype(value)>(s).present) {
        case FUR_NEAR_STAR2:
            return f(value, fur_near_shape<FUR_NEAR_STAR2>());
        case FUR_NEAR_SQUARE:
            return f(value, fur_near_shape<FUR_NEAR_SQUARE>());
        case FUR_NEAR_STAR3:
            return f(value, fur_near_shape<FUR_NEAR_STAR3>());
        case FUR_NEAR_CUBE:
            return f(value, fur_near_shape<FUR_NEAR_CUBE>());
        default:
            return f(value, fur_near_shape<FUR_NEAR_CUBE, true>());
        }
    });
}

// A block's tile: a thread has neighbours along x, as many as a piece holds, on several lines, and
// a warp the lines' whole width.
template <class Value> struct fur_near_tile {
    static constexpr int piece = FUR_NEAR_PIECE / sizeof(Value); // entries
    static constexpr int outputs = 2;                            // lines of a thread
    static constexpr int warps = FUR_MARCH_THREADS / FUR_WARP;
    static constexpr int width = FUR_WARP * piece;
    static constexpr int height = warps * outputs;
    // A slice's lines have a piece more on either side, for the neighbours.
    static constexpr int pitch = width + 2 * piece;
    static constexpr int lines = height + 2;
    static constexpr int bytes = (pitch * lines * int(sizeof(Value)) + 127) / 128 * 128;
    static constexpr int entries = bytes / sizeof(Value); // from a slice to the next
};

template <class Value> struct alignas(FUR_NEAR_PIECE) fur_piece_of {
    Value at[fur_near_tile<Value>::piece];
};

// The points of a thread in a plane, and their sums in three planes. Whole: lines consist of whole
// pieces, so that a thread has all of its columns or none.
template <class Value, class Shape, bool Whole> struct fur_near_points {
    using tile = fur_near_tile<Value>;
    int64_t first;   // entry of the first point in the block's first plane
    int columns;     // so many columns
    int own;         // and lines of them are inside
    unsigned lines;  // bit n: the line before the first one, and n on, has entries
    unsigned lefts;  // bit n: column n has a neighbour before it
    unsigned rights; // and behind it
    Value sum[3][tile::outputs][tile::piece];

    __device__ fur_near_points(const fur_march &m, const fur_place &place)
        : lines(0), lefts(0), rights(0)
    {
        int64_t x = place.x + threadIdx.x % FUR_WARP * tile::piece;
        int64_t y = place.y + threadIdx.x / FUR_WARP * tile::outputs;
        first = x + m.extent[0] * (y + m.extent[1] * place.z);
        columns = static_cast<int>(max(int64_t(0), min(m.extent[0] - x, int64_t(tile::piece))));
        own = static_cast<int>(max(int64_t(0), min(m.extent[1] - y, int64_t(tile::outputs))));
        for (int n = 0; n < tile::piece; n++) {
            lefts |= (!m.is_dirichlet(0) || x + n > 0 ? 1U : 0U) << n;
            rights |= (!m.is_dirichlet(0) || x + n + 1 < m.extent[0] ? 1U : 0U) << n;
        }
        for (int n = 0; n < tile::outputs + 2; n++) {
            bool inside = y + n > 0 && y + n <= m.extent[1];
            lines |= (!m.is_dirichlet(1) || inside ? 1U : 0U) << n;
        }
        for (int plane = 0; plane < 3; plane++)
            clear(plane);
    }

    __device__ void clear(int plane)
    {
#pragma unroll
        for (int n = 0; n < tile::outputs; n++)
#pragma unroll
            for (int e = 0; e < tile::piece; e++)
                sum[plane][n][e] = fur_zero<Value>();
    }

    // Adds what an entry gives to the points of column e around it; line and dx as seen from the
    // first of them.
    __device__ void spread(const fur_near<Value> &near, int line, int e, int dx, Value entry)
    {
#pragma unroll
        for (int n = 0; n < tile::outputs; n++)
#pragma unroll
            for (int dz = -1; dz <= 1; dz++) {
                int dy = line - n;
                if (dy < -1 || dy > 1)
                    continue;
                int place = fur_near_place(dx, dy, dz);
                if (Shape::has(near.present, place))
                    sum[1 - dz][n][e] = fur_fma(near.coefficient[place], entry, sum[1 - dz][n][e]);
            }
    }

    // Inside of a thread's columns all have neighbours if lines consist of whole pieces.
    __device__ bool has_left(int e) const
    {
        return (Whole && e > 0) || (lefts >> e & 1) != 0;
    }

    __device__ bool has_right(int e) const
    {
        return (Whole && e + 1 < tile::piece) || (rights >> e & 1) != 0;
    }

    // Whether lines that far from the first one need the entries beside their own.
    __host__ __device__ static constexpr bool needs_sides(int line)
    {
        bool needs = false;
        for (int n = 0; n < tile::outputs; n++)
            needs = needs || (line - n >= -1 && line - n <= 1 && Shape::has_sides(line - n));
        return needs;
    }

    __device__ void add_line(const fur_near<Value> &near, int line, const Value *own)
    {
        bool sides = needs_sides(line);
        auto middle = *reinterpret_cast<const fur_piece_of<Value> *>(own);
        Value left = sides ? own[-1] : fur_zero<Value>();
        Value right = sides ? own[tile::piece] : fur_zero<Value>();
#pragma unroll
        for (int e = 0; e < tile::piece; e++) {
            if (sides && has_left(e))
                spread(near, line, e, -1, e > 0 ? middle.at[e > 0 ? e - 1 : 0] : left);
            spread(near, line, e, 0, middle.at[e]);
            if (sides && has_right(e))
                spread(near, line, e, 1,
                       e + 1 < tile::piece ? middle.at[e + 1 < tile::piece ? e + 1 : 0] : right);
        }
    }

    // Adds what a slice gives to the planes before, at and behind it.
    __device__ void add(const fur_near<Value> &near, const Value *slice)
    {
        const Value *before = slice + threadIdx.x / FUR_WARP * tile::outputs * tile::pitch +
                              (threadIdx.x % FUR_WARP + 1) * tile::piece;
#pragma unroll
        for (int line = -1; line <= tile::outputs; line++)
            if ((lines >> (line + 1) & 1) != 0)
                add_line(near, line, before + (line + 1) * tile::pitch);
    }

    __device__ void finish_line(const Value *sums, const fur_stencil_finish<Value> &finish,
                                Value *to) const
    {
        if constexpr (Whole) {
            auto all = reinterpret_cast<fur_piece_of<Value> *>(to);
            fur_piece_of<Value> made;
            if (!finish.overwrite)
                made = *reinterpret_cast<const fur_piece_of<Value> *>(finish.other(to));
#pragma unroll
            for (int e = 0; e < tile::piece; e++)
                finish(sums[e], &made.at[e]);
            *all = made;
        } else {
#pragma unroll
            for (int e = 0; e < tile::piece; e++)
                if (e < columns)
                    finish.put(sums[e], to + e);
        }
    }

    // Finishes the points of the block's n-th plane, the one before the slice.
    __device__ void finish(const fur_march &m, int n, const fur_stencil_finish<Value> &finish,
                           Value *y)
    {
        Value *to = y + first + n * m.plane_entries();
#pragma unroll
        for (int i = 0; i < tile::outputs; i++)
            if (columns > 0 && i < own)
                finish_line(sum[0][i], finish, to + i * m.extent[0]);
    }

    // The next slice is one plane on.
    __device__ void turn()
    {
#pragma unroll
        for (int n = 0; n < tile::outputs; n++)
#pragma unroll
            for (int e = 0; e < tile::piece; e++) {
                sum[0][n][e] = sum[1][n][e];
                sum[1][n][e] = sum[2][n][e];
            }
        clear(2);
    }
};

// Marches through the planes: fetch(n, place) begins to take slice n into a place of the ring,
// wait(place) returns when it is there.
template <class Shape, bool Whole, class Value, class Fetch, class Wait>
__device__ void fur_near_march(const fur_march &m, const fur_place &place,
                               const fur_near<Value> &near, const fur_stencil_finish<Value> &finish,
                               const Value *ring, Value *y, Fetch fetch, Wait wait)
{
    fur_near_points<Value, Shape, Whole> points(m, place);
#pragma unroll
    for (int n = 0; n < FUR_NEAR_RING - 1; n++)
        fetch(n - 1, n);
#pragma unroll 1
    for (int n = -1; n <= place.planes; n++) {
        unsigned turn = static_cast<unsigned>(n + 1);
        wait(turn);
        __syncthreads(); // the slice before is used up
        fetch(n + FUR_NEAR_RING - 1, turn + FUR_NEAR_RING - 1);
        if (fur_march_plane(m, place, n) >= 0)
            points.add(near, ring + turn % FUR_NEAR_RING * fur_near_tile<Value>::entries);
        if (n > 0)
            points.finish(m, n - 1, finish, y);
        points.turn();
    }
}

// Whether lines of the stencil's grid consist of whole pieces and so do x, y and z.
static inline bool fur_near_whole(const fur_stencil_call *call)
{
    uintptr_t line = static_cast<uintptr_t>(call->s->extent[0]) * fur_value_size(call->s->value);
    auto x = reinterpret_cast<uintptr_t>(call->x);
    auto y = reinterpret_cast<uintptr_t>(call->y);
    auto z = reinterpret_cast<uintptr_t>(call->z);
    return (line | x | y | z) % FUR_NEAR_PIECE == 0;
}

static inline const char *fur_near_refusal(const fur_stencil_view *s)
{
    if (s->radius[0] > 1 || s->radius[1] > 1 || s->radius[2] > 1)
        return "it is for neighbours at a distance of one point along each axis";
    return fur_march_refusal(s);
}

#endif
