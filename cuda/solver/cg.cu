// Iterations of conjugate gradients in one cooperative launch, for systems that fit on the device's
// multiprocessors (PERKS: Zhang, Wahib, Chen and Matsuoka 2023), with the bits of src/method/cg.c.
//
// A row is a thread's for the whole launch, its entries of r, p, x and d in registers, those of A
// in shared memory as far as it goes. A leaf of a reduction (docs/numerics.md) has lanes: lane j
// takes every ROW-th entry from the j-th on, one after the other. So GROUP neighbouring lanes are a
// unit, whose rows are a team of threads': each product goes to shared memory, and a thread for
// each lane adds up its own. The lanes' sums meet in global memory, where every block folds and
// adds all of them alike: two barriers of the grid an iteration, and none for scalars.
//
// The first barrier's product needs p of all rows, p = z + beta p. Each row publishes z and the old
// p before; who gathers them forms the new p as its owner does.
//
// Bytes an iteration: two entries for each of A's entries, from the second-level cache, and those
// of A that shared memory has no room for.
#include "lanes.cuh"
#include "sell_layout.cuh"
#include "slot.h"
#include "solver.cuh"
#include "tree.cuh"

#include <algorithm>

#define DEPTH 32 // rows of a lane
#define GROUP 8  // lanes of a unit
#define TEAM (DEPTH * GROUP)
#define BLOCK 512
#define TEAMS (BLOCK / TEAM)
// Entries with padding, over entries, above which other kernels are better.
#define PADDING_MOST 3
// Entries above which A comes from memory all the same.
#define ENTRIES_MOST 4000000

namespace
{

template <class Value> constexpr int lanes_of_leaf = 512 / sizeof(Value);
// Leaves whose lanes' sums are under way together.
#define LEAVES 2

// Units that a team may have, each with registers for a row's entries of all vectors.
template <class Value> constexpr int units_most = fur_value_of<Value>::is_complex ? 2 : 4;
// Loads of a row that are under way together.
template <class Value> constexpr int unroll_of = fur_value_of<Value>::is_complex ? 2 : 8;

// A's rows in the order of the threads: slices of a warp's, padded to the longest.
struct sliced {
    fur_value_type value;
    int64_t rows;
    int64_t units; // teams' shares of the rows
    int blocks;
    int a_team;      // units of a team
    int64_t *start;  // of a slice
    int32_t *length; // of a thread's row
    int32_t *columns;
    void *values;
    void *pairs;  // z and p by row
    double *sums; // of the lanes: of p.q, r.r, r.z
    int64_t lanes;
    unsigned *arrived; // blocks at barriers, since the launch
};

template <class Value> struct alignas(2 * sizeof(Value)) pair {
    Value z;
    Value p;
};

// What a launch works on.
template <class Value> struct job {
    int64_t n;
    int64_t units;
    int64_t lanes;
    int64_t leaves;
    const int64_t *start;
    const int32_t *length;
    const int32_t *columns;
    const Value *values;
    const Value *d; // null: constant
    Value constant;
    Value *r;
    Value *p;
    Value *q;
    Value *x;
    pair<Value> *pairs;
    double *sums;
    unsigned *arrived;
    int capacity; // entries of A that a block has room for
    fur_slot rz;
    fur_slot pq;
    fur_slot rr;
    int64_t count;
};

// The row of a thread of a team in a unit.
template <class Value> __host__ __device__ inline int64_t row_of(int64_t unit, int thread)
{
    constexpr int lanes = lanes_of_leaf<Value>;
    constexpr int groups = lanes / GROUP;
    return unit / groups * (DEPTH * lanes) + thread / GROUP * lanes + unit % groups * GROUP +
           thread % GROUP;
}

// Where a warp's slice of A begins, in shared memory or, as ~start, in w.columns and w.values.
struct place {
    int start;
    int width;
};

template <class Value> struct slice {
    const int32_t *columns; // of a lane
    const Value *values;
    int width;

    __device__ slice(const job<Value> &w, const char *shared, place p)
    {
        auto staged = reinterpret_cast<const Value *>(shared);
        int lane = threadIdx.x % FUR_WARP;
        bool near = p.start >= 0;
        int64_t at = (near ? p.start : ~p.start) + lane;
        values = (near ? staged : w.values) + at;
        columns = (near ? reinterpret_cast<const int32_t *>(staged + w.capacity) : w.columns) + at;
        width = p.width;
    }
};

// sum_j a_ij p_j of the row of a thread, with p_j = z_j + beta p_j of the pairs; in segments.
template <int Units, class Value>
__device__ Value row_product(const slice<Value> &a, const pair<Value> *pairs, int length,
                             Value beta)
{
    const Value one = fur_from<Value>({1, 0});
    constexpr int unroll = unroll_of<Value>;
    // Registers for the entries of A, too, where there are any left.
    constexpr bool ahead = Units < 4;
    Value total = fur_zero<Value>();
    Value sum = fur_zero<Value>();
    for (int first = 0; first < a.width; first += unroll) {
        Value factor[unroll];
        pair<Value> v[unroll];
#pragma unroll
        for (int u = 0; u < unroll; u++) {
            int at = min(first + u, a.width - 1) * FUR_WARP;
            if (ahead)
                factor[u] = a.values[at];
            v[u] = fur_from_l2(pairs + a.columns[at]);
        }
#pragma unroll
        for (int u = 0; u < unroll; u++) {
            Value p = fur_fma(one, v[u].z, fur_mul(beta, v[u].p));
            if (first + u < length)
                sum = fur_fma(ahead ? factor[u] : a.values[(first + u) * FUR_WARP], p, sum);
        }
        int done = first + unroll;
        if (done % FUR_ROW_SEGMENT == 0 && done < length) {
            total = done == FUR_ROW_SEGMENT ? sum : fur_add(total, sum);
            sum = fur_zero<Value>();
        }
    }
    return length <= FUR_ROW_SEGMENT ? sum : fur_add(total, sum);
}

struct add {
    template <int Parts>
    static __device__ fur_partial<Parts> combine(fur_partial<Parts> left,
                                                 const fur_partial<Parts> &right)
    {
#pragma unroll
        for (int i = 0; i < Parts; i++)
            left.part[i] += right.part[i];
        return left;
    }
};

// Takes the product of conj(x) and y into a lane's sum.
template <class Value> __device__ inline double take(double sum, Value x, Value y)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fma(double(x.im), double(y.im), fma(double(x.re), double(y.re), sum));
    else
        return fma(double(x), double(y), sum);
}

