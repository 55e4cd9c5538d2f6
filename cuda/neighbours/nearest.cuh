// The nearest points of a thread's point so far: a list in shared memory, sorted by (distance,
// number), place p of which lies FUR_NEAR_BLOCK p behind the first, so that lanes of a warp meet
// different banks.
#ifndef FURROW_CUDA_NEAREST_CUH
#define FURROW_CUDA_NEAREST_CUH

#include "neighbours.cuh"

template <class Real> struct fur_nearest {
    Real *distances;
    int32_t *numbers;
    int k;
    int found;
    int32_t itself; // the number that is left out; -1: none
    int32_t last;   // of the last in a full list; INT32_MAX before
    Real worst;     // its distance; infinite before; -1 without a point

    __device__ void open(Real *distance_room, int32_t *number_room, int places, bool any,
                         int32_t number)
    {
        distances = distance_room;
        numbers = number_room;
        k = places;
        found = 0;
        itself = number;
        last = any ? INT32_MAX : -1;
        worst = any ? static_cast<Real>(INFINITY) : static_cast<Real>(-1);
    }

    // Puts a point in that belongs there.
    __device__ void insert(Real distance, int32_t number)
    {
        int p = found;
        if (p < k)
            found++;
        else
            p--;
#pragma unroll 1
        while (p > 0) {
            Real before = distances[(p - 1) * FUR_NEAR_BLOCK];
            int32_t who = numbers[(p - 1) * FUR_NEAR_BLOCK];
            if (before < distance || (before == distance && who < number))
                break;
            distances[p * FUR_NEAR_BLOCK] = before;
            numbers[p * FUR_NEAR_BLOCK] = who;
            p--;
        }
        distances[p * FUR_NEAR_BLOCK] = distance;
        numbers[p * FUR_NEAR_BLOCK] = number;
        if (found == k) {
            worst = distances[(k - 1) * FUR_NEAR_BLOCK];
            last = numbers[(k - 1) * FUR_NEAR_BLOCK];
        }
    }

    // Whether a point at this distance, or in a box that begins there, may belong in.
    __device__ bool may_hold(Real distance, int32_t least) const
    {
        return distance < worst || (distance == worst && least < last);
    }

    // Four points, of which number(i) says who they are; NaN is none.
    template <class Number>
    __device__ void offer(const Real (&distance)[FUR_NEAR_FOUR], Number number)
    {
        if (!(min(min(distance[0], distance[1]), min(distance[2], distance[3])) <= worst))
            return;
#pragma unroll
        for (int i = 0; i < FUR_NEAR_FOUR; i++)
            if (distance[i] <= worst) {
                int32_t who = number(i);
                if (may_hold(distance[i], who) && who != itself)
                    insert(distance[i], who);
            }
    }

    // In the order of the columns, with the values that are asked for.
    __device__ void close(bool squared)
    {
#pragma unroll 1
        for (int p = 1; p < found; p++) {
            Real distance = distances[p * FUR_NEAR_BLOCK];
            int32_t number = numbers[p * FUR_NEAR_BLOCK];
            int q = p;
#pragma unroll 1
            for (; q > 0 && numbers[(q - 1) * FUR_NEAR_BLOCK] > number; q--) {
                distances[q * FUR_NEAR_BLOCK] = distances[(q - 1) * FUR_NEAR_BLOCK];
                numbers[q * FUR_NEAR_BLOCK] = numbers[(q - 1) * FUR_NEAR_BLOCK];
            }
            distances[q * FUR_NEAR_BLOCK] = distance;
            numbers[q * FUR_NEAR_BLOCK] = number;
        }
#pragma unroll 1
        for (int p = 0; p < found && !squared; p++) {
            Real &distance = distances[p * FUR_NEAR_BLOCK];
            if constexpr (sizeof(Real) == 4)
                distance = __fsqrt_rn(distance);
            else
                distance = __dsqrt_rn(distance);
        }
    }
};

// Four neighbouring numbers of shared memory, aligned to as many.
template <class Real>
__device__ inline void fur_load_four(const Real *from, Real (&to)[FUR_NEAR_FOUR])
{
    constexpr int step = fur_piece<Real>::entries;
#pragma unroll
    for (int i = 0; i < FUR_NEAR_FOUR; i += step) {
        fur_piece<Real> piece = *reinterpret_cast<const fur_piece<Real> *>(from + i);
#pragma unroll
        for (int j = 0; j < step; j++)
            to[i + j] = piece.entry[j];
    }
}

// Dimension j of the distances of x from four points: the first begins them.
template <class Real>
__device__ inline void fur_add_dimension(bool first, Real x, const Real (&y)[FUR_NEAR_FOUR],
                                         Real (&distance)[FUR_NEAR_FOUR])
{
#pragma unroll
    for (int i = 0; i < FUR_NEAR_FOUR; i++) {
        Real difference = y[i] - x;
        distance[i] =
            first ? difference * difference : fur_fma(difference, difference, distance[i]);
    }
}

// Bytes of the lists of a block's threads, each of which has `lists`.
static inline size_t fur_near_list_bytes(int k, int lists, size_t size)
{
    return static_cast<size_t>(k) * lists * FUR_NEAR_BLOCK * (size + sizeof(int32_t));
}

#endif
