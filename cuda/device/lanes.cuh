// Exchange of values between the lanes of a warp, all of which must take part, or of a team of
// lanes.
#ifndef FURROW_CUDA_LANES_CUH
#define FURROW_CUDA_LANES_CUH

#include "device.cuh"
#include "value.cuh"

#define FUR_ALL_LANES 0xffffffffu

// Returns the value of lane `lane`.
template <class Value> __device__ inline Value fur_shuffle(Value value, int lane)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {__shfl_sync(FUR_ALL_LANES, value.re, lane),
                __shfl_sync(FUR_ALL_LANES, value.im, lane)};
    else
        return __shfl_sync(FUR_ALL_LANES, value, lane);
}

// Lane j gets the value of lane j + distance, or its own value if that lane does not exist.
template <class Value> __device__ inline Value fur_shuffle_down(Value value, int distance)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {__shfl_down_sync(FUR_ALL_LANES, value.re, distance),
                __shfl_down_sync(FUR_ALL_LANES, value.im, distance)};
    else
        return __shfl_down_sync(FUR_ALL_LANES, value, distance);
}

// Lane j gets the value of lane j - distance, or its own value if that lane does not exist.
template <class Value> __device__ inline Value fur_shuffle_up(Value value, int distance)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {__shfl_up_sync(FUR_ALL_LANES, value.re, distance),
                __shfl_up_sync(FUR_ALL_LANES, value.im, distance)};
    else
        return __shfl_up_sync(FUR_ALL_LANES, value, distance);
}

// Returns the sum of each group of `lanes` lanes, a power of two, folded in halves. Only the first
// lane of a group has the sum; the result in the other lanes is undefined.
template <class Value> __device__ inline Value fur_fold_lanes(Value sum, int lanes)
{
#pragma unroll
    for (int half = lanes / 2; half > 0; half /= 2)
        sum = fur_add(sum, fur_shuffle_down(sum, half));
    return sum;
}

// A team of `lanes` neighbouring lanes of a warp, a power of two. All lanes of the team must call a
// member together.
template <int lanes> struct fur_lane_team {
    static constexpr int size = lanes;
    int lane;
    int first; // the team's first lane in the warp
    unsigned mask;

    __device__ fur_lane_team()
        : lane(threadIdx.x % lanes), first(threadIdx.x % FUR_WARP / lanes * lanes),
          mask(FUR_ALL_LANES >> (FUR_WARP - lanes) << first)
    {
    }

    // Barrier of the team. Afterwards, its lanes see what the others have written.
    __device__ void sync() const
    {
        __syncwarp(mask);
    }

    // Returns the value of lane `other` of the team.
    template <class T> __device__ T from(T value, int other) const
    {
        if constexpr (lanes == 1)
            return value;
        else if constexpr (fur_value_of<T>::is_complex)
            return {from(value.re, other), from(value.im, other)};
        else
            return __shfl_sync(mask, value, other, lanes);
    }

    // Bit i is set if `is_so` holds in lane i of the team.
    __device__ unsigned ballot(bool is_so) const
    {
        return __ballot_sync(mask, is_so) >> first & FUR_ALL_LANES >> (FUR_WARP - lanes);
    }

    // Calls f(lane) in order for each lane where `is_so` holds.
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
