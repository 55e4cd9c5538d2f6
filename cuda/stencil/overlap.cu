// Several sweeps of the 7-point stencil in one pass over memory. Blocks march along z through
// tiles, which overlap by the reach of all sweeps. Each sweep follows the previous sweep at a
// distance of two planes. Nguyen, Satish, Chhugani, Kim, Dubey, 3.5-D blocking optimization for
// stencil computations on modern CPUs and GPUs, SC 2010.
//
// A warp has the width of the tile with its overlap. A thread has a piece of four lines, and the
// last planes of every sweep are in its registers. Neighbours along x are in the next lane. Of the
// results of a sweep, only the lines that other warps need are in shared memory. With each sweep,
// one more lane and one more line at each border become wrong. Only correct values are stored.
//
// Bytes a point of T sweeps: 16, and 8 for z (f64); from the second-level cache 1.4 entries for x.
//
// Tried on an H200: four sweeps in a pass were slower than three, because there are too few
// registers. 27 points gained nothing.
#include "near.cuh"

namespace
{

// Lines of a thread, threads and warps of a block, and lanes of overlap at either end.
#define LINES 4
#define THREADS 256
#define WARPS (THREADS / FUR_WARP)
#define LANES 2
// Slices of x in shared memory: one that is read and two in flight. DEPTH is the most sweeps of a
// pass.
#define RING 3
#define DEPTH 3

// A block's tile for `sweeps` sweeps. With: there is a z.
template <class Value, int sweeps, bool With> struct tile {
    static constexpr int piece = FUR_NEAR_PIECE / sizeof(Value);
    static constexpr int line = FUR_WARP * piece; // entries of a line in shared memory
    static constexpr int width = line - 2 * LANES * piece;
    static constexpr int lines = WARPS * LINES;
    static constexpr int height = lines - 2 * (sweeps - 1);
    static_assert(sweeps <= LANES * piece, "what sweeps reach along x");
    static constexpr int slice = line * (lines + 2);
    // The first and the last line of each warp, in two buffers: one is written while the other is
    // read.
    static constexpr int edges = 2 * WARPS * line;
    static constexpr int planes =
        With ? 2 * sweeps + 2 : 0; // planes of z, from the first sweep's to the last's
    static constexpr size_t bytes =
        sizeof(Value) * (RING * slice + (sweeps - 1) * 2 * edges + planes * line * lines);
};

// The coefficients, by ascending entry.
template <class Value> struct star {
    Value below, before, left, own, right, behind, above;

    // Takes the seven coefficients by name.
    explicit star(const fur_near<Value> &near)
        : below(near.coefficient[fur_near_place(0, 0, -1)]),
          before(near.coefficient[fur_near_place(0, -1, 0)]),
          left(near.coefficient[fur_near_place(-1, 0, 0)]),
          own(near.coefficient[fur_near_place(0, 0, 0)]),
          right(near.coefficient[fur_near_place(1, 0, 0)]),
          behind(near.coefficient[fur_near_place(0, 1, 0)]),
          above(near.coefficient[fur_near_place(0, 0, 1)])
    {
    }
};

// A thread's entries of a plane.
template <class Value> struct entries {
    fur_piece<Value> line[LINES];
};

// A block's march, from the view of one thread. Whole: lines consist of whole pieces.
template <class Value, int sweeps, bool Whole, bool With> struct march {
    using tile_ = tile<Value, sweeps, With>;
    static constexpr int piece = tile_::piece;
    static constexpr int loads = (tile_::lines + 2 + WARPS - 1) / WARPS;
    const fur_march &m;
    const star<Value> &c;
    int z; // the block's first plane; `planes` is their number
    int planes;
    int lane;
    int warp;
    int64_t x0; // the thread's first column; y0 is its first line
    int64_t y0;
    int64_t top;     // the first line of the slices
    uint32_t shared; // address of the slices, followed by the edges and the planes of z
    int first;       // which line of the thread is the grid's first line
    int last;        // which line of the thread is the grid's last line
    entries<Value> plane[sweeps][2]; // the input of each sweep, by parity of the turn
    entries<Value> sum[sweeps];      // of the plane that each sweep has begun last

    __device__ march(const fur_march &of, const star<Value> &coefficients, const Value *memory)
        : m(of), c(coefficients), lane(static_cast<int>(threadIdx.x) % FUR_WARP),
          warp(static_cast<int>(threadIdx.x) / FUR_WARP),
          shared(fur_shared_address(memory)), plane{}, sum{}
    {
        fur_place place = fur_march_place(of, tile_::width, tile_::height);
        z = static_cast<int>(place.z);
        planes = place.planes;
        x0 = place.x + (lane - LANES) * piece;
        top = place.y - sweeps;
        y0 = top + 1 + warp * LINES;
        first = static_cast<int>(max(-y0, int64_t(-1)));
        last = static_cast<int>(min(m.extent[1] - 1 - y0, int64_t(LINES)));
    }

    // Returns whether plane n of the block is in the grid.
    __device__ bool in_grid(int n) const
    {
        return static_cast<unsigned>(z + n) < static_cast<unsigned>(m.extent[2]);
    }

    // Starts to copy the thread's piece of a line.
    __device__ void copy(uint32_t to, const Value *line) const
    {
        const Value *from = line + x0;
        if constexpr (Whole) {
            if (x0 >= 0 && x0 < m.extent[0])
                fur_copy_ahead<FUR_NEAR_PIECE>(to, from);
        } else {
#pragma unroll
            for (int e = 0; e < piece; e++)
                if (x0 + e >= 0 && x0 + e < m.extent[0])
                    fur_copy_ahead<sizeof(Value)>(to + e * sizeof(Value), from + e);
        }
    }

    // Returns the shared address of the thread's piece of a line of x.
    __device__ uint32_t at(int n, int line) const
    {
        unsigned slot = static_cast<unsigned>(n + sweeps) % RING;
        return shared + ((slot * (tile_::lines + 2) + line) * FUR_WARP + lane) * FUR_NEAR_PIECE;
    }

    // Returns the shared address of the thread's piece of a line of z. The planes of z follow the
    // ring and the edges.
    __device__ uint32_t z_at(int n, int line) const
    {
        constexpr unsigned slots = With ? tile_::planes : 1;
        unsigned slot = static_cast<unsigned>(n + sweeps) % slots;
        uint32_t base = shared + (RING * tile_::slice + (sweeps - 1) * 2 * tile_::edges) *
                                     static_cast<uint32_t>(sizeof(Value));
        return base + ((slot * tile_::lines + line) * FUR_WARP + lane) * FUR_NEAR_PIECE;
    }

    // Starts to copy plane n.
    __device__ void fetch(int n, const Value *x, const Value *other) const
    {
        if (in_grid(n) && n < planes + sweeps) {
            int64_t step = (z + n) * m.extent[1];
            const Value *from = fur_opaque(x + m.extent[0] * step);
#pragma unroll
            for (int i = 0; i < loads; i++) {
                int line = warp + i * WARPS;
                int64_t y = top + line;
                if (line < tile_::lines + 2 && y >= 0 && y < m.extent[1])
                    copy(at(n, line), from + m.extent[0] * y);
            }
            if constexpr (With) {
                from = fur_opaque(other + m.extent[0] * step);
#pragma unroll
                for (int l = 0; l < LINES; l++)
                    if (y0 + l >= 0 && y0 + l < m.extent[1])
                        copy(z_at(n, warp * LINES + l), from + m.extent[0] * (y0 + l));
            }
        }
        __pipeline_commit();
    }

    // Returns the address of a warp's first or last line that sweep t reads in turns of this
    // parity.
    __device__ uint32_t edge_at(int t, int parity, int of_warp, int end) const
    {
        uint32_t base = shared + RING * tile_::slice * static_cast<uint32_t>(sizeof(Value));
        int line = (((t - 1) * 2 + parity) * WARPS + of_warp) * 2 + end;
        return base + (line * FUR_WARP + lane) * FUR_NEAR_PIECE;
    }

    // Returns the piece at a shared address.
    __device__ static fur_piece<Value> read(uint32_t at)
    {
        return *static_cast<const fur_piece<Value> *>(__cvta_shared_to_generic(at));
    }

    // Stores a piece at a shared address.
    __device__ static void write(uint32_t at, const fur_piece<Value> &p)
    {
        *static_cast<fur_piece<Value> *>(__cvta_shared_to_generic(at)) = p;
    }

    __device__ bool has_left(int e) const
    {
        return (Whole && e > 0) || x0 + e > 0;
    }

    __device__ bool has_right(int e) const
    {
        return (Whole && e + 1 < piece) || x0 + e + 1 < m.extent[0];
    }

    // Adds the terms in a plane to the sums of its own points. up and down are the lines before and
    // after the thread's lines.
    __device__ void add(const entries<Value> &x, const fur_piece<Value> &up,
                        const fur_piece<Value> &down, entries<Value> *sums) const
    {
#pragma unroll
        for (int l = 0; l < LINES; l++) {
            const fur_piece<Value> &own = x.line[l];
            const fur_piece<Value> &before = l == 0 ? up : x.line[l > 0 ? l - 1 : 0];
            const fur_piece<Value> &behind =
                l + 1 == LINES ? down : x.line[l + 1 < LINES ? l + 1 : 0];
            Value left = fur_shuffle_up(own.entry[piece - 1], 1);
            Value right = fur_shuffle_down(own.entry[0], 1);
#pragma unroll
            for (int e = 0; e < piece; e++) {
                Value s = sums->line[l].entry[e];
                if (l != first)
                    s = fur_fma(c.before, before.entry[e], s);
                if (has_left(e))
                    s = fur_fma(c.left, e > 0 ? own.entry[e > 0 ? e - 1 : 0] : left, s);
                s = fur_fma(c.own, own.entry[e], s);
                if (has_right(e))
                    s = fur_fma(c.right,
                                e + 1 < piece ? own.entry[e + 1 < piece ? e + 1 : 0] : right, s);
                if (l != last)
                    s = fur_fma(c.behind, behind.entry[e], s);
                sums->line[l].entry[e] = s;
            }
        }
    }

    // sums = coefficient x + sums. If `begin`, the old sums count as 0.
    __device__ static void add_plane(Value coefficient, const entries<Value> &x, bool begin,
                                     entries<Value> *sums)
    {
#pragma unroll
        for (int l = 0; l < LINES; l++)
#pragma unroll
            for (int e = 0; e < piece; e++)
                sums->line[l].entry[e] =
                    fur_fma(coefficient, x.line[l].entry[e],
                            begin ? fur_zero<Value>() : sums->line[l].entry[e]);
    }

    // Sweep t reads plane q. It completes the plane before, in *made, and begins the sums of plane
    // q.
    __device__ void take(int t, int parity, int q, bool inside, entries<Value> *made)
    {
        entries<Value> &x = plane[t][parity];
        fur_piece<Value> up;
        fur_piece<Value> down;
        if (t == 0) {
            up = read(at(q, warp * LINES));
            down = read(at(q, warp * LINES + LINES + 1));
#pragma unroll
            for (int l = 0; l < LINES; l++)
                x.line[l] = read(at(q, warp * LINES + l + 1));
        } else {
            up = read(edge_at(t, parity, max(warp - 1, 0), 1));
            down = read(edge_at(t, parity, min(warp + 1, WARPS - 1), 0));
        }
        *made = sum[t];
        add_plane(c.above, x, false, made);
        if (inside || in_grid(q - 1))
            add_plane(c.below, plane[t][1 - parity], true, &sum[t]);
        else
            sum[t] = entries<Value>{};
        add(x, up, down, &sum[t]);
    }

    // made += beta z in plane f.
    __device__ void finish(int f, Value beta, entries<Value> *made) const
    {
#pragma unroll
        for (int l = 0; l < LINES; l++) {
            fur_piece<Value> z = read(z_at(f, warp * LINES + l));
#pragma unroll
            for (int e = 0; e < piece; e++)
                made->line[l].entry[e] = fur_add(made->line[l].entry[e], fur_mul(beta, z.entry[e]));
        }
    }

    // Passes a plane that a sweep has completed to the next sweep, for the next turn.
    __device__ void hand_on(int t, int parity, const entries<Value> &made)
    {
        plane[t][parity] = made;
        write(edge_at(t, parity, warp, 0), made.line[0]);
        write(edge_at(t, parity, warp, 1), made.line[LINES - 1]);
    }

    // Writes plane f after all sweeps, on the lines and columns that the tile owns.
    __device__ void store(int f, const entries<Value> &made, Value *y) const
    {
        if (lane < LANES || lane >= FUR_WARP - LANES || x0 >= m.extent[0])
            return;
        Value *to = y + x0 + m.extent[0] * (y0 + m.extent[1] * (z + f));
#pragma unroll
        for (int l = 0; l < LINES; l++, to += m.extent[0]) {
            int line = warp * LINES + l;
            if (line < sweeps - 1 || line >= tile_::lines - (sweeps - 1) || l > last)
                continue;
            if constexpr (Whole) {
                *reinterpret_cast<fur_piece<Value> *>(to) = made.line[l];
            } else {
#pragma unroll
                for (int e = 0; e < piece; e++)
                    if (x0 + e < m.extent[0])
                        to[e] = made.line[l].entry[e];
            }
        }
    }

    // Returns whether all sweeps in turn n read and complete planes that are needed and inside the
    // grid.
    __device__ bool is_inside(int n) const
    {
        return n > 2 * (sweeps - 1) && n < planes + sweeps && z + n >= 2 * sweeps &&
               z + n < m.extent[2];
    }

    // Runs all sweeps, the last one first. Each sweep reads the plane that the previous sweep
    // completed in the previous turn.
    template <int parity, bool inside> __device__ void turn(int n, Value beta, Value *y)
    {
#pragma unroll
        for (int t = sweeps - 1; t >= 0; t--) {
            int q = n - 2 * t;          // the plane that sweep t reads
            int f = q - 1;              // the plane that it completes
            int reach = sweeps - 1 - t; // planes outside the block that are still needed
            if (!inside && (q < -reach - 1 || f >= planes + reach))
                continue;
            entries<Value> made;
            if (inside || in_grid(q))
                take(t, parity, q, inside, &made);
            else
                made = sum[t];
            if (!inside && (f < -reach || !in_grid(f)))
                continue;
            if constexpr (With)
                finish(f, beta, &made);
            if (t + 1 < sweeps)
                hand_on(t + 1 < sweeps ? t + 1 : 0, 1 - parity, made);
            else
                store(f, made, y);
        }
    }
};

// One block computes one tile in a share of the planes. In each turn, the first sweep reads one
// plane, and each sweep is two planes after the previous one. Bytes a point: above; 14 flops a
// point and sweep, and the flops of the overlap.
template <class Value, int sweeps, bool Whole, bool With>
__global__ void __launch_bounds__(THREADS, 1)
    sweep(const __grid_constant__ fur_march m, const __grid_constant__ star<Value> c,
          const Value *x, const Value *z, Value beta, Value *y)
{
    extern __shared__ __align__(128) unsigned char memory[];
    march<Value, sweeps, Whole, With> block(m, c, reinterpret_cast<const Value *>(memory));
    for (int n = 0; n < RING - 1; n++)
        block.fetch(n - sweeps, x, z);
    auto step = [&](int n, auto parity) {
        __pipeline_wait_prior(RING - 2);
        __syncthreads();
        block.fetch(n + RING - 1, x, z);
        if (block.is_inside(n))
            block.template turn<parity, true>(n, beta, y);
        else
            block.template turn<parity, false>(n, beta, y);
    };
    int end = block.planes + 2 * (sweeps - 1);
#pragma unroll 1
    for (int n = -sweeps; n <= end; n += 2) { // the plane that the first sweep reads
        step(n, std::integral_constant<int, 0>());
        step(n + 1, std::integral_constant<int, 1>());
    }
}

const char *refusal(const fur_stencil_view *s)
{
    const char *reason = fur_near_refusal(s);
    if (reason)
        return reason;
    if (s->value_type != FUR_F32 && s->value_type != FUR_F64)
        return "it needs real values";
    for (int axis = 0; axis < 3; axis++)
        if (s->extent[axis] > INT32_MAX / 2)
            return "the grid is too long";
        else if (s->radius[axis] == 0 || s->boundary[axis] != FUR_BOUNDARY_DIRICHLET)
            return "it needs Dirichlet boundaries on three axes";
    return fur_near_places(s) == FUR_NEAR_STAR3 ? nullptr : "it needs the 7-point stencil";
}

// Calls f with a real value of the type.
template <class F> fur_status with_real(fur_value_type value, F f)
{
    return value == FUR_F32 ? f(float()) : f(double());
}

// Calls f with the kernel for `sweeps` sweeps, and its tile.
template <class Value, bool Whole, bool With, class F> fur_status with_sweeps(int sweeps, F f)
{
    if (sweeps == 2)
        return f(tile<Value, 2, With>(), sweep<Value, 2, Whole, With>);
    return f(tile<Value, 3, With>(), sweep<Value, 3, Whole, With>);
}

// Calls f(value, tile, kernel).
template <class F>
fur_status with_kernel(const fur_stencil_view *s, int sweeps, bool whole, bool with, F f)
{
    return with_real(s->value_type, [&](auto value) {
        using Value = decltype(value);
        auto call = [&](auto of, auto kernel) { return f(value, of, kernel); };
        if (whole)
            return with ? with_sweeps<Value, true, true>(sweeps, call)
                        : with_sweeps<Value, true, false>(sweeps, call);
        return with ? with_sweeps<Value, false, true>(sweeps, call)
                    : with_sweeps<Value, false, false>(sweeps, call);
    });
}

// The state of a plan: marches by number of sweeps, without and with z.
struct state {
    fur_march march[DEPTH + 1][2];
};

// Prepares the marches for all numbers of sweeps, without and with z.
fur_status build(fur_env *env, const fur_stencil_view *s, state *st)
{
    for (int sweeps = 2; sweeps <= DEPTH; sweeps++)
        for (int kind = 0; kind < 4; kind++) {
            bool with = kind % 2 != 0;
            FUR_TRY(with_kernel(s, sweeps, kind / 2 != 0, with, [&](auto, auto of, auto kernel) {
                fur_march_tile t = {THREADS, of.width, of.height, of.bytes, 1, sweeps};
                return fur_march_make(env, s, kernel, t, &st->march[sweeps][with]);
            }));
        }
    return FUR_OK;
}

fur_status plan(fur_env *env, const fur_stencil_view *s, void **out)
{
    return fur_make_state<state>(env, fur_env_release, out,
                                 [&](state *st) { return build(env, s, st); });
}

fur_status apply(const fur_stencil_call *call)
{
    auto st = static_cast<const state *>(call->state);
    bool with = call->beta.re != 0;
    const fur_march &m = st->march[call->sweeps][with];
    return with_kernel(
        call->s, call->sweeps, fur_near_kind_of(call) != FUR_NEAR_ENTRIES, with,
        [&](auto value, auto, auto kernel) {
            using Value = decltype(value);
            kernel<<<fur_march_blocks(m), THREADS, m.shared, fur_cuda_stream(call->env)>>>(
                m, star<Value>(fur_near<Value>(call->s)), static_cast<const Value *>(call->x),
                static_cast<const Value *>(call->z), fur_from<Value>(call->beta),
                static_cast<Value *>(call->y));
            return fur_cuda_launched(call->env, "stencil sweeps");
        });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_sweep_overlap = {
    {"overlap", "7 points: the tiles of two or three sweeps overlap, their planes are in registers",
     "Nguyen, Satish, Chhugani, Kim, Dubey 2010", true, DEPTH},
    false,   // by_name
    nullptr, // yields
    refusal,
    plan,
    apply,
    fur_env_release,
};
