// The sliced layout that sell.cu and delta.cu share: SELL-C-sigma (Kreutzer, Hager,
// Wellein, Fehske and Bishop 2014) over units: first the rows, of which those of more than
// FUR_ROW_SEGMENT entries count as empty, then the segments of these. Slices of C = 32 units, one a
// lane, come from windows of sigma = 1024 units that are sorted by length. Entry k of a lane stands
// at start + 32 k + lane: a warp reads 32 neighbours. What pads a slice is 0 and is read, but never
// multiplied.
#ifndef FURROW_CUDA_SELL_CUH
#define FURROW_CUDA_SELL_CUH

#include "lanes.cuh"

#define SELL_LANES FUR_WARP
#define SELL_WINDOW 1024
#define SELL_SLICES (SELL_WINDOW / SELL_LANES)
#define SELL_BLOCK 128

// A lane's unit, counted within its window, and its entries. Lanes without one, as those of long
// rows, have number SELL_WINDOW.
struct alignas(4) fur_sell_lane {
    uint16_t unit;
    uint16_t length; // at most FUR_ROW_SEGMENT
};

// A's rows, cut into segments and sorted by length, as slices of SELL_LANES units.
struct fur_sell {
    int64_t rows;
    int64_t units;
    int64_t slices;
    int64_t padded;       // entries with padding
    fur_sell_lane *lanes; // SELL_LANES a slice
    int64_t *start;       // of a slice, in entries; slices + 1
    // With long rows only, else NULL: the row of each segment, the first segment of each row, the
    // long rows, and room for the sum of each segment.
    int32_t *segment_row;
    int32_t *row_segment;
    int32_t *long_rows;
    int64_t long_count;
    void *sums;
};

extern "C" {
// Sorts the units and sets everything. Waits for the number of padded entries. FUR_UNSUPPORTED if
// they are more than `most` times those of a.
fur_status fur_sell_layout(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                           double most, fur_sell *s);
// Brings an array with an element for every entry, of the given size, into the layout; padding
// becomes 0.
fur_status fur_sell_spread(fur_env *env, const fur_csr_view *a, const fur_sell *s, size_t size,
                           const void *from, void *to);
void fur_sell_release(fur_env *env, fur_sell *s);
// sizes[i] becomes the sum of all before it; of count + 1 elements the last is the total.
fur_status fur_sell_add_up(fur_env *env, int64_t count, int64_t *sizes, int64_t *total);
}

// A lane's unit, and its slice.
struct fur_sell_place {
    fur_sell_lane own;
    int64_t start; // of the slice's entries
    int64_t end;

    // Loads the lane's unit, and where the slice begins and ends.
    __device__ void fetch(const fur_sell &s, int64_t slice)
    {
        own = s.lanes[slice * SELL_LANES + lane()];
        start = s.start[slice];
        end = s.start[slice + 1];
    }

    __device__ static int lane()
    {
        return static_cast<int>(threadIdx.x % SELL_LANES);
    }

    // The entries of the slice's longest unit.
    __device__ int width() const
    {
        return static_cast<int>(end - start) / SELL_LANES;
    }

    // The entries of the lane's own unit.
    __device__ int length() const
    {
        return own.length;
    }

    // -1: none
    __device__ int64_t unit(int64_t slice) const
    {
        return own.unit < SELL_WINDOW ? slice / SELL_SLICES * SELL_WINDOW + own.unit : -1;
    }
};

// Calls f(slice, place) for the slice of the calling warp. (Warps that go from slice to slice with
// the next one's place under way were slower: the hardware balances better.)
template <class F> __device__ void fur_sell_for_slice(const fur_sell &s, F f)
{
    int64_t slice = (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) / FUR_WARP;
    fur_sell_place place;
    if (slice >= s.slices)
        return;
    place.fetch(s, slice);
    f(slice, place);
}

// Entry `k` of a lane or, where the slice has fewer, its last: loads without a condition are all
// under way before the first is waited for.
__device__ inline int fur_sell_offset(const fur_sell_place &p, int k)
{
    return min(k, p.width() - 1) * SELL_LANES;
}

