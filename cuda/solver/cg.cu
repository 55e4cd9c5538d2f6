// Iterations of conjugate gradients in one cooperative launch, for systems that fit on the device's
// multiprocessors (PERKS: Zhang, Wahib, Chen and Matsuoka 2023), with the bits of src/solver/cg.c.
//
// A row is a thread's for the whole launch, its entries of r, p, x and d in registers. A leaf of a
// reduction (docs/numerics.md) has lanes: lane j takes every ROW-th entry from the j-th on, one
// after the other. So GROUP neighbouring lanes are a unit, whose rows are a team of threads': each
// product goes to shared memory, and a thread for each lane adds up its own. The lanes' sums meet
// in global memory, where every block folds and adds all of them alike: two barriers of the grid an
// iteration, and none for scalars.
//
// The first barrier's product needs p of all rows, p = z + beta p. Each row publishes z and the old
// p before; who gathers them forms the new p as its owner does.
//
// Bytes an iteration: the matrix and two entries for each of its entries, from the caches.
#include "lanes.cuh"
#include "sell_layout.cuh"
#include "slot.h"
#include "solver.cuh"
#include "tree.cuh"

#include <cooperative_groups.h>

#include <algorithm>

#define DEPTH 32 // rows of a lane
#define GROUP 8  // lanes of a unit
#define TEAM (DEPTH * GROUP)
#define BLOCK 1024
#define TEAMS (BLOCK / TEAM)
// Entries with padding, over entries, above which other kernels are better.
#define PADDING_MOST 3

