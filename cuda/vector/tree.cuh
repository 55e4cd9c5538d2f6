// The binary tree over the leaves of a reduction (docs/numerics.md), evaluated by warps.
//
// Every aligned range of 2^k leaves is a subtree, and the last subtree may be incomplete. Warps,
// blocks and the whole launch each combine the results of such ranges. Therefore the sizes of the
// ranges do not change the result.
// cannot show in the result.
#ifndef FURROW_CUDA_TREE_CUH
#define FURROW_CUDA_TREE_CUH

#include "lanes.cuh"

// A partial result. An Op defines its parts and how two partials are combined.
template <int Parts> struct alignas(8 * Parts) fur_partial {
    double part[Parts];
};

// Returns the partial of lane `lane`, or of an unspecified lane if it does not exist.
template <int Parts>
__device__ inline fur_partial<Parts> fur_lane_partial(fur_partial<Parts> p, int lane)
{
#pragma unroll
    for (int i = 0; i < Parts; i++)
        p.part[i] = __shfl_sync(FUR_ALL_LANES, p.part[i], lane);
    return p;
}

// Returns the root over the partials of lanes 0 .. count-1, in lane 0. On each level, neighbours
// are combined, and a last partial without a neighbour moves up.
template <class Op, class Partial> __device__ inline Partial fur_tree_of_lanes(Partial p, int count)
{
    int lane = threadIdx.x % FUR_WARP;
#pragma unroll
    for (int distance = 1; distance < FUR_WARP; distance *= 2) {
        Partial right = fur_lane_partial(p, lane + distance);
        if (lane + distance < count)
            p = Op::combine(p, right);
    }
    return p;
}

// Adds leaves one after the other, as in src/cpu/vector/tree.h. The stack of complete subtrees has
// its k-th element in lane k. All lanes must call with the same partial.
template <class Op, class Partial> struct fur_tree {
    Partial subtree = {};
    int depth = 0;
    int64_t leaves = 0;

    // Adds one leaf. Subtrees of equal height are combined like carries.
    __device__ void push(Partial p)
    {
        for (int64_t bits = leaves; bits & 1; bits >>= 1)
            p = Op::combine(fur_lane_partial(subtree, --depth), p);
        if (static_cast<int>(threadIdx.x % FUR_WARP) == depth)
            subtree = p;
        depth++;
        leaves++;
    }

    // Returns the root in all lanes; 0 if there are no leaves.
    __device__ Partial root()
    {
        if (depth == 0)
            return {};
        Partial p = fur_lane_partial(subtree, --depth);
        while (depth > 0)
            p = Op::combine(fur_lane_partial(subtree, --depth), p);
        return p;
    }
};

#endif
