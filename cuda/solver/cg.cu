// Iterations of conjugate gradients in one cooperative launch, for systems that fit on the device's
// multiprocessors (PERKS: Zhang, Wahib, Chen and Matsuoka 2023), with the bits of
// src/solver/method/cg.c.
//
// A row belongs to one thread for the whole launch. The row's entries of r, p, x and d are in
// registers. The entries of A are in shared memory as far as it has room. A leaf of a reduction
// (docs/numerics.md) has lanes: lane j adds every ROW-th entry from entry j on, in order. Therefore
// a few neighbouring lanes form a unit, whose rows belong to a team of threads. Each product goes
// to shared memory, and one thread for each lane adds the lane's products. The lane sums are
// written to global memory, and every block folds and adds all of them in the same way. This takes
// two barriers of the grid an iteration, and none for scalars.
//
// The product before the first barrier needs p = z + beta p of all rows. Each row has published z
// and the old p before. A thread that reads them computes the new p in the same way as its owner.
//
// Bytes an iteration: two entries for each entry of A, from the second-level cache, and the entries
// of A that do not fit in shared memory.
//
// Tried on an H200: blocks of 1024 threads with grid.sync and scalars in memory took 11.2 us for
// 7-point 20^3 instead of 8.1. Loading 16 entries of any row together took 8.8 us instead of 7.7.
#include "cg_scalars.cuh"
#include "cg_sums.cuh"
#include "long_sum.cuh"

