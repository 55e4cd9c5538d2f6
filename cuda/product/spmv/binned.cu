// SpMV with the rows binned by the logarithm of their lengths, so that the rows of a bin keep the
// same number of threads equally busy: up to a block for each row, and several for the longest. All
// bins are multiplied in one launch. Ashari, Sedaghati, Eisenlohr, Parthasarathy and Sadayappan,
// Fast sparse matrix-vector multiplication on GPUs for graph applications, 2014 (ACSR); the binning
// is what AMD's libraries call logarithmic radix binning.
//
// The products of a row, or of a row's piece, are dealt out to its threads in turn and folded in
// halves; warps, then pieces, are added in order.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, 4 for its place in the order, two entries
// for x and y. 2 n flops, and one for each thread.
#include "arrange.cuh"
#include "lanes.cuh"
#include "spmv.cuh"
#include "ticket.cuh"

#define BLOCK 256
// Longest rows, as logarithms, that get a warp, a block.
#define WARP_BIN 10
#define BLOCK_BIN 13

// One for each lane of a warp: bin b has the rows of 2^(b - 1) + 1 to 2^b entries; the first also
// empty rows, the last whatever is longer.
#define BINS FUR_WARP
#define SORT_BLOCK 128
// Rows that one warp sorts.
#define SORT_TILE 1024

