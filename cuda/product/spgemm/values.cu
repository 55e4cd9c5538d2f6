// The values of C in Gustavson's order (1978). A team of lanes has a row. It takes the entries of
// A's row one after the other, and divides the row of B among its lanes. The plan has stored the
// place in the row of each product. Therefore nothing is searched, and no column is read. Two lanes
// never have the same place, because no row of B has a column twice. Therefore no atomics are
// needed, and the result has the bits of the CPU. If rows are short and nearly all follow a leader,
// as on grids, each row has one lane. Neighbouring lanes then have the same places, and their
// accesses are contiguous.
//
// Bytes: A; for each entry of A two offsets and the values of B, from the caches; 2 for each
// product if rows do not follow others; offsets and values of C.
#include "lanes.cuh"
#include "spgemm.cuh"

#define BLOCK 256

namespace
{

template <class Value, class Place> struct product {
    fur_rows a;
    fur_rows b;
    const Value *a_values;
    const Value *b_values;
    int64_t rows;
    fur_rows c; // the offsets of C
    Value alpha;
    const int64_t *place_start;
    const Place *places;
    Value *values;
};

// An entry of A, and the row of B that it multiplies.
template <class Value> struct entry {
    Value factor;
    int64_t from;
    int count;
};

template <class Value, class Place>
__device__ entry<Value> read_entry(const product<Value, Place> &p, int64_t e)
{
    int32_t k = p.a.columns[e];
    int64_t from = p.b.start(k);
    return {p.a_values[e], from, static_cast<int>(p.b.start(k + 1) - from)};
}

// Adds the row's products to sums that are 0. Each lane loads an entry of A ahead. It also loads
// its part of the next row of B while it adds the current row.
template <int lanes, class Value, class Place>
__device__ void add_products(const product<Value, Place> &p, int64_t row,
                             const fur_lane_team<lanes> &g, Value *sums)
{
    const Place *places = p.places + p.place_start[row];
    int64_t end = p.a.start(row + 1);
    for (int64_t first = p.a.start(row); first < end; first += lanes) {
        int count = static_cast<int>(min(int64_t(lanes), end - first));
        entry<Value> mine = {};
        if (g.lane < count)
            mine = read_entry(p, first + g.lane);
        entry<Value> next = {g.from(mine.factor, 0), g.from(mine.from, 0), g.from(mine.count, 0)};
        Value next_value = fur_zero<Value>();
        Place next_place = 0;
        if (g.lane < next.count) {
            next_value = p.b_values[next.from + g.lane];
            next_place = places[g.lane];
        }
#pragma unroll 1
        for (int j = 0; j < count; j++) {
            entry<Value> now = next;
            Value value = next_value;
            Place place = next_place;
            int other = min(j + 1, count - 1);
            next = {g.from(mine.factor, other), g.from(mine.from, other),
                    g.from(mine.count, other)};
            if (j + 1 < count && g.lane < next.count) {
                next_value = p.b_values[next.from + g.lane];
                next_place = places[now.count + g.lane];
            }
            if (g.lane < now.count)
                sums[place] = fur_fma(now.factor, value, sums[place]);
#pragma unroll 1
            for (int t = g.lane + lanes; t < now.count; t += lanes)
                sums[places[t]] = fur_fma(now.factor, p.b_values[now.from + t], sums[places[t]]);
            places += now.count;
            g.sync();
        }
    }
}

// Rows of more than `least` and at most `room` entries. Their sums are in shared memory.
template <int lanes, class Value, class Place>
__global__ void __launch_bounds__(BLOCK, 3) sum_short(product<Value, Place> p, int least, int room)
{
    extern __shared__ double2 memory[];
    int64_t row = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) / lanes;
    if (row >= p.rows)
        return;
    int64_t start = p.c.start(row);
    int64_t length = p.c.start(row + 1) - start;
    if (length <= least || length > room)
        return;
    const fur_lane_team<lanes> g;
    Value *sums = reinterpret_cast<Value *>(memory) + threadIdx.x / lanes * room;
    for (int64_t j = g.lane; j < length; j += lanes)
        sums[j] = fur_zero<Value>();
    g.sync();
    add_products(p, row, g, sums);
    for (int64_t j = g.lane; j < length; j += lanes)
        p.values[start + j] = fur_mul(p.alpha, sums[j]);
}

#define ABREAST_BLOCK 128
// The stride between the sums of two places in shared memory. It avoids bank conflicts, both
// between the lanes of a place and between the places of a lane.
#define ABREAST_STRIDE (FUR_WARP + 1)
// The most bytes of the sums of a row.
#define ABREAST_BYTES 384

