// SpMV with rows staged in shared memory. A block takes a tile of consecutive rows and reads their
// entries as one coalesced stream. It stores each entry and its x in shared memory. Then one thread
// adds up each row in order. After CSR-stream (Greathouse and Daga 2014). The tiles are equal
// shares of rows plus entries (Merrill and Garland 2016).
//
// A row of more than one segment of FUR_ROW_SEGMENT entries is added segment by segment, with one
// thread for each lane. Each segment belongs to the tile in which it begins. The last of these
// tiles to finish adds up the segment sums. Therefore neither a long row nor many empty rows
// unbalance the blocks, and the result has the bits of the reference.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y; 2 n flops.
//
// Tried on an H200: adding long rows by warp shuffles was slower on three of four matrices, because
// two shuffles take longer than a load from shared memory.
#include "cost.cuh"
#include "spmv.cuh"

#define BLOCK 128
// Blocks that should fit on a multiprocessor.
#define RESIDENT 8
// Rows plus entries that begin in a tile. Small matrices have smaller tiles, so that they fill the
// device.
#define TILE 1024
#define SMALL_TILE 512
#define SMALL_MATRIX (1 << 20)
// Entries that a thread loads together; half as many for 16-byte entries.
#define UNROLL 8
// Rows of at most WHOLE entries are not cut. Small tiles have room for longer rows, except for
// 16-byte entries.
#define WHOLE (3 * FUR_ROW_SEGMENT)
#define SMALL_WHOLE (8 * FUR_ROW_SEGMENT)
// The most segments of one long row that begin in a tile, and the most long rows with such
// segments.
#define TILE_SEGMENTS (TILE / FUR_ROW_SEGMENT)
#define TILE_LONG_ROWS (TILE_SEGMENTS + 1)
// The segment sums of a long row are stored from slot offset / SLOT_ENTRIES on. A row of k > 1
// segments has more than (k - 1) FUR_ROW_SEGMENT entries, so that the slots of two rows never
// overlap.
#define SLOT_ENTRIES (FUR_ROW_SEGMENT / 2)
#define NO_SKEW 31
// Entries that a thread reads from shared memory together.
#define FETCH 4

