// The sliced layout that spmv_sell.cu and spmv_delta.cu share: SELL-C-sigma (Kreutzer, Hager,
// Wellein, Fehske and Bishop 2014) with slices of C = 32 rows, one a lane, from windows of sigma =
// 1024 rows that are sorted by length. Entry k of the slice's lane stands at start + 32 k + lane: a
// warp reads 32 neighbours. Lanes past the end of their row read nothing.
#ifndef FURROW_CUDA_SELL_CUH
#define FURROW_CUDA_SELL_CUH

#include "device.cuh"
#include "value.cuh"

#define SELL_ROWS FUR_WARP
#define SELL_WINDOW 1024
#define SELL_SLICES (SELL_WINDOW / SELL_ROWS)
// Longer rows are no business of this layout: a slice is as wide as its longest.
#define SELL_LONGEST 4096
#define SELL_BLOCK 128
// Loads of a lane that are under way together; divides FUR_ROW_SEGMENT.
#ifndef SELL_UNROLL
#    define SELL_UNROLL 8
#endif

// Which row a lane has, counted within its window, and how many entries. Lanes without a row have
// number SELL_WINDOW.
struct fur_sell_lane {
    uint16_t row;
    uint16_t length;
};

struct fur_sell {
    int64_t rows;
    int64_t slices;
    int64_t padded;       // entries with padding
    fur_sell_lane *lanes; // SELL_ROWS a slice
    int64_t *start;       // of a slice, in entries; slices + 1
    void *values;         // padded
};

extern "C" {
// Sorts the rows, sets everything but values. Waits for the number of padded entries.
fur_status fur_sell_layout(fur_env *env, const fur_csr_view *a, fur_sell *s);
// Allocates and sets values.
fur_status fur_sell_fill_values(fur_env *env, const fur_csr_view *a, fur_sell *s);
void fur_sell_release(fur_env *env, fur_sell *s);
// sizes[i] becomes the sum of all before it; of count + 1 elements the last is the total.
fur_status fur_sell_add_up(fur_env *env, int64_t count, int64_t *sizes, int64_t *total);
}

// What keeps a matrix out of the layout, NULL if nothing does.
static inline const char *fur_sell_refusal(const fur_spmv_profile *profile)
{
    return profile->rows.row_max > SELL_LONGEST ? "a row has more than 4096 entries" : nullptr;
}

struct fur_sell_place {
    int64_t slice; // -1: past the last
    int lane;
    int64_t start; // of the slice's entries
    int64_t row;   // may be past the last
    int length;
    int width; // the longest row of the slice
};

// Where the calling thread's row is. All lanes of a warp call it.
__device__ inline fur_sell_place fur_sell_find(const fur_sell &s)
{
    fur_sell_place p = {};
    int64_t thread = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    p.slice = thread / SELL_ROWS;
    p.lane = static_cast<int>(threadIdx.x % SELL_ROWS);
    if (p.slice >= s.slices) {
        p.slice = -1;
        return p;
    }
    fur_sell_lane lane = s.lanes[thread];
    p.start = s.start[p.slice];
    p.row = lane.row < SELL_WINDOW ? p.slice / SELL_SLICES * SELL_WINDOW + lane.row : s.rows;
    p.length = lane.length;
    p.width = __shfl_sync(~0U, p.length, 0);
    return p;
}

// y = alpha A x + beta y. Columns tells the columns of a lane's entries: open(place) once a slice,
// then load(k) for the entries in order, of which decode(k) makes columns.
template <class Value, class Columns>
__global__ void __launch_bounds__(SELL_BLOCK)
    fur_sell_multiply(fur_sell s, Columns columns, const Value *x, Value *y,
                      fur_finish<Value> finish)
{
    fur_sell_place p = fur_sell_find(s);
    if (p.slice < 0)
        return;
    const Value *values = static_cast<const Value *>(s.values) + p.start + p.lane;
    Value total = fur_zero<Value>();
    Value sum = fur_zero<Value>();
    columns.open(p);
    for (int first = 0; first < p.width; first += SELL_UNROLL) {
        int32_t column[SELL_UNROLL];
        Value value[SELL_UNROLL];
        Value factor[SELL_UNROLL];
        if (first % FUR_ROW_SEGMENT == 0 && first > 0 && first < p.length) {
            total = first == FUR_ROW_SEGMENT ? sum : fur_add(total, sum);
            sum = fur_zero<Value>();
        }
        columns.load(p, first, column);
#pragma unroll
        for (int u = 0; u < SELL_UNROLL; u++)
            if (first + u < p.length)
                value[u] = fur_stream(values + int64_t(first + u) * SELL_ROWS);
#pragma unroll
        for (int u = 0; u < SELL_UNROLL; u++)
            if (first + u < p.length)
                factor[u] = x[column[u]];
#pragma unroll
        for (int u = 0; u < SELL_UNROLL; u++)
            if (first + u < p.length)
                sum = fur_fma(value[u], factor[u], sum);
    }
    if (p.row < s.rows)
        finish(p.length > FUR_ROW_SEGMENT ? fur_add(total, sum) : sum, &y[p.row]);
}

static inline unsigned fur_sell_blocks(const fur_sell *s)
{
    return static_cast<unsigned>(fur_ceil_div(s->slices * SELL_ROWS, SELL_BLOCK));
}

#endif