// Adds the products of an entry, several at a time. Their places are distinct.
template <class Value, class Place>
__device__ void add_entry(const product<Value, Place> &p, const entry<Value> &e,
                          const Place *places, Value *sums)
{
    constexpr int at_once = fur_value_of<Value>::is_complex ? 4 : 8;
    for (int t = 0; t < e.count; t += at_once) {
        Value value[at_once];
        Value *place[at_once];
        Value sum[at_once];
#pragma unroll
        for (int i = 0; i < at_once; i++) {
            int one = min(t + i, e.count - 1);
            value[i] = p.b_values[e.from + one];
            place[i] = sums + places[one] * ABREAST_STRIDE;
        }
#pragma unroll
        for (int i = 0; i < at_once; i++)
            sum[i] = *place[i];
#pragma unroll
        for (int i = 0; i < at_once; i++)
            if (t + i < e.count)
                *place[i] = fur_fma(e.factor, value[i], sum[i]);
    }
}

// Adds the products of a row by one lane, which loads an entry of A ahead.
template <class Value, class Place>
__device__ void add_row(const product<Value, Place> &p, int64_t row, int length, Value *sums)
{
    const Place *places = p.places + p.place_start[row];
    int64_t end = p.a.start(row + 1);
    entry<Value> next = {};
    for (int j = 0; j < length; j++)
        sums[j * ABREAST_STRIDE] = fur_zero<Value>();
    if (length > 0)
        next = read_entry(p, p.a.start(row));
    for (int64_t e = p.a.start(row); e < end; e++) {
        entry<Value> now = next;
        next = read_entry(p, min(e + 1, end - 1));
        add_entry(p, now, places, sums);
        places += now.count;
    }
}

// Rows of at most `room` entries, one lane each. `width` lanes write a row.
template <class Value, class Place>
__global__ void __launch_bounds__(ABREAST_BLOCK)
    sum_abreast(product<Value, Place> p, int room, int width)
{
    extern __shared__ double2 memory[];
    int64_t row = blockIdx.x * int64_t(ABREAST_BLOCK) + threadIdx.x;
    int lane = threadIdx.x % FUR_WARP;
    Value *sums = reinterpret_cast<Value *>(memory) +
                  static_cast<int>(threadIdx.x) / FUR_WARP * room * ABREAST_STRIDE;
    int64_t start = 0;
    int length = 0;
    if (row < p.rows) {
        start = p.c.start(row);
        length = static_cast<int>(p.c.start(row + 1) - start);
        add_row(p, row, length, sums + lane);
    }
    __syncwarp();
    for (int r = lane / width; r < FUR_WARP; r += FUR_WARP / width) {
        int64_t to = __shfl_sync(~0U, start, r);
        int count = __shfl_sync(~0U, length, r);
        for (int j = lane % width; j < count; j += width)
            p.values[to + j] = fur_mul(p.alpha, sums[j * ABREAST_STRIDE + r]);
    }
}

// Longer rows, one block each. The sums are in C.
template <class Value, class Place>
__global__ void __launch_bounds__(BLOCK) sum_long(product<Value, Place> p, const int32_t *list)
{
    int64_t row = list[blockIdx.x];
    Value *sums = p.values + p.c.start(row);
    int64_t length = p.c.start(row + 1) - p.c.start(row);
    const Place *places = p.places + p.place_start[row];
    int64_t end = p.a.start(row + 1);
    for (int64_t j = threadIdx.x; j < length; j += BLOCK)
        sums[j] = fur_zero<Value>();
    __syncthreads();
    for (int64_t e = p.a.start(row); e < end; e++) {
        entry<Value> now = read_entry(p, e);
        for (int t = threadIdx.x; t < now.count; t += BLOCK)
            sums[places[t]] = fur_fma(now.factor, p.b_values[now.from + t], sums[places[t]]);
        places += now.count;
        __syncthreads();
    }
    for (int64_t j = threadIdx.x; j < length; j += BLOCK)
        sums[j] = fur_mul(p.alpha, sums[j]);
}

