// SpMV over SELL-C-sigma (Kreutzer et al. 2014), built on the device: one lane a row, every load of
// values and columns 32 neighbours wide.
//
// Bytes a row of n entries: n (entry + 4) and the padding of its slice, 4 for its place and length,
// two entries for x and y; 2 n flops.
#include "cost.cuh"
#include "sell.cuh"

// Padding that is worth its even loads: entries with it over entries.
#define PADDING_MOST 1.25

namespace
{

struct plain_columns {
    const int32_t *columns; // padded, where the values are

    __device__ void open(const fur_sell_place &p)
    {
        columns += p.start + p.lane;
    }

    __device__ void load(const fur_sell_place &p, int first, int32_t *column)
    {
#pragma unroll
        for (int u = 0; u < SELL_UNROLL; u++)
            if (first + u < p.length)
                column[u] = fur_stream(columns + int64_t(first + u) * SELL_ROWS);
    }
};

struct sell {
    fur_sell layout;
    int32_t *columns;
};

template <class Offset>
__global__ void __launch_bounds__(SELL_BLOCK)
    fill_columns(fur_sell s, const Offset *offsets, const int32_t *from, int32_t *to)
{
    fur_sell_place p = fur_sell_find(s);
    if (p.slice < 0 || p.length == 0)
        return;
    Offset begin = offsets[p.row];
    for (int k = 0; k < p.length; k++)
        to[p.start + p.lane + int64_t(k) * SELL_ROWS] = from[begin + k];
}

fur_status set_columns(fur_env *env, const fur_csr_view *a, sell *s)
{
    fur_sell *l = &s->layout;
    FUR_TRY(fur_cuda_allocate(env, l->padded, sizeof *s->columns, &s->columns));
    if (l->padded == 0)
        return FUR_OK;
    if (a->offset == FUR_I32)
        fill_columns<<<fur_sell_blocks(l), SELL_BLOCK, 0, fur_cuda_stream(env)>>>(
            *l, static_cast<const int32_t *>(a->offsets), a->columns, s->columns);
    else
        fill_columns<<<fur_sell_blocks(l), SELL_BLOCK, 0, fur_cuda_stream(env)>>>(
            *l, static_cast<const int64_t *>(a->offsets), a->columns, s->columns);
    return fur_cuda_launched(env, "sell: fill columns");
}

fur_status build(fur_env *env, const fur_csr_view *a, sell *s)
{
    FUR_TRY(fur_sell_layout(env, a, &s->layout));
    double padding = static_cast<double>(s->layout.padded) / static_cast<double>(a->entries);
    if (a->entries > 0 && padding > PADDING_MOST)
        return fur_env_fail(env, FUR_UNSUPPORTED,
                            "kernel \"sell\" does not suit this matrix: with padding it would have "
                            "%.2f times its entries",
                            padding);
    FUR_TRY(fur_sell_fill_values(env, a, &s->layout));
    return set_columns(env, a, s);
}

void release(fur_env *env, void *state)
{
    auto s = static_cast<sell *>(state);
    if (!s)
        return;
    fur_sell_release(env, &s->layout);
    fur_cuda_release(env, s->columns);
    fur_env_release(env, s);
}

fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *, void **state)
{
    sell *s;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *s, &s));
    fur_status status = build(env, a, s);
    if (status == FUR_OK)
        *state = s;
    else
        release(env, s);
    return status;
}

fur_status apply(const fur_spmv_call *call)
{
    auto s = static_cast<const sell *>(call->state);
    if (s->layout.slices == 0)
        return FUR_OK;
    return fur_with_value(call->a->value, [&](auto value) {
        using Value = decltype(value);
        fur_sell_multiply<<<fur_sell_blocks(&s->layout), SELL_BLOCK, 0,
                            fur_cuda_stream(call->env)>>>(
            s->layout, plain_columns{s->columns}, static_cast<const Value *>(call->x),
            static_cast<Value *>(call->y), fur_finish<Value>(call));
        return fur_cuda_launched(call->env, "spmv sell");
    });
}

int64_t matrix_bytes(const fur_csr_view *a, const void *state)
{
    const fur_sell *l = &static_cast<const sell *>(state)->layout;
    return l->padded * static_cast<int64_t>(fur_value_size(a->value) + sizeof(int32_t)) +
           l->slices * static_cast<int64_t>(SELL_ROWS * sizeof *l->lanes + sizeof *l->start);
}

fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    fur_spmv_cost c = fur_cuda_csr_cost(a, 1.05);
    c.plan_ns = 40 * FUR_LAUNCH_NS + 4 * c.product_ns;
    c.refusal = fur_sell_refusal(profile);
    return c;
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_sell = {
    "sell",
    "slices of 32 rows of like length, one lane a row",
    "Kreutzer, Hager, Wellein, Fehske, Bishop 2014",
    true, // exact
    cost,
    plan,
    apply,
    release,
    matrix_bytes,
};
