// SpMV with rows staged through shared memory: a block takes a tile of consecutive rows, reads
// their entries as one coalesced stream, keeps each beside its x in shared memory, and then adds up
// every row in order, one thread a row. After CSR-stream (Greathouse and Daga 2014), over tiles
// that are equal shares of rows plus entries (Merrill and Garland 2016).
//
// A row of more than one segment of FUR_ROW_SEGMENT entries is added segment by segment, by
// whatever tiles its segments begin in: the last of these to finish adds up the sums of the
// segments in order. So neither one long row nor many empty ones unbalance the blocks, and the
// result has the bits of the reference.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y; 2 n flops.
#include "cost.cuh"
#include "device.cuh"
#include "value.cuh"

#ifndef STREAM_BLOCK
#    define STREAM_BLOCK 128
#endif
#ifndef STREAM_TILE
#    define STREAM_TILE 1024
#endif
#ifndef STREAM_UNROLL
#    define STREAM_UNROLL 4
#endif

#define BLOCK STREAM_BLOCK
// Rows plus entries that begin in a tile.
#define TILE STREAM_TILE
// Loads of a thread that are under way together.
#define UNROLL STREAM_UNROLL
// Segments of one long row that begin in a tile, and long rows that have any there.
#define TILE_SEGMENTS (TILE / FUR_ROW_SEGMENT)
#define TILE_LONG_ROWS (TILE_SEGMENTS + 1)
// The sums of a long row's segments lie from slot offset / SLOT_ENTRIES on: a row of over one
// segment, k in all, has over (k - 1) FUR_ROW_SEGMENT entries, so that slots of two rows never
// meet.
#define SLOT_ENTRIES (FUR_ROW_SEGMENT / 2)
#define NO_SKEW 31