// The sum of a lane of a unit: entries thread, thread + GROUP, ... of both arrays, of those rows
// that there are.
template <class Value>
__device__ double lane_sum(const job<Value> &w, int64_t unit, int lane, const Value *x,
                           const Value *y)
{
    constexpr int step = lanes_of_leaf<Value>;
    int64_t first = row_of<Value>(unit, lane);
    int count =
        first < w.n ? static_cast<int>(min((w.n - first + step - 1) / step, int64_t(DEPTH))) : 0;
    double sum = 0;
    if (count == DEPTH) {
#pragma unroll
        for (int k = 0; k < DEPTH; k++)
            sum = take(sum, x[k * GROUP + lane], y[k * GROUP + lane]);
    } else {
        for (int k = 0; k < count; k++)
            sum = take(sum, x[k * GROUP + lane], y[k * GROUP + lane]);
    }
    return sum;
}

// A leaf's sums, lanes folded in halves, in all lanes of the warp. Of each part the sums of all
// lanes are `stride` apart.
template <class Value, int Parts>
__device__ fur_partial<Parts> fold_leaf(const double *sums, int64_t leaf, int64_t stride)
{
    constexpr int lanes = lanes_of_leaf<Value>;
    constexpr int share = lanes / FUR_WARP;
    fur_partial<Parts> lane[share];
#pragma unroll
    for (int i = 0; i < share; i++)
#pragma unroll
        for (int k = 0; k < Parts; k++)
            lane[i].part[k] =
                __ldcg(sums + k * stride + leaf * lanes + i * FUR_WARP + threadIdx.x % FUR_WARP);
#pragma unroll
    for (int half = share / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++)
            lane[i] = add::combine(lane[i], lane[i + half]);
#pragma unroll
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
        lane[0] = add::combine(lane[0], fur_lane_partial(lane[0], threadIdx.x ^ half));
    return lane[0];
}

