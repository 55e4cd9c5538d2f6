// A product and the dot product of its vectors in one launch, with the bits of the two. The last
// block to write a row of a leaf adds that leaf up, from the second-level cache, while others
// multiply; the last to do that adds up the leaves. For kernels whose blocks have aligned ranges of
// rows.
//
// Bytes a row besides the product's: two entries, from the cache.
#ifndef FURROW_CUDA_PRODUCT_DOT_CUH
#define FURROW_CUDA_PRODUCT_DOT_CUH

#include "leaf.cuh"
#include "slot.h"
#include "ticket.cuh"

// Memory for the leaves of a plan's vectors; arrived is null where products are not fused.
struct fur_leaves {
    int64_t count;
    unsigned *arrived; // blocks of each leaf, then leaves; 0 between launches
    fur_partial<2> *sums;
};

// Where the dot product of a launch goes; leaves.arrived is null if there is none.
template <class Value> struct fur_product_dot {
    fur_leaves leaves;
    fur_slot out;
    int64_t n;
    const Value *x;
    Value *y;
    bool in_pieces;
};

namespace
{

// The dot product of a value type, with few registers: the product needs most.
template <class Value>
struct leaf_dot
    : std::conditional_t<fur_value_of<Value>::is_complex, complex_dot<Value>, real_dot<Value>> {
    static constexpr int batch = 4;
};

// A leaf's sum by one warp; the imaginary part of real ones is 0.
template <class Value> __device__ fur_partial<2> dot_of_leaf(const vectors<Value> &v, int64_t leaf)
{
    auto sum = sum_any_leaf(leaf_dot<Value>(), v, leaf);
    if constexpr (fur_value_of<Value>::is_complex)
        return sum;
    else
        return {{sum.part[0], 0}};
}

struct add_pair {
    static __device__ fur_partial<2> combine(fur_partial<2> left, const fur_partial<2> &right)
    {
        left.part[0] += right.part[0];
        left.part[1] += right.part[1];
        return left;
    }
};

// The root over the leaves, by one warp: 32 of them are a subtree.
__device__ inline fur_partial<2> tree_of_leaves(const fur_leaves &leaves)
{
    fur_tree<add_pair, fur_partial<2>> tree;
    int lane = threadIdx.x % FUR_WARP;
#pragma unroll 4
    for (int64_t first = 0; first < leaves.count; first += FUR_WARP) {
        fur_partial<2> p = leaves.sums[min(first + lane, leaves.count - 1)];
        int count = static_cast<int>(min(leaves.count - first, int64_t(FUR_WARP)));
        tree.push(fur_lane_partial(fur_tree_of_lanes<add_pair>(p, count), 0));
    }
    return tree.root();
}

// Called by all threads of a block when its rows are written; `blocks` blocks make up a leaf.
template <class Value> __device__ void finish_dot(const fur_product_dot<Value> &d, unsigned blocks)
{
    __shared__ bool last;
    int64_t leaf = blockIdx.x / blocks;
    unsigned here = min(blocks, gridDim.x - static_cast<unsigned>(leaf) * blocks);
    __syncthreads();
    if (threadIdx.x == 0)
        last = fur_last_to_arrive(&d.leaves.arrived[leaf], here);
    __syncthreads();
    if (!last || threadIdx.x >= FUR_WARP)
        return;
    fur_partial<2> sum = dot_of_leaf<Value>({d.n, d.x, d.y, nullptr, d.in_pieces}, leaf);
    bool ends = false;
    if (threadIdx.x == 0) {
        d.leaves.sums[leaf] = sum;
        ends = fur_last_to_arrive(&d.leaves.arrived[d.leaves.count],
                                  static_cast<unsigned>(d.leaves.count));
    }
    if (!__any_sync(FUR_ALL_LANES, ends))
        return;
    auto root = tree_of_leaves(d.leaves);
    if (threadIdx.x == 0)
        fur_slot_store(d.out, {root.part[0], root.part[1]});
}

// Memory for vectors of n entries of that size.
inline fur_status make_leaves(fur_env *env, int64_t n, size_t size, fur_leaves *leaves)
{
    int64_t entries = ROWS * int64_t(512) / static_cast<int64_t>(size);
    leaves->count = fur_ceil_div(n, entries);
    int64_t bytes = (leaves->count + 1) * static_cast<int64_t>(sizeof *leaves->arrived);
    FUR_TRY(fur_cuda_allocate(env, leaves->count, sizeof *leaves->sums, &leaves->sums));
    FUR_TRY(fur_cuda_allocate(env, leaves->count + 1, sizeof *leaves->arrived, &leaves->arrived));
    return fur_cuda_clear(env, leaves->arrived, bytes);
}

inline void drop_leaves(fur_env *env, fur_leaves *leaves)
{
    fur_cuda_release(env, leaves->sums);
    fur_cuda_release(env, leaves->arrived);
}

template <class Value>
fur_product_dot<Value> product_dot_of(const fur_spmv_call *call, const fur_leaves &leaves,
                                      fur_slot out)
{
    return {leaves,
            out,
            call->a->rows,
            static_cast<const Value *>(call->x),
            static_cast<Value *>(call->y),
            fur_in_pieces(call->x) && fur_in_pieces(call->y)};
}

// The dot product by a launch of its own.
inline fur_status dot_apart(const fur_spmv_call *call, fur_slot out)
{
    return fur_cuda_reduction.dot[call->a->value_type](call->env, call->a->rows, call->x, call->y,
                                                       out);
}

} // namespace

#endif
