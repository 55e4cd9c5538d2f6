// A march through the leaves of docs/numerics.md, for passes over a stencil of 7 points that reduce
// their results. The march along z is from Volkov 2010 and Micikevicius 2009.
//
// In the summation tree, one warp adds a leaf of 16 KB of contiguous memory. The tiles of the other
// kernels do not fit this order. Here, a block processes a column of leaves, which are about one
// plane of the grid apart. Example: if a plane is 2.2 leaves, the stride is 2. Of 8 leaves,
//     0, 2, 4, 6 are one column, 1, 3, 5, 7 another.
// A slice is a leaf of x with the entries before and after it. For each leaf, a block has three
// slices in shared memory: those of the leaf, of the previous leaf in its column, and of the next.
// They contain all neighbours. Neighbours in the plane below or above are `drift` entries before or
// after the same place of their slice.
#ifndef FURROW_CUDA_COLUMNS_CUH
#define FURROW_CUDA_COLUMNS_CUH

#include "leaves.cuh"
#include "near.cuh"

// The threads of a block that load and multiply, and the warps that sum.
#define THREADS 512
#define SUMMERS 2
#define ALL_THREADS (THREADS + SUMMERS * FUR_WARP)

namespace
{

// Points of a leaf in each thread.
template <class Value> constexpr int own_points = leaf_entries<Value> / THREADS;

// Entries outside a leaf that each thread loads ahead.
template <class Value> constexpr int sides = sizeof(Value) == 4 ? 1 : 2;

// A distance in the grid, or a position.
struct steps {
    int x;
    int y;
    int z;
};

// The grid in leaves, and its columns.
struct layout {
    int64_t n;
    int64_t leaves;
    int extent[3];
    int stride;   // distance between leaves of a column, and the number of columns
    int drift;    // points of a plane minus those of `stride` leaves
    int halo;     // entries of a slice before its leaf, and after it
    int64_t run;  // leaves of a block
    steps across; // THREADS points further
    steps ahead;  // stride leaves further

    __device__ steps place(int64_t at) const
    {
        int64_t line = at / extent[0];
        return {static_cast<int>(at % extent[0]), static_cast<int>(line % extent[1]),
                static_cast<int>(line / extent[1])};
    }

    __device__ steps move(steps from, const steps &by) const
    {
        from.x += by.x;
        from.y += by.y;
        from.z += by.z;
        if (from.x >= extent[0]) {
            from.x -= extent[0];
            from.y++;
        }
        if (from.y >= extent[1]) {
            from.y -= extent[1];
            from.z++;
        }
        return from;
    }