// The root over lanes' sums that all blocks have written, for all threads. Warp k has the k-th
// aligned range of 2^j leaves, so that the warps' roots are a level. `results` has room for a
// partial a warp.
template <class Value, int Parts>
__device__ fur_partial<Parts> tree_of_lanes(const job<Value> &w, const double *sums,
                                            fur_partial<2> *results)
{
    using partial = fur_partial<Parts>;
    constexpr int warps = BLOCK / FUR_WARP;
    int warp = threadIdx.x / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    int64_t range = 1;
    while (range * warps < w.leaves)
        range *= 2;
    fur_tree<add, partial> tree;
    int64_t end = min((warp + 1) * range, w.leaves);
    int64_t leaf = warp * range;
    for (; leaf + LEAVES <= end; leaf += LEAVES) {
        partial leaves[LEAVES];
#pragma unroll
        for (int i = 0; i < LEAVES; i++)
            leaves[i] = fold_leaf<Value, Parts>(sums, leaf + i, w.lanes);
        for (int i = 0; i < LEAVES; i++)
            tree.push(leaves[i]);
    }
    for (; leaf < end; leaf++)
        tree.push(fold_leaf<Value, Parts>(sums, leaf, w.lanes));
    partial root = tree.root();
    __syncthreads();
    if (lane == 0)
#pragma unroll
        for (int k = 0; k < Parts; k++)
            results[warp].part[k] = root.part[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Parts; k++)
        root.part[k] = results[lane % warps].part[k];
    int count = static_cast<int>((w.leaves + range - 1) / range);
    return fur_lane_partial(fur_tree_of_lanes<add>(root, count), 0);
}

// All blocks meet: what was written before is seen behind it, past the first-level cache.
__device__ inline void meet(unsigned *arrived, unsigned *expected)
{
    *expected += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned seen;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(arrived)
                         : "memory");
        while (seen < *expected);
    }
    __syncthreads();
}

// A slot of the scalars, in the registers of every thread alike.
struct held {
    double value;
    double previous;
    double floor;
    int64_t stores;

    __device__ explicit held(const fur_slot &slot)
        : value(slot.state->value[slot.index].re), previous(slot.state->previous[slot.index].re),
          floor(slot.state->floor[slot.index]), stores(slot.state->stores[slot.index])
    {
    }
    __device__ void write(const fur_slot &slot) const
    {
        slot.state->value[slot.index] = {value, 0};
        slot.state->previous[slot.index] = {previous, 0};
        slot.state->stores[slot.index] = stores;
    }
};

// The scalars of the method by the rules of furrow/scalars.h. One thread of the grid keeps the
// values that are to be kept.
struct scalars {
    held rz;
    held pq;
    held rr;
    int64_t halted;
    bool keeps;

    template <class Value>
    __device__ scalars(const job<Value> &w)
        : rz(w.rz), pq(w.pq), rr(w.rr), halted(w.rz.state->halted),
          keeps(blockIdx.x == 0 && threadIdx.x == 0)
    {
    }
    __device__ void store(const fur_slot &slot, held *h, double value)
    {
        if (halted >= 0)
            return;
        if (keeps && h->stores < slot.capacity)
            slot.log[h->stores] = value;
        h->previous = h->value;
        h->value = value;
        h->stores++;
        if (h->floor == h->floor && !(value > h->floor && value - value == 0))
            halted = slot.index;
    }
    // A quotient that is a coefficient; one that is not finite halts.
    __device__ double quotient(double numerator, double denominator, int index)
    {
        double value = numerator / denominator;
        if (halted < 0 && !(value - value == 0))
            halted = index;
        return value;
    }
    template <class Value> __device__ void write(const job<Value> &w) const
    {
        rz.write(w.rz);
        pq.write(w.pq);
        rr.write(w.rr);
        w.rz.state->halted = halted;
    }
};