// The sum of a lane's unit. values.fetch and columns.fetch ask for what tells the next
// Columns::unroll entries from `first` on; at(first, u) makes the u-th of it, which past the lane's
// end may be anything.
template <class Value, class Values, class Columns>
__device__ Value fur_sell_sum(const fur_sell_place &p, Values values, Columns columns,
                              const Value *x)
{
    constexpr int unroll = Columns::unroll; // loads that are under way together
    Value sum = fur_zero<Value>();
    for (int first = 0; first < p.width(); first += unroll) {
        Value value[unroll];
        Value factor[unroll];
        columns.fetch(first);
        values.fetch(p, first);
#pragma unroll
        for (int u = 0; u < unroll; u++) {
            int32_t column = columns.at(first, u);
            factor[u] = x[first + u < p.length() ? column : 0];
        }
#pragma unroll
        for (int u = 0; u < unroll; u++)
            value[u] = values.at(first, u);
#pragma unroll
        for (int u = 0; u < unroll; u++)
            if (first + u < p.length())
                sum = fur_fma(value[u], factor[u], sum);
    }
    return sum;
}

// The end of a unit's product.
template <class Value>
__device__ void fur_sell_finish(const fur_sell &s, int64_t slice, const fur_sell_place &p,
                                Value sum, Value *y, const fur_finish<Value> &finish)
{
    int64_t unit = p.unit(slice);
    if (unit >= s.rows)
        static_cast<Value *>(s.sums)[unit - s.rows] = sum;
    else if (unit >= 0)
        finish(sum, &y[unit]);
}

// Adds up the segments of the long rows, in order, one warp a row: the lanes fetch, and all add.
template <class Value>
__global__ void __launch_bounds__(SELL_BLOCK)
    fur_sell_add_segments(fur_sell s, Value *y, fur_finish<Value> finish)
{
    int64_t warp = (blockIdx.x * int64_t(SELL_BLOCK) + threadIdx.x) / FUR_WARP;
    int lane = static_cast<int>(threadIdx.x % FUR_WARP);
    if (warp >= s.long_count)
        return;
    int32_t row = s.long_rows[warp];
    int32_t first = s.row_segment[row];
    int32_t end = s.row_segment[row + 1];
    const Value *sums = static_cast<const Value *>(s.sums);
    Value total = sums[first];
    Value next = first + 1 + lane < end ? sums[first + 1 + lane] : fur_zero<Value>();
    for (int32_t base = first + 1; base < end; base += FUR_WARP) {
        Value own = next;
        int32_t ahead = base + FUR_WARP + lane;
        int count = min(FUR_WARP, end - base);
        if (ahead < end)
            next = sums[ahead];
        for (int i = 0; i < count; i++)
            total = fur_add(total, fur_shuffle(own, i));
    }
    if (lane == 0)
        finish(total, &y[row]);
}

// The number of blocks for so many warps.
static inline unsigned fur_sell_blocks(int64_t warps)
{
    return fur_blocks(warps * FUR_WARP, SELL_BLOCK);
}

// The second launch of a product, for matrices with long rows.
template <class Value> fur_status fur_sell_finish_long(const fur_spmv_call *call, const fur_sell *s)
{
    if (s->long_count == 0)
        return FUR_OK;
    fur_sell_add_segments<<<fur_sell_blocks(s->long_count), SELL_BLOCK, 0,
                            fur_cuda_stream(call->env)>>>(*s, static_cast<Value *>(call->y),
                                                          fur_finish<Value>(call));
    return fur_cuda_launched(call->env, "spmv sell: long rows");
}

// The bytes of the layout, without columns and values.
static inline int64_t fur_sell_bytes(const fur_sell *s)
{
    return s->slices * static_cast<int64_t>(SELL_LANES * sizeof *s->lanes) +
           (s->slices + 1) * static_cast<int64_t>(sizeof *s->start);
}

#endif