namespace
{

struct stream {
    int64_t tiles;
    int32_t *first_row; // of a tile; tiles + 1
    int skew;           // see place
    int64_t capacity;   // entries staged at most
    // With long rows only: by slot, the sums of segments and how many have arrived, 0 between
    // products.
    void *sums;
    unsigned *arrived;
};

// A matrix and a product with it, typed.
template <class Value, class Offset> struct product {
    const Offset *offsets;
    const int32_t *columns;
    const Value *values;
    const Value *x;
    Value *y;
    fur_finish<Value> finish;
    const int32_t *first_row;
    int skew;
    Value *sums;
    unsigned *arrived;
};

// An entry and what it is multiplied by.
template <class Value> struct alignas(2 * sizeof(Value) < 16 ? 2 * sizeof(Value) : 16) staged {
    Value value;
    Value x;
};

// Where entry i of a tile is staged. Threads read a row's length apart: where that is a multiple of
// 2^skew, one unused place every 2^skew entries keeps them in different banks.
__device__ int place(int i, int skew)
{
    return i + (i >> skew);
}

template <class Value, class Offset>
__device__ void stage(const product<Value, Offset> &p, Offset begin, int count, staged<Value> *to)
{
    const int32_t *columns = p.columns + begin;
    const Value *values = p.values + begin;
    for (int first = threadIdx.x; first < count; first += BLOCK * UNROLL) {
        int32_t column[UNROLL];
        staged<Value> entry[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int i = first + u * BLOCK;
            if (i < count) {
                column[u] = fur_stream(columns + i);
                entry[u].value = fur_stream(values + i);
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (first + u * BLOCK < count)
                entry[u].x = p.x[column[u]];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (first + u * BLOCK < count)
                to[place(first + u * BLOCK, p.skew)] = entry[u];
    }
}

// The sum of staged entries begin .. end-1, in order.
template <class Value>
__device__ Value sum_staged(const staged<Value> *from, int begin, int end, int skew)
{
    Value sum = fur_zero<Value>();
    for (int i = begin; i < end; i++) {
        staged<Value> entry = from[place(i, skew)];
        sum = fur_fma(entry.value, entry.x, sum);
    }
    return sum;
}

// A tile of rows of one segment each.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK) multiply_short(product<Value, Offset> p)
{
    extern __shared__ double2 memory[];
    auto tile = reinterpret_cast<staged<Value> *>(memory);
    int32_t first = p.first_row[blockIdx.x];
    int32_t last = p.first_row[blockIdx.x + 1];
    Offset base = p.offsets[first];
    int32_t row = first + static_cast<int32_t>(threadIdx.x);
    int begin = row < last ? static_cast<int>(p.offsets[row] - base) : 0;
    int end = row < last ? static_cast<int>(p.offsets[row + 1] - base) : 0;

    stage(p, base, static_cast<int>(p.offsets[last] - base), tile);
    __syncthreads();
    while (row < last) {
        p.finish(sum_staged(tile, begin, end, p.skew), &p.y[row]);
        row += BLOCK;
        if (row < last) {
            begin = static_cast<int>(p.offsets[row] - base);
            end = static_cast<int>(p.offsets[row + 1] - base);
        }
    }
}

// A long row's share of a tile: segments first .. first + count - 1 of all.
struct long_row {
    int32_t row;
    int first;
    int count;
    int all;
};

__device__ int ceil_segments(int64_t entries)
{
    return static_cast<int>((entries + FUR_ROW_SEGMENT - 1) / FUR_ROW_SEGMENT);
}

// The segments of a row that begin in the tile that starts at merged position `from`, the merged
// position of an entry being its own number plus that of its row.
template <class Offset>
__device__ long_row share_of(const Offset *offsets, int32_t row, int64_t from)
{
    int64_t begin = static_cast<int64_t>(offsets[row]) + row;
    int all = ceil_segments(static_cast<int64_t>(offsets[row + 1]) - offsets[row]);
    int first = begin < from ? ceil_segments(from - begin) : 0;
    int end = min(all, ceil_segments(from + TILE - begin));
    return {row, first, max(end - first, 0), all};
}

template <class Offset> __device__ bool is_long(const Offset *offsets, int32_t row)
{
    return offsets[row + 1] - offsets[row] > FUR_ROW_SEGMENT;
}

// What the threads of a block with long rows share.
template <class Value> struct shares {
    int rows;
    long_row row[TILE_LONG_ROWS];
    Value sum[TILE_LONG_ROWS][TILE_SEGMENTS];
    bool last[TILE_LONG_ROWS]; // the row's other segments have all arrived before
};

template <class Value> __device__ void add_share(shares<Value> *s, long_row share)
{
    if (share.count > 0)
        s->row[atomicAdd(&s->rows, 1)] = share;
}

// Sums the segments of the long rows from the staged entries, which begin at `base`.
template <class Value, class Offset>
__device__ void sum_segments(const product<Value, Offset> &p, Offset base,
                             const staged<Value> *tile, shares<Value> *s)
{
    for (int i = threadIdx.x; i < s->rows * TILE_SEGMENTS; i += BLOCK) {
        long_row r = s->row[i / TILE_SEGMENTS];
        int segment = i % TILE_SEGMENTS;
        if (segment >= r.count)
            continue;
        Offset begin = p.offsets[r.row] + static_cast<Offset>(r.first + segment) * FUR_ROW_SEGMENT;
        Offset end = p.offsets[r.row + 1];
        if (end - begin > FUR_ROW_SEGMENT)
            end = begin + FUR_ROW_SEGMENT;
        s->sum[i / TILE_SEGMENTS][segment] =
            sum_staged(tile, static_cast<int>(begin - base), static_cast<int>(end - base), p.skew);
    }
}

// Finishes a row whose segments are all in this tile; hands on the sums of one that has others.
template <class Value, class Offset>
__device__ void hand_on(const product<Value, Offset> &p, shares<Value> *s, int i)
{
    long_row r = s->row[i];
    s->last[i] = false;
    if (r.count == r.all) {
        Value sum = s->sum[i][0];
        for (int segment = 1; segment < r.count; segment++)
            sum = fur_add(sum, s->sum[i][segment]);
        p.finish(sum, &p.y[r.row]);
        return;
    }
    int64_t slot = p.offsets[r.row] / SLOT_ENTRIES;
    for (int segment = 0; segment < r.count; segment++)
        p.sums[slot + r.first + segment] = s->sum[i][segment];
    __threadfence();
    unsigned count = static_cast<unsigned>(r.count);
    if (atomicAdd(&p.arrived[slot], count) + count == static_cast<unsigned>(r.all)) {
        __threadfence();
        p.arrived[slot] = 0;
        s->last[i] = true;
    }
}

// Adds up the segments of a row in order. All threads fetch, one adds.
template <class Value, class Offset>
__device__ void add_up(const product<Value, Offset> &p, long_row r, Value *buffer)
{
    const Value *sums = p.sums + p.offsets[r.row] / SLOT_ENTRIES;
    Value total = fur_zero<Value>();
    for (int begin = 0; begin < r.all; begin += TILE) {
        int count = min(TILE, r.all - begin);
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += BLOCK)
            buffer[i] = fur_from_l2(&sums[begin + i]);
        __syncthreads();
        if (threadIdx.x == 0) {
            int i = begin == 0 ? 1 : 0;
            total = begin == 0 ? buffer[0] : total;
            for (; i < count; i++)
                total = fur_add(total, buffer[i]);
        }
    }
    if (threadIdx.x == 0)
        p.finish(total, &p.y[r.row]);
}

// A tile with rows of any length. The staged entries are one range: from the first segment that
// begins in the tile to the end of the last.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK) multiply_any(product<Value, Offset> p)
{
    extern __shared__ double2 memory[];
    __shared__ shares<Value> shared;
    auto tile = reinterpret_cast<staged<Value> *>(memory);
    int64_t from = blockIdx.x * int64_t(TILE);
    int32_t first = p.first_row[blockIdx.x];
    int32_t last = p.first_row[blockIdx.x + 1];
    Offset base = p.offsets[first];
    Offset stop = p.offsets[last];

    if (threadIdx.x == 0)
        shared.rows = 0;
    __syncthreads();
    if (first > 0 && is_long(p.offsets, first - 1)) {
        long_row entering = share_of(p.offsets, first - 1, from);
        if (threadIdx.x == 0)
            add_share(&shared, entering);
        if (entering.count > 0)
            base = p.offsets[first - 1] + static_cast<Offset>(entering.first) * FUR_ROW_SEGMENT;
    }
    int32_t ending = last - 1;
    if (ending >= 0 && is_long(p.offsets, ending)) {
        long_row leaving = share_of(p.offsets, ending, from);
        if (leaving.first + leaving.count < leaving.all)
            stop = p.offsets[ending] +
                   static_cast<Offset>(leaving.first + leaving.count) * FUR_ROW_SEGMENT;
    }
    if (stop > base)
        stage(p, base, static_cast<int>(stop - base), tile);
    __syncthreads();
    for (int32_t row = first + static_cast<int32_t>(threadIdx.x); row < last; row += BLOCK) {
        if (is_long(p.offsets, row))
            add_share(&shared, share_of(p.offsets, row, from));
        else
            p.finish(sum_staged(tile, static_cast<int>(p.offsets[row] - base),
                                static_cast<int>(p.offsets[row + 1] - base), p.skew),
                     &p.y[row]);
    }
    __syncthreads();
    sum_segments(p, base, tile, &shared);
    __syncthreads();
    if (threadIdx.x < shared.rows)
        hand_on(p, &shared, static_cast<int>(threadIdx.x));
    __syncthreads();
    for (int i = 0; i < shared.rows; i++)
        if (shared.last[i])
            add_up(p, shared.row[i], reinterpret_cast<Value *>(memory));
}

// first_row[t]: the first row whose merged position is not before tile t.
template <class Offset>
__global__ void find_tiles(int64_t rows, const Offset *offsets, int64_t tiles, int32_t *first_row)
{
    int64_t tile = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (tile > tiles)
        return;
    int64_t low = 0;
    for (int64_t count = rows; count > 0;) {
        int64_t half = count / 2;
        bool before = low + half + static_cast<int64_t>(offsets[low + half]) < tile * TILE;
        low = before ? low + half + 1 : low;
        count = before ? count - half - 1 : half;
    }
    first_row[tile] = static_cast<int32_t>(low);
}

// Rows of one length that is a multiple of 4 would meet in a few banks.
int skew_for(const fur_csr_statistics &rows)
{
    int64_t length = rows.row_max;
    if (length == 0 || length % 4 != 0 || rows.row_mean < 0.9 * static_cast<double>(length))
        return NO_SKEW;
    int skew = 2;
    while (length % (int64_t(2) << skew) == 0)
        skew++;
    return skew;
}

// Entries that begin in a tile take its place with their rows; the last row reaches over its end.
int64_t capacity_for(const fur_csr_statistics &rows, int skew)
{
    int64_t longest = rows.row_max < FUR_ROW_SEGMENT ? rows.row_max : FUR_ROW_SEGMENT;
    int64_t entries = TILE + longest;
    if (rows.row_max <= FUR_ROW_SEGMENT)
        entries = entries * longest / (longest + 1) + 1;
    return entries + (entries >> skew);
}

fur_status allocate(fur_env *env, const fur_csr_view *a, bool long_rows, stream *s)
{
    FUR_TRY(fur_cuda_allocate(env, s->tiles + 1, sizeof *s->first_row, &s->first_row));
    if (!long_rows)
        return FUR_OK;
    int64_t slots = a->entries / SLOT_ENTRIES + 1;
    FUR_TRY(fur_cuda_allocate(env, slots, fur_value_size(a->value), &s->sums));
    FUR_TRY(fur_cuda_allocate(env, slots, sizeof *s->arrived, &s->arrived));
    return fur_cuda_clear(env, s->arrived, slots * static_cast<int64_t>(sizeof *s->arrived));
}

fur_status cut(fur_env *env, const fur_csr_view *a, const stream *s)
{
    if (s->tiles == 0)
        return FUR_OK;
    auto blocks = static_cast<unsigned>(fur_ceil_div(s->tiles + 1, BLOCK));
    if (a->offset == FUR_I32)
        find_tiles<<<blocks, BLOCK, 0, fur_cuda_stream(env)>>>(
            a->rows, static_cast<const int32_t *>(a->offsets), s->tiles, s->first_row);
    else
        find_tiles<<<blocks, BLOCK, 0, fur_cuda_stream(env)>>>(
            a->rows, static_cast<const int64_t *>(a->offsets), s->tiles, s->first_row);
    return fur_cuda_launched(env, "spmv stream: find tiles");
}

void release(fur_env *env, void *state)
{
    auto s = static_cast<stream *>(state);
    if (!s)
        return;
    fur_cuda_release(env, s->first_row);
    fur_cuda_release(env, s->sums);
    fur_cuda_release(env, s->arrived);
    fur_env_release(env, s);
}

fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile, void **state)
{
    stream *s;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *s, &s));
    s->tiles = a->rows == 0 ? 0 : fur_ceil_div(a->rows + a->entries, TILE);
    s->skew = skew_for(profile->rows);
    s->capacity = capacity_for(profile->rows, s->skew);
    fur_status status = allocate(env, a, profile->rows.row_max > FUR_ROW_SEGMENT, s);
    if (status == FUR_OK)
        status = cut(env, a, s);
    if (status == FUR_OK)
        *state = s;
    else
        release(env, s);
    return status;
}