// The entries of a thread's rows.
template <class Value> struct entries {
    int row;
    int length;
    Value r;
    Value p;
    Value x;
    Value d;
};

// The unit of a team, and the slice of its warp.
__device__ inline int64_t unit_of(int u, int team)
{
    return (u * TEAMS + team) * int64_t(gridDim.x) + blockIdx.x;
}

template <int Units, class Value> struct rows {
    entries<Value> own[Units];
    place places[Units];

    __device__ bool has(const job<Value> &w, int u) const
    {
        return own[u].row < w.n;
    }
};

// Loads the entries of a thread's rows and publishes them.
template <bool Scaled, int Units, class Value>
__device__ void load(const job<Value> &w, rows<Units, Value> *t)
{
#pragma unroll
    for (int u = 0; u < Units; u++) {
        entries<Value> &e = t->own[u];
        int64_t unit = unit_of(u, threadIdx.x / TEAM);
        e = {static_cast<int>(w.n), 0, {}, {}, {}, {}};
        if (unit < w.units)
            e.row = static_cast<int>(row_of<Value>(unit, threadIdx.x % TEAM));
        if (e.row < w.n) {
            e.length = w.length[unit * TEAM + threadIdx.x % TEAM];
            e.r = w.r[e.row];
            e.p = w.p[e.row];
            e.x = w.x[e.row];
            if (Scaled)
                e.d = w.d ? w.d[e.row] : w.constant;
            w.pairs[e.row] = {Scaled ? fur_mul(e.d, e.r) : e.r, e.p};
        }
    }
}

// Finds the slices of a warp, and copies those to shared memory that it has room for.
template <int Units, class Value>
__device__ void stage(const job<Value> &w, char *shared, int *places, rows<Units, Value> *t)
{
    constexpr int warps = BLOCK / FUR_WARP;
    constexpr int a_team = TEAM / FUR_WARP;
    auto values = reinterpret_cast<Value *>(shared);
    auto columns = reinterpret_cast<int32_t *>(values + w.capacity);
    for (int i = threadIdx.x; i < Units * warps; i += BLOCK) {
        int64_t unit = unit_of(i / warps, i % warps / a_team);
        int64_t at = unit * a_team + i % a_team;
        places[i] = unit < w.units ? static_cast<int>(w.start[at + 1] - w.start[at]) : 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int used = 0;
        for (int i = 0; i < Units * warps; i++) {
            int size = places[i];
            bool fits = used + size <= w.capacity;
            places[i] = fits ? used : -1;
            used += fits ? size : 0;
        }
    }
    __syncthreads();
#pragma unroll
    for (int u = 0; u < Units; u++) {
        int64_t unit = unit_of(u, threadIdx.x / TEAM);
        int64_t at = unit * a_team + threadIdx.x % TEAM / FUR_WARP;
        t->places[u] = {};
        if (unit >= w.units)
            continue;
        auto start = static_cast<int>(w.start[at]);
        auto size = static_cast<int>(w.start[at + 1]) - start;
        int to = places[u * warps + threadIdx.x / FUR_WARP];
        t->places[u] = {to < 0 ? ~start : to, size / FUR_WARP};
        for (int k = threadIdx.x % FUR_WARP; to >= 0 && k < size; k += FUR_WARP) {
            columns[to + k] = w.columns[start + k];
            values[to + k] = w.values[start + k];
        }
    }
}

// The sums of the lanes of all units of a block, a warp for each; `half`: which warps do it.
template <int Units, class Value>
__device__ void add_lanes(const job<Value> &w, int half, const Value (&left)[Units * TEAMS][TEAM],
                          const Value (&right)[Units * TEAMS][TEAM], double *sums)
{
    static_assert(2 * Units * TEAMS <= BLOCK / FUR_WARP, "a warp for each unit and sum");
    int own = static_cast<int>(threadIdx.x / FUR_WARP) - half * Units * TEAMS;
    int lane = threadIdx.x % FUR_WARP;
    if (own < 0 || own >= Units * TEAMS || lane >= GROUP)
        return;
    int64_t unit = unit_of(own / TEAMS, own % TEAMS);
    if (unit < w.units)
        __stcg(sums + unit * GROUP + lane, lane_sum(w, unit, lane, left[own], right[own]));
}

