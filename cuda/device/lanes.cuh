// Values that move between the lanes of a warp, of which all must take part, or of a team.
#ifndef FURROW_CUDA_LANES_CUH
#define FURROW_CUDA_LANES_CUH

#include "device.cuh"
#include "value.cuh"

#define FUR_ALL_LANES 0xffffffffu

// The value of a lane.
template <class Value> __device__ inline Value fur_shuffle(Value value, int lane)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {__shfl_sync(FUR_ALL_LANES, value.re, lane),
                __shfl_sync(FUR_ALL_LANES, value.im, lane)};
    else
        return __shfl_sync(FUR_ALL_LANES, value, lane);
}

// The value of lane j + distance for lane j; its own where there is none.
template <class Value> __device__ inline Value fur_shuffle_down(Value value, int distance)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {__shfl_down_sync(FUR_ALL_LANES, value.re, distance),
                __shfl_down_sync(FUR_ALL_LANES, value.im, distance)};
    else
        return __shfl_down_sync(FUR_ALL_LANES, value, distance);
}

// The value of lane j - distance for lane j; its own where there is none.
template <class Value> __device__ inline Value fur_shuffle_up(Value value, int distance)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {__shfl_up_sync(FUR_ALL_LANES, value.re, distance),
                __shfl_up_sync(FUR_ALL_LANES, value.im, distance)};
    else
        return __shfl_up_sync(FUR_ALL_LANES, value, distance);
}

// The sum of each group of `lanes` lanes, a power of two, folded in halves; the first lane of a
// group has it, the others something else.
template <class Value> __device__ inline Value fur_fold_lanes(Value sum, int lanes)
{
#pragma unroll
    for (int half = lanes / 2; half > 0; half /= 2)
        sum = fur_add(sum, fur_shuffle_down(sum, half));
    return sum;
}

// So many neighbouring lanes of a warp, a power of two, that work on the same thing; what its
// members do, all of its lanes must do together.
template <int lanes> struct fur_lane_team {
    static constexpr int size = lanes;
    int lane;
    int first; // of its lanes in the warp
    unsigned mask;

    __device__ fur_lane_team()
        : lane(threadIdx.x % lanes), first(threadIdx.x % FUR_WARP / lanes * lanes),
          mask(FUR_ALL_LANES >> (FUR_WARP - lanes) << first)
    {
    }

    // What lanes have written is seen by all of the team.
    __device__ void sync() const
    {
        __syncwarp(mask);
    }

    // The value of a lane.
    template <class T> __device__ T from(T value, int other) const
    {
        if constexpr (lanes == 1)
            return value;
        else if constexpr (fur_value_of<T>::is_complex)
            return {from(value.re, other), from(value.im, other)};
        else
            return __shfl_sync(mask, value, other, lanes);
    }

    // A bit for each lane for which it is so, the first lowest.
    __device__ unsigned ballot(bool is_so) const
    {
        return __ballot_sync(mask, is_so) >> first & FUR_ALL_LANES >> (FUR_WARP - lanes);
    }

    // Calls f(lane) for the lanes for which it is so, in order.
    template <class F> __device__ void for_those(bool is_so, F f) const
    {
        unsigned left = ballot(is_so);
#pragma unroll 1
        while (left > 0) {
            f(__ffs(static_cast<int>(left)) - 1);
            left &= left - 1;
        }
    }
};

#endif
