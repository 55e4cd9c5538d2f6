// SpMV over SELL-C-sigma (Kreutzer et al. 2014), built on the device. One lane multiplies one row,
// and every load of values and columns covers 32 neighbours.
//
// Bytes a row of n entries: n (entry + 4) and the padding of its slice, 4 for its place and length,
// two entries for x and y; 2 n flops.
//
// Tried on an H200: a condition for each load instead of clamped indices reached 85 % of a copy.
// L1::no_allocate, L2 eviction policies and larger blocks gained nothing. Cutting rows of over 128
// entries into pieces of 512 took 18.8 us instead of 23.5 on boyd1, and 306 instead of 238 on
// power:4000000.
#include "cost.cuh"
#include "narrow.cuh"
#include "spmv.cuh"

// The most padding that even loads justify: entries with padding over entries.
#define PADDING_MAX 1.5
// Entries that a lane loads together; half as many for 16-byte entries.
#define UNROLL 8

namespace
{

// The plan: A in slices (sell_layout.cuh).
struct sell {
    fur_sell layout;
    int32_t *columns;
    fur_narrow values;
    int64_t value_bytes; // bytes of the values when they were planned
};

// Uncompressed columns, loaded some entries ahead of their use.
template <class Value> struct plain_columns {
    static constexpr int unroll = sizeof(Value) > 8 ? UNROLL / 2 : UNROLL;
    const int32_t *columns; // the lane's columns
    const fur_sell_place &place;
    int32_t column[unroll];

    __device__ void fetch(int first)
    {
#pragma unroll
        for (int u = 0; u < unroll; u++)
            column[u] = fur_stream(columns + fur_sell_offset(place, first + u));
    }

    __device__ int32_t at(int, int u) const
    {
        return column[u];
    }
};

// One warp multiplies one slice, one unit in each lane. Bytes and flops a row: above.
template <class Value, bool Long>
__global__ void __launch_bounds__(SELL_BLOCK, 1)
    multiply(fur_sell s, const int32_t *all, fur_narrow values, const Value *x, Value *y,
             fur_finish<Value> finish)
{
    fur_sell_for_slice<Long>(s, [&](int64_t slice, const fur_sell_place &p) {
        plain_columns<Value> columns = {all + p.start + p.lane(), p, {}};
        fur_sell_finish<Long>(s, slice, p, fur_narrow_sum(values, slice, p, columns, x), y, finish);
    });
}

// Copies new values into the slices.
fur_status refresh(fur_env *env, const fur_csr_view *a, void *state)
{
    auto s = static_cast<const sell *>(state);
    return fur_narrow_fill(env, a, &s->layout, &s->values);
}

// Sorts rows into slices and copies columns and values into them.
fur_status build(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile, sell *s)
{
    fur_sell *l = &s->layout;
    FUR_TRY(fur_sell_layout(env, a, profile, PADDING_MAX, l));
    FUR_TRY(fur_cuda_allocate(env, l->padded, sizeof *s->columns, &s->columns));
    FUR_TRY(fur_sell_spread(env, a, l, sizeof *s->columns, a->columns, s->columns));
    FUR_TRY(fur_narrow_create(env, a, l, &s->values));
    return fur_narrow_bytes(env, &s->values, &s->value_bytes);
}

void release(fur_env *env, void *state)
{
    auto s = static_cast<sell *>(state);
    fur_sell_release(env, &s->layout);
    fur_cuda_release(env, s->columns);
    fur_narrow_release(env, &s->values);
    fur_env_release(env, s);
}

fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile, void **state)
{
    return fur_make_state<sell>(env, release, state,
                                [&](sell *s) { return build(env, a, profile, s); });
}

fur_status apply(const fur_spmv_call *call)
{
    auto s = static_cast<const sell *>(call->state);
    if (s->layout.slices == 0)
        return FUR_OK;
    return fur_with_value(call->a->value_type, [&](auto value) {
        using Value = decltype(value);
        auto kernel = s->layout.long_slices > 0 ? multiply<Value, true> : multiply<Value, false>;
        kernel<<<fur_sell_blocks(s->layout.slices), SELL_BLOCK, 0, fur_cuda_stream(call->env)>>>(
            s->layout, s->columns, s->values, static_cast<const Value *>(call->x),
            static_cast<Value *>(call->y), fur_finish<Value>(call));
        return fur_cuda_launched(call->env, "spmv sell");
    });
}

int64_t matrix_bytes(const fur_csr_view *, const void *state)
{
    auto s = static_cast<const sell *>(state);
    return s->layout.padded * static_cast<int64_t>(sizeof *s->columns) + s->value_bytes +
           fur_sell_bytes(&s->layout);
}

// Returns the estimate for "auto", for uncompressed values. The plan includes 0.1 ms of launches
// and waits.
fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    fur_spmv_cost c = fur_cuda_sliced_cost(profile, UNROLL, fur_product_bytes(a));
    c.plan_ns = 1e5 + 3.5 * c.product_ns;
    return c;
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_sell = {
    {"sell", "slices of 32 rows of similar length, one lane a row",
     "Kreutzer, Hager, Wellein, Fehske, Bishop 2014", true, 0},
    cost,
    nullptr, // work
    plan,
    refresh,
    apply,
    release,
    matrix_bytes,
};