// w.count iterations, each the turn of the last one's direction and a new residual. Bytes: above.
template <int Units, bool Scaled, class Value>
__global__ void __launch_bounds__(BLOCK, 1) iterate(job<Value> w)
{
    extern __shared__ __align__(16) char shared[];
    __shared__ Value left[Units * TEAMS][TEAM];
    __shared__ Value right[Units * TEAMS][TEAM];
    __shared__ fur_partial<2> results[BLOCK / FUR_WARP];
    __shared__ int places[Units * BLOCK / FUR_WARP];
    const Value one = fur_from<Value>({1, 0});
    int team = threadIdx.x / TEAM;
    int thread = threadIdx.x % TEAM;
    unsigned expected = 0;
    scalars s(w);
    rows<Units, Value> t;
    load<Scaled>(w, &t);
    stage(w, shared, places, &t);
    meet(w.arrived, &expected);

    for (int64_t i = 0; i < w.count && s.halted < 0; i++) {
        double a = s.quotient(s.rz.previous, s.pq.value, w.pq.index);
        double b = s.quotient(s.rz.value, s.rz.previous, w.rz.index);
        if (s.halted >= 0)
            break;
        Value alpha = fur_from<Value>({a, 0});
        Value beta = fur_from<Value>({b, 0});
#pragma unroll
        for (int u = 0; u < Units; u++) {
            entries<Value> &e = t.own[u];
            if (!t.has(w, u))
                continue;
            Value z = Scaled ? fur_mul(e.d, e.r) : e.r;
            e.x = fur_fma(alpha, e.p, e.x);
            e.p = fur_fma(one, z, fur_mul(beta, e.p));
            Value q =
                row_product<Units>(slice<Value>(w, shared, t.places[u]), w.pairs, e.length, beta);
            w.q[e.row] = q;
            left[u * TEAMS + team][thread] = e.p;
            right[u * TEAMS + team][thread] = q; // until r takes it
        }
        __syncthreads();
        add_lanes<Units>(w, 0, left, right, w.sums);
        meet(w.arrived, &expected);

        s.store(w.pq, &s.pq, tree_of_lanes<Value, 1>(w, w.sums, results).part[0]);
        double step = s.quotient(s.rz.value, s.pq.value, w.pq.index);
        if (s.halted >= 0)
            break;
        Value minus = fur_from<Value>({-step, 0});
#pragma unroll
        for (int u = 0; u < Units; u++) {
            entries<Value> &e = t.own[u];
            if (!t.has(w, u))
                continue;
            e.r = fur_fma(minus, right[u * TEAMS + team][thread], e.r);
            Value z = Scaled ? fur_mul(e.d, e.r) : e.r;
            w.pairs[e.row] = {z, e.p};
            left[u * TEAMS + team][thread] = e.r;
            right[u * TEAMS + team][thread] = z;
        }
        __syncthreads();
        add_lanes<Units>(w, 0, left, left, w.sums + w.lanes);
        if (Scaled)
            add_lanes<Units>(w, 1, left, right, w.sums + 2 * w.lanes);
        meet(w.arrived, &expected);

        auto sums = tree_of_lanes < Value, Scaled ? 2 : 1 > (w, w.sums + w.lanes, results);
        s.store(w.rr, &s.rr, sqrt(sums.part[0]));
        s.store(w.rz, &s.rz, sums.part[Scaled ? 1 : 0]);
    }

#pragma unroll
    for (int u = 0; u < Units; u++) {
        const entries<Value> &e = t.own[u];
        if (t.has(w, u)) {
            w.r[e.row] = e.r;
            w.p[e.row] = e.p;
            w.x[e.row] = e.x;
        }
    }
    if (s.keeps)
        s.write(w);
}

// Offsets of A in 64 bits.
__device__ inline int64_t offset_at(const fur_csr_view &a, int64_t row)
{
    return a.offset_type == FUR_I32 ? static_cast<const int32_t *>(a.offsets)[row]
                                    : static_cast<const int64_t *>(a.offsets)[row];
}

