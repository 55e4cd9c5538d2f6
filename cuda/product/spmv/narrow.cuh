// The values of a sliced layout in a lossless narrow form, which is chosen for each slice:
//
// - wide: unchanged; entry k of a lane is at 32 k + lane.
// - single: in single precision, at the same index, if no value of the slice is rounded.
// - number: indices into a table of up to 256 distinct values, four of a lane in a word, for values
//   of at most 8 bytes.
// - shared number: as above, if the 32 entries k have one value. All lanes share one index.
//
// After the value compression of Kourtis, Goumas and Koziris (2008). A slice keeps the memory that
// its values take in the wide form. Therefore new values can change the form without an allocation,
// and between two replays of a graph. The form is read together with the slice.
#ifndef FURROW_CUDA_NARROW_CUH
#define FURROW_CUDA_NARROW_CUH

#include "sell_layout.cuh"

#define NARROW_TABLE 256
// Table indices in a word.
#define NARROW_WORD 4

enum fur_narrow_form : uint8_t { NARROW_WIDE, NARROW_SINGLE, NARROW_NUMBER, NARROW_SHARED };

// Values in slices, with a form for each slice.
struct fur_narrow {
    void *values;
    uint8_t *forms;
    void *table;    // NARROW_TABLE values
    int *count;     // number of values in the table
    int64_t *bytes; // bytes of all slices in their forms
};

extern "C" {
// The first function allocates for the slices of a layout. The second spreads A's values and
// narrows them; it allocates nothing and does not wait. The third returns their bytes, and waits.
fur_status fur_narrow_create(fur_env *env, const fur_csr_view *a, const fur_sell *s, fur_narrow *n);
fur_status fur_narrow_fill(fur_env *env, const fur_csr_view *a, const fur_sell *s,
                           const fur_narrow *n);
fur_status fur_narrow_bytes(fur_env *env, const fur_narrow *n, int64_t *bytes);
void fur_narrow_release(fur_env *env, fur_narrow *n);
}

// A value type in single precision.
template <class Value> struct fur_single_of {
    using type = float;
};
template <class Real> struct fur_single_of<fur_complex_of<Real>> {
    using type = fur_c64;
};

__device__ inline double fur_widen(float a)
{
    return a;
}
__device__ inline fur_c128 fur_widen(fur_c64 a)
{
    return {a.re, a.im};
}

// Whether values of this type can have the single form or the number form.
template <class Value>
constexpr bool fur_has_single = sizeof(typename fur_value_of<Value>::real) > 4;
template <class Value> constexpr bool fur_has_number = sizeof(Value) <= 8;

// Loads the values of a lane, `unroll` at a time, from a slice of this form.
template <class Value, int form, int unroll> struct fur_narrow_values;

template <class Value, int unroll> struct fur_narrow_values<Value, NARROW_WIDE, unroll> {
    const Value *own;
    Value value[unroll];

    __device__ fur_narrow_values(const fur_narrow &n, const fur_sell_place &p, bool)
        : own(static_cast<const Value *>(n.values) + p.start + p.lane())
    {
    }

    __device__ void fetch(const fur_sell_place &p, int first)
    {
#pragma unroll
        for (int u = 0; u < unroll; u++)
            value[u] = fur_stream(own + fur_sell_offset(p, first + u));
    }

    __device__ Value at(int, int u) const
    {
        return value[u];
    }
};

template <class Value, int unroll> struct fur_narrow_values<Value, NARROW_SINGLE, unroll> {
    using single = typename fur_single_of<Value>::type;
    const single *own;
    single value[unroll];

    __device__ fur_narrow_values(const fur_narrow &n, const fur_sell_place &p, bool)
        : own(reinterpret_cast<const single *>(static_cast<const Value *>(n.values) + p.start) +
              p.lane())
    {
    }

    __device__ void fetch(const fur_sell_place &p, int first)
    {
#pragma unroll
        for (int u = 0; u < unroll; u++)
            value[u] = fur_stream(own + fur_sell_offset(p, first + u));
    }

    __device__ Value at(int, int u) const
    {
        return fur_widen(value[u]);
    }
};

template <class Value, int unroll> struct fur_narrow_values<Value, NARROW_NUMBER, unroll> {
    static_assert(unroll % NARROW_WORD == 0, "whole words");
    const Value *table;
    const uint32_t *words;
    int step; // distance between consecutive words of a lane
    uint32_t word[unroll / NARROW_WORD];

    __device__ fur_narrow_values(const fur_narrow &n, const fur_sell_place &p, bool shared)
        : table(static_cast<const Value *>(n.table)),
          words(reinterpret_cast<const uint32_t *>(static_cast<const Value *>(n.values) + p.start) +
                (shared ? 0 : p.lane())),
          step(shared ? 1 : SELL_LANES)
    {
    }

    __device__ void fetch(const fur_sell_place &p, int first)
    {
        int last = (p.width() - 1) / NARROW_WORD;
#pragma unroll
        for (int w = 0; w < unroll / NARROW_WORD; w++)
            word[w] = fur_stream(words + min(first / NARROW_WORD + w, last) * step);
    }

    __device__ Value at(int, int u) const
    {
        return table[word[u / NARROW_WORD] >> (8 * (u % NARROW_WORD)) & 0xff];
    }
};

// Returns the sum of the lane's unit in slice `slice`, for any form of its values.
template <class Value, class Columns>
__device__ Value fur_narrow_sum(const fur_narrow &n, int64_t slice, const fur_sell_place &p,
                                const Columns &columns, const Value *x)
{
    constexpr int unroll = Columns::unroll;
    uint8_t form = n.forms[slice];
    if constexpr (fur_has_single<Value>)
        if (form == NARROW_SINGLE)
            return fur_sell_sum(p, fur_narrow_values<Value, NARROW_SINGLE, unroll>(n, p, false),
                                columns, x);
    if constexpr (fur_has_number<Value>)
        if (form != NARROW_WIDE)
            return fur_sell_sum(
                p, fur_narrow_values<Value, NARROW_NUMBER, unroll>(n, p, form == NARROW_SHARED),
                columns, x);
    return fur_sell_sum(p, fur_narrow_values<Value, NARROW_WIDE, unroll>(n, p, false), columns, x);
}

#endif
