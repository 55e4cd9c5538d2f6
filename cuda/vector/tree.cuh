// The binary tree over the leaves of a reduction (docs/numerics.md), walked by warps.
//
// Every aligned range of 2^k leaves is a subtree of its own, the last one possibly incomplete. So
// warps, blocks and the grid each combine the results of such ranges, and how large the ranges are
// cannot show in the result.
#ifndef FURROW_CUDA_TREE_CUH
#define FURROW_CUDA_TREE_CUH

#include "lanes.cuh"

// A partial result; what its parts are and how two are combined is up to an Op.
template <int Parts> struct alignas(8 * Parts) fur_partial {
    double part[Parts];
};

// Lane `lane`'s partial; that of some lane if there is none.
template <int Parts>
__device__ inline fur_partial<Parts> fur_lane_partial(fur_partial<Parts> p, int lane)
{
#pragma unroll
    for (int i = 0; i < Parts; i++)
        p.part[i] = __shfl_sync(FUR_ALL_LANES, p.part[i], lane);
    return p;
}

// The root over the partials of lanes 0 .. count-1, in lane 0: on each level neighbours are
// combined, and a last one without a neighbour moves up.
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

// Leaves one after the other, as in src/cpu/vector/tree.h: a stack of complete subtrees, the k-th
// of them in lane k. All lanes call with the same partial.
template <class Op, class Partial> struct fur_tree {
    Partial subtree = {};
    int depth = 0;
    int64_t leaves = 0;

    // One leaf more: subtrees of equal height are combined as carries are.
    __device__ void push(Partial p)
    {
        for (int64_t bits = leaves; bits & 1; bits >>= 1)
            p = Op::combine(fur_lane_partial(subtree, --depth), p);
        if (static_cast<int>(threadIdx.x % FUR_WARP) == depth)
            subtree = p;
        depth++;
        leaves++;
    }

    // In all lanes; 0 for no leaves.
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
