// The nearest points found so far for a thread's point: a list in shared memory, sorted by
// (distance, number). Place p of the list is FUR_NEAR_BLOCK p elements after the first place, so
// that the lanes of a warp access different banks.
#ifndef FURROW_CUDA_NEAREST_CUH
#define FURROW_CUDA_NEAREST_CUH

#include "neighbours.cuh"

template <class Real> struct fur_nearest {
    Real *distances;
    int32_t *numbers;
    int k;
    int found;
    int32_t itself; // the point's own number, which is excluded; -1: none
    int32_t last;   // the number of the last point in a full list; INT32_MAX before
    Real worst;     // the distance of that point; infinite before; -1 for a thread without a point

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

    // Inserts a point that belongs in the list.
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

    // Returns whether the list may take a point at this distance, or from a box at this distance
    // whose least number is `least`.
    __device__ bool may_hold(Real distance, int32_t least) const
    {
        return distance < worst || (distance == worst && least < last);
    }

    // Offers four points to the list. number(i) returns the number of point i. A distance of NaN
    // means no point.
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

    // Writes the list in the order of its columns, with the requested values.
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

// Loads four consecutive numbers from shared memory. The address is a multiple of four numbers.
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

// Adds dimension j to the squared distances of x from four points. The first dimension initialises
// them.
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

// Returns the bytes of the lists of a block: each thread has `lists` lists of k points.
static inline size_t fur_near_list_bytes(int k, int lists, size_t size)
{
    return static_cast<size_t>(k) * lists * FUR_NEAR_BLOCK * (size + sizeof(int32_t));
}

#endif
