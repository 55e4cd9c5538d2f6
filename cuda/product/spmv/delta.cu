// SpMV over a sliced layout with lossless compression of columns. The k-th entries of a slice's
// rows are mostly in neighbouring columns. A base is stored for each 32 of them. Each lane stores
// the excess of its column over base + lane, in as many bytes as the slice needs. If all excesses
// are 0, as in the interior of a grid, this takes no bytes, and otherwise 1, 2 or 4. After the
// delta compression of Kourtis, Goumas and Koziris (2008), but with one width for each slice, so
// that no lane waits for another.
//
// Bytes a row of n entries: n (entry + 0, 1, 2 or 4, + 1/8) and the padding of its slice, 4 for its
// place and length, two entries for x and y; 2 n flops.
#include "cost.cuh"
#include "narrow.cuh"
#include "spmv.cuh"

// The limits of compression: entries with padding, divided by entries; and the bytes of A, divided
// by the bytes of CSR.
#define PADDING_MAX 1.5
#define BYTES_MAX 0.95
// Entries that a lane loads together; half as many for 16-byte entries.
#define UNROLL 4
// Blocks that should fit on a multiprocessor.
#define RESIDENT 10
#define RESIDENT_LONG 6

namespace
{

// The plan: slices whose columns are stored as small excesses over a base.
struct delta {
    fur_sell layout;
    int32_t *bases;    // a base for every k of a slice, at start / 32 + k
    int64_t *begin;    // where a slice's excesses begin, in units of 32 bytes; slices + 1
    uint8_t *excesses; // the excesses of all slices
    int64_t units;
    fur_narrow values;
    int64_t value_bytes; // bytes of the values when they were planned
};

template <int bytes> struct unsigned_of;
template <> struct unsigned_of<1> {
    using type = uint8_t;
};
template <> struct unsigned_of<2> {
    using type = uint16_t;
};
template <> struct unsigned_of<4> {
    using type = uint32_t;
};

// The columns of a lane whose excesses take `bytes` bytes.
template <int bytes, class Value> struct delta_columns {
    static constexpr int unroll = sizeof(Value) > 8 ? UNROLL / 2 : UNROLL;
    const int32_t *bases;
    const uint8_t *excesses; // the slice's excesses
    const fur_sell_place &place;
    int32_t own; // the lane's one of the 32 bases that are loaded
    uint32_t excess[unroll];

    // Loads the excesses of the next entries, and after every 32 entries the next bases.
    __device__ void fetch(int first)
    {
        if (first % FUR_WARP == 0)
            own = bases[min(first + place.lane(), place.width() - 1)];
        if constexpr (bytes > 0) {
            using T = typename unsigned_of<bytes>::type;
            const T *at = reinterpret_cast<const T *>(excesses) + place.lane();
#pragma unroll
            for (int u = 0; u < unroll; u++)
                excess[u] = fur_stream(at + fur_sell_offset(place, first + u));
        }
    }

    // Returns the column of entry first + u: base + lane + excess.
    __device__ int32_t at(int first, int u) const
    {
        auto base = static_cast<uint32_t>(__shfl_sync(~0U, own, (first + u) % FUR_WARP));
        return static_cast<int32_t>(base + place.lane() + (bytes > 0 ? excess[u] : 0));
    }
};

// The arguments of a product, except the plan.
template <class Value> struct product {
    const Value *x;
    Value *y;
    fur_finish<Value> finish;
};

// Returns the sum of the lane's row in a slice whose excesses take `bytes` bytes.
template <int bytes, class Value>
__device__ Value sum_slice(const delta &d, int64_t slice, const fur_sell_place &p, int64_t begin,
                           const product<Value> &q)
{
    delta_columns<bytes, Value> columns = {
        d.bases + p.start / SELL_LANES, d.excesses + begin * SELL_LANES, p, 0, {}};
    return fur_narrow_sum(d.values, slice, p, columns, q.x);
}

// One warp multiplies one slice, with the width of its excesses. Bytes and flops a row: above.
template <class Value, bool Long>
__global__ void __launch_bounds__(SELL_BLOCK, Long ? RESIDENT_LONG : RESIDENT)
    multiply(delta d, product<Value> q)
{
    fur_sell_for_slice<Long>(d.layout, [&](int64_t slice, const fur_sell_place &p) {
        int64_t begin = d.begin[slice];
        int64_t bytes = d.begin[slice + 1] - begin;
        Value sum = bytes == 0               ? sum_slice<0>(d, slice, p, begin, q)
                    : bytes == p.width()     ? sum_slice<1>(d, slice, p, begin, q)
                    : bytes == 2 * p.width() ? sum_slice<2>(d, slice, p, begin, q)
                                             : sum_slice<4>(d, slice, p, begin, q);
        fur_sell_finish<Long>(d.layout, slice, p, sum, q.y, q.finish);
    });
}

// Returns the base of a slice's k-th entries. *excess = the excess of the lane's column over it.
// All lanes must call it.
__device__ int32_t base_of(const fur_sell_place &p, int k, const int32_t *columns, uint32_t *excess)
{
    bool there = k < p.length();
    int32_t low = there ? columns[p.start + k * SELL_LANES + p.lane()] - p.lane() : INT32_MAX;
    int32_t base = __reduce_min_sync(~0U, low);
    *excess = there ? static_cast<uint32_t>(low) - static_cast<uint32_t>(base) : 0;
    return base;
}

// Sets the bases of a slice and returns the bytes that its excesses need.
__device__ int set_bases(const delta &d, const fur_sell_place &p, const int32_t *columns)
{
    uint32_t most = 0;
    for (int k = 0; k < p.width(); k++) {
        uint32_t excess;
        int32_t base = base_of(p, k, columns, &excess);
        most = max(most, excess);
        if (p.lane() == 0)
            d.bases[p.start / SELL_LANES + k] = base;
    }
    most = __reduce_max_sync(~0U, most);
    return most == 0 ? 0 : most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
}

// Sets the bases and counts the 32-byte units of the excesses of each slice.
__global__ void __launch_bounds__(SELL_BLOCK) measure(delta d, const int32_t *columns)
{
    fur_sell_for_slice(d.layout, [&](int64_t slice, const fur_sell_place &p) {
        int64_t bytes = set_bases(d, p, columns);
        if (p.lane() == 0)
            d.begin[slice] = bytes * p.width();
    });
}

// Writes a slice's excesses in `bytes` bytes each.
template <int bytes>
__device__ void compress_slice(const delta &d, const fur_sell_place &p, int64_t begin,
                               const int32_t *columns)
{
    using T = typename unsigned_of<bytes>::type;
    T *to = reinterpret_cast<T *>(d.excesses + begin * SELL_LANES) + p.lane();
    for (int k = 0; k < p.width(); k++) {
        uint32_t excess;
        base_of(p, k, columns, &excess);
        to[k * SELL_LANES] = static_cast<T>(excess);
    }
}

// Writes the excesses of each slice in its width. Bytes an entry: 4 for its column, and 0, 1, 2 or
// 4.
__global__ void __launch_bounds__(SELL_BLOCK) compress(delta d, const int32_t *columns)
{
    fur_sell_for_slice(d.layout, [&](int64_t slice, const fur_sell_place &p) {
        int64_t begin = d.begin[slice];
        int64_t bytes = d.begin[slice + 1] - begin;
        if (bytes == 0)
            return;
        if (bytes == p.width())
            compress_slice<1>(d, p, begin, columns);
        else if (bytes == 2 * p.width())
            compress_slice<2>(d, p, begin, columns);
        else
            compress_slice<4>(d, p, begin, columns);
    });
}

// Returns the bytes of A in this format, if its values take `value_bytes` bytes.
int64_t bytes_of(const delta *d, int64_t value_bytes)
{
    const fur_sell *l = &d->layout;
    return value_bytes + l->padded / SELL_LANES * static_cast<int64_t>(sizeof *d->bases) +
           d->units * SELL_LANES + (l->slices + 1) * static_cast<int64_t>(sizeof *d->begin) +
           fur_sell_bytes(l);
}

// Refuses the format if it takes more than BYTES_MAX times the bytes of CSR, with uncompressed
// values.
fur_status check_pays(fur_env *env, const fur_csr_view *a, const delta *d)
{
    int64_t wide = d->layout.padded * static_cast<int64_t>(fur_value_size(a->value_type));
    double ratio = static_cast<double>(bytes_of(d, wide)) / static_cast<double>(fur_csr_bytes(a));
    if (ratio <= BYTES_MAX)
        return FUR_OK;
    return fur_env_fail(env, FUR_UNSUPPORTED,
                        "compressed it would have %.2f times the bytes of CSR", ratio);
}

// Compresses columns that are in the sliced layout.
fur_status compress_columns(fur_env *env, const fur_csr_view *a, const int32_t *columns, delta *d)
{
    fur_sell *l = &d->layout;
    unsigned blocks = fur_sell_blocks(l->slices);
    measure<<<blocks, SELL_BLOCK, 0, fur_cuda_stream(env)>>>(*d, columns);
    FUR_TRY(fur_cuda_launched(env, "delta: measure"));
    FUR_TRY(fur_sell_add_up(env, l->slices, d->begin, &d->units));
    FUR_TRY(check_pays(env, a, d));
    FUR_TRY(fur_cuda_allocate(env, d->units, SELL_LANES, &d->excesses));
    compress<<<blocks, SELL_BLOCK, 0, fur_cuda_stream(env)>>>(*d, columns);
    return fur_cuda_launched(env, "delta: compress");
}

// Sets bases and excesses. The columns are first brought into the sliced layout.
fur_status set_columns(fur_env *env, const fur_csr_view *a, delta *d)
{
    fur_sell *l = &d->layout;
    int32_t *columns;
    FUR_TRY(fur_cuda_allocate(env, l->padded / SELL_LANES, sizeof *d->bases, &d->bases));
    FUR_TRY(fur_cuda_allocate(env, l->slices + 1, sizeof *d->begin, &d->begin));
    FUR_TRY(fur_cuda_allocate(env, l->padded, sizeof *columns, &columns));
    fur_status status = fur_sell_spread(env, a, l, sizeof *columns, a->columns, columns);
    if (status == FUR_OK)
        status = compress_columns(env, a, columns, d);
    fur_cuda_release(env, columns);
    return status;
}

// Copies new values into the format.
fur_status refresh(fur_env *env, const fur_csr_view *a, void *state)
{
    auto d = static_cast<const delta *>(state);
    return fur_narrow_fill(env, a, &d->layout, &d->values);
}

// Sorts rows into slices, compresses the columns and copies the values.
fur_status build(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile, delta *d)
{
    FUR_TRY(fur_sell_layout(env, a, profile, PADDING_MAX, &d->layout));
    if (d->layout.slices == 0)
        return FUR_OK;
    FUR_TRY(set_columns(env, a, d));
    FUR_TRY(fur_narrow_create(env, a, &d->layout, &d->values));
    return fur_narrow_bytes(env, &d->values, &d->value_bytes);
}

void release(fur_env *env, void *state)
{
    auto d = static_cast<delta *>(state);
    fur_sell_release(env, &d->layout);
    fur_cuda_release(env, d->bases);
    fur_cuda_release(env, d->begin);
    fur_cuda_release(env, d->excesses);
    fur_narrow_release(env, &d->values);
    fur_env_release(env, d);
}

fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile, void **state)
{
    return fur_make_state<delta>(env, release, state,
                                 [&](delta *d) { return build(env, a, profile, d); });
}