namespace
{

template <class Value> constexpr int lanes_of_leaf = 512 / sizeof(Value);
// Units that a team may have, each with registers for a row's entries of all vectors; and loads of
// a row that are under way together.
template <class Value> constexpr int units_most = fur_value_of<Value>::is_complex ? 1 : 2;
template <class Value> constexpr int unroll_of = fur_value_of<Value>::is_complex ? 2 : 4;

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
    const Value *d;
    Value *r;
    Value *p;
    Value *q;
    Value *x;
    pair<Value> *pairs;
    double *sums;
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

// sum_j a_ij p_j of the row of a thread, with p_j = z_j + beta p_j of the pairs; in segments.
template <class Value>
__device__ Value row_product(const job<Value> &w, int64_t slice, int length, Value beta)
{
    constexpr int unroll = unroll_of<Value>;
    const Value one = fur_from<Value>({1, 0});
    int lane = threadIdx.x % FUR_WARP;
    int64_t start = w.start[slice];
    int width = static_cast<int>(w.start[slice + 1] - start) / FUR_WARP;
    const int32_t *columns = w.columns + start + lane;
    const Value *values = w.values + start + lane;
    Value total = fur_zero<Value>();
    Value sum = fur_zero<Value>();
    for (int first = 0; first < width; first += unroll) {
        Value a[unroll];
        pair<Value> v[unroll];
#pragma unroll
        for (int u = 0; u < unroll; u++) {
            int at = min(first + u, width - 1) * FUR_WARP;
            a[u] = values[at];
            v[u] = fur_from_l2(w.pairs + columns[at]);
        }
#pragma unroll
        for (int u = 0; u < unroll; u++) {
            Value p = fur_fma(one, v[u].z, fur_mul(beta, v[u].p));
            if (first + u < length)
                sum = fur_fma(a[u], p, sum);
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
    template <class Partial> static __device__ Partial combine(Partial left, const Partial &right)
    {
        left.part[0] += right.part[0];
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

// The root over lanes' sums that all blocks have written, for all threads. `results` has room for a
// partial a warp.
template <class Value>
__device__ double tree_of_lanes(const job<Value> &w, const double *sums, double *results)
{
    using partial = fur_partial<1>;
    constexpr int lanes = lanes_of_leaf<Value>;
    constexpr int share = lanes / FUR_WARP;
    int warp = threadIdx.x / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    fur_tree<add, partial> tree;
    // Warp k has the k-th aligned range of 2^j leaves, so that the warps' roots are a level.
    int64_t range = 1;
    while (range * (BLOCK / FUR_WARP) < w.leaves)
        range *= 2;
    int64_t end = min((warp + 1) * range, w.leaves);
    for (int64_t leaf = warp * range; leaf < end; leaf++) {
        double part[share];
#pragma unroll
        for (int i = 0; i < share; i++)
            part[i] = __ldcg(sums + leaf * lanes + i * FUR_WARP + lane);
#pragma unroll
        for (int half = share / 2; half > 0; half /= 2)
#pragma unroll
            for (int i = 0; i < half; i++)
                part[i] += part[i + half];
        double sum = part[0];
#pragma unroll
        for (int half = FUR_WARP / 2; half > 0; half /= 2)
            sum += __shfl_xor_sync(FUR_ALL_LANES, sum, half);
        tree.push(partial{{sum}});
    }
    double root = tree.root().part[0];
    __syncthreads();
    if (lane == 0)
        results[warp] = root;
    __syncthreads();
    int count = static_cast<int>((w.leaves + range - 1) / range);
    return fur_lane_partial(fur_tree_of_lanes<add>(partial{{results[lane]}}, count), 0).part[0];
}

// The scalars of the method in every block alike; block 0 also stores them.
struct scalars {
    double rz;
    double before; // rz of the iteration before
    double pq;
    bool halted;

    // By the rules of furrow/scalars.h.
    __device__ void store(const fur_slot &slot, double value, bool writes)
    {
        double floor = slot.state->floor[slot.index];
        if (halted)
            return;
        if (writes)
            fur_slot_store(slot, {value, 0});
        halted = floor == floor && !(value > floor && value - value == 0);
    }

    // A quotient that is a coefficient; one that is not finite halts.
    __device__ double quotient(const fur_slot &of, double numerator, double denominator,
                               bool writes)
    {
        double value = numerator / denominator;
        if (!halted && !(value - value == 0)) {
            halted = true;
            if (writes)
                of.state->halted = of.index;
        }
        return value;
    }
};

// The entries of a thread's rows.
template <class Value> struct entries {
    int64_t row;
    int length;
    Value r;
    Value p;
    Value q;
    Value x;
    Value d;
};

// w.count iterations, each the turn of the last one's direction and a new residual. Bytes: above.
template <int Units, bool Scaled, class Value>
__global__ void __launch_bounds__(BLOCK, 1) iterate(job<Value> w)
{
    __shared__ Value left[TEAMS][TEAM];
    __shared__ Value right[TEAMS][TEAM];
    __shared__ double results[BLOCK / FUR_WARP];
    auto grid = cooperative_groups::this_grid();
    const Value one = fur_from<Value>({1, 0});
    int team = threadIdx.x / TEAM;
    int thread = threadIdx.x % TEAM;
    bool writes = blockIdx.x == 0 && threadIdx.x == 0;
    fur_scalars_state *state = w.rz.state;
    scalars s = {state->value[w.rz.index].re, state->previous[w.rz.index].re,
                 state->value[w.pq.index].re, state->halted >= 0};
    entries<Value> own[Units];
    int64_t unit[Units];

#pragma unroll
    for (int u = 0; u < Units; u++) {
        entries<Value> &e = own[u];
        unit[u] = (u * int64_t(gridDim.x) + blockIdx.x) * TEAMS + team;
        e.row = unit[u] < w.units ? row_of<Value>(unit[u], thread) : w.n;
        e = {e.row, 0, fur_zero<Value>(), fur_zero<Value>(), fur_zero<Value>(), fur_zero<Value>(),
             one};
        if (e.row < w.n) {
            e.length = w.length[unit[u] * TEAM + thread];
            e.r = w.r[e.row];
            e.p = w.p[e.row];
            e.x = w.x[e.row];
            if (Scaled)
                e.d = w.d[e.row];
            w.pairs[e.row] = {Scaled ? fur_mul(e.d, e.r) : e.r, e.p};
        }
    }
    grid.sync();

    for (int64_t i = 0; i < w.count && !s.halted; i++) {
        double a = s.quotient(w.pq, s.before, s.pq, writes);
        double b = s.quotient(w.rz, s.rz, s.before, writes);
        if (s.halted)
            break;
        Value alpha = fur_from<Value>({a, 0});
        Value beta = fur_from<Value>({b, 0});
#pragma unroll
        for (int u = 0; u < Units; u++) {
            entries<Value> &e = own[u];
            if (u > 0)
                __syncthreads();
            if (e.row < w.n) {
                Value z = Scaled ? fur_mul(e.d, e.r) : e.r;
                e.x = fur_fma(alpha, e.p, e.x);
                e.p = fur_fma(one, z, fur_mul(beta, e.p));
            }
            if (unit[u] < w.units)
                e.q =
                    row_product(w, unit[u] * (TEAM / FUR_WARP) + thread / FUR_WARP, e.length, beta);
            left[team][thread] = e.p;
            right[team][thread] = e.q;
            __syncthreads();
            if (unit[u] < w.units && thread < GROUP)
                __stcg(w.sums + unit[u] * GROUP + thread,
                       lane_sum(w, unit[u], thread, left[team], right[team]));
        }
        grid.sync();

        s.pq = tree_of_lanes(w, w.sums, results);
        s.store(w.pq, s.pq, writes);
        double step = s.quotient(w.pq, s.rz, s.pq, writes);
        if (s.halted)
            break;
        Value minus = fur_from<Value>({-step, 0});
#pragma unroll
        for (int u = 0; u < Units; u++) {
            entries<Value> &e = own[u];
            if (u > 0)
                __syncthreads();
            if (e.row < w.n) {
                e.r = fur_fma(minus, e.q, e.r);
                Value z = Scaled ? fur_mul(e.d, e.r) : e.r;
                pair<Value> both = {z, e.p};
                w.pairs[e.row] = both;
                left[team][thread] = e.r;
                right[team][thread] = z;
            }
            __syncthreads();
            if (unit[u] < w.units && thread < GROUP)
                __stcg(w.sums + w.lanes + unit[u] * GROUP + thread,
                       lane_sum(w, unit[u], thread, left[team], left[team]));
            if (Scaled && unit[u] < w.units && thread >= FUR_WARP && thread < FUR_WARP + GROUP)
                __stcg(w.sums + 2 * w.lanes + unit[u] * GROUP + thread - FUR_WARP,
                       lane_sum(w, unit[u], thread - FUR_WARP, left[team], right[team]));
        }
        grid.sync();

        double rr = tree_of_lanes(w, w.sums + w.lanes, results);
        double rz = Scaled ? tree_of_lanes(w, w.sums + 2 * w.lanes, results) : rr;
        s.store(w.rr, sqrt(rr), writes);
        if (!s.halted) {
            s.before = s.rz;
            s.rz = rz;
        }
        s.store(w.rz, rz, writes);
    }

#pragma unroll
    for (int u = 0; u < Units; u++) {
        const entries<Value> &e = own[u];
        if (e.row < w.n) {
            w.r[e.row] = e.r;
            w.p[e.row] = e.p;
            w.q[e.row] = e.q;
            w.x[e.row] = e.x;
        }
    }
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
    int64_t room = int64_t(env->device->multiprocessors) * TEAMS;
    s->a_team = static_cast<int>(fur_ceil_div(s->units, room));
    if (a->rows == 0 || s->a_team > units_most<Value>)
        return refuse(env, "it has no rows, or more than the device holds");
    s->blocks = static_cast<int>(
        std::min(fur_ceil_div(s->units, TEAMS), int64_t(env->device->multiprocessors)));
    return build<Value>(env, a, s);
}

template <int Units, bool Scaled, class Value>
fur_status launch(fur_env *env, const sliced *s, job<Value> *w)
{
    void *arguments[] = {w};
    FUR_CUDA(env, cudaLaunchCooperativeKernel(
                      reinterpret_cast<const void *>(iterate<Units, Scaled, Value>),
                      dim3(static_cast<unsigned>(s->blocks)), dim3(BLOCK), arguments, 0,
                      fur_cuda_stream(env)));
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
                    static_cast<const Value *>(call->d),
                    static_cast<Value *>(call->r),
                    static_cast<Value *>(call->p),
                    static_cast<Value *>(call->q),
                    static_cast<Value *>(call->x),
                    static_cast<pair<Value> *>(s->pairs),
                    s->sums,
                    call->rz,
                    call->pq,
                    call->rr,
                    call->count};
    if (s->a_team == 1)
        return call->d ? launch<1, true>(env, s, &w) : launch<1, false>(env, s, &w);
    constexpr int most = units_most<Value>;
    return call->d ? launch<most, true>(env, s, &w) : launch<most, false>(env, s, &w);
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
    fur_env_release(env, s);
}