template <class Value, class Offset>
product<Value, Offset> product_of(const fur_spmv_call *call, const stream *s)
{
    const fur_csr_view *a = call->a;
    return {static_cast<const Offset *>(a->offsets),
            a->columns,
            static_cast<const Value *>(a->values),
            static_cast<const Value *>(call->x),
            static_cast<Value *>(call->y),
            fur_finish<Value>(call),
            s->first_row,
            s->skew,
            static_cast<Value *>(s->sums),
            s->arrived};
}

fur_status apply(const fur_spmv_call *call)
{
    auto s = static_cast<const stream *>(call->state);
    if (s->tiles == 0)
        return FUR_OK;
    return fur_with_types(call->a, [&](auto value, auto offset) {
        using Value = decltype(value);
        using Offset = decltype(offset);
        auto kernel = s->arrived ? multiply_any<Value, Offset> : multiply_short<Value, Offset>;
        size_t bytes = static_cast<size_t>(s->capacity) * sizeof(staged<Value>);
        kernel<<<static_cast<unsigned>(s->tiles), BLOCK, bytes, fur_cuda_stream(call->env)>>>(
            product_of<Value, Offset>(call, s));
        return fur_cuda_launched(call->env, "spmv stream");
    });
}

fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *)
{
    fur_spmv_cost c = fur_cuda_csr_cost(a, 1.1);
    c.plan_ns = 2 * FUR_LAUNCH_NS + 0.2 * c.product_ns;
    return c;
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_stream = {
    "stream",
    "tiles of rows staged through shared memory, then one thread a row",
    "Greathouse, Daga 2014",
    true, // exact
    cost,
    plan,
    apply,
    release,
    nullptr, // matrix_bytes
};