fur_status apply(const fur_spmv_call *call)
{
    auto d = static_cast<const delta *>(call->state);
    if (d->layout.slices == 0)
        return FUR_OK;
    return fur_with_value(call->a->value_type, [&](auto value) {
        using Value = decltype(value);
        product<Value> q = {static_cast<const Value *>(call->x), static_cast<Value *>(call->y),
                            fur_finish<Value>(call)};
        auto kernel = d->layout.long_slices > 0 ? multiply<Value, true> : multiply<Value, false>;
        kernel<<<fur_sell_blocks(d->layout.slices), SELL_BLOCK, 0, fur_cuda_stream(call->env)>>>(*d,
                                                                                                 q);
        return fur_cuda_launched(call->env, "spmv delta");
    });
}

int64_t matrix_bytes(const fur_csr_view *, const void *state)
{
    auto d = static_cast<const delta *>(state);
    return bytes_of(d, d->value_bytes);
}

// Before the plan is built, the estimate assumes that half of the column bytes are saved.
fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    double saved = 2 * static_cast<double>(a->entries);
    fur_spmv_cost c = fur_cuda_sliced_cost(profile, UNROLL, fur_product_bytes(a) - saved);
    c.plan_ns = 1.5e5 + 5 * c.product_ns;
    return c;
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_delta = {
    {"delta", "slices of 32 rows with compressed columns", "Kourtis, Goumas, Koziris 2008", true,
     0},
    cost,
    nullptr, // work
    plan,
    refresh,
    apply,
    release,
    matrix_bytes,
};
