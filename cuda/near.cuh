// Stencils of radius 1 with constant coefficients, from slices (march.cuh): each slice is read once
// and feeds the planes before, at and behind it, whose sums are in registers. A point's terms come
// in the order of planes, then lines, as they must.
#ifndef FURROW_CUDA_NEAR_CUH
#define FURROW_CUDA_NEAR_CUH

#include "march.cuh"

// Slices in shared memory: one that is read and those under way.
#define FUR_NEAR_RING 4

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

// A block's tile: a warp's threads are neighbours along x, and each has several points along y.
template <class Value> struct fur_near_tile {
    static constexpr int width = sizeof(Value) == 4 ? 128 : 64;
    static constexpr int outputs = 64 / sizeof(Value);
    static constexpr int height = FUR_MARCH_THREADS / width * outputs;
    // Lines of a slice are whole pieces of 16 bytes and have room for both neighbours.
    static constexpr int pitch = width + (sizeof(Value) == 4 ? 4 : 2);
    static constexpr int lines = height + 2;
    static constexpr int bytes = (pitch * lines * int(sizeof(Value)) + 127) / 128 * 128;
    static constexpr int entries = bytes / sizeof(Value); // from a slice to the next
    static constexpr int loads = (pitch * lines + FUR_MARCH_THREADS - 1) / FUR_MARCH_THREADS;
};

// The points of a thread in a plane, and their sums in three planes.
template <class Value, class Shape> struct fur_near_points {
    using tile = fur_near_tile<Value>;
    fur_march_points points;
    bool all_in;
    Value sum[3][tile::outputs];

    __device__ fur_near_points(const fur_march &m, const fur_place &place)
        : points(m, place, tile::width, tile::outputs), all_in(points.all_in(m, tile::outputs))
    {
        for (int plane = 0; plane < 3; plane++)
            clear(plane);
    }

    __device__ void clear(int plane)
    {
#pragma unroll
        for (int n = 0; n < tile::outputs; n++)
            sum[plane][n] = fur_zero<Value>();
    }

    // Adds what an entry of x gives to the points around it; line and dx as seen from the first
    // point.
    __device__ void spread(const fur_near<Value> &near, int line, int dx, Value entry)
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
                    sum[1 - dz][n] = fur_fma(near.coefficient[place], entry, sum[1 - dz][n]);
            }
    }

    template <bool AllIn> __device__ void add_from(const fur_near<Value> &near, const Value *own)
    {
#pragma unroll
        for (int line = -1; line <= tile::outputs; line++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++)
                if (AllIn || points.is_in(dx, line))
                    spread(near, line, dx, own[line * tile::pitch + dx]);
    }

    // Adds what a slice gives to the planes before, at and behind it.
    __device__ void add(const fur_near<Value> &near, const Value *slice)
    {
        int line = threadIdx.x / tile::width * tile::outputs + 1;
        const Value *own = slice + line * tile::pitch + threadIdx.x % tile::width + 1;
        if (all_in)
            add_from<true>(near, own);
        else
            add_from<false>(near, own);
    }

    // Finishes the points of the block's n-th plane, the one before the slice.
    __device__ void finish(const fur_march &m, int n, const fur_finish<Value> &finish, Value *y)
    {
        Value *to = y + points.first + n * m.plane_entries();
#pragma unroll
        for (int i = 0; i < tile::outputs; i++)
            if (i < points.own)
                finish(sum[0][i], to + i * m.extent[0]);
    }

    // The next slice is one plane on.
    __device__ void turn()
    {
#pragma unroll
        for (int n = 0; n < tile::outputs; n++) {
            sum[0][n] = sum[1][n];
            sum[1][n] = sum[2][n];
        }
        clear(2);
    }
};

// Marches through the planes: fetch(n, place) begins to take slice n into a place of the ring,
// wait(place) returns when it is there.
template <class Shape, class Value, class Fetch, class Wait>
__device__ void fur_near_march(const fur_march &m, const fur_place &place,
                               const fur_near<Value> &near, const fur_finish<Value> &finish,
                               const Value *ring, Value *y, Fetch fetch, Wait wait)
{
    fur_near_points<Value, Shape> points(m, place);
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

static inline const char *fur_near_refusal(const fur_stencil_view *s)
{
    if (s->radius[0] > 1 || s->radius[1] > 1 || s->radius[2] > 1)
        return "it is for neighbours at a distance of one point along each axis";
    return fur_march_refusal(s);
}

#endif