namespace
{

// The beginning of a tile: its first row and its first entry. The entries of a segment belong to
// the tile in which the segment begins.
struct start {
    int32_t row;
    int64_t entry;
};

// The rules by which a matrix is cut.
struct cutting {
    int tile;  // rows plus entries that begin in each tile
    int whole; // entries of the longest row that is not cut
};

// The plan: A cut into tiles of equal work.
struct stream {
    int64_t tiles;
    cutting cut;
    start *starts;    // the beginnings of the tiles, and the end; tiles + 1
    int skew;         // see place()
    int64_t capacity; // the most staged entries
    // For matrices with long rows, by slot: the segment sums, and the number of segments that have
    // arrived, which is 0 between products.
    void *sums;
    unsigned *arrived;
};

// The product, and how its matrix is cut.
template <class Value, class Offset> struct product : fur_spmv_operands<Value, Offset> {
    const start *starts;
    cutting cut;
    int skew;
    Value *sums;
    unsigned *arrived;

    product(const fur_spmv_operands<Value, Offset> &p, const stream *s)
        : fur_spmv_operands<Value, Offset>(p), starts(s->starts), cut(s->cut), skew(s->skew),
          sums(static_cast<Value *>(s->sums)), arrived(s->arrived)
    {
    }
};

// An entry and the x by which it is multiplied.
template <class Value> struct alignas(2 * sizeof(Value) < 16 ? 2 * sizeof(Value) : 16) staged {
    Value value;
    Value x;
};

// Returns the position where entry i of a tile is staged. Threads read positions a row length
// apart. If this length is a multiple of 2^skew, one unused position after every 2^skew entries
// keeps the threads in different banks.
__device__ int place(int i, int skew)
{
    return i + (i >> skew);
}

// Stages `count` entries. Loads past the end repeat the last entry. Without a condition, all loads
// are issued before the first is waited for.
template <class Value, class Offset>
__device__ void stage(const product<Value, Offset> &p, int64_t begin, int count, staged<Value> *to)
{
    constexpr int unroll = sizeof(Value) > 8 ? UNROLL / 2 : UNROLL;
    const int32_t *columns = p.columns + begin;
    const Value *values = p.values + begin;
    for (int first = threadIdx.x; first < count; first += BLOCK * unroll) {
        int32_t column[unroll];
        staged<Value> entry[unroll];
#pragma unroll
        for (int u = 0; u < unroll; u++)
            column[u] = fur_stream(columns + min(first + u * BLOCK, count - 1));
#pragma unroll
        for (int u = 0; u < unroll; u++)
            entry[u].value = fur_stream(values + min(first + u * BLOCK, count - 1));
#pragma unroll
        for (int u = 0; u < unroll; u++)
            entry[u].x = p.x[column[u]];
#pragma unroll
        for (int u = 0; u < unroll; u++)
            if (first + u * BLOCK < count)
                to[place(first + u * BLOCK, p.skew)] = entry[u];
    }
}

// Returns the sum of staged entries begin, begin + step, ... before `end`, in order. Several
// entries are read at a time.
template <int step, class Value, class Place>
__device__ Value sum_placed(const staged<Value> *from, int begin, int end, Place place)
{
    Value sum = fur_zero<Value>();
    int i = begin;
    for (; i + (FETCH - 1) * step < end; i += FETCH * step) {
        staged<Value> entry[FETCH];
#pragma unroll
        for (int u = 0; u < FETCH; u++)
            entry[u] = from[place(i + u * step)];
#pragma unroll
        for (int u = 0; u < FETCH; u++)
            sum = fur_fma(entry[u].value, entry[u].x, sum);
    }
    for (; i < end; i += step) {
        staged<Value> entry = from[place(i)];
        sum = fur_fma(entry.value, entry.x, sum);
    }
    return sum;
}

// Without a skew, an entry's position is its index, and nothing has to be computed.
template <class Value>
__device__ Value sum_staged(const staged<Value> *from, int begin, int end, int skew)
{
    return skew == NO_SKEW
               ? sum_placed<1>(from, begin, end, [](int i) { return i; })
               : sum_placed<1>(from, begin, end, [skew](int i) { return place(i, skew); });
}

// Multiplies a tile of rows of one segment each.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK, RESIDENT) multiply_short(product<Value, Offset> p)
{
    extern __shared__ double2 memory[];
    auto tile = reinterpret_cast<staged<Value> *>(memory);
    start from = p.starts[blockIdx.x];
    start to = p.starts[blockIdx.x + 1];
    int64_t row = from.row + int64_t(threadIdx.x);
    int begin = row < to.row ? static_cast<int>(p.offsets[row] - from.entry) : 0;
    int end = row < to.row ? static_cast<int>(p.offsets[row + 1] - from.entry) : 0;

    stage(p, from.entry, static_cast<int>(to.entry - from.entry), tile);
    __syncthreads();
    while (row < to.row) {
        p.finish(sum_staged(tile, begin, end, p.skew), &p.y[row]);
        row += BLOCK;
        if (row < to.row) {
            begin = static_cast<int>(p.offsets[row] - from.entry);
            end = static_cast<int>(p.offsets[row + 1] - from.entry);
        }
    }
}

// A tile's share of a long row: `count` of its `all` segments, from segment `first` on. The first
// of them is staged from `begin` on. `end` is the position after the row's last entry, even if that
// is outside the tile.
struct long_row {
    int32_t row;
    int first;
    int count;
    int all;
    int begin;
    int end;
};

// Returns the share of a row in the tile whose merged positions begin at `merged`, and whose
// entries begin at `base`. The merged position of an entry is its index plus the index of its row.
// A row that is not cut belongs to the tile in which it begins.
template <class Offset>
__device__ long_row share_of(const Offset *offsets, int64_t row, cutting cut, int64_t merged,
                             int64_t base)
{
    int64_t begin = offsets[row];
    int64_t length = offsets[row + 1] - begin;
    int64_t ahead = merged - (begin + row);
    int all = fur_ceil_segments(length);
    int first = ahead > 0 ? fur_ceil_segments(ahead) : 0;
    int end = length > cut.whole ? min(all, fur_ceil_segments(ahead + cut.tile)) : all;
    int64_t staged = begin + int64_t(first) * FUR_ROW_SEGMENT - base;
    int64_t rest = length - int64_t(first) * FUR_ROW_SEGMENT;
    return {
        static_cast<int32_t>(row), first,
        max(end - first, 0),       all,
        static_cast<int>(staged),  static_cast<int>(staged + min(rest, int64_t(INT32_MAX / 2)))};
}

// The shared data of a block with long rows.
template <class Value> struct shares {
    int rows;
    int open; // rows with segments in other tiles
    long_row row[TILE_LONG_ROWS];
    Value sum[TILE_LONG_ROWS][TILE_SEGMENTS];
    bool last[TILE_LONG_ROWS]; // the row's other segments have all arrived
};

// Records the block's share of a long row, if it has one.
template <class Value> __device__ void add_share(shares<Value> *s, long_row share)
{
    if (share.count == 0)
        return;
    s->row[atomicAdd(&s->rows, 1)] = share;
    if (share.count < share.all)
        atomicAdd(&s->open, 1);
}

// Lists the long rows that have segments in this tile. Entries before the first row's entries
// belong to the row before it.
template <class Value, class Offset>
__device__ void list_long_rows(const product<Value, Offset> &p, int64_t merged, start from,
                               int32_t end, shares<Value> *s)
{
    if (threadIdx.x == 0 && from.entry < p.offsets[from.row])
        add_share(s, share_of(p.offsets, from.row - 1, p.cut, merged, from.entry));
    for (int64_t row = from.row + int64_t(threadIdx.x); row < end; row += BLOCK)
        if (p.offsets[row + 1] - p.offsets[row] > FUR_ROW_SEGMENT)
            add_share(s, share_of(p.offsets, row, p.cut, merged, from.entry));
}

// Sums the rows of one segment, one thread each.
template <class Value, class Offset>
__device__ void sum_short_rows(const product<Value, Offset> &p, start from, int32_t end,
                               const staged<Value> *tile)
{
    for (int64_t row = from.row + int64_t(threadIdx.x); row < end; row += BLOCK) {
        int64_t first = p.offsets[row];
        int length = static_cast<int>(p.offsets[row + 1] - first);
        int begin = static_cast<int>(first - from.entry);
        if (length <= FUR_ROW_SEGMENT)
            p.finish(sum_staged(tile, begin, begin + length, p.skew), &p.y[row]);
    }
}

// Sums the segments of long rows, with one thread for each lane. The sums go to shared memory if
// all segments of the row are in this tile. The last threads take segments first, because the first
// threads have short rows. There is no skew if a matrix has long rows.
template <class Value, class Offset>
__device__ void sum_segments(const product<Value, Offset> &p, const staged<Value> *tile,
                             shares<Value> *s)
{
    constexpr int groups = BLOCK / FUR_ROW_LANES;
    int lane = static_cast<int>(threadIdx.x % FUR_ROW_LANES);
    for (int first = 0; first < s->rows * TILE_SEGMENTS; first += groups) {
        int i = first + groups - 1 - static_cast<int>(threadIdx.x) / FUR_ROW_LANES;
        int segment = i % TILE_SEGMENTS;
        bool there = i / TILE_SEGMENTS < s->rows && segment < s->row[i / TILE_SEGMENTS].count;
        Value sum = fur_zero<Value>();
        long_row r = {};
        if (there) {
            r = s->row[i / TILE_SEGMENTS];
            int begin = r.begin + segment * FUR_ROW_SEGMENT;
            int end = min(r.end, begin + FUR_ROW_SEGMENT);
            sum = sum_placed<FUR_ROW_LANES>(tile, begin + lane, end, [](int at) { return at; });
        }
        sum = fur_fold_lanes(sum, FUR_ROW_LANES);
        if (!there || lane > 0)
            continue;
        if (r.count == r.all)
            s->sum[i / TILE_SEGMENTS][segment] = sum;
        else
            p.sums[p.offsets[r.row] / SLOT_ENTRIES + r.first + segment] = sum;
    }
}

// Finishes a row whose segments are all in this tile. For other rows, counts the segments that have
// arrived. The barrier before this call and the fence here let the last tile see all sums.
template <class Value, class Offset>
__device__ void settle(const product<Value, Offset> &p, shares<Value> *s, int i)
{
    long_row r = s->row[i];
    s->last[i] = false;
    if (r.count == r.all) {
        static_assert(TILE_SEGMENTS <= FUR_ROW_LANES, "a sum a lane");
        Value lane[FUR_ROW_LANES];
#pragma unroll
        for (int l = 0; l < FUR_ROW_LANES; l++)
            lane[l] = l < r.count ? fur_add(fur_zero<Value>(), s->sum[i][l]) : fur_zero<Value>();
        p.finish(fur_fold(lane), &p.y[r.row]);
        return;
    }
    int64_t slot = p.offsets[r.row] / SLOT_ENTRIES;
    __threadfence();
    unsigned count = static_cast<unsigned>(r.count);
    if (atomicAdd(&p.arrived[slot], count) + count == static_cast<unsigned>(r.all)) {
        __threadfence();
        p.arrived[slot] = 0;
        s->last[i] = true;
    }
}

// Returns the tile of this block, alternately from either end of the matrix. Dense rows take
// longest to finish, and are mostly the first or the last rows.
__device__ unsigned next_tile()
{
    return blockIdx.x % 2 ? gridDim.x - 1 - blockIdx.x / 2 : blockIdx.x / 2;
}

// Multiplies a tile with rows of any length.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK, RESIDENT) multiply_any(product<Value, Offset> p)
{
    extern __shared__ double2 memory[];
    __shared__ shares<Value> shared;
    auto tile = reinterpret_cast<staged<Value> *>(memory);
    unsigned number = next_tile();
    start from = p.starts[number];
    start to = p.starts[number + 1];

    if (threadIdx.x == 0)
        shared.rows = shared.open = 0;
    __syncthreads();
    stage(p, from.entry, static_cast<int>(to.entry - from.entry), tile);
    list_long_rows(p, number * int64_t(p.cut.tile), from, to.row, &shared);
    __syncthreads();
    sum_short_rows(p, from, to.row, tile);
    sum_segments(p, tile, &shared);
    __syncthreads();
    if (threadIdx.x < shared.rows)
        settle(p, &shared, static_cast<int>(threadIdx.x));
    if (shared.open == 0)
        return;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x) / FUR_WARP; i < shared.rows; i += BLOCK / FUR_WARP) {
        if (!shared.last[i])
            continue;
        long_row r = shared.row[i];
        Value sum = fur_add_up(p.sums + p.offsets[r.row] / SLOT_ENTRIES, r.all);
        if (threadIdx.x % FUR_WARP == 0)
            p.finish(sum, &p.y[r.row]);
    }
}