// The length of each thread's row, and of each slice the entries with padding.
template <class Value> __global__ void measure(fur_csr_view a, sliced s)
{
    int64_t at = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (at >= s.units * TEAM)
        return;
    int64_t row = row_of<Value>(at / TEAM, at % TEAM);
    int length = row < a.rows ? static_cast<int>(offset_at(a, row + 1) - offset_at(a, row)) : 0;
    int most = __reduce_max_sync(FUR_ALL_LANES, length);
    s.length[at] = length;
    if (at % FUR_WARP == 0)
        s.start[at / FUR_WARP] = int64_t(most) * FUR_WARP;
}

// A's entries to their slices; what pads them is 0, of column 0.
template <class Value> __global__ void spread(fur_csr_view a, sliced s)
{
    int64_t at = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (at >= s.units * TEAM)
        return;
    int64_t row = row_of<Value>(at / TEAM, at % TEAM);
    int64_t slice = at / FUR_WARP;
    int64_t to = s.start[slice] + at % FUR_WARP;
    int width = static_cast<int>(s.start[slice + 1] - s.start[slice]) / FUR_WARP;
    int64_t from = s.length[at] > 0 ? offset_at(a, row) : 0;
    for (int k = 0; k < width; k++) {
        bool there = k < s.length[at];
        s.columns[to + k * FUR_WARP] = there ? a.columns[from + k] : 0;
        static_cast<Value *>(s.values)[to + k * FUR_WARP] =
            there ? static_cast<const Value *>(a.values)[from + k] : fur_zero<Value>();
    }
}

fur_status refuse(fur_env *env, const char *why)
{
    return fur_env_fail(env, FUR_UNSUPPORTED, "no persistent conjugate gradients: %s", why);
}

template <class Value> fur_status build(fur_env *env, const fur_csr_view *a, sliced *s)
{
    constexpr int threads = TEAM;
    auto blocks = static_cast<unsigned>(s->units);
    int64_t slices = s->units * (TEAM / FUR_WARP);
    int64_t padded;
    FUR_TRY(fur_cuda_allocate(env, s->units * TEAM, sizeof *s->length, &s->length));
    FUR_TRY(fur_cuda_allocate(env, slices + 1, sizeof *s->start, &s->start));
    measure<Value><<<blocks, threads, 0, fur_cuda_stream(env)>>>(*a, *s);
    FUR_TRY(fur_cuda_launched(env, "cg: measure"));
    FUR_TRY(fur_sell_add_up(env, slices, s->start, &padded));
    if (padded > PADDING_MOST * a->entries)
        return refuse(env, "its rows differ too much in length");
    FUR_TRY(fur_cuda_allocate(env, padded, sizeof *s->columns, &s->columns));
    FUR_TRY(fur_cuda_allocate(env, padded, sizeof(Value), &s->values));
    FUR_TRY(fur_cuda_allocate(env, a->rows, sizeof(pair<Value>), &s->pairs));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *s->arrived, &s->arrived));
    return fur_cuda_allocate(env, 3 * s->lanes, sizeof *s->sums, &s->sums);
}

// Columns and values.
template <class Value> fur_status refresh(fur_env *env, const fur_csr_view *a, const sliced *s)
{
    spread<Value><<<static_cast<unsigned>(s->units), TEAM, 0, fur_cuda_stream(env)>>>(*a, *s);
    return fur_cuda_launched(env, "cg: spread");
}

template <class Value> fur_status plan(fur_env *env, const fur_csr_view *a, sliced *s)
{
    constexpr int lanes = lanes_of_leaf<Value>;
    int64_t leaves = fur_ceil_div(a->rows, DEPTH * lanes);
    s->value = a->value_type;
    s->rows = a->rows;
    s->lanes = leaves * lanes;
    s->units = s->lanes / GROUP;
    int64_t most = env->device->multiprocessors;
    s->a_team = static_cast<int>(fur_ceil_div(s->units, most * TEAMS));
    if (a->rows == 0 || s->a_team > units_most<Value> || a->entries > ENTRIES_MOST)
        return refuse(env, "it has no rows, or more than the device holds");
    s->blocks = static_cast<int>(std::min(s->units, most));
    return build<Value>(env, a, s);
}

