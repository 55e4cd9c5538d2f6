// Stencils of radius 1 with constant coefficients. A block marches along z and reads one slice of x
// after the other (march.cuh). It adds each slice to the sums of three planes, which are in
// registers: the plane before the slice, the slice's own plane, and the plane after it. Therefore
// the terms of a point are added plane by plane, and within a plane line by line, as
// docs/numerics.md requires.
//
// The small case: the 3 points of the z axis, y(k) = a x(k - 1) + b x(k) + c x(k + 1). When slice n
// is added, sum[0], sum[1] and sum[2] belong to the planes n - 1, n and n + 1:
//   sum[0] += c x(n)     the last term of y(n - 1), which is now written
//   sum[1] += b x(n)     the second term of y(n)
//   sum[2] += a x(n)     the first term of y(n + 1)
// Then sum[0] = sum[1], sum[1] = sum[2], sum[2] = 0 (turn), and slice n + 1 is next.
#ifndef FURROW_CUDA_NEAR_CUH
#define FURROW_CUDA_NEAR_CUH

#include "march.cuh"

// Bytes of a piece, which a thread loads at once. Lines are aligned to a piece if possible.
#define FUR_NEAR_PIECE 16
// Planes between the prefetch of z and its use.
#define FUR_NEAR_AHEAD 2

// Returns the number 0 .. 26 of a neighbour, called its place. The point itself is 13.
__host__ __device__ constexpr int fur_near_place(int x, int y, int z)
{
    return (x + 1) + 3 * ((y + 1) + 3 * (z + 1));
}

// Returns the places where a stencil has terms, as a set: bit p for place p.
static inline unsigned fur_near_places(const fur_stencil_view *s)
{
    unsigned places = 0;
    for (int k = 0; k < s->points; k++) {
        fur_stencil_offset o = s->offsets[k];
        places |= 1U << fur_near_place(o.x, o.y, o.z);
    }
    return places;
}

// A stencil's coefficients by place.
template <class Value> struct fur_near {
    Value coefficient[27];
    unsigned present; // a bit for each place

    explicit fur_near(const fur_stencil_view *s) : present(fur_near_places(s))
    {
        auto coefficients = static_cast<const Value *>(s->coefficients);
        for (int k = 0; k < s->points; k++) {
            fur_stencil_offset o = s->offsets[k];
            coefficient[fur_near_place(o.x, o.y, o.z)] = coefficients[k];
        }
    }
};

// Returns the number of places in a set.
__host__ __device__ constexpr int fur_near_count(unsigned word)
{
    int bits = 0;
    for (; word != 0; word &= word - 1)
        bits++;
    return bits;
}

// The stencils that have specialised kernels, as sets of places: 5 and 9 points of a plane, and 7
// and 27 points of space.
#define FUR_NEAR_LINE (1U << 12 | 1U << 13 | 1U << 14)
#define FUR_NEAR_STAR2 (FUR_NEAR_LINE | 1U << 10 | 1U << 16)
#define FUR_NEAR_SQUARE (0x1ffU << 9)
#define FUR_NEAR_STAR3 (FUR_NEAR_STAR2 | 1U << 4 | 1U << 22)
#define FUR_NEAR_CUBE ((1U << 27) - 1)

// The amount of work in a slice. FLAT: all terms are in the slice's own plane. FEW: the additions
// take less time than the next slice needs to arrive. MANY: they take more. ANY: the terms are
// found at run time. On an H200, 7 terms are FEW and 27 are MANY. Numbers between them have not
// been measured.
enum fur_near_work { FUR_NEAR_FLAT, FUR_NEAR_FEW, FUR_NEAR_MANY, FUR_NEAR_ANY };

// A stencil whose places the compiler knows. Any: the compiler knows only the possible places, and
// the kernel tests at run time which of them are present.
template <unsigned places, bool Any = false> struct fur_near_shape {
    static constexpr bool any = Any;
    static constexpr fur_near_work work = any                                ? FUR_NEAR_ANY
                                          : (places & ~FUR_NEAR_SQUARE) == 0 ? FUR_NEAR_FLAT
                                          : fur_near_count(places) <= 9      ? FUR_NEAR_FEW
                                                                             : FUR_NEAR_MANY;

    // Returns whether the stencil has a term at this place.
    __host__ __device__ static constexpr bool has(int place)
    {
        return (places >> place & 1) != 0;
    }

    // Returns whether lines at distance dy have terms to the left or right of the point's column.
    __host__ __device__ static constexpr bool has_sides(int dy)
    {
        unsigned beside = 0;
        for (int dz = -1; dz <= 1; dz++)
            beside |= 1U << fur_near_place(-1, dy, dz) | 1U << fur_near_place(1, dy, dz);
        return (places & beside) != 0;
    }
};