// Returns the first row that begins at or after a merged position.
template <class Offset>
__device__ int32_t first_row(int64_t rows, const Offset *offsets, int64_t merged)
{
    int64_t low = 0;
    for (int64_t count = rows; count > 0;) {
        int64_t half = count / 2;
        bool before = low + half + static_cast<int64_t>(offsets[low + half]) < merged;
        low = before ? low + half + 1 : low;
        count = before ? count - half - 1 : half;
    }
    return static_cast<int32_t>(low);
}

// Finds where each tile begins: at the first segment of the previous row that begins in the tile,
// or at the tile's first row if there is no such segment.
template <class Offset>
__global__ void find_starts(int64_t rows, const Offset *offsets, int64_t tiles, cutting cut,
                            start *starts)
{
    int64_t tile = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (tile > tiles)
        return;
    int32_t row = first_row(rows, offsets, tile * cut.tile);
    int64_t entry = offsets[row];
    if (row > 0 && offsets[row] - offsets[row - 1] > cut.whole) {
        long_row entering = share_of(offsets, row - 1, cut, tile * cut.tile, 0);
        entry = min(entry, offsets[row - 1] + int64_t(entering.first) * FUR_ROW_SEGMENT);
    }
    starts[tile] = {row, entry};
}

// Rows whose common length is a multiple of 4 would conflict in a few banks.
int skew_for(const fur_csr_statistics &rows)
{
    int64_t length = rows.row_max;
    bool long_rows = length > FUR_ROW_SEGMENT;
    if (length == 0 || long_rows || length % 4 != 0 ||
        rows.row_mean < 0.9 * static_cast<double>(length))
        return NO_SKEW;
    int skew = 2;
    while (length % (int64_t(2) << skew) == 0)
        skew++;
    return skew;
}

