// Forms the leaders: the rows of C that do not follow from another row. It finds their distinct
// columns in ascending order, and the position in the row of each product. The method depends on
// the number of products. Few products are sorted in the registers of some lanes. More products go
// through a hash table in shared memory, and the distinct columns are sorted in the registers of a
// warp. For many products, a block marks columns in a bit set in shared memory, which gives them in
// order. If a row is wider than the set, it is processed in several passes.
#include "spgemm.cuh"

#include <stdint.h>

#define SORT_BLOCK 128
// Lanes that copy a row.
#define COPY_LANES 8
#define MARK_BLOCK 256

namespace
{

// The arguments of a launch.
struct forming {
    fur_rows a;
    fur_rows b;
    const int32_t *list;
    unsigned count;
    const fur_spgemm_range *ranges;
    int64_t *starts;
    int32_t *columns; // of C; null while rows are counted
    int32_t *formed;
    const int64_t *place_start;
    void *places;
};

// Sorts the numbers of a warp, each * 32 of them (bitonic sort, Batcher 1968). Lane l has numbers
// 32 j + l.
template <int each> __device__ void sort_by_warp(int32_t (&number)[each], int lane)
{
#pragma unroll
    for (int size = 2; size <= FUR_WARP * each; size *= 2)
#pragma unroll
        for (int half = size / 2; half > 0; half /= 2)
#pragma unroll
            for (int j = 0; j < each; j++) {
                bool rises = ((FUR_WARP * j + lane) & size) == 0;
                if (half < FUR_WARP) {
                    int32_t other = __shfl_xor_sync(~0U, number[j], half);
                    bool keeps_small = ((lane & half) == 0) == rises;
                    number[j] = keeps_small ? min(number[j], other) : max(number[j], other);
                } else if ((j & half / FUR_WARP) == 0) {
                    int32_t x = number[j];
                    int32_t &other = number[j | half / FUR_WARP];
                    number[j] = rises ? min(x, other) : max(x, other);
                    other = rises ? max(x, other) : min(x, other);
                }
            }
}

// Sorts one number of each lane in a group. Afterwards, they ascend from lane to lane.
template <int lanes, class Key> __device__ Key sort_by_lanes(Key number, int lane)
{
    for (int size = 2; size <= lanes; size *= 2)
        for (int half = size / 2; half > 0; half /= 2) {
            Key other = __shfl_xor_sync(~0U, number, half, lanes);
            bool keeps_small = ((lane & half) == 0) == ((lane & size) == 0);
            number = (other < number) == keeps_small ? other : number;
        }
    return number;
}

// Returns a product of the row for each lane of a group: its column in the high bits and its number
// in the low bits, or the largest key. The row has at most as many products, and as many entries of
// A, as the group has lanes.
template <int lanes, class Key>
__device__ Key product_of_lane(const forming &f, int64_t row, int lane)
{
    int64_t from = 0;
    int upto = 0; // products of this entry and the entries before it
    int count = 0;
    if (row >= 0 && f.a.start(row) + lane < f.a.start(row + 1)) {
        int32_t k = f.a.columns[f.a.start(row) + lane];
        from = f.b.start(k);
        count = static_cast<int>(f.b.start(k + 1) - from);
    }
    upto = count;
    for (int step = 1; step < lanes; step *= 2) {
        int other = __shfl_up_sync(~0U, upto, step, lanes);
        upto += lane >= step ? other : 0;
    }
    int entry = 0;
    for (int step = lanes / 2; step > 0; step /= 2)
        entry += __shfl_sync(~0U, upto, entry + step - 1, lanes) <= lane ? step : 0;
    int64_t begin = __shfl_sync(~0U, from, entry, lanes);
    int before = __shfl_sync(~0U, upto - count, entry, lanes);
    if (lane >= __shfl_sync(~0U, upto, lanes - 1, lanes))
        return ~Key(0);
    auto column = static_cast<Key>(f.b.columns[begin + (lane - before)]);
    return column * FUR_WARP + static_cast<Key>(lane);
}

// Forms rows with at most as many products as the group has lanes. They are sorted in registers
// (Batcher 1968). Bytes: the columns of A, B and C, and places.
template <int lanes, class Place, class Key>
__global__ void __launch_bounds__(SORT_BLOCK) sort_few(forming f)
{
    unsigned index = (blockIdx.x * SORT_BLOCK + threadIdx.x) / lanes;
    int lane = threadIdx.x % lanes;
    int64_t row = index < f.count ? f.list[index] : -1;
    Key mine = sort_by_lanes<lanes>(product_of_lane<lanes, Key>(f, row, lane), lane);
    Key before = __shfl_up_sync(~0U, mine, 1, lanes);
    bool is_there = mine != ~Key(0);
    bool is_first = is_there && (lane == 0 || before / FUR_WARP != mine / FUR_WARP);
    unsigned firsts = __ballot_sync(~0U, is_first) >> (threadIdx.x % FUR_WARP / lanes * lanes);
    int place = __popc(firsts & (2U << lane) - 1) - 1;
    unsigned all = lanes == FUR_WARP ? ~0U : (1U << lanes % FUR_WARP) - 1;
    if (row >= 0 && lane == 0)
        f.starts[row] = __popc(firsts & all);
    if (is_first)
        f.formed[f.place_start[row] + place] = static_cast<int32_t>(mine / FUR_WARP);
    if (is_there)
        static_cast<Place *>(f.places)[f.place_start[row] + static_cast<int64_t>(mine % FUR_WARP)] =
            static_cast<Place>(place);
}

#define TABLE (2 * FUR_SPGEMM_SORTED)
#define TABLE_BITS 10
static_assert(1 << TABLE_BITS == TABLE, "slots of a table");

// Returns the first slot to try for a column. The search continues with the next slots.
__device__ unsigned first_slot(int32_t column)
{
    return static_cast<unsigned>(column) * 2654435769U >> (32 - TABLE_BITS);
}

// Adds a column to a table and, if it is new, to a list. Returns its slot.
__device__ unsigned note_column(int32_t *table, int32_t *list, int *count, int32_t column)
{
    unsigned slot = first_slot(column);
    int32_t found = atomicCAS(&table[slot], -1, column);
    while (found != -1 && found != column) {
        slot = (slot + 1) % TABLE;
        found = atomicCAS(&table[slot], -1, column);
    }
    if (found == -1)
        list[atomicAdd(count, 1)] = column;
    return slot;
}

// Sorts `count` columns of a list by a warp. Their slots in the table then hold their places.
template <int each>
__device__ void sort_list(const int32_t *list, int count, int32_t *table, int lane, int32_t *sorted)
{
    int32_t column[each];
    unsigned slot[each];
#pragma unroll
    for (int j = 0; j < each; j++)
        column[j] = FUR_WARP * j + lane < count ? list[FUR_WARP * j + lane] : INT32_MAX;
    sort_by_warp(column, lane);
#pragma unroll
    for (int j = 0; j < each; j++) {
        bool is_there = FUR_WARP * j + lane < count;
        if (is_there)
            sorted[FUR_WARP * j + lane] = column[j];
        slot[j] = first_slot(column[j]);
        while (is_there && table[slot[j]] != column[j])
            slot[j] = (slot[j] + 1) % TABLE;
    }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < each; j++)
        if (FUR_WARP * j + lane < count)
            table[slot[j]] = FUR_WARP * j + lane;
    __syncwarp();
}

