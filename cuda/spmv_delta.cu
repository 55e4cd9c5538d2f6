// SpMV over a sliced layout with compressed columns, lossless. The k-th entries of a slice's rows
// mostly lie in neighbouring columns: of each such group of 32 a base is kept, and for each lane
// what its column exceeds base + lane by: nothing where that is 0 for all, else 16 bits, or 32
// where 16 do not hold it. After the delta compression of Kourtis, Goumas and Koziris (2008), with
// one width a group, so that no lane waits for another.
//
// Bytes a row of n entries: n (entry + 0, 2 or 4 + 1/4) and the padding of its slice, 4 for its
// place and length, two entries for x and y; 2 n flops.
#include "cost.cuh"
#include "sell.cuh"

// Bytes of A, over those of CSR, above which compression does not pay.
#define BYTES_MOST 0.95

namespace
{

// 16-bit units a lane has in a group.
enum width : uint32_t { NONE, NARROW, WIDE };

// The columns of a group: where its stream of excesses begins, in units of 64 bytes from that of
// its slice, times 4, plus the width.
struct group {
    int32_t base;
    uint32_t where;
};

struct delta {
    fur_sell layout;
    group *groups;      // one for every k of a slice: start / 32 + k
    int64_t *begin;     // of a slice's streams, in units of 64 bytes; slices + 1
    uint16_t *excesses; // all streams
    int64_t units;
};

#define UNIT_BYTES (SELL_ROWS * sizeof(uint16_t))

struct delta_columns {
    const group *groups;
    const int64_t *begin;
    const uint16_t *excesses;
    group own; // the lane's of the 32 groups that are at hand

    __device__ void open(const fur_sell_place &p)
    {
        groups += p.start / SELL_ROWS;
        excesses += begin[p.slice] * SELL_ROWS + p.lane;
    }

    __device__ void load(const fur_sell_place &p, int first, int32_t *column)
    {
        if (first % FUR_WARP == 0 && first + p.lane < p.width)
            own = groups[first + p.lane];
#pragma unroll
        for (int u = 0; u < SELL_UNROLL; u++) {
            int from = (first + u) % FUR_WARP;
            int32_t base = __shfl_sync(~0U, own.base, from);
            uint32_t where = __shfl_sync(~0U, own.where, from);
            uint32_t more = first + u < p.length ? excess(where) : 0;
            column[u] = static_cast<int32_t>(static_cast<uint32_t>(base + p.lane) + more);
        }
    }