// Calls f with a value of the stencil's type and its shape.
template <class F> fur_status fur_with_near(const fur_stencil_view *s, F f)
{
    return fur_with_value(s->value_type, [&](auto value) {
        switch (fur_near_places(s)) {
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

// The parameters of a block. Each thread has 128 registers.
template <int Threads, int Across, int Outputs, int Slices, int Ahead, int Most, bool Late>
struct fur_near_form {
    static constexpr int threads = Threads;
    static constexpr int across = Across;   // warps along a line
    static constexpr int outputs = Outputs; // lines of a thread
    static constexpr int slices = Slices;   // in shared memory
    static constexpr int ahead = Ahead;     // planes of prefetch before a slice is loaded
    static constexpr int most = Most;       // blocks on a multiprocessor at once; 0: all that fit
    static constexpr bool late = Late;      // a slice is started when another is added, not before
    static constexpr int resident = 512 / Threads;
};

// A block's tile. A thread has the points along x of one piece, on Form::outputs lines. The width
// of the tile is Form::across warps. In shared memory, a slice begins with `before` bytes, which
// hold the entries to the left of the tile, and each line is followed by `between` bytes.
template <class Value_, class Shape_, class Form_, int before, int between> struct fur_near_tile {
    using Value = Value_;
    using Shape = Shape_;
    using Form = Form_;
    static constexpr int outputs = Form::outputs;
    static constexpr int piece = FUR_NEAR_PIECE / sizeof(Value); // entries
    static constexpr int columns = FUR_WARP * Form::across;      // of threads
    static constexpr int rows = Form::threads / columns;
    static constexpr int width = columns * piece;
    static constexpr int height = rows * outputs;
    static constexpr int first = before / sizeof(Value); // entry of a line
    static constexpr int pitch = width + between / int(sizeof(Value));
    static constexpr int lines = height + 2;
    static constexpr int bytes =
        (before + pitch * lines * int(sizeof(Value)) + 127) / 128 * 128; // of a slice
    static constexpr int entries = bytes / sizeof(Value);

    // Returns the tile as march.cuh describes it, for a kernel with `shared` bytes of shared
    // memory.
    static fur_march_tile march(size_t shared)
    {
        return {Form::threads, width, height, shared, Form::most, 1};
    }

    // Returns the thread's column in the tile.
    __device__ static int column()
    {
        return static_cast<int>(threadIdx.x) % columns;
    }

    __device__ static int row()
    {
        return static_cast<int>(threadIdx.x) / columns;
    }
};

// The kind of a grid's lines. ENTRIES: lines of any length. PIECES: lines of whole pieces, so that
// a thread has all of its columns or none, and beta is 0. PIECES_Z: lines of whole pieces, and z is
// read in pieces.
enum fur_near_kind { FUR_NEAR_ENTRIES, FUR_NEAR_PIECES, FUR_NEAR_PIECES_Z };

// The points of a thread in a plane, and their sums in three planes.
template <class tile, fur_near_kind kind> struct fur_near_points {
    using Value = typename tile::Value;
    using Shape = typename tile::Shape;
    static constexpr bool whole = kind != FUR_NEAR_ENTRIES;
    int64_t first;   // entry of the first point in the plane that is finished next
    int columns;     // number of columns
    int own;         // number of lines inside the grid
    unsigned lines;  // bit n: line n, counted from the line before the first one, has entries
    unsigned lefts;  // bit n: column n has a neighbour before it
    unsigned rights; // bit n: column n has a neighbour after it
    Value sum[3][tile::outputs][tile::piece];
    fur_piece<Value> old[tile::outputs]; // z in the plane that is finished next, in pieces

    __device__ fur_near_points(const fur_march &m, const fur_place &place)
        : lines(0), lefts(0), rights(0)
    {
        int64_t x = place.x + tile::column() * tile::piece;
        int64_t y = place.y + tile::row() * tile::outputs;
        first = x + m.extent[0] * (y + m.extent[1] * place.z);
        columns = static_cast<int>(max(int64_t(0), min(m.extent[0] - x, int64_t(tile::piece))));
        own = static_cast<int>(max(int64_t(0), min(m.extent[1] - y, int64_t(tile::outputs))));
        own = columns > 0 ? own : 0;
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

    // Sets the sums of a plane to 0.
    __device__ void clear(int plane)
    {
#pragma unroll
        for (int n = 0; n < tile::outputs; n++)
#pragma unroll
            for (int e = 0; e < tile::piece; e++)
                sum[plane][n][e] = fur_zero<Value>();
    }

    // Returns whether column e has a left neighbour. If lines are whole pieces, only the thread's
    // first column can lack one.
    __device__ bool has_left(int e) const
    {
        return (whole && e > 0) || (lefts >> e & 1) != 0;
    }

    // Returns whether column e has a right neighbour. If lines are whole pieces, only the last
    // column can lack one.
    __device__ bool has_right(int e) const
    {
        return (whole && e + 1 < tile::piece) || (rights >> e & 1) != 0;
    }

    // Returns whether the entries beside the thread's columns are needed on this line, counted from
    // the thread's first line.
    __host__ __device__ static constexpr bool needs_sides(int line)
    {
        bool needs = false;
        for (int n = 0; n < tile::outputs; n++)
            needs = needs || (line - n >= -1 && line - n <= 1 && Shape::has_sides(line - n));
        return needs;
    }

    // A line at the thread's columns, with one entry to the left and one entry to the right.
    struct line_of {
        Value at[tile::piece + 2];
    };

    // Reads a line of a slice at the thread's columns. Also reads the entries beside them if
    // `sides`; otherwise these are 0.
    __device__ line_of take_line(const Value *own, bool sides) const
    {
        auto middle = *reinterpret_cast<const fur_piece<Value> *>(own);
        line_of line;
        line.at[0] = sides ? own[-1] : fur_zero<Value>();
#pragma unroll
        for (int e = 0; e < tile::piece; e++)
            line.at[e + 1] = middle.entry[e];
        line.at[tile::piece + 1] = sides ? own[tile::piece] : fur_zero<Value>();
        return line;
    }

    // sums[e] += coefficient x[e + dx], for the thread's columns e that have this neighbour.
    __device__ void add_term(Value coefficient, const line_of &line, int dx, Value *sums) const
    {
#pragma unroll
        for (int e = 0; e < tile::piece; e++)
            if (dx == 0 || (dx < 0 ? has_left(e) : has_right(e)))
                sums[e] = fur_fma(coefficient, line.at[e + 1 + dx], sums[e]);
    }

    // Adds line n of a slice to all sums of the thread that have a term in it. Line 0 is the line
    // before the thread's first. The small case: 7 points and two lines a thread. Line n = 1 is
    // then the thread's first line, and gives
    //   sum[0][0] += c(0, 0, 1) own              the plane before
    //   sum[1][0] += c(-1, 0, 0) left + c(0, 0, 0) own + c(1, 0, 0) right
    //   sum[1][1] += c(0, -1, 0) own             the thread's second line
    //   sum[2][0] += c(0, 0, -1) own             the plane after
    // Here, own are the line's entries at the thread's columns, and left and right are their
    // neighbours on the line. The compiler knows everything but the coefficients, so that places
    // without a term generate no code.
    __device__ void add_line(const fur_near<Value> &near, int n, const line_of &line)
    {
#pragma unroll
        for (int to = 0; to < tile::outputs; to++)
#pragma unroll
            for (int dz = -1; dz <= 1; dz++)
#pragma unroll
                for (int dx = -1; dx <= 1; dx++) {
                    int dy = n - 1 - to;
                    int place = fur_near_place(dx, dy, dz);
                    if (dy >= -1 && dy <= 1 && Shape::has(place))
                        add_term(near.coefficient[place], line, dx, sum[1 - dz][to]);
                }
    }

    // Adds the terms of three places in a row, dx = -1, 0, 1 for one dy and dz, to all sums of a
    // plane. Bit dx + 1 of `there` is set if the stencil has that term. The small case: dy = 0,
    // there = 7 and two lines a thread give
    //   sums[0] += c(-1) left + c(0) own + c(1) right, of line[1]
    //   sums[1] += c(-1) left + c(0) own + c(1) right, of line[2]
    template <bool AllLines>
    __device__ void add_row(const Value *coefficient, unsigned there, int dy, const line_of *line,
                            Value (*sums)[tile::piece]) const
    {
#pragma unroll
        for (int to = 0; to < tile::outputs; to++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++)
                if ((there >> (dx + 1) & 1) != 0 && (AllLines || (lines >> (to + dy + 1) & 1) != 0))
                    add_term(coefficient[dx + 1], line[to + dy + 1], dx, sums[to]);
    }

    // Adds a whole slice, if the terms are found at run time. The 27 places are nine rows of three
    // places. The row of dy and dz has number r = (dy + 1) + 3 (dz + 1). The kernel tests once for
    // a row, not once for a sum, which of the three terms are present. Usually all three are
    // present, or only the middle one. A row of places is added as soon as all lines that it needs
    // are read, which is after line n = dy + outputs. The small case, two lines a thread:
    //   n = 0        reads line 0
    //   n = 1        reads line 1, adds rows 0, 3, 6 (dy = -1) from lines 0 and 1
    //   n = 2        reads line 2, adds rows 1, 4, 7 (dy = 0) from lines 1 and 2
    //   n = 3        reads line 3, adds rows 2, 5, 8 (dy = 1) from lines 2 and 3
    // Row r goes to the sums of plane 2 - r / 3. Therefore the terms of a point are added plane by
    // plane, and line by line. AllLines: no line is beyond a Dirichlet boundary.
    template <bool AllLines> __device__ void add_rows(const fur_near<Value> &near, const Value *own)
    {
        line_of line[tile::outputs + 2];
#pragma unroll
        for (int n = 0; n < tile::outputs + 2; n++) {
            line[n] = take_line(own + n * tile::pitch, true);
            int dy = n - tile::outputs;
#pragma unroll
            for (int row = dy + 1; dy >= -1 && row < 9; row += 3) {
                const Value *coefficient = &near.coefficient[3 * row];
                unsigned there = near.present >> 3 * row & 7;
                if (there == 7)
                    add_row<AllLines>(coefficient, 7, dy, line, sum[2 - row / 3]);
                else if (there == 2)
                    add_row<AllLines>(coefficient, 2, dy, line, sum[2 - row / 3]);
                else if (there != 0)
                    add_row<AllLines>(coefficient, there, dy, line, sum[2 - row / 3]);
            }
        }
    }

    // Adds a slice to the sums of the three planes that read it.
    __device__ void add(const fur_near<Value> &near, const Value *slice)
    {
        constexpr int count = tile::outputs + 2;
        const Value *own = slice + tile::row() * tile::outputs * tile::pitch + tile::first +
                           tile::column() * tile::piece;
        if constexpr (Shape::any) {
            if (lines == (1U << count) - 1)
                add_rows<true>(near, own);
            else
                add_rows<false>(near, own);
        } else {
#pragma unroll
            for (int n = 0; n < count; n++)
                if ((lines >> n & 1) != 0)
                    add_line(near, n, take_line(own + n * tile::pitch, needs_sides(n - 1)));
        }
    }

    // Loads z in the plane that is finished next, and prefetches z `on` entries later.
    __device__ void take_old(const fur_march &m, const fur_stencil_finish<Value> &finish,
                             const Value *y, int64_t on)
    {
        if constexpr (kind == FUR_NEAR_PIECES_Z) {
            const Value *from = finish.other(y + first);
#pragma unroll
            for (int i = 0; i < tile::outputs; i++, from += m.extent[0])
                if (i < own) {
                    old[i] = *reinterpret_cast<const fur_piece<Value> *>(from);
                    fur_prefetch(from + on);
                }
        }
    }

    // y = alpha sum + beta z on a line of the thread's points.
    __device__ void finish_line(const Value *sums, const fur_stencil_finish<Value> &finish,
                                const fur_piece<Value> &z, Value *to) const
    {
        if constexpr (whole) {
            fur_piece<Value> made;
#pragma unroll
            for (int e = 0; e < tile::piece; e++)
                made.entry[e] = kind == FUR_NEAR_PIECES ? fur_mul(finish.alpha, sums[e])
                                                        : finish.combine(sums[e], &z.entry[e]);
            *reinterpret_cast<fur_piece<Value> *>(to) = made;
        } else {
#pragma unroll
            for (int e = 0; e < tile::piece; e++)
                if (e < columns)
                    finish.put(sums[e], to + e);
        }
    }

    // Writes y in the plane before the slice, whose sums are complete.
    __device__ void finish(const fur_march &m, const fur_stencil_finish<Value> &finish, Value *y)
    {
        Value *to = y + first;
#pragma unroll
        for (int i = 0; i < tile::outputs; i++, to += m.extent[0])
            if (i < own)
                finish_line(sum[0][i], finish, old[i], to);
        first += m.plane_entries();
    }

    // Advances to the next slice: sum[1] and sum[2] move to sum[0] and sum[1], and sum[2] is 0.
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

// The planes of a block's slices.
struct fur_near_planes {
    int first; // slice 0 is this plane
    int count; // of the block
    int depth; // of the grid
    int before;
    int behind;

    __device__ fur_near_planes(const fur_march &m, const fur_place &place)
        : first(static_cast<int>(place.z)), count(place.planes),
          depth(static_cast<int>(m.extent[2])), before(static_cast<int>(m.before[2])),
          behind(static_cast<int>(m.behind[2]))
    {
    }

    // Returns the plane of slice n >= -1, or -1 if the slice is not needed. It is not needed beyond
    // a Dirichlet boundary, or after the block's last slice.
    __device__ int at(int n) const
    {
        int plane = first + n;
        if (n > count)
            return -1;
        return plane < 0 ? before : plane < depth ? plane : behind;
    }
};

// Marches through the block's planes. begin(n, turn) starts to copy slice n into slot turn % slices
// of the ring. ask(n) prefetches a later slice. wait(turn) returns when the slice of that turn has
// arrived.
template <class tile, fur_near_kind kind, class Value, class Begin, class Ask, class Wait>
__device__ void fur_near_march(const fur_march &m, const fur_place &place,
                               const fur_near<Value> &near, const fur_stencil_finish<Value> &finish,
                               const Value *ring, Value *y, Begin begin, Ask ask, Wait wait)
{
    using Form = typename tile::Form;
    // distance between the slice that is added and the slice that is started
    constexpr int next = Form::slices - 1;
    // Not unrolled, because instructions that run once must also be fetched.
#pragma unroll 1
    for (int n = 0; n < next; n++) {
        begin(n - 1, n);
        ask(n - 1);
    }
    fur_near_points<tile, kind> points(m, place);
    fur_near_planes planes(m, place);
#pragma unroll 1
    for (int n = -1; n <= planes.count; n++) {
        unsigned turn = static_cast<unsigned>(n + 1);
        wait(turn);
        __syncthreads(); // all threads have added the previous slice, so that its slot is free
        if (!Form::late)
            begin(n + next, turn + next);
        ask(n + next);
        if (n > 0)
            points.take_old(m, finish, y,
                            n + FUR_NEAR_AHEAD <= planes.count ? FUR_NEAR_AHEAD * m.plane_entries()
                                                               : 0);
        if (planes.at(n) >= 0)
            points.add(near, ring + turn % Form::slices * tile::entries);
        if (Form::late)
            begin(n + next, turn + next);
        if (n > 0)
            points.finish(m, finish, y);
        points.turn();
    }
}

// Returns the kind of lines that the vectors of a call allow.
static inline fur_near_kind fur_near_kind_of(const fur_stencil_call *call)
{
    uintptr_t line =
        static_cast<uintptr_t>(call->s->extent[0]) * fur_value_size(call->s->value_type);
    auto x = reinterpret_cast<uintptr_t>(call->x);
    auto y = reinterpret_cast<uintptr_t>(call->y);
    auto z = reinterpret_cast<uintptr_t>(call->z);
    if ((line | x | y | z) % FUR_NEAR_PIECE != 0)
        return FUR_NEAR_ENTRIES;
    return call->beta.re == 0 && call->beta.im == 0 ? FUR_NEAR_PIECES : FUR_NEAR_PIECES_Z;
}

// Returns why a stencil cannot be marched through with radius 1, or null if it can.
static inline const char *fur_near_refusal(const fur_stencil_view *s)
{
    if (s->radius[0] > 1 || s->radius[1] > 1 || s->radius[2] > 1)
        return "it needs offsets of at most one point along each axis";
    if (s->extent[2] > INT32_MAX / 2)
        return "the grid has too many planes";
    return fur_march_refusal(s);
}

#endif