// Returns the most staged entries of a tile. A tile is filled by the rows and entries that begin in
// it, and its last row may extend past its end.
int64_t capacity_for(const fur_csr_statistics &rows, cutting cut, int skew)
{
    int64_t longest = rows.row_max < cut.whole ? rows.row_max : cut.whole;
    int64_t entries = cut.tile + longest;
    if (rows.row_max <= cut.whole)
        entries = entries * longest / (longest + 1) + 1;
    return entries + (entries >> skew);
}

// Allocates the beginnings of the tiles and, for a matrix with long rows, the sums of their
// segments.
fur_status allocate(fur_env *env, const fur_csr_view *a, bool long_rows, stream *s)
{
    FUR_TRY(fur_cuda_allocate(env, s->tiles + 1, sizeof *s->starts, &s->starts));
    if (!long_rows)
        return FUR_OK;
    int64_t slots = a->entries / SLOT_ENTRIES + 1;
    FUR_TRY(fur_cuda_allocate(env, slots, fur_value_size(a->value_type), &s->sums));
    FUR_TRY(fur_cuda_allocate(env, slots, sizeof *s->arrived, &s->arrived));
    return fur_cuda_clear(env, s->arrived, slots * static_cast<int64_t>(sizeof *s->arrived));
}

// Finds where each tile begins.
fur_status cut(fur_env *env, const fur_csr_view *a, const stream *s)
{
    if (s->tiles == 0)
        return FUR_OK;
    return fur_with_offset(a, [&](auto offsets) {
        find_starts<<<fur_blocks(s->tiles + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            a->rows, offsets, s->tiles, s->cut, s->starts);
        return fur_cuda_launched(env, "spmv stream: find starts");
    });
}