// As above, with as few numbers a lane as possible. The cases are tested in sequence, because
// nested branches need more barriers than the hardware has.
template <int each = 1>
__device__ void sort_any_list(const int32_t *list, int count, int32_t *table, int lane,
                              int32_t *sorted)
{
    if (count <= each * FUR_WARP && (each == 1 || count > each / 2 * FUR_WARP))
        sort_list<each>(list, count, table, lane, sorted);
    if constexpr (each * FUR_WARP < FUR_SPGEMM_SORTED)
        sort_any_list<2 * each>(list, count, table, lane, sorted);
}

// Forms rows of at most FUR_SPGEMM_SORTED products, one warp each. A table removes duplicates, and
// the distinct columns are sorted. Bytes: the columns of A, B and C, and places three times.
template <class Place> __global__ void __launch_bounds__(SORT_BLOCK) sort_rows(forming f)
{
    __shared__ int32_t tables[SORT_BLOCK / FUR_WARP][TABLE];
    __shared__ int32_t lists[SORT_BLOCK / FUR_WARP][FUR_SPGEMM_SORTED];
    __shared__ int counts[SORT_BLOCK / FUR_WARP];
    unsigned index = (blockIdx.x * SORT_BLOCK + threadIdx.x) / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    int32_t *table = tables[threadIdx.x / FUR_WARP];
    int32_t *list = lists[threadIdx.x / FUR_WARP];
    int *count = &counts[threadIdx.x / FUR_WARP];
    if (index >= f.count)
        return;
    int64_t row = f.list[index];
    int64_t start = f.place_start[row];
    Place *places = static_cast<Place *>(f.places) + start;
    for (int i = lane; i < TABLE; i += FUR_WARP)
        table[i] = -1;
    if (lane == 0)
        *count = 0;
    __syncwarp();
    fur_for_products(f.a, f.b, row, lane, [&](int64_t t, int32_t column) {
        places[t] = static_cast<Place>(note_column(table, list, count, column));
    });
    __syncwarp();
    if (lane == 0)
        f.starts[row] = *count;
    sort_any_list(list, *count, table, lane, f.formed + start);
    int products = static_cast<int>(f.place_start[row + 1] - start);
    for (int t = lane; t < products; t += FUR_WARP)
        places[t] = static_cast<Place>(table[places[t]]);
}