    // Returns whether a neighbour of point `at` is in the grid.
    __device__ bool has(const steps &at, int dx, int dy, int dz) const
    {
        return is_in(0, at.x + dx, dx) && is_in(1, at.y + dy, dy) && is_in(2, at.z + dz, dz);
    }
    __device__ bool is_in(int axis, int at, int d) const
    {
        return (d >= 0 || at >= 0) && (d <= 0 || at < extent[axis]);
    }
    // Returns whether all neighbours along y and z are in the grid.
    __device__ bool is_inside(const steps &at) const
    {
        return at.y > 0 && at.y + 1 < extent[1] && at.z > 0 && at.z + 1 < extent[2];
    }
};

// Returns the distance in the grid to a point `points` points further.
steps steps_of(const fur_stencil_view *s, int64_t points)
{
    int64_t line = points / s->extent[0];
    return {static_cast<int>(points % s->extent[0]), static_cast<int>(line % s->extent[1]),
            static_cast<int>(line / s->extent[1])};
}

// Sets the layout except the run of a block. Returns false if a plane is too small.
template <class Value> bool lay_out(const fur_stencil_view *s, layout *c)
{
    constexpr int64_t size = leaf_entries<Value>;
    c->n = fur_stencil_rows(s);
    c->leaves = leaves_of<Value>(c->n);
    int64_t plane = s->extent[0] * s->extent[1];
    for (int axis = 0; axis < 3; axis++)
        c->extent[axis] = static_cast<int>(s->extent[axis]);
    int64_t stride = (plane + size / 2) / size;
    if (stride == 0 || stride > INT32_MAX / size)
        return false;
    c->stride = static_cast<int>(stride);
    c->drift = static_cast<int>(plane - stride * size);
    int64_t halo = max(c->extent[0], abs(c->drift));
    c->halo = static_cast<int>(fur_ceil_div(halo, FUR_WARP) * FUR_WARP);
    c->across = steps_of(s, THREADS);
    c->ahead = steps_of(s, stride * size);
    return true;
}

unsigned blocks_of(const layout &c)
{
    return static_cast<unsigned>(c.stride * fur_ceil_div(fur_ceil_div(c.leaves, c.stride), c.run));
}

// The sums of the terms of points THREADS apart. x holds pointers to the first point in the planes
// below, at and above it. Inside: all neighbours along y and z are in the grid. Otherwise those
// outside are read as well, and left out.
template <bool Inside, class Value, int Count>
__device__ inline void multiply(const layout &c, const fur_near<Value> &near,
                                const steps (&at)[Count], const Value *const (&x)[3],
                                Value (&sum)[Count])
{
    auto add = [&](int dx, int dy, int dz) {
        Value coefficient = near.coefficient[fur_near_place(dx, dy, dz)];
#pragma unroll
        for (int i = 0; i < Count; i++) {
            Value more =
                fur_fma(coefficient, x[dz + 1][dy * c.extent[0] + dx + i * THREADS], sum[i]);
            if ((Inside && dx == 0) || c.has(at[i], dx, dy, dz))
                sum[i] = more;
        }
    };
#pragma unroll
    for (int i = 0; i < Count; i++)
        sum[i] = fur_zero<Value>();
    add(0, 0, -1);
    add(0, -1, 0);
    add(-1, 0, 0);
    add(0, 0, 0);
    add(1, 0, 0);
    add(0, 1, 0);
    add(0, 0, 1);
#pragma unroll
    for (int i = 0; i < Count; i++)
        sum[i] = fur_mul(fur_from<Value>({1, 0}), sum[i]);
}

// Goes through the leaves of a block for a pass. The pass defines x and its use:
//     raw load(at, own)               reads the inputs of x[at]
//     Value finish(at, raw, own)      returns x[at]; may store it if the point is the thread's own
//     Value ahead(at)                 reads the inputs of keep
//     Value keep(at, product, ahead)  returns the contribution of a point to the sum of its leaf
//     void add(sum, x, kept)          adds the contribution
// Slice k, in place k % 4 of the ring, belongs to leaf k - 1 of the block. The workers load slice
// k + 3 and compute the products of leaf k. Meanwhile the summers add the products of leaf k - 1.
// The points of a thread are THREADS apart. Full: a leaf has all its entries. Only the last leaf
// may be incomplete.
template <class Op, class Value, class Pass> struct marcher {
    using raw = typename Pass::raw;
    static constexpr int size = leaf_entries<Value>;
    static constexpr int count = own_points<Value>;
    const layout &c;
    const fur_near<Value> &near;
    const Pass &pass;
    Value *ring;
    Value *kept; // of two leaves
    int slice;
    int64_t leaf; // the first leaf of the block
    int run;
    raw own[count];
    raw side[sides<Value>];
    Value ahead[count];

    __device__ static int thread()
    {
        return static_cast<int>(threadIdx.x);
    }
    // Returns the thread's entry of leaf k.
    __device__ int64_t entry(int k) const
    {
        return (leaf + int64_t(k) * c.stride) * size + thread();
    }
    // Returns the address of slice k's leaf.
    __device__ Value *place_of(int k) const
    {
        return ring + k % 4 * slice + c.halo;
    }
    __device__ bool is_in(int64_t at) const
    {
        return static_cast<uint64_t>(at) < static_cast<uint64_t>(c.n);
    }

    // Loads a part of the first or the last slice: only the planes below and above other leaves are
    // read there.
    __device__ void load_plane(int k, int drift) const
    {
        int64_t at = entry(k - 1) + drift;
        Value *to = place_of(k) + drift + thread();
#pragma unroll
        for (int i = 0; i < count; i++)
            if (is_in(at + i * THREADS))
                to[i * THREADS] =
                    pass.finish(at + i * THREADS, pass.load(at + i * THREADS, false), false);
    }
    // Returns the distance from the thread's entry to entry n of those before and after a leaf.
    __device__ int side_of(int n) const
    {
        return (n < c.halo ? n - c.halo : n - c.halo + size) - thread();
    }
    __device__ bool has_side(int64_t at, int n) const
    {
        return n < 2 * c.halo && is_in(at + side_of(n));
    }

    // Starts to load the slice of a leaf. `at` is the thread's entry of the leaf.
    template <bool Full> __device__ void begin(int64_t at)
    {
#pragma unroll
        for (int i = 0; i < count; i++)
            if (Full || at + i * THREADS < c.n)
                own[i] = pass.load(at + i * THREADS, true);
#pragma unroll
        for (int i = 0; i < sides<Value>; i++)
            if (has_side(at, thread() + i * THREADS))
                side[i] = pass.load(at + side_of(thread() + i * THREADS), false);
    }
    // Stores the loaded slice at the thread's place in the ring.
    template <bool Full> __device__ void end(int64_t at, Value *to) const
    {
#pragma unroll
        for (int i = 0; i < count; i++)
            if (Full || at + i * THREADS < c.n)
                to[i * THREADS] = pass.finish(at + i * THREADS, own[i], true);
#pragma unroll
        for (int i = 0; i < sides<Value>; i++)
            if (has_side(at, thread() + i * THREADS)) {
                int n = side_of(thread() + i * THREADS);
                to[n] = pass.finish(at + n, side[i], false);
            }
        for (int n = thread() + sides<Value> * THREADS; n < 2 * c.halo; n += THREADS)
            if (has_side(at, n))
                to[side_of(n)] =
                    pass.finish(at + side_of(n), pass.load(at + side_of(n), false), false);
    }

    template <bool Full> __device__ void look_ahead(int64_t at)
    {
#pragma unroll
        for (int i = 0; i < count; i++)
            if (Full || at + i * THREADS < c.n)
                ahead[i] = pass.ahead(at + i * THREADS);
    }

    // The products of leaf k. The thread's first point is at `from`, and its entry is `at`.
    template <bool Full> __device__ void multiply_leaf(int k, const steps &from, int64_t at) const
    {
        const Value *x[3] = {place_of(k) - c.drift + thread(), place_of(k + 1) + thread(),
                             place_of(k + 2) + c.drift + thread()};
        Value *to = kept + k % 2 * size + thread();
        steps points[count];
        Value product[count];
        points[0] = from;
        bool inside = c.is_inside(from);
#pragma unroll
        for (int i = 1; i < count; i++) {
            points[i] = c.move(points[i - 1], c.across);
            inside = inside && c.is_inside(points[i]);
        }
        if (__all_sync(FUR_ALL_LANES, inside))
            multiply<true>(c, near, points, x, product);
        else
            multiply<false>(c, near, points, x, product);
#pragma unroll
        for (int i = 0; i < count; i++)
            if (Full || at + i * THREADS < c.n)
                to[i * THREADS] = pass.keep(at + i * THREADS, product[i], ahead[i]);
    }

    // Step k of the workers. Full: leaves k to k + 2 have all their entries, as far as they belong
    // to the block.
    template <bool Full> __device__ void step(int k, const steps &from, int64_t at, int64_t jump)
    {
        bool leaf_left = k + 3 <= run;
        if (leaf_left)
            begin<Full>(at + 2 * jump);
        multiply_leaf<Full>(k, from, at);
        if (k + 1 < run)
            look_ahead<Full>(at + jump);
        if (leaf_left)
            end<Full>(at + 2 * jump, place_of(k + 3) + thread());
        else if (k + 2 == run)
            load_plane(k + 3, c.drift);
    }

    // The work of threads 0 .. THREADS-1.
    __device__ void work()
    {
        const int64_t jump = int64_t(c.stride) * size;
        int64_t at = entry(0);
        steps from = c.place(at);
        load_plane(0, -c.drift);
        for (int k = 1; k < 3; k++)
            if (k <= run) {
                begin<false>(entry(k - 1));
                end<false>(entry(k - 1), place_of(k) + thread());
            } else {
                load_plane(k, c.drift);
            }
        look_ahead<false>(at);
        __syncthreads();
        int full = (leaf + (run - 1) * int64_t(c.stride) + 1) * size <= c.n ? run : run - 3;
        for (int k = 0; k < run; k++) {
            if (k < full)
                step<true>(k, from, at, jump);
            else
                step<false>(k, from, at, jump);
            from = c.move(from, c.ahead);
            at += jump;
            __syncthreads();
        }
        __syncthreads();
    }

    // Adds a lane's entries in the order of rows. `left` entries remain.
    template <bool Full, int Share>
    __device__ void add_rows(typename Op::partial (&sums)[Share], const Value *x, const Value *y,
                             int left) const
    {
#pragma unroll 8
        for (int row = 0; row < ROWS; row++)
#pragma unroll
            for (int e = 0; e < Share; e++) {
                int at = row * row_entries<Value> + 2 * e;
                if (Full || at < left)
                    pass.add(sums[e].part, x[at], y[at]);
            }
    }

    // The work of summer n of two: it adds every second entry of each lane in a row.
    __device__ void sum(int n, typename Op::partial *partials) const
    {
        using partial = typename Op::partial;
        __shared__ partial others[2];
        constexpr int piece = piece_entries<Value>;
        constexpr int share = piece > 1 ? piece / 2 : 1;
        int first = thread() % FUR_WARP * piece + n;
        partial result;
        __syncthreads();
        for (int k = 0; k <= run; k++) {
            __syncthreads();
            if (k > 0 && n == 0 && first == 0)
                partials[leaf + int64_t(k - 1) * c.stride] =
                    piece > 1 ? Op::combine(result, others[(k - 1) % 2]) : result;
            if (k == run || n >= piece)
                continue;
            const Value *x = place_of(k + 1) + first;
            const Value *y = kept + k % 2 * size + first;
            partial sums[share] = {};
            int64_t left = c.n - (leaf + int64_t(k) * c.stride) * size;
            if (left >= size)
                add_rows<true>(sums, x, y, 0);
            else
                add_rows<false>(sums, x, y, static_cast<int>(left) - first);
            result = fold<Op>(sums);
            if (n == 1 && thread() % FUR_WARP == 0)
                others[k % 2] = result;
        }
    }
};

// Processes all leaves of the block.
template <class Op, class Value, class Pass>
__device__ void march(const layout &c, const fur_near<Value> &near, typename Op::partial *partials,
                      const Pass &pass)
{
    extern __shared__ __align__(128) unsigned char bytes[];
    int slice = leaf_entries<Value> + 2 * c.halo;
    auto ring = reinterpret_cast<Value *>(bytes);
    int64_t leaf = blockIdx.x % c.stride + blockIdx.x / c.stride * c.run * c.stride;
    int64_t left = (c.leaves - leaf + c.stride - 1) / c.stride;
    if (left <= 0)
        return;
    marcher<Op, Value, Pass> m = {
        c, near, pass, ring, ring + 4 * slice, slice, leaf, static_cast<int>(min(left, c.run))};
    if (threadIdx.x < THREADS)
        m.work();
    else
        m.sum((threadIdx.x - THREADS) / FUR_WARP, partials);
}

// Finds the root over the partials that all blocks have written. Returns true in the threads of the
// last block to arrive, which has the root.
template <class Op>
__device__ bool find_root(const layout &c, const typename Op::partial *partials, unsigned *ticket,
                          typename Op::partial *root)
{
    constexpr int warps = THREADS / FUR_WARP;
    using partial = typename Op::partial;
    __syncthreads();
    bool last = threadIdx.x == 0 && fur_last_to_arrive(ticket, gridDim.x);
    if (!__syncthreads_or(last))
        return false;
    int64_t share = FUR_WARP;
    while (share * warps < c.leaves)
        share *= 2;
    int lane = threadIdx.x % FUR_WARP;
    int64_t begin = threadIdx.x / FUR_WARP * share;
    int64_t end = min(begin + share, c.leaves);
    fur_tree<Op, partial> tree;
#pragma unroll 4
    for (int64_t first = begin; first < end; first += FUR_WARP) {
        int count = static_cast<int>(min(end - first, int64_t(FUR_WARP)));
        partial p = fur_tree_of_lanes<Op>(partials[first + min(lane, count - 1)], count);
        tree.push(fur_lane_partial(p, 0));
    }
    *root = tree_of_warps<Op>(tree.root(), begin < end);
    return true;
}

} // namespace

#endif
