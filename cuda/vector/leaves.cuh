// A reduction in one launch, over the tree of docs/numerics.md. A warp adds a leaf. A block has an
// aligned range of 2^k leaves, which is a subtree. The last block to arrive combines the results of
// all blocks.
#ifndef FURROW_CUDA_LEAVES_CUH
#define FURROW_CUDA_LEAVES_CUH

#include "ticket.cuh"
#include "tree.cuh"
#include "vector.cuh"

#define BLOCK FUR_REDUCTION_THREADS
#define WARPS (BLOCK / FUR_WARP)
// The most warps of a block in any kernel.
#define MAX_WARPS FUR_WARP
// Rows of a leaf. A row has 512 bytes, 16 in each lane.
#define ROWS 32
// Blocks for which a multiprocessor has registers, with the loads of a batch of rows in flight.
#define RESIDENT 4
// Leaves of a block above which a large vector gets more blocks than are resident.
#define FULL_BLOCK (2 * WARPS)

namespace
{

template <class Value> constexpr int piece_entries = fur_piece<Value>::entries;
template <class Value> constexpr int row_entries = FUR_WARP *piece_entries<Value>;
template <class Value> constexpr int leaf_entries = ROWS *row_entries<Value>;

template <class Value> __host__ __device__ inline int64_t leaves_of(int64_t n)
{
    return (n + leaf_entries<Value> - 1) / leaf_entries<Value>;
}

// Folds the lanes of a row in halves: first the lanes of different threads, then those within a
// thread. All threads get the result, because a + b = b + a.
template <class Op, class Partial, int Entries>
__device__ inline Partial fold(Partial (&lane)[Entries])
{
#pragma unroll
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < Entries; i++)
            lane[i] = Op::combine(lane[i], fur_lane_partial(lane[i], threadIdx.x ^ half));
#pragma unroll
    for (int half = Entries / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++)
            lane[i] = Op::combine(lane[i], lane[i + half]);
    return lane[0];
}

// Adds leaves first .. last-1 in one warp. An Op combines partials. sum_leaf, which all lanes call,
// returns the partial of a leaf.
template <class Op, class Leaf>
__device__ typename Op::partial sum_leaves(const Leaf &sum_leaf, int64_t first, int64_t last)
{
    fur_tree<Op, typename Op::partial> tree;
    for (int64_t leaf = first; leaf < last; leaf++)
        tree.push(sum_leaf(leaf));
    return tree.root();
}

// Returns the root over the partials of the warps that have one, for all threads. These are the
// first warps.
template <class Op, class Partial>
__device__ Partial tree_of_warps(const Partial &p, bool has_partial)
{
    __shared__ Partial results[MAX_WARPS];
    int lane = threadIdx.x % FUR_WARP;
    // The barrier also lets all threads finish reading the results of the previous call.
    int count = __syncthreads_count(has_partial) / FUR_WARP;
    if (lane == 0)
        results[threadIdx.x / FUR_WARP] = p;
    __syncthreads();
    return fur_lane_partial(fur_tree_of_lanes<Op>(results[lane % MAX_WARPS], count), 0);
}

// Adds the existing leaves of first .. first + count-1 in one block; count is a power of two.
template <class Op, class Leaf>
__device__ typename Op::partial sum_range(const Leaf &sum_leaf, int64_t leaves, int64_t first,
                                          int64_t count)
{
    int warps = 1 << (31 - __clz(blockDim.x / FUR_WARP));
    int64_t share = count > warps ? count / warps : 1;
    int64_t end = min(first + count, leaves);
    int64_t begin = first + threadIdx.x / FUR_WARP * share;
    return tree_of_warps<Op>(sum_leaves<Op>(sum_leaf, begin, min(begin + share, end)), begin < end);
}

// Returns the root over the partials of all blocks, at most FUR_REDUCTION_BLOCKS, for all threads.
template <class Op, class Partial>
__device__ Partial tree_of_blocks(const Partial *partials, int count)
{
    __shared__ Partial groups[BLOCK];
    int lane = threadIdx.x % FUR_WARP;
    int warp = threadIdx.x / FUR_WARP;
#pragma unroll 4
    for (int first = warp * FUR_WARP; first < count; first += BLOCK) {
        Partial p = partials[min(first + lane, count - 1)];
        p = fur_tree_of_lanes<Op>(p, count - first);
        if (lane == 0)
            groups[first / FUR_WARP] = p;
    }
    __syncthreads();
    int left = (count + FUR_WARP - 1) / FUR_WARP - warp * FUR_WARP;
    return tree_of_warps<Op>(fur_tree_of_lanes<Op>(groups[threadIdx.x], left), left > 0);
}

// The memory of a reduction in a launch: a partial for each block, and a ticket.
template <class Partial> struct arrivals {
    int64_t leaves_a_block;
    Partial *partials;
    unsigned *ticket;
};

// Adds the leaves of a block. The last block to arrive then combines the blocks. Returns true in
// its threads, which have the root.
template <class Op, class Leaf>
__device__ inline bool sum_grid(const Leaf &sum_leaf, int64_t leaves,
                                const arrivals<typename Op::partial> &a, typename Op::partial *root,
                                unsigned block = blockIdx.x, unsigned blocks = gridDim.x)
{
    auto partial = sum_range<Op>(sum_leaf, leaves, block * a.leaves_a_block, a.leaves_a_block);
    bool last = false;
    if (threadIdx.x == 0) {
        a.partials[block] = partial;
        last = fur_last_to_arrive(a.ticket, blocks);
    }
    if (!__syncthreads_or(last))
        return false;
    *root = tree_of_blocks<Op>(a.partials, blocks);
    return true;
}

// Returns the number of leaves in a block. A small vector has one warp for each leaf, on all
// multiprocessors. In a large vector, blocks are long enough to make the costs of their beginning
// and end negligible. There are more blocks than are resident, so that the multiprocessors finish
// together. groups: the number of groups of vectors, each of which has its own blocks.
inline int64_t leaves_a_block_for(const fur_device *device, int64_t leaves, int64_t groups)
{
    int64_t resident = min(device->multiprocessors * RESIDENT, FUR_REDUCTION_BLOCKS);
    int64_t count = 1;
    while (fur_ceil_div(leaves, count) * groups >
           (count < FULL_BLOCK ? resident : FUR_REDUCTION_BLOCKS))
        count *= 2;
    return count;
}

} // namespace

#endif