// Copies the columns of sorted rows to their positions in C. Bytes: the columns of C twice.
__global__ void __launch_bounds__(SORT_BLOCK) copy_formed(forming f)
{
    unsigned index = (blockIdx.x * SORT_BLOCK + threadIdx.x) / COPY_LANES;
    if (index >= f.count)
        return;
    int64_t row = f.list[index];
    int64_t to = f.starts[row];
    int64_t length = f.starts[row + 1] - to;
    for (int64_t k = threadIdx.x % COPY_LANES; k < length; k += COPY_LANES)
        f.columns[to + k] = f.formed[f.place_start[row] + k];
}

// Returns the sum of `mine` over the previous threads of a block of MARK_BLOCK. *total = the sum
// over all threads.
__device__ int sum_before(int mine, int *total)
{
    __shared__ int sums[MARK_BLOCK / FUR_WARP];
    int lane = threadIdx.x % FUR_WARP;
    int sum = mine;
    for (int step = 1; step < FUR_WARP; step *= 2) {
        int other = __shfl_up_sync(0xffffffffu, sum, step);
        sum += lane >= step ? other : 0;
    }
    __syncthreads();
    if (lane == FUR_WARP - 1)
        sums[threadIdx.x / FUR_WARP] = sum;
    __syncthreads();
    int before = 0;
    *total = 0;
    for (int i = 0; i < MARK_BLOCK / FUR_WARP; i++) {
        before += i < static_cast<int>(threadIdx.x) / FUR_WARP ? sums[i] : 0;
        *total += sums[i];
    }
    return before + sum - mine;
}

