// The sum of a row in the order of docs/numerics.md: segments of FUR_ROW_SEGMENT entries.
#ifndef FURROW_CUDA_ROW_SUM_CUH
#define FURROW_CUDA_ROW_SUM_CUH

#include "value.cuh"

// Segments of a row, or of a part of one.
__device__ inline int fur_ceil_segments(int64_t entries)
{
    return static_cast<int>((entries + FUR_ROW_SEGMENT - 1) / FUR_ROW_SEGMENT);
}

// x: the vector, or what stands for it.
template <class Value, class X, class Offset>
__device__ inline Value fur_segment_sum(const Value *values, const int32_t *columns, X x,
                                        Offset begin, Offset end)
{
    Value sum = fur_zero<Value>();
    for (Offset k = begin; k < end; k++)
        sum = fur_fma(values[k], x[columns[k]], sum);
    return sum;
}

template <class Value, class X, class Offset>
__device__ inline Value fur_row_sum(const Value *values, const int32_t *columns, X x, Offset begin,
                                    Offset end)
{
    Offset stop = end - begin > FUR_ROW_SEGMENT ? begin + FUR_ROW_SEGMENT : end;
    Value sum = fur_segment_sum(values, columns, x, begin, stop);
    while (stop < end) {
        begin = stop;
        stop = end - begin > FUR_ROW_SEGMENT ? begin + FUR_ROW_SEGMENT : end;
        sum = fur_add(sum, fur_segment_sum(values, columns, x, begin, stop));
    }
    return sum;
}

#endif