namespace
{

// The bin of a row: lengths up to 1, 2, 4, ...; the last bin has no limit.
__device__ int bin_of(int64_t length)
{
    int bin = length <= 1 ? 0 : 64 - __clzll(length - 1);
    return min(bin, BINS - 1);
}

// The lanes whose bin is the caller's lane number, if they take part.
__device__ unsigned lanes_in_my_bin(int bin, bool takes_part)
{
    int lane = threadIdx.x % FUR_WARP;
    unsigned lanes = __ballot_sync(FUR_ALL_LANES, takes_part);
    for (int bit = 1; bit < BINS; bit *= 2) {
        unsigned set = __ballot_sync(FUR_ALL_LANES, (bin & bit) != 0);
        lanes &= (lane & bit) ? set : ~set;
    }
    return lanes;
}

// A warp goes over the rows of its tile, 32 at a time; lane b counts those of bin b, on from
// places[b * tiles + tile]. Each row is put at its place in order, if there is one; the counts are
// written back.
//
// Bytes a row: an offset, and 4 for the order.
template <class Offset>
__global__ void __launch_bounds__(SORT_BLOCK)
    sort_tiles(int64_t rows, const Offset *offsets, int64_t tiles, int64_t *places, int32_t *order)
{
    int64_t tile = blockIdx.x * int64_t(SORT_BLOCK / FUR_WARP) + threadIdx.x / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    if (tile >= tiles)
        return;
    int64_t *place = &places[lane * tiles + tile];
    int64_t next = *place;
    int64_t end = min((tile + 1) * SORT_TILE, rows);
    for (int64_t first = tile * SORT_TILE; first < end; first += FUR_WARP) {
        int64_t row = first + lane;
        int bin = row < end ? bin_of(int64_t(offsets[row + 1]) - offsets[row]) : 0;
        unsigned mine = lanes_in_my_bin(bin, row < end);
        unsigned peers = __shfl_sync(FUR_ALL_LANES, mine, bin);
        int64_t base = __shfl_sync(FUR_ALL_LANES, next, bin);
        if (order && row < end)
            order[base + __popc(peers & ((1u << lane) - 1))] = static_cast<int32_t>(row);
        next += __popc(mine);
    }
    *place = next;
}

// The bins' first places, of which the tiles' first ones are the starts.
__global__ void bin_starts(int64_t tiles, const int64_t *places, int64_t *starts)
{
    starts[threadIdx.x] = places[threadIdx.x * tiles];
}

// Counts the rows of each bin by tiles, adds up, and puts each row at its place.
template <class Offset>
fur_status sort_rows(fur_env *env, int64_t rows, const Offset *offsets, int64_t *places,
                     int32_t *order, int64_t *starts)
{
    int64_t tiles = fur_ceil_div(rows, SORT_TILE);
    int64_t cells = BINS * tiles;
    int64_t blocks = fur_ceil_div(tiles, SORT_BLOCK / FUR_WARP);
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_TRY(fur_cuda_clear(env, places, cells * static_cast<int64_t>(sizeof *places)));
    sort_tiles<<<blocks, SORT_BLOCK, 0, stream>>>(rows, offsets, tiles, places,
                                                  static_cast<int32_t *>(nullptr));
    FUR_TRY(fur_cuda_launched(env, "counts of the bins"));
    FUR_TRY(fur_exclusive_scan(env, places, cells));
    bin_starts<<<1, BINS, 0, stream>>>(tiles, places, starts);
    FUR_TRY(fur_cuda_launched(env, "starts of the bins"));
    sort_tiles<<<blocks, SORT_BLOCK, 0, stream>>>(rows, offsets, tiles, places, order);
    return fur_cuda_launched(env, "order of the rows");
}

// Fills order with the rows of A, bin after bin, and starts, of BINS + 1 entries on the host,
// with the places where the bins begin and the last one ends.
fur_status bin_rows(fur_env *env, const fur_csr_view *a, int32_t *order, int64_t *starts)
{
    int64_t cells = BINS * fur_ceil_div(a->rows, SORT_TILE);
    int64_t *places;
    for (int bin = 0; bin <= BINS; bin++)
        starts[bin] = a->rows;
    if (a->rows == 0)
        return FUR_OK;
    FUR_TRY(fur_cuda_allocate(env, cells + BINS, sizeof *places, &places));
    int64_t *found = places + cells;
    fur_status status = fur_with_types(a, [&](auto, auto offset) {
        const auto *offsets = static_cast<const decltype(offset) *>(a->offsets);
        return sort_rows(env, a->rows, offsets, places, order, found);
    });
    if (status == FUR_OK)
        status = fur_cuda_copy(env, starts, found, BINS * sizeof *starts);
    fur_cuda_release(env, places);
    return status;
}

// Which threads multiply the rows of a bin.
struct bin {
    int64_t first_block;
    int64_t begin; // its rows in the order
    int64_t end;
    int lanes_log2;  // threads of a row, at most a block
    int pieces_log2; // blocks of a row, if it needs them
};

// How blocks are shared out among the bins.
struct layout {
    bin bins[BINS];
    int count;
    int64_t blocks;
    int64_t shared_begin; // the first row in the order that has several blocks, and its first block
    int64_t shared_block;
};

// The plan.
struct state {
    layout shape;
    int32_t *order;
    void *partials;    // one a block from shared_block on
    unsigned *tickets; // one a row from shared_begin on
};

// Two entries a lane until the warp is full.
int lanes_log2(int log2_length)
{
    if (log2_length > WARP_BIN)
        return 8;
    return log2_length <= 1 ? 0 : log2_length <= 6 ? log2_length - 1 : 5;
}
static_assert(1 << 8 == BLOCK && 1 << 5 == FUR_WARP, "lanes_log2");

// The number of blocks of a bin.
int64_t blocks_of(const bin &b)
{
    int64_t rows = b.end - b.begin;
    return fur_ceil_div(rows << b.lanes_log2, BLOCK) << b.pieces_log2;
}

// Which blocks have which bin, from where the bins begin in the order.
layout lay_out(const int64_t *starts)
{
    layout l = {};
    l.shared_begin = starts[BLOCK_BIN + 1];
    for (int i = 0; i < BINS; i++) {
        if (i == BLOCK_BIN + 1)
            l.shared_block = l.blocks;
        if (starts[i] == starts[i + 1])
            continue;
        bin b = {l.blocks, starts[i], starts[i + 1], lanes_log2(i), 0};
        b.pieces_log2 = i > BLOCK_BIN ? i - BLOCK_BIN : 0;
        l.blocks += blocks_of(b);
        l.bins[l.count++] = b;
    }
    return l;
}

// The sum of a group of 2^lanes_log2 threads, for its first thread. With groups wider than a warp
// all threads of the block must come.
template <class Value> __device__ Value fold(Value sum, int lanes_log2)
{
    __shared__ Value warps[BLOCK / FUR_WARP];
    sum = fur_fold_lanes(sum, min(1 << lanes_log2, FUR_WARP));
    if (1 << lanes_log2 <= FUR_WARP)
        return sum;
    if (threadIdx.x % FUR_WARP == 0)
        warps[threadIdx.x / FUR_WARP] = sum;
    __syncthreads();
    for (int i = 1; threadIdx.x == 0 && i < BLOCK / FUR_WARP; i++)
        sum = fur_add(sum, warps[i]);
    __syncthreads();
    return sum;
}

// A thread's part of the products of a piece.
template <class Value, class Offset>
__device__ Value lane_sum(const fur_product<Value, Offset> &p, int64_t row, int64_t piece,
                          int pieces_log2, int lanes_log2)
{
    int64_t begin = p.offsets[row];
    int64_t length = p.offsets[row + 1] - begin;
    int64_t end = begin + ((length * (piece + 1)) >> pieces_log2);
    int lane = threadIdx.x & ((1 << lanes_log2) - 1);
    Value sum = fur_zero<Value>();
    for (int64_t k = begin + ((length * piece) >> pieces_log2) + lane; k < end;
         k += 1 << lanes_log2)
        sum = fur_fma(fur_stream(&p.values[k]), p.x[fur_stream(&p.columns[k])], sum);
    return sum;
}

// Leaves the sum of a piece for the block that comes last, and finishes the row if that is this
// one. partials: of the row's pieces.
template <class Value, class Offset>
__device__ void join(const fur_product<Value, Offset> &p, int64_t row, Value sum, int64_t piece,
                     int pieces_log2, Value *partials, unsigned *ticket)
{
    __shared__ bool complete;
    if (threadIdx.x == 0) {
        partials[piece] = sum;
        complete = fur_last_to_arrive(ticket, 1u << pieces_log2);
    }
    __syncthreads();
    if (!complete)
        return;
    sum = fur_zero<Value>();
    for (int i = threadIdx.x; i < 1 << pieces_log2; i += BLOCK)
        sum = fur_add(sum, partials[i]);
    sum = fold(sum, 8);
    if (threadIdx.x == 0)
        p.finish(sum, &p.y[row]);
}

// The block finds its bin, then the rows of it that are its own. Bytes and flops a row: above.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK)
    multiply(fur_product<Value, Offset> p, const __grid_constant__ layout l, const int32_t *order,
             Value *partials, unsigned *tickets)
{
    int i = 0;
    while (i + 1 < l.count && blockIdx.x >= l.bins[i + 1].first_block)
        i++;
    const bin &b = l.bins[i];
    int64_t team = ((blockIdx.x - b.first_block) * BLOCK + threadIdx.x) >> b.lanes_log2;
    int64_t piece = team & ((int64_t(1) << b.pieces_log2) - 1);
    int64_t place = b.begin + (team >> b.pieces_log2);
    bool any = place < b.end;
    int64_t row = any ? order[place] : 0;
    Value sum = any ? lane_sum(p, row, piece, b.pieces_log2, b.lanes_log2) : fur_zero<Value>();
    sum = fold(sum, b.lanes_log2);
    if (b.pieces_log2 > 0)
        join(p, row, sum, piece, b.pieces_log2, partials + (blockIdx.x - l.shared_block - piece),
             &tickets[place - l.shared_begin]);
    else if (any && (threadIdx.x & ((1 << b.lanes_log2) - 1)) == 0)
        p.finish(sum, &p.y[row]);
}

// Sorts the rows into bins and allocates the partial sums of shared rows.
fur_status build(fur_env *env, const fur_csr_view *a, state *s)
{
    int64_t starts[BINS + 1];
    FUR_TRY(fur_cuda_allocate(env, a->rows, sizeof *s->order, &s->order));
    FUR_TRY(bin_rows(env, a, s->order, starts));
    s->shape = lay_out(starts);
    int64_t rows = a->rows - s->shape.shared_begin;
    int64_t blocks = s->shape.blocks - s->shape.shared_block;
    FUR_TRY(fur_cuda_allocate(env, blocks, fur_value_size(a->value_type), &s->partials));
    FUR_TRY(fur_cuda_allocate(env, rows, sizeof *s->tickets, &s->tickets));
    return fur_cuda_clear(env, s->tickets, rows * static_cast<int64_t>(sizeof *s->tickets));
}

void release(fur_env *env, void *memory)
{
    state *s = static_cast<state *>(memory);
    fur_cuda_release(env, s->order);
    fur_cuda_release(env, s->partials);
    fur_cuda_release(env, s->tickets);
    fur_env_release(env, s);
}

fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *, void **out)
{
    return fur_make_state<state>(env, release, out, [&](state *s) { return build(env, a, s); });
}

fur_status apply(const fur_spmv_call *call)
{
    const state *s = static_cast<const state *>(call->state);
    if (s->shape.blocks == 0)
        return FUR_OK;
    return fur_with_product(call, [&](auto product) {
        using Value = std::remove_pointer_t<decltype(product.y)>;
        multiply<<<s->shape.blocks, BLOCK, 0, fur_cuda_stream(call->env)>>>(
            product, s->shape, s->order, static_cast<Value *>(s->partials), s->tickets);
        return fur_cuda_launched(call->env, "spmv binned");
    });
}

int64_t matrix_bytes(const fur_csr_view *a, const void *)
{
    return fur_csr_bytes(a) + a->rows * static_cast<int64_t>(sizeof(int32_t));
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_binned = {
    {"binned", "history: rows binned by length, from one lane to several blocks a row",
     "Ashari et al. 2014 (ACSR)", false, 0},
    nullptr, // cost
    nullptr, // work
    plan,
    nullptr, // refresh
    apply,
    release,
    matrix_bytes,
};
