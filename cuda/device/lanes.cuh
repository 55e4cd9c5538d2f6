// Values that move between the lanes of a warp. All lanes of the warp must take part.
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

#endif
