// The sums of the persistent kernel over the tree of docs/numerics.md. One thread adds each lane of
// a unit. Then every block computes the leaves and the tree in the same way.
#ifndef FURROW_CUDA_CG_SUMS_CUH
#define FURROW_CUDA_CG_SUMS_CUH

#include "cg_layout.cuh"
#include "tree.cuh"

// Leaves whose lane sums are loaded together.
#define LEAVES 2

namespace
{

struct add {
    template <int Parts>
    static __device__ fur_partial<Parts> combine(fur_partial<Parts> left,
                                                 const fur_partial<Parts> &right)
    {
#pragma unroll
        for (int i = 0; i < Parts; i++)
            left.part[i] += right.part[i];
        return left;
    }
};

// Adds the product of conj(x) and y to a lane's sum.
template <class Value> __device__ inline double take(double sum, Value x, Value y)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fma(double(x.im), double(y.im), fma(double(x.re), double(y.re), sum));
    else
        return fma(double(x), double(y), sum);
}

// Returns the sum of a lane of a unit: entries lane, lane + Group, ... of both arrays, up to the
// last row.
template <int Group, class Value>
__device__ double lane_sum(const fur_cg_job<Value> &w, int64_t unit, int lane, const Value *x,
                           const Value *y)
{
    constexpr int step = fur_cg_lanes<Value>;
    int64_t first = fur_cg_row<Group, Value>(unit, lane);
    int count =
        first < w.n ? static_cast<int>(min((w.n - first + step - 1) / step, int64_t(DEPTH))) : 0;
    double sum = 0;
    if (count == DEPTH) {
#pragma unroll
        for (int k = 0; k < DEPTH; k++)
            sum = take(sum, x[k * Group + lane], y[k * Group + lane]);
    } else {
        for (int k = 0; k < count; k++)
            sum = take(sum, x[k * Group + lane], y[k * Group + lane]);
    }
    return sum;
}

// Returns the sums of a leaf, with its lanes folded in halves, in all lanes of the warp. The lane
// sums of consecutive parts are `stride` apart.
template <class Value, int Parts>
__device__ fur_partial<Parts> fold_leaf(const double *sums, int64_t leaf, int64_t stride)
{
    constexpr int lanes = fur_cg_lanes<Value>;
    constexpr int share = lanes / FUR_WARP;
    fur_partial<Parts> lane[share];
#pragma unroll
    for (int i = 0; i < share; i++)
#pragma unroll
        for (int k = 0; k < Parts; k++)
            lane[i].part[k] =
                __ldcg(sums + k * stride + leaf * lanes + i * FUR_WARP + threadIdx.x % FUR_WARP);
#pragma unroll
    for (int half = share / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++)
            lane[i] = add::combine(lane[i], lane[i + half]);
#pragma unroll
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
        lane[0] = add::combine(lane[0], fur_lane_partial(lane[0], threadIdx.x ^ half));
    return lane[0];
}

// Returns the root over the lane sums that all blocks have written, for all threads. Warp k adds
// the k-th aligned range of 2^j leaves, so that the warps' roots form a level of the tree.
// `results` has one partial for each warp.
template <class Value, int Parts>
__device__ fur_partial<Parts> tree_of_lanes(const fur_cg_job<Value> &w, const double *sums,
                                            fur_partial<2> *results)
{
    using partial = fur_partial<Parts>;
    constexpr int warps = BLOCK / FUR_WARP;
    int warp = threadIdx.x / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    int64_t range = 1;
    while (range * warps < w.leaves)
        range *= 2;
    fur_tree<add, partial> tree;
    int64_t end = min((warp + 1) * range, w.leaves);
    int64_t leaf = warp * range;
    for (; leaf + LEAVES <= end; leaf += LEAVES) {
        partial leaves[LEAVES];
#pragma unroll
        for (int i = 0; i < LEAVES; i++)
            leaves[i] = fold_leaf<Value, Parts>(sums, leaf + i, w.lanes);
        for (int i = 0; i < LEAVES; i++)
            tree.push(leaves[i]);
    }
    for (; leaf < end; leaf++)
        tree.push(fold_leaf<Value, Parts>(sums, leaf, w.lanes));
    partial root = tree.root();
    __syncthreads();
    if (lane == 0)
#pragma unroll
        for (int k = 0; k < Parts; k++)
            results[warp].part[k] = root.part[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Parts; k++)
        root.part[k] = results[lane % warps].part[k];
    int count = static_cast<int>((w.leaves + range - 1) / range);
    return fur_lane_partial(fur_tree_of_lanes<add>(root, count), 0);
}

} // namespace

#endif