// Marks the columns base .. base + width - 1 of a row in an empty set.
__device__ void mark_columns(const forming &f, int64_t row, int64_t base, int64_t width,
                             unsigned *set)
{
    int64_t end = f.a.start(row + 1);
    int warp = threadIdx.x / FUR_WARP;
    for (int64_t e = f.a.start(row) + warp; e < end; e += MARK_BLOCK / FUR_WARP) {
        int64_t stop = f.b.start(f.a.columns[e] + 1);
        int64_t t = f.b.start(f.a.columns[e]) + threadIdx.x % FUR_WARP;
        for (; t < stop; t += FUR_WARP) {
            int64_t at = f.b.columns[t] - base;
            if (at >= 0 && at < width)
                atomicOr(&set[at / 32], 1u << (at % 32));
        }
    }
}

// A warp's share of A's row: entries begin .. end - 1, and the first place of their products.
struct share {
    int64_t begin;
    int64_t end;
    int64_t product;
};

__device__ share share_of(const forming &f, int64_t row)
{
    constexpr int warps = MARK_BLOCK / FUR_WARP;
    __shared__ int64_t sums[warps];
    int warp = threadIdx.x / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    int64_t first = f.a.start(row);
    int64_t entries = f.a.start(row + 1) - first;
    int64_t each = (entries + warps - 1) / warps;
    share s = {first + min(warp * each, entries), first + min((warp + 1) * each, entries),
               f.place_start[row]};
    int64_t mine = 0;
    for (int64_t e = s.begin + lane; e < s.end; e += FUR_WARP)
        mine += f.b.start(f.a.columns[e] + 1) - f.b.start(f.a.columns[e]);
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
        mine += __shfl_down_sync(~0U, mine, half);
    if (lane == 0)
        sums[warp] = mine;
    __syncthreads();
    for (int i = 0; i < warp; i++)
        s.product += sums[i];
    return s;
}

// Sets the places of a warp's products in columns base .. base + width - 1. A place is the number
// of marks before the product's mark. ranks[i] is the number of marks before word i.
template <class Place>
__device__ void place_products(const forming &f, const share &s, int64_t base, int64_t width,
                               const unsigned *set, const unsigned *ranks)
{
    Place *places = static_cast<Place *>(f.places) + s.product;
    for (int64_t e = s.begin; e < s.end; e++) {
        int64_t from = f.b.start(f.a.columns[e]);
        int64_t stop = f.b.start(f.a.columns[e] + 1);
        for (int64_t t = from + threadIdx.x % FUR_WARP; t < stop; t += FUR_WARP) {
            int64_t at = f.b.columns[t] - base;
            if (at >= 0 && at < width)
                places[t - from] =
                    static_cast<Place>(ranks[at / 32] + __popc(set[at / 32] & (1u << at % 32) - 1));
        }
        places += stop - from;
    }
}

// Forms rows of any number of products, one block each. The set has `size` columns. Bytes a pass of
// the row: the columns of A and B, and in the second launch these twice, the columns of C, and
// places.
template <class Place>
__global__ void __launch_bounds__(MARK_BLOCK) mark_rows(forming f, int64_t size)
{
    extern __shared__ unsigned set[];
    unsigned *ranks = set + size / 32;
    int64_t row = f.list[blockIdx.x];
    fur_spgemm_range range = f.ranges[row];
    share own = share_of(f, row);
    int64_t written = 0;
    for (int64_t base = range.first; base <= range.last; base += size) {
        int64_t width = min(size, range.last - base + 1);
        int words = static_cast<int>((width + 31) / 32);
        int each = (words + MARK_BLOCK - 1) / MARK_BLOCK;
        int begin = min(static_cast<int>(threadIdx.x) * each, words);
        int end = min(begin + each, words);
        for (int i = threadIdx.x; i < words; i += MARK_BLOCK)
            set[i] = 0;
        __syncthreads();
        mark_columns(f, row, base, width, set);
        __syncthreads();
        int mine = 0;
        for (int i = begin; i < end; i++)
            mine += __popc(set[i]);
        int total;
        int64_t rank = written + sum_before(mine, &total);
        if (f.columns) {
            int32_t *to = f.columns + f.starts[row] + rank;
            for (int i = begin; i < end; i++) {
                ranks[i] = static_cast<unsigned>(rank);
                rank += __popc(set[i]);
                for (unsigned bits = set[i]; bits; bits &= bits - 1)
                    *to++ = static_cast<int32_t>(base) + 32 * i + __ffs(bits) - 1;
            }
            __syncthreads();
            place_products<Place>(f, own, base, width, set, ranks);
        }
        written += total;
        __syncthreads();
    }
    if (!f.columns && threadIdx.x == 0)
        f.starts[row] = written;
}

