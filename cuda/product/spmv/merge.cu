// SpMV along the merge path. The row ends and the entries are merged into one sequence of steps,
// and every thread takes the same number of steps. Therefore neither a long row nor many empty rows
// unbalance the threads. Merrill and Garland, Merge-based parallel sparse matrix-vector
// multiplication, 2016. If several threads share a row, its sum comes from a segmented scan:
// Sengupta, Harris, Zhang and Owens, Scan primitives for GPU computing, 2007.
//
// The plan finds where on the path each block begins. If several blocks share a row, the last block
// to arrive adds their sums, in the order of the blocks.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y, and 4 for every
// SHARE steps. 2 n flops.
#include "lanes.cuh"
#include "spmv.cuh"
#include "ticket.cuh"

#define BLOCK 128
#define WARPS (BLOCK / FUR_WARP)
// Steps of a thread and of a block. The number is odd, so that neighbouring threads use different
// banks of shared memory.
#define STEPS 7
#define SHARE (BLOCK * STEPS)

namespace
{

// The plan: where blocks begin, and the workspace for sums of rows that blocks share.
struct state {
    int64_t blocks;
    int32_t *cuts;     // row in which each block begins; blocks + 1
    void *partials;    // two sums for each block, see `parts`
    unsigned *tickets; // one for each block, for the row that ends in it
};

// A block's sums of its shared rows. head: the first row, which begins in an earlier block and ends
// in this one. tail: the row that continues in the next block.
template <class Value> struct parts {
    Value head;
    Value tail;
};

// Returns the number of row ends among the first `diagonal` steps of the path. Entry k comes before
// the ends that are greater than k, and after the other ends.
template <class Count, class End>
__device__ Count ends_before(const End *ends, Count rows, Count entries, Count diagonal)
{
    Count low = diagonal > entries ? diagonal - entries : 0;
    Count high = diagonal < rows ? diagonal : rows;
    while (low < high) {
        Count middle = low + (high - low) / 2;
        if (ends[middle] < diagonal - middle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// cuts[i] = the rows that end before block i's share of the path. Bytes a block: 4, log2(rows)
// offsets.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    find_cuts(int64_t rows, int64_t entries, const Offset *offsets, int64_t blocks, int32_t *cuts)
{
    int64_t block = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (block <= blocks)
        cuts[block] = static_cast<int32_t>(
            ends_before(offsets + 1, rows, entries, min(block * SHARE, rows + entries)));
}

// A block's share of the path, in shared memory. sums: the products of its entries, followed by the
// sums of the rows that end in it. ends: the ends of these rows, counted from the block's first
// entry.
template <class Value> struct share {
    Value sums[SHARE];
    int ends[SHARE + 1];
    Value totals[WARPS]; // of the scan
    bool closed[WARPS];
    Value tail;
};

// The range of a share in the matrix.
struct range {
    int64_t row;
    int64_t entry;
    int rows;
    int entries;
};

// Returns the rows and entries of this block: a share of the path along rows + entries.
template <class Value, class Offset>
__device__ range find_range(const fur_spmv_operands<Value, Offset> &p, const int32_t *cuts)
{
    int64_t begin = blockIdx.x * int64_t(SHARE);
    int64_t end = min(begin + SHARE, p.rows + p.entries);
    int64_t row = cuts[blockIdx.x];
    int rows = static_cast<int>(cuts[blockIdx.x + 1] - row);
    return {row, begin - row, rows, static_cast<int>(end - begin) - rows};
}

// Loads the row ends. The row that does not end in this block gets an end after every entry.
template <class Value, class Offset>
__device__ void load_ends(const fur_spmv_operands<Value, Offset> &p, const range &r,
                          share<Value> *s)
{
    for (int i = threadIdx.x; i < r.rows; i += BLOCK)
        s->ends[i] = static_cast<int>(p.offsets[r.row + i + 1] - r.entry);
    if (threadIdx.x == 0)
        s->ends[r.rows] = SHARE + 1;
}

// Loads the entries and stores their products. A thread issues all its loads before it stores the
// first product. Past the last entry, that product is stored again, into places that are
// overwritten or never read.
template <class Value, class Offset>
__device__ void load_products(const fur_spmv_operands<Value, Offset> &p, const range &r,
                              share<Value> *s)
{
    int32_t columns[STEPS];
    Value products[STEPS];
    if (r.entries == 0)
        return;
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        int i = min(step * BLOCK + static_cast<int>(threadIdx.x), r.entries - 1);
        columns[step] = fur_stream(&p.columns[r.entry + i]);
        products[step] = fur_stream(&p.values[r.entry + i]);
    }
#pragma unroll
    for (int step = 0; step < STEPS; step++)
        products[step] = fur_mul(products[step], p.x[columns[step]]);
#pragma unroll
    for (int step = 0; step < STEPS; step++)
        s->sums[step * BLOCK + threadIdx.x] = products[step];
}

// Takes the steps of a thread. The sums of the rows that end are left in s. The first of them lacks
// the part of earlier threads. Returns the sum of the row that does not end.
template <class Value>
__device__ Value walk(const range &r, share<Value> *s, int *first_row, int *last_row)
{
    int total = r.rows + r.entries;
    int step = min(static_cast<int>(threadIdx.x) * STEPS, total);
    int stop = min(step + STEPS, total);
    int row = ends_before(s->ends, r.rows, r.entries, step);
    int entry = step - row;
    Value sum = fur_zero<Value>();
    *first_row = row;
    for (; step < stop; step++) {
        if (entry < s->ends[row]) {
            sum = fur_add(sum, s->sums[entry++]);
        } else {
            s->sums[r.entries + row++] = sum;
            sum = fur_zero<Value>();
        }
    }
    *last_row = row;
    return sum;
}

// Returns the part that earlier threads have of the row in which a thread begins. sum: the thread's
// part of the row in which it stops. closed: whether this is a different row.
template <class Value> __device__ Value scan(Value sum, bool closed, share<Value> *s)
{
    int lane = threadIdx.x % FUR_WARP;
    int warp = threadIdx.x / FUR_WARP;
    for (int distance = 1; distance < FUR_WARP; distance *= 2) {
        Value before = fur_shuffle_up(sum, distance);
        bool closed_before = __shfl_up_sync(FUR_ALL_LANES, closed, distance);
        if (lane >= distance && !closed) {
            sum = fur_add(before, sum);
            closed = closed_before;
        }
    }
    if (lane == FUR_WARP - 1) {
        s->totals[warp] = sum;
        s->closed[warp] = closed;
    }
    __syncthreads();
    Value carry = fur_zero<Value>();
    for (int i = 0; i < warp; i++)
        carry = s->closed[i] ? s->totals[i] : fur_add(carry, s->totals[i]);
    Value inclusive = closed ? sum : fur_add(carry, sum);
    if (threadIdx.x == BLOCK - 1)
        s->tail = inclusive;
    Value exclusive = fur_shuffle_up(inclusive, 1);
    return lane == 0 ? carry : exclusive;
}

// Called by a warp: if all other blocks of a shared row have arrived, finishes the row.
template <class Value, class Offset>
__device__ void join(const fur_spmv_operands<Value, Offset> &p, int64_t row,
                     const parts<Value> *partials, unsigned *tickets)
{
    int lane = threadIdx.x;
    int64_t first = (row + int64_t(p.offsets[row])) / SHARE;
    int64_t last = (row + int64_t(p.offsets[row + 1])) / SHARE;
    bool complete =
        lane == 0 && fur_last_to_arrive(&tickets[last], static_cast<unsigned>(last - first + 1));
    __syncwarp();
    if (!__shfl_sync(FUR_ALL_LANES, complete, 0))
        return;
    Value sum = fur_zero<Value>();
    for (int64_t block = first + lane; block < last; block += FUR_WARP)
        sum = fur_add(sum, partials[block].tail);
    sum = fur_fold_lanes(sum, FUR_WARP);
    if (lane == 0)
        p.finish(fur_add(sum, partials[last].head), &p.y[row]);
}

// One block multiplies one share of the path. Bytes and flops a row: above.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK)
    multiply(fur_spmv_operands<Value, Offset> p, const int32_t *cuts, parts<Value> *partials,
             unsigned *tickets)
{
    __shared__ share<Value> s;
    range r = find_range(p, cuts);
    load_ends(p, r, &s);
    load_products(p, r, &s);
    __syncthreads();
    int first_row;
    int last_row;
    Value sum = walk(r, &s, &first_row, &last_row);
    Value carry = scan(sum, last_row > first_row, &s);
    const Value *sums = s.sums + r.entries;
    if (last_row > first_row)
        s.sums[r.entries + first_row] = fur_add(carry, sums[first_row]);
    __syncthreads();

    int64_t next = r.row + r.rows;
    bool head = r.rows > 0 && r.entry > p.offsets[r.row];
    bool tail = next < p.rows && r.entry + r.entries > p.offsets[next];
    for (int i = head + threadIdx.x; i < r.rows; i += BLOCK)
        p.finish(sums[i], &p.y[r.row + i]);
    if (threadIdx.x >= FUR_WARP)
        return;
    if (threadIdx.x == 0)
        partials[blockIdx.x] = {head ? sums[0] : fur_zero<Value>(), s.tail};
    if (head)
        join(p, r.row, partials, tickets);
    if (tail)
        join(p, next, partials, tickets);
}

// Finds the row in which each block begins, and allocates the shared sums.
fur_status build(fur_env *env, const fur_csr_view *a, state *s)
{
    s->blocks = fur_ceil_div(a->rows + a->entries, SHARE);
    int64_t value = static_cast<int64_t>(fur_value_size(a->value_type));
    int64_t tickets = s->blocks * static_cast<int64_t>(sizeof *s->tickets);
    FUR_TRY(fur_cuda_allocate(env, s->blocks + 1, sizeof *s->cuts, &s->cuts));
    FUR_TRY(fur_cuda_allocate(env, s->blocks, 2 * value, &s->partials));
    FUR_TRY(fur_cuda_allocate(env, s->blocks, sizeof *s->tickets, &s->tickets));
    FUR_TRY(fur_cuda_clear(env, s->tickets, tickets));
    return fur_with_types(a, [&](auto, auto offset) {
        using Offset = decltype(offset);
        find_cuts<<<fur_blocks(s->blocks + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            a->rows, a->entries, static_cast<const Offset *>(a->offsets), s->blocks, s->cuts);
        return fur_cuda_launched(env, "cuts of the merge path");
    });
}

void release(fur_env *env, void *memory)
{
    state *s = static_cast<state *>(memory);
    fur_cuda_release(env, s->cuts);
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
    if (s->blocks == 0)
        return FUR_OK;
    return fur_with_product(call, [&](auto product) {
        using Value = std::remove_pointer_t<decltype(product.y)>;
        multiply<<<s->blocks, BLOCK, 0, fur_cuda_stream(call->env)>>>(
            product, s->cuts, static_cast<parts<Value> *>(s->partials), s->tickets);
        return fur_cuda_launched(call->env, "spmv merge");
    });
}

int64_t matrix_bytes(const fur_csr_view *a, const void *memory)
{
    int64_t cuts = static_cast<const state *>(memory)->blocks + 1;
    return fur_csr_bytes(a) + 4 * cuts;
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_merge = {
    {"merge", "equal numbers of rows plus entries for each thread, by the merge path",
     "Merrill and Garland 2016", false, 0},
    nullptr, // cost
    nullptr, // work
    plan,
    nullptr, // refresh
    apply,
    release,
    matrix_bytes,
};