    __device__ uint32_t excess(uint32_t where) const
    {
        // A wide stream has a unit of low halves and one of high halves.
        const uint16_t *at = excesses + int64_t(where >> 2) * SELL_ROWS;
        uint32_t result = 0;
        if (where & 3)
            result = fur_stream(at);
        if ((where & 3) == WIDE)
            result |= static_cast<uint32_t>(fur_stream(at + SELL_ROWS)) << 16;
        return result;
    }
};

// The group of a slice's k-th entries without its place, and how far a lane's column exceeds. All
// lanes call it.
__device__ group group_of(const fur_sell_place &p, int k, int32_t column, uint32_t *excess)
{
    bool there = k < p.length;
    int32_t low = there ? column - p.lane : INT32_MAX;
    int32_t base = __reduce_min_sync(~0U, low);
    *excess = there ? static_cast<uint32_t>(low) - static_cast<uint32_t>(base) : 0;
    uint32_t most = __reduce_max_sync(~0U, *excess);
    return {base, most == 0 ? NONE : most <= UINT16_MAX ? NARROW : WIDE};
}

template <class Offset>
__global__ void __launch_bounds__(SELL_BLOCK)
    measure(fur_sell s, const Offset *offsets, const int32_t *columns, int64_t *units)
{
    fur_sell_place p = fur_sell_find(s);
    if (p.slice < 0)
        return;
    Offset first = p.length > 0 ? offsets[p.row] : 0;
    int64_t sum = 0;
    for (int k = 0; k < p.width; k++) {
        uint32_t excess;
        sum += group_of(p, k, k < p.length ? columns[first + k] : 0, &excess).where;
    }
    if (p.lane == 0)
        units[p.slice] = sum;
}

template <class Offset>
__global__ void __launch_bounds__(SELL_BLOCK)
    compress(delta d, const Offset *offsets, const int32_t *columns)
{
    fur_sell_place p = fur_sell_find(d.layout);
    if (p.slice < 0)
        return;
    Offset first = p.length > 0 ? offsets[p.row] : 0;
    uint16_t *stream = d.excesses + d.begin[p.slice] * SELL_ROWS + p.lane;
    uint32_t unit = 0;
    for (int k = 0; k < p.width; k++) {
        uint32_t excess;
        group g = group_of(p, k, k < p.length ? columns[first + k] : 0, &excess);
        for (uint32_t half = 0; half < g.where; half++)
            stream[int64_t(unit + half) * SELL_ROWS] = static_cast<uint16_t>(excess >> (16 * half));
        if (p.lane == 0)
            d.groups[p.start / SELL_ROWS + k] = {g.base, unit << 2 | g.where};
        unit += g.where;
    }
}

int64_t bytes_of(const fur_csr_view *a, const delta *d)
{
    const fur_sell *l = &d->layout;
    return l->padded * static_cast<int64_t>(fur_value_size(a->value)) +
           l->padded / SELL_ROWS * static_cast<int64_t>(sizeof(group)) +
           d->units * static_cast<int64_t>(UNIT_BYTES) +
           l->slices * static_cast<int64_t>(SELL_ROWS * sizeof *l->lanes + sizeof *l->start +
                                            sizeof *d->begin);
}

fur_status check_pays(fur_env *env, const fur_csr_view *a, const delta *d)
{
    double csr = fur_csr_bytes(a) - fur_vector_bytes(a);
    double ratio = static_cast<double>(bytes_of(a, d)) / csr;
    if (ratio <= BYTES_MOST)
        return FUR_OK;
    return fur_env_fail(env, FUR_UNSUPPORTED,
                        "kernel \"delta\" does not suit this matrix: compressed it would have %.2f "
                        "times the bytes of CSR",
                        ratio);
}

template <class Offset>
fur_status build_typed(fur_env *env, const fur_csr_view *a, const Offset *offsets, delta *d)
{
    fur_sell *l = &d->layout;
    unsigned blocks = fur_sell_blocks(l);
    FUR_TRY(fur_cuda_allocate(env, l->slices + 1, sizeof *d->begin, &d->begin));
    measure<<<blocks, SELL_BLOCK, 0, fur_cuda_stream(env)>>>(*l, offsets, a->columns, d->begin);
    FUR_TRY(fur_cuda_launched(env, "delta: measure"));
    FUR_TRY(fur_sell_add_up(env, l->slices, d->begin, &d->units));
    FUR_TRY(check_pays(env, a, d));
    FUR_TRY(fur_cuda_allocate(env, l->padded / SELL_ROWS, sizeof *d->groups, &d->groups));
    FUR_TRY(fur_cuda_allocate(env, d->units, UNIT_BYTES, &d->excesses));
    compress<<<blocks, SELL_BLOCK, 0, fur_cuda_stream(env)>>>(*d, offsets, a->columns);
    FUR_TRY(fur_cuda_launched(env, "delta: compress"));
    return fur_sell_fill_values(env, a, l);
}

fur_status build(fur_env *env, const fur_csr_view *a, delta *d)
{
    FUR_TRY(fur_sell_layout(env, a, &d->layout));
    if (d->layout.slices == 0)
        return FUR_OK;
    return a->offset == FUR_I32 ? build_typed(env, a, static_cast<const int32_t *>(a->offsets), d)
                                : build_typed(env, a, static_cast<const int64_t *>(a->offsets), d);
}

void release(fur_env *env, void *state)
{
    auto d = static_cast<delta *>(state);
    if (!d)
        return;
    fur_sell_release(env, &d->layout);
    fur_cuda_release(env, d->groups);
    fur_cuda_release(env, d->begin);
    fur_cuda_release(env, d->excesses);
    fur_env_release(env, d);
}

fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *, void **state)
{
    delta *d;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *d, &d));
    fur_status status = build(env, a, d);
    if (status == FUR_OK)
        *state = d;
    else
        release(env, d);
    return status;
}

fur_status apply(const fur_spmv_call *call)
{
    auto d = static_cast<const delta *>(call->state);
    if (d->layout.slices == 0)
        return FUR_OK;
    return fur_with_value(call->a->value, [&](auto value) {
        using Value = decltype(value);
        delta_columns columns = {d->groups, d->begin, d->excesses, {}};
        fur_sell_multiply<<<fur_sell_blocks(&d->layout), SELL_BLOCK, 0,
                            fur_cuda_stream(call->env)>>>(
            d->layout, columns, static_cast<const Value *>(call->x), static_cast<Value *>(call->y),
            fur_finish<Value>(call));
        return fur_cuda_launched(call->env, "spmv delta");
    });
}

int64_t matrix_bytes(const fur_csr_view *a, const void *state)
{
    return bytes_of(a, static_cast<const delta *>(state));
}

// Until it is built the kernel is taken to save half of the columns.
fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    double value = static_cast<double>(fur_value_size(a->value));
    fur_spmv_cost c = fur_cuda_csr_cost(a, 1.05 * (value + 2) / (value + 4));
    c.plan_ns = 60 * FUR_LAUNCH_NS + 6 * c.product_ns;
    c.refusal = fur_sell_refusal(profile);
    return c;
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_delta = {
    "delta",
    "slices of 32 rows with compressed columns",
    "Kourtis, Goumas, Koziris 2008",
    true, // exact
    cost,
    plan,
    apply,
    release,
    matrix_bytes,
};