template <int lanes, class Value, class Place>
fur_status launch_short(fur_env *env, const product<Value, Place> &p, int least, int room)
{
    int bytes = static_cast<int>(sizeof(Value)) * room * (BLOCK / lanes);
    auto kernel = sum_short<lanes, Value, Place>;
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_CUDA(env, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<fur_blocks(p.rows * lanes, BLOCK), BLOCK, bytes, stream>>>(p, least, room);
    return fur_cuda_launched(env, "values of a product");
}

template <class Value, class Place>
fur_status launch_abreast(fur_env *env, const product<Value, Place> &p, int longest)
{
    size_t bytes = sizeof(Value) * ABREAST_STRIDE * (ABREAST_BLOCK / FUR_WARP) * longest;
    int width = 1;
    while (width < longest && width < FUR_WARP)
        width *= 2;
    auto kernel = sum_abreast<Value, Place>;
    FUR_CUDA(env, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)));
    kernel<<<fur_blocks(p.rows, ABREAST_BLOCK), ABREAST_BLOCK, bytes, fur_cuda_stream(env)>>>(
        p, longest, width);
    return fur_cuda_launched(env, "values of like rows of a product");
}

// Returns whether rows are short and nearly all have the places of the row before.
bool are_alike(const fur_spgemm_state *s, double mean, size_t value)
{
    int64_t leaders = 0;
    for (unsigned count : s->host.lists)
        leaders += count;
    return mean <= 8 && s->host.longest * value <= ABREAST_BYTES && leaders * 8 <= s->rows;
}

// Uses about as many lanes as B's rows have entries on average, and a quarter of this for long
// rows, because a step costs all lanes the same. The rows of a block must fit into shared memory.
template <class Value, class Place>
fur_status launch(fur_env *env, const product<Value, Place> &p, double mean, int least, int room)
{
    int64_t row_bytes = int64_t(sizeof(Value)) * room;
    auto fits = [&](int lanes) { return row_bytes * (BLOCK / lanes) <= 48 << 10; };
    if (mean <= 1.5 && fits(1))
        return launch_short<1>(env, p, least, room);
    if (mean <= 3 && fits(2))
        return launch_short<2>(env, p, least, room);
    if (mean <= 5 && fits(4))
        return launch_short<4>(env, p, least, room);
    if (mean <= 32 && fits(8))
        return launch_short<8>(env, p, least, room);
    if (mean <= 64 && fits(16))
        return launch_short<16>(env, p, least, room);
    return launch_short<32>(env, p, least, room);
}

// Launches the short rows and the longer rows separately: the shared memory of longer rows would
// reduce the number of resident blocks.
template <class Value, class Place>
fur_status launch_all(fur_env *env, const product<Value, Place> &p, double mean, int64_t longest)
{
    const int room = FUR_SPGEMM_SHORT / sizeof(Value);
    const int little = room / 8;
    if (longest <= little)
        return launch(env, p, mean, 0, static_cast<int>(longest));
    FUR_TRY(launch(env, p, mean, 0, little));
    return launch(env, p, mean, little, longest < room ? static_cast<int>(longest) : room);
}

template <class Value, class Place>
fur_status apply(fur_env *env, const fur_spgemm_state *s, const fur_csr_view *a,
                 const fur_csr_view *b, fur_scalar alpha, const fur_csr_view *c, void *values)
{
    product<Value, Place> p = {fur_rows(a),
                               fur_rows(b),
                               static_cast<const Value *>(a->values),
                               static_cast<const Value *>(b->values),
                               c->rows,
                               fur_rows(c),
                               fur_from<Value>(alpha),
                               s->place_start,
                               static_cast<const Place *>(s->places),
                               static_cast<Value *>(values)};
    auto longest = static_cast<int64_t>(s->host.longest);
    double mean = static_cast<double>(s->host.products) / static_cast<double>(a->entries);
    if (are_alike(s, mean, sizeof(Value)))
        return launch_abreast(env, p, static_cast<int>(longest));
    FUR_TRY(launch_all(env, p, mean, longest));
    if (s->host.long_rows == 0)
        return FUR_OK;
    sum_long<<<s->host.long_rows, BLOCK, 0, fur_cuda_stream(env)>>>(p, s->long_rows);
    return fur_cuda_launched(env, "values of long rows");
}

} // namespace

// Computes the values of C. Only queues work.
fur_status fur_cuda_spgemm_apply(fur_env *env, const void *state, const fur_csr_view *a,
                                 const fur_csr_view *b, fur_scalar alpha, const fur_csr_view *c,
                                 void *values)
{
    auto s = static_cast<const fur_spgemm_state *>(state);
    if (c->entries == 0)
        return FUR_OK;
    return fur_with_value(c->value_type, [&](auto value) {
        using Value = decltype(value);
        return s->wide_places() ? apply<Value, uint32_t>(env, s, a, b, alpha, c, values)
                                : apply<Value, uint16_t>(env, s, a, b, alpha, c, values);
    });
}