namespace
{

// Entries of a row that are loaded together: few_loads in general, many_loads in a long row if a
// thread has only one row.
template <class Value> constexpr int few_loads = fur_value_of<Value>::is_complex ? 2 : 8;
template <int Units, class Value>
constexpr int many_loads = Units == 1 ? 2 * few_loads<Value> : few_loads<Value>;

// Where a warp's slice of A begins: in shared memory, or if `start` is complemented, in w.columns
// and w.values.
struct place {
    int start;
    int width;
};

template <class Value> struct slice {
    const int32_t *columns; // the lane's columns
    const Value *values;
    int width;

    __device__ slice(const fur_cg_job<Value> &w, const char *shared, place p)
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

// sum_j a_ij p_j for the row of a thread. The pairs give p_j = z_j + beta p_j.
template <int Units, class Value> struct row_product {
    const slice<Value> &a;
    const fur_cg_pair<Value> *pairs;
    int length;
    Value beta;
    Value sum = fur_zero<Value>();

    // Adds `Loads` entries from `first` on. The slice has at least one of them.
    template <int Loads> __device__ void take(int first)
    {
        // If registers are left, the entries of A are loaded ahead too.
        constexpr bool ahead = Units < 4;
        const Value one = fur_from<Value>({1, 0});
        Value factor[Loads];
        fur_cg_pair<Value> v[Loads];
#pragma unroll
        for (int u = 0; u < Loads; u++) {
            int at = min(first + u, a.width - 1) * FUR_WARP;
            if (ahead)
                factor[u] = a.values[at];
            v[u] = fur_from_l2(pairs + a.columns[at]);
        }
#pragma unroll
        for (int u = 0; u < Loads; u++) {
            Value p = fur_fma(one, v[u].z, fur_mul(beta, v[u].p));
            if (first + u < length)
                sum = fur_fma(ahead ? factor[u] : a.values[(first + u) * FUR_WARP], p, sum);
        }
    }

    // Returns the sum of a row of more than one segment. Not inlined, because it would take
    // registers from other rows.
    __device__ __noinline__ Value long_result() const
    {
        auto term = [values = a.values, columns = a.columns, pairs = pairs,
                     beta = beta](int64_t k, Value sum) {
            fur_cg_pair<Value> v = fur_from_l2(pairs + columns[k * FUR_WARP]);
            Value p = fur_fma(fur_from<Value>({1, 0}), v.z, fur_mul(beta, v.p));
            return fur_fma(values[k * FUR_WARP], p, sum);
        };
        return fur_long_sum<Value>(0, length, term);
    }

    __device__ Value result()
    {
        constexpr int few = few_loads<Value>;
        constexpr int many = many_loads<Units, Value>;
        int first = 0;
        if (length > FUR_ROW_SEGMENT)
            return long_result();
        for (; many > few && first + many <= a.width; first += many)
            take<many>(first);
        for (; first < a.width; first += few)
            take<few>(first);
        return sum;
    }
};

// A barrier of all blocks. Writes before it are visible after it, if they are read past the
// first-level cache.
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

// The entries of one row of a thread.
template <class Value> struct entries {
    int row;
    int length;
    Value r;
    Value p;
    Value x;
    Value d;
};

// Returns the unit number `u` of a team, counted over all blocks.
template <int Group> __device__ inline int64_t unit_of(int u, int team)
{
    return (u * fur_cg_teams<Group> + team) * int64_t(gridDim.x) + blockIdx.x;
}

template <int Units, class Value> struct rows {
    entries<Value> own[Units];
    place places[Units];

    __device__ bool has(const fur_cg_job<Value> &w, int u) const
    {
        return own[u].row < w.n;
    }
};

// Loads the entries of a thread's rows and publishes them.
template <int Group, bool Scaled, int Units, class Value>
__device__ void load(const fur_cg_job<Value> &w, rows<Units, Value> *t)
{
    constexpr int team = fur_cg_team<Group>;
#pragma unroll
    for (int u = 0; u < Units; u++) {
        entries<Value> &e = t->own[u];
        int64_t unit = unit_of<Group>(u, threadIdx.x / team);
        e = {static_cast<int>(w.n), 0, {}, {}, {}, {}};
        if (unit < w.units)
            e.row = static_cast<int>(fur_cg_row<Group, Value>(unit, threadIdx.x % team));
        if (e.row < w.n) {
            e.length = w.length[unit * team + threadIdx.x % team];
            e.r = w.r[e.row];
            e.p = w.p[e.row];
            e.x = w.x[e.row];
            if (Scaled)
                e.d = w.d ? w.d[e.row] : w.constant;
            w.pairs[e.row] = {Scaled ? fur_mul(e.d, e.r) : e.r, e.p};
        }
    }
}

// Finds the slices of a warp, and copies the slices that fit to shared memory.
template <int Group, int Units, class Value>
__device__ void stage(const fur_cg_job<Value> &w, char *shared, int *places, rows<Units, Value> *t)
{
    constexpr int warps = BLOCK / FUR_WARP;
    constexpr int team = fur_cg_team<Group>;
    constexpr int a_team = team / FUR_WARP;
    auto values = reinterpret_cast<Value *>(shared);
    auto columns = reinterpret_cast<int32_t *>(values + w.capacity);
    for (int i = threadIdx.x; i < Units * warps; i += BLOCK) {
        int64_t unit = unit_of<Group>(i / warps, i % warps / a_team);
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
        int64_t unit = unit_of<Group>(u, threadIdx.x / team);
        int64_t at = unit * a_team + threadIdx.x % team / FUR_WARP;
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

// Adds the lanes of all units of a block, one warp for each unit. `half` selects the first or the
// second half of the warps.
template <int Group, int Count, class Value>
__device__ void add_lanes(const fur_cg_job<Value> &w, int half,
                          const Value (&left)[Count][fur_cg_team<Group>],
                          const Value (&right)[Count][fur_cg_team<Group>], double *sums)
{
    constexpr int teams = fur_cg_teams<Group>;
    static_assert(2 * Count <= BLOCK / FUR_WARP, "a warp for each unit and sum");
    int own = static_cast<int>(threadIdx.x / FUR_WARP) - half * Count;
    int lane = threadIdx.x % FUR_WARP;
    if (own < 0 || own >= Count || lane >= Group)
        return;
    int64_t unit = unit_of<Group>(own / teams, own % teams);
    if (unit < w.units)
        __stcg(sums + unit * Group + lane, lane_sum<Group>(w, unit, lane, left[own], right[own]));
}

// Runs w.count iterations. Each computes the direction and the residual of the next iterate. Bytes:
// above.
template <int Group, int Units, bool Scaled, class Value>
__global__ void __launch_bounds__(BLOCK, 1) iterate(fur_cg_job<Value> w)
{
    extern __shared__ __align__(16) char shared[];
    constexpr int teams = fur_cg_teams<Group>;
    __shared__ Value left[Units * teams][fur_cg_team<Group>];
    __shared__ Value right[Units * teams][fur_cg_team<Group>];
    __shared__ fur_partial<2> results[BLOCK / FUR_WARP];
    __shared__ int places[Units * BLOCK / FUR_WARP];
    const Value one = fur_from<Value>({1, 0});
    int team = threadIdx.x / fur_cg_team<Group>;
    int thread = threadIdx.x % fur_cg_team<Group>;
    unsigned expected = 0;
    scalars s(w);
    rows<Units, Value> t;
    load<Group, Scaled>(w, &t);
    stage<Group>(w, shared, places, &t);
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
            slice<Value> own(w, shared, t.places[u]);
            Value q = row_product<Units, Value>{own, w.pairs, e.length, beta}.result();
            w.q[e.row] = q;
            left[u * teams + team][thread] = e.p;
            right[u * teams + team][thread] = q; // kept until r is updated
        }
        __syncthreads();
        add_lanes<Group>(w, 0, left, right, w.sums);
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
            e.r = fur_fma(minus, right[u * teams + team][thread], e.r);
            Value z = Scaled ? fur_mul(e.d, e.r) : e.r;
            w.pairs[e.row] = {z, e.p};
            left[u * teams + team][thread] = e.r;
            right[u * teams + team][thread] = z;
        }
        __syncthreads();
        add_lanes<Group>(w, 0, left, left, w.sums + w.lanes);
        if (Scaled)
            add_lanes<Group>(w, 1, left, right, w.sums + 2 * w.lanes);
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

// Launches the kernel. All shared memory that the kernel itself does not use goes to A.
template <int Group, int Units, bool Scaled, class Value>
fur_status launch(fur_env *env, const fur_cg_layout *s, fur_cg_job<Value> *w)
{
    auto kernel = reinterpret_cast<const void *>(iterate<Group, Units, Scaled, Value>);
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

template <int Group, class Value>
fur_status advance(fur_env *env, const fur_cg_layout *s, const fur_cg_call *call)
{
    fur_cg_job<Value> w = {s->rows,
                           s->units,
                           s->lanes,
                           s->lanes / fur_cg_lanes<Value>,
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
                           static_cast<fur_cg_pair<Value> *>(s->pairs),
                           s->sums,
                           s->arrived,
                           0,
                           call->rz,
                           call->pq,
                           call->rr,
                           call->count};
    bool scaled = !fur_is_unit(&call->d);
    if (Group == FEW || s->a_team == 1)
        return scaled ? launch<Group, 1, true>(env, s, &w) : launch<Group, 1, false>(env, s, &w);
    if (s->a_team == 2)
        return scaled ? launch<MANY, 2, true>(env, s, &w) : launch<MANY, 2, false>(env, s, &w);
    constexpr int most = fur_cg_units_most<Value>;
    return scaled ? launch<MANY, most, true>(env, s, &w) : launch<MANY, most, false>(env, s, &w);
}

} // namespace

fur_status fur_cuda_cg_advance(fur_env *env, void *state, const fur_cg_call *call)
{
    auto s = static_cast<const fur_cg_layout *>(state);
    return fur_cg_with(s, env, [&](auto group, auto value) {
        return advance<decltype(group)::value, decltype(value)>(env, s, call);
    });
}
