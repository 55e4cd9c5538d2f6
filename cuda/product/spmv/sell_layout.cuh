// The sliced layout of sell.cu and delta.cu: SELL-C-sigma (Kreutzer, Hager, Wellein, Fehske and
// Bishop 2014) over units. The first units are the rows; a row of more than FUR_ROW_SEGMENT entries
// counts as empty. The lanes of the segments of these long rows (docs/numerics.md) are further
// units, from a new window on. Slices have C = 32 units, one in each lane. They come from windows
// of sigma = 1024 units, which are sorted by length. The lanes of a segment stay together. Entry k
// of a lane is at start + 32 k + lane, so that a warp reads 32 neighbours. The padding of a slice
// is 0 and is read, but never multiplied.
#ifndef FURROW_CUDA_SELL_CUH
#define FURROW_CUDA_SELL_CUH

#include "long_sum.cuh"
#include "ticket.cuh"

#define SELL_LANES FUR_WARP
#define SELL_WINDOW 1024
#define SELL_SLICES (SELL_WINDOW / SELL_LANES)
#define SELL_BLOCK 128

// A lane's unit, counted within its window, and its number of entries. A lane without a unit has
// number SELL_WINDOW. This includes the units of long rows.
struct alignas(4) fur_sell_lane {
    uint16_t unit;
    uint16_t length; // at most FUR_ROW_SEGMENT
};

// The rows of A, cut into segments and sorted by length, as slices of SELL_LANES units.
struct fur_sell {
    int64_t rows;
    int64_t units;
    int64_t slices;
    int64_t padded;       // entries including padding
    fur_sell_lane *lanes; // SELL_LANES for each slice
    int64_t *start;       // where each slice begins, in entries; slices + 1
    // For matrices with long rows; otherwise NULL or 0. The first unit of long rows, and the slices
    // of these units. The row of each segment, the first segment of each row, and the sum of each
    // segment. At the first segment of a row, the number of segments that have arrived; 0 between
    // products.
    int64_t first_long;
    int64_t long_slices;
    int32_t *segment_row;
    int32_t *row_segment;
    unsigned *arrived;
    void *sums;
};

extern "C" {
// Sorts the units and sets all members. Waits for the number of padded entries. FUR_UNSUPPORTED if
// this is more than `most` times the entries of a.
fur_status fur_sell_layout(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                           double most, fur_sell *s);
// Copies an array into the layout. It has one element of `size` bytes for each entry. The padding
// becomes 0.
fur_status fur_sell_spread(fur_env *env, const fur_csr_view *a, const fur_sell *s, size_t size,
                           const void *from, void *to);
void fur_sell_release(fur_env *env, fur_sell *s);
// Exclusive prefix sum: sizes[i] becomes the sum of the elements before it. Element `count` is the
// total.
fur_status fur_sell_add_up(fur_env *env, int64_t count, int64_t *sizes, int64_t *total);
}

// A lane's unit, and its slice.
struct fur_sell_place {
    fur_sell_lane own;
    int64_t start; // of the slice's entries
    int64_t end;

    // Loads the lane's unit, and where its slice begins and ends.
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

    // Returns the number of entries of the slice's longest unit.
    __device__ int width() const
    {
        return static_cast<int>(end - start) / SELL_LANES;
    }

    // Returns the number of entries of the lane's own unit.
    __device__ int length() const
    {
        return own.length;
    }

    // Returns the lane's unit, or -1 if it has none.
    __device__ int64_t unit(int64_t slice) const
    {
        return own.unit < SELL_WINDOW ? slice / SELL_SLICES * SELL_WINDOW + own.unit : -1;
    }
};

// Calls f(slice, place) for the slice of the calling warp. If Turned, the slices of long rows come
// first, because their rows need a final addition. (Warps that loop over slices and load the next
// place ahead were slower: the hardware balances better.)
template <bool Turned = false, class F> __device__ void fur_sell_for_slice(const fur_sell &s, F f)
{
    int64_t slice = (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) / FUR_WARP;
    fur_sell_place place;
    if (slice >= s.slices)
        return;
    if constexpr (Turned)
        slice += slice < s.long_slices ? s.slices - s.long_slices : -s.long_slices;
    place.fetch(s, slice);
    f(slice, place);
}

// Entry `k` of a lane, or the last entry of the slice if it has fewer. Without a condition, all
// loads are issued before the first is waited for.
__device__ inline int fur_sell_offset(const fur_sell_place &p, int k)
{
    return min(k, p.width() - 1) * SELL_LANES;
}

// Returns the sum of a lane's unit. values.fetch and columns.fetch load the data of the next
// Columns::unroll entries from `first` on. at(first, u) returns entry u of these; past the lane's
// end it may return anything.
template <class Value, class Values, class Columns>
__device__ Value fur_sell_sum(const fur_sell_place &p, Values values, Columns columns,
                              const Value *x)
{
    constexpr int unroll = Columns::unroll; // entries that are loaded together
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

// Finishes the product of a slice of long rows. The last warp to store a segment of a row adds the
// segments.
template <class Value>
__device__ void fur_sell_finish_long(const fur_sell &s, int64_t unit, Value sum, Value *y,
                                     const fur_finish<Value> &finish)
{
    Value *sums = static_cast<Value *>(s.sums);
    int32_t row = 0;
    int32_t first = 0;
    int32_t count = 0;
    bool last = false;
    sum = fur_fold_lanes(sum, FUR_ROW_LANES);
    if (unit >= 0 && threadIdx.x % FUR_ROW_LANES == 0) {
        int64_t segment = (unit - s.first_long) / FUR_ROW_LANES;
        row = s.segment_row[segment];
        first = s.row_segment[row];
        count = s.row_segment[row + 1] - first;
        sums[segment] = sum;
        last = fur_last_to_arrive(&s.arrived[first], static_cast<unsigned>(count));
    }
    for (unsigned left = __ballot_sync(FUR_ALL_LANES, last); left > 0; left &= left - 1) {
        int from = __ffs(static_cast<int>(left)) - 1;
        Value total = fur_add_up(sums + __shfl_sync(FUR_ALL_LANES, first, from),
                                 __shfl_sync(FUR_ALL_LANES, count, from));
        int32_t own = __shfl_sync(FUR_ALL_LANES, row, from);
        if (fur_sell_place::lane() == 0)
            finish(total, &y[own]);
    }
}

// Finishes the product of a slice. Long: the matrix has long rows.
template <bool Long, class Value>
__device__ void fur_sell_finish(const fur_sell &s, int64_t slice, const fur_sell_place &p,
                                Value sum, Value *y, const fur_finish<Value> &finish)
{
    int64_t unit = p.unit(slice);
    if (Long && slice >= s.slices - s.long_slices)
        fur_sell_finish_long(s, unit, sum, y, finish);
    else if (unit >= 0)
        finish(sum, &y[unit]);
}

// Returns the number of blocks for `warps` warps.
static inline unsigned fur_sell_blocks(int64_t warps)
{
    return fur_blocks(warps * FUR_WARP, SELL_BLOCK);
}

// Returns the bytes of the layout, without columns and values.
static inline int64_t fur_sell_bytes(const fur_sell *s)
{
    return s->slices * static_cast<int64_t>(SELL_LANES * sizeof *s->lanes) +
           (s->slices + 1) * static_cast<int64_t>(sizeof *s->start);
}

#endif