// All shared memory that the kernel itself leaves goes to A.
template <int Units, bool Scaled, class Value>
fur_status launch(fur_env *env, const sliced *s, job<Value> *w)
{
    auto kernel = reinterpret_cast<const void *>(iterate<Units, Scaled, Value>);
    cudaStream_t stream = fur_cuda_stream(env);
    cudaFuncAttributes own;
    int most;
    FUR_CUDA(env, cudaFuncGetAttributes(&own, kernel));
    FUR_CUDA(env, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                         env->device->number));
    int left = most - static_cast<int>(own.sharedSizeBytes);
    w->capacity = left / static_cast<int>(sizeof(Value) + sizeof *w->columns) / 4 * 4;
    FUR_CUDA(env, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, left));
    FUR_TRY(fur_cuda_clear(env, s->arrived, sizeof *s->arrived));
    void *arguments[] = {w};
    FUR_CUDA(env, cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(s->blocks)),
                                              dim3(BLOCK), arguments, left, stream));
    return FUR_OK;
}

template <class Value> fur_status advance(fur_env *env, const sliced *s, const fur_cg_call *call)
{
    job<Value> w = {s->rows,
                    s->units,
                    s->lanes,
                    s->lanes / lanes_of_leaf<Value>,
                    s->start,
                    s->length,
                    s->columns,
                    static_cast<const Value *>(s->values),
                    static_cast<const Value *>(call->d.entries),
                    fur_from<Value>(call->d.constant),
                    static_cast<Value *>(call->r),
                    static_cast<Value *>(call->p),
                    static_cast<Value *>(call->q),
                    static_cast<Value *>(call->x),
                    static_cast<pair<Value> *>(s->pairs),
                    s->sums,
                    s->arrived,
                    0,
                    call->rz,
                    call->pq,
                    call->rr,
                    call->count};
    bool scaled = !fur_is_unit(&call->d);
    if (s->a_team == 1)
        return scaled ? launch<1, true>(env, s, &w) : launch<1, false>(env, s, &w);
    if (s->a_team == 2)
        return scaled ? launch<2, true>(env, s, &w) : launch<2, false>(env, s, &w);
    constexpr int most = units_most<Value>;
    return scaled ? launch<most, true>(env, s, &w) : launch<most, false>(env, s, &w);
}

// Calls f with a value of the type; those of 16 bytes have no registers.
template <class F> fur_status with_small_value(fur_value_type value, fur_env *env, F f)
{
    return fur_with_value(value, [&](auto entry) {
        if constexpr (sizeof entry > 8)
            return refuse(env, "its values take 16 bytes");
        else
            return f(entry);
    });
}

} // namespace

fur_status fur_cuda_cg_plan(fur_env *env, const fur_csr_view *a, void **state)
{
    return fur_make_state<sliced>(env, fur_cuda_cg_release, state, [&](sliced *s) {
        return with_small_value(a->value_type, env,
                                [&](auto value) { return plan<decltype(value)>(env, a, s); });
    });
}

fur_status fur_cuda_cg_refresh(fur_env *env, void *state, const fur_csr_view *a)
{
    auto s = static_cast<const sliced *>(state);
    return with_small_value(s->value, env,
                            [&](auto value) { return refresh<decltype(value)>(env, a, s); });
}

fur_status fur_cuda_cg_advance(fur_env *env, void *state, const fur_cg_call *call)
{
    auto s = static_cast<const sliced *>(state);
    return with_small_value(s->value, env,
                            [&](auto value) { return advance<decltype(value)>(env, s, call); });
}

void fur_cuda_cg_release(fur_env *env, void *state)
{
    auto s = static_cast<sliced *>(state);
    fur_cuda_release(env, s->start);
    fur_cuda_release(env, s->length);
    fur_cuda_release(env, s->columns);
    fur_cuda_release(env, s->values);
    fur_cuda_release(env, s->pairs);
    fur_cuda_release(env, s->sums);
    fur_cuda_release(env, s->arrived);
    fur_env_release(env, s);
}