// Returns the number of blocks for `lanes` lanes a row.
unsigned blocks_for(const forming &f, int lanes)
{
    return fur_blocks(int64_t(f.count) * lanes, SORT_BLOCK);
}

template <class Place> fur_status launch_marks(fur_env *env, const forming &f, int size)
{
    int bytes = size / 4; // marks and ranks
    auto kernel = mark_rows<Place>;
    FUR_CUDA(env, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<f.count, MARK_BLOCK, bytes, fur_cuda_stream(env)>>>(f, size);
    return fur_cuda_launched(env, "mark columns of a product");
}

template <class Place> fur_status launch_sorts(fur_env *env, const forming &f)
{
    sort_rows<Place><<<blocks_for(f, FUR_WARP), SORT_BLOCK, 0, fur_cuda_stream(env)>>>(f);
    return fur_cuda_launched(env, "sort columns of a product");
}

template <int lanes, class Place>
fur_status launch_few(fur_env *env, const fur_spgemm_state *s, const forming &f)
{
    // If columns are below 2^27 - 1, a 32-bit key has room for the number of a product.
    auto kernel = s->columns < (1 << 27) ? sort_few<lanes, Place, uint32_t>
                                         : sort_few<lanes, Place, uint64_t>;
    kernel<<<fur_blocks(int64_t(f.count) * lanes, SORT_BLOCK), SORT_BLOCK, 0,
             fur_cuda_stream(env)>>>(f);
    return fur_cuda_launched(env, "sort few products");
}

fur_status launch_copy(fur_env *env, const forming &f)
{
    copy_formed<<<blocks_for(f, COPY_LANES), SORT_BLOCK, 0, fur_cuda_stream(env)>>>(f);
    return fur_cuda_launched(env, "copy columns of a product");
}

template <class Place>
fur_status launch_bin(fur_env *env, const fur_spgemm_state *s, int bin, const forming &f)
{
    if (bin < FUR_SPGEMM_SORTED_BINS && f.columns)
        return launch_copy(env, f);
    switch (bin) {
    case FUR_SPGEMM_FEW:
        return launch_few<FUR_SPGEMM_FEW_LANES, Place>(env, s, f);
    case FUR_SPGEMM_SOME:
        return launch_few<FUR_SPGEMM_SOME_LANES, Place>(env, s, f);
    case FUR_SPGEMM_SORT:
        return launch_sorts<Place>(env, f);
    case FUR_SPGEMM_NEAR:
        return launch_marks<Place>(env, f, FUR_SPGEMM_NEAR_COLUMNS);
    case FUR_SPGEMM_WIDE:
        return launch_marks<Place>(env, f, FUR_SPGEMM_WIDE_COLUMNS);
    default:
        return launch_marks<Place>(env, f, FUR_SPGEMM_ALL_COLUMNS);
    }
}

} // namespace

fur_status fur_cuda_spgemm_form(fur_env *env, const fur_spgemm_state *s, fur_rows a, fur_rows b,
                                int32_t *columns)
{
    for (int bin = 0; bin < FUR_SPGEMM_BINS; bin++) {
        const forming f = {
            a,       b,         s->lists + bin * s->rows, s->host.lists[bin], s->ranges, s->starts,
            columns, s->formed, s->place_start,           s->places};
        if (f.count > 0)
            FUR_TRY(s->wide_places() ? launch_bin<uint32_t>(env, s, bin, f)
                                     : launch_bin<uint16_t>(env, s, bin, f));
    }
    return FUR_OK;
}
