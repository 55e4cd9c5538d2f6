// Sums of rows of more than FUR_ROW_SEGMENT entries, in the order of docs/numerics.md. One thread
// sums a row, or a warp adds its segment sums. The host version is src/cpu/product/spmv/long_sum.h.
#ifndef FURROW_CUDA_LONG_SUM_CUH
#define FURROW_CUDA_LONG_SUM_CUH

#include "lanes.cuh"

// Levels of sums of segments: enough for 128^5 entries.
#define FUR_ROW_LEVELS 4

// Returns the number of segments of a row, or of a part of a row.
__device__ inline int fur_ceil_segments(int64_t entries)
{
    return static_cast<int>((entries + FUR_ROW_SEGMENT - 1) / FUR_ROW_SEGMENT);
}

// Folds the lanes of a segment in halves.
template <class Value> __device__ inline Value fur_fold(const Value (&lane)[FUR_ROW_LANES])
{
    static_assert(FUR_ROW_LANES == 8, "three folds");
    return fur_add(fur_add(fur_add(lane[0], lane[4]), fur_add(lane[2], lane[6])),
                   fur_add(fur_add(lane[1], lane[5]), fur_add(lane[3], lane[7])));
}

// Adds segment sums, which are given in order, in a tree.
template <class Value, int Levels> struct fur_segment_sums {
    Value lane[Levels][FUR_ROW_LANES];
    unsigned count[Levels] = {};

    // Adds a sum on a level. A segment that is full is folded and added on the next level.
    __device__ void add(Value sum, int level = 0)
    {
        for (;; level++) {
            unsigned place = count[level]++ % FUR_ROW_SEGMENT;
            if (place == 0)
                for (Value &own : lane[level])
                    own = fur_zero<Value>();
            Value *own = &lane[level][place % FUR_ROW_LANES];
            *own = fur_add(*own, sum);
            if (place < FUR_ROW_SEGMENT - 1 || level == Levels - 1)
                return;
            sum = fur_fold(lane[level]);
        }
    }

    // Folds the open segments and returns the sum.
    __device__ Value total()
    {
        int level = 0;
        for (; level < Levels - 1 && count[level] > FUR_ROW_SEGMENT; level++)
            if (count[level] % FUR_ROW_SEGMENT > 0)
                add(fur_fold(lane[level]), level + 1);
        return fur_fold(lane[level]);
    }
};

// Returns the sum of entries begin .. end-1 of a long row by one thread. term(k, sum) adds entry k
// to a sum.
template <class Value, class Term>
__device__ Value fur_long_sum(int64_t begin, int64_t end, Term term)
{
    fur_segment_sums<Value, FUR_ROW_LEVELS> sums;
    for (int64_t from = begin; from < end; from += FUR_ROW_SEGMENT) {
        int64_t stop = min(end, from + FUR_ROW_SEGMENT);
        Value lane[FUR_ROW_LANES];
#pragma unroll
        for (int u = 0; u < FUR_ROW_LANES; u++)
            lane[u] = fur_zero<Value>();
#pragma unroll 1
        for (int64_t k = from; k < stop; k += FUR_ROW_LANES)
#pragma unroll
            for (int u = 0; u < FUR_ROW_LANES; u++)
                if (k + u < stop)
                    lane[u] = term(k + u, lane[u]);
        sums.add(fur_fold(lane));
    }
    return sums.total();
}

// Returns the sum of a row's segment sums, in lane 0 of the calling warp. Other warps may have
// written the segment sums. They are overwritten.
template <class Value> __device__ Value fur_add_up(Value *sums, int64_t count)
{
    constexpr int ahead = 4; // loads in flight together
    constexpr int groups = FUR_WARP / FUR_ROW_LANES;
    int lane = static_cast<int>(threadIdx.x % FUR_WARP);
    for (;;) {
        int64_t segments = fur_ceil_segments(count);
        Value sum = fur_zero<Value>();
#pragma unroll 1
        for (int64_t first = 0; first < segments; first += groups) {
            int64_t segment = first + lane / FUR_ROW_LANES;
            int64_t k = segment * FUR_ROW_SEGMENT + lane % FUR_ROW_LANES;
            int64_t end = min(count, (segment + 1) * FUR_ROW_SEGMENT);
            sum = fur_zero<Value>();
#pragma unroll 1
            for (; k < end; k += ahead * FUR_ROW_LANES) {
                Value held[ahead];
#pragma unroll
                for (int u = 0; u < ahead; u++)
                    held[u] = fur_from_l2(&sums[min(k + u * FUR_ROW_LANES, count - 1)]);
#pragma unroll
                for (int u = 0; u < ahead; u++)
                    if (k + u * FUR_ROW_LANES < end)
                        sum = fur_add(sum, held[u]);
            }
            __syncwarp();
            sum = fur_fold_lanes(sum, FUR_ROW_LANES);
            if (segments > 1 && lane % FUR_ROW_LANES == 0 && segment < segments)
                sums[segment] = sum;
        }
        if (segments == 1)
            return sum;
        __syncwarp();
        count = segments;
    }
}

#endif