void release(fur_env *env, void *state)
{
    auto s = static_cast<stream *>(state);
    fur_cuda_release(env, s->starts);
    fur_cuda_release(env, s->sums);
    fur_cuda_release(env, s->arrived);
    fur_env_release(env, s);
}

fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile, void **state)
{
    return fur_make_state<stream>(env, release, state, [&](stream *s) {
        int64_t size = a->rows + a->entries;
        bool small = size < SMALL_MATRIX;
        s->cut.tile = small ? SMALL_TILE : TILE;
        s->cut.whole = small && fur_value_size(a->value_type) <= 8 ? SMALL_WHOLE : WHOLE;
        s->tiles = a->rows == 0 ? 0 : fur_ceil_div(size, s->cut.tile);
        s->skew = skew_for(profile->rows);
        s->capacity = capacity_for(profile->rows, s->cut, s->skew);
        FUR_TRY(allocate(env, a, profile->rows.row_max > FUR_ROW_SEGMENT, s));
        return cut(env, a, s);
    });
}

// Launches one block for each tile. The kernel for short rows is smaller.
template <class Value, class Offset>
void launch(cudaStream_t on, const stream *s, const fur_spmv_operands<Value, Offset> &p)
{
    auto kernel = s->arrived ? multiply_any<Value, Offset> : multiply_short<Value, Offset>;
    size_t bytes = static_cast<size_t>(s->capacity) * sizeof(staged<Value>);
    kernel<<<static_cast<unsigned>(s->tiles), BLOCK, bytes, on>>>(product<Value, Offset>(p, s));
}

fur_status apply(const fur_spmv_call *call)
{
    auto s = static_cast<const stream *>(call->state);
    if (s->tiles == 0)
        return FUR_OK;
    return fur_with_product(call, [&](auto product) {
        launch(fur_cuda_stream(call->env), s, product);
        return fur_cuda_launched(call->env, "spmv stream");
    });
}

// A tile waits for its beginning, its columns and x. It adds only after all of these have arrived,
// so that no part of this time is hidden.
fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    double shared = profile->rows.row_max > FUR_ROW_SEGMENT ? FUR_SHARED_ROW_NS : 0;
    fur_spmv_cost c = fur_cuda_cost(0, 1.5 * fur_product_bytes(a));
    c.product_ns += 2 * FUR_HOP_NS + shared;
    c.plan_ns = 5e3;
    return c;
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_stream = {
    {"stream", "tiles of rows staged through shared memory, then one thread per row",
     "Greathouse, Daga 2014", true, 0},
    cost,
    nullptr, // work
    plan,
    nullptr, // refresh
    apply,
    release,
    nullptr, // matrix_bytes
};
