// The leaves of a reduction (docs/numerics.md): what a dot product takes from them, and how a warp
// adds one up.
//
// A leaf is a warp's: 32 rows of 512 bytes, 16 bytes a lane.
#ifndef FURROW_CUDA_LEAF_CUH
#define FURROW_CUDA_LEAF_CUH

#include "tree.cuh"
#include "vector.cuh"

#define ROWS 32

namespace
{

template <class Value> struct vectors {
    int64_t n;
    const Value *x;
    Value *y;
    const Value *d;
    bool in_pieces;
};

template <class Value> constexpr int piece_entries = fur_piece<Value>::entries;
template <class Value> constexpr int row_entries = FUR_WARP *piece_entries<Value>;
template <class Value> constexpr int leaf_entries = ROWS *row_entries<Value>;

template <class Value> __host__ __device__ inline int64_t leaves_of(int64_t n)
{
    return (n + leaf_entries<Value> - 1) / leaf_entries<Value>;
}

// An operation takes entries into the sums of a lane, combines two partial results, and makes the
// result of the root. This is what most have in common.
template <class Value, int Parts, int Batch = 8> struct reduction {
    using entry = Value;
    using partial = fur_partial<Parts>;
    static constexpr bool reads_y = false;
    static constexpr bool writes_y = false;
    static constexpr bool reads_d = false;
    static constexpr int batch = Batch; // rows whose loads are in flight together

    // Whether there is anything to do at all; the same for all threads.
    __device__ bool begin(const fur_slot &)
    {
        return true;
    }
    static __device__ partial combine(partial left, const partial &right)
    {
#pragma unroll
        for (int i = 0; i < Parts; i++)
            left.part[i] += right.part[i];
        return left;
    }
    // Called by all threads of the last block.
    __device__ fur_scalar end(const vectors<Value> &, const partial &root) const
    {
        return {root.part[0], 0};
    }
    // Stores more than that, by one thread.
    __device__ void store_more(const partial &) const
    {
    }
};

template <class Value> struct real_dot : reduction<Value, 1> {
    static constexpr bool reads_y = true;

    __device__ void take(double *sum, Value x, Value &y, Value) const
    {
        sum[0] = fma(double(x), double(y), sum[0]);
    }
};

template <class Value> struct complex_dot : reduction<Value, 2> {
    static constexpr bool reads_y = true;

    __device__ void take(double *sum, Value x, Value &y, Value) const
    {
        double xr = x.re;
        double xi = x.im;
        double yr = y.re;
        double yi = y.im;
        sum[0] = fma(xi, yi, fma(xr, yr, sum[0]));
        sum[1] = fma(-xi, yr, fma(xr, yi, sum[1]));
    }
    __device__ fur_scalar end(const vectors<Value> &, const fur_partial<2> &root) const
    {
        return {root.part[0], root.part[1]};
    }
};

// A thread's pieces of a batch of rows, from entry `at` on, into the lanes they belong to.
template <bool Whole, class Op, class Value, class Partial>
__device__ inline void take_rows(const Op &op, const vectors<Value> &v, int64_t at,
                                 Partial (&lane)[piece_entries<Value>])
{
    constexpr int row = row_entries<Value>;
    int left = static_cast<int>(min(v.n - at, int64_t(leaf_entries<Value>)));
    fur_piece<Value> x[Op::batch];
    fur_piece<Value> y[Op::batch];
    fur_piece<Value> d[Op::batch];
#pragma unroll
    for (int r = 0; r < Op::batch; r++) {
        fur_load<Whole>(&x[r], v.x + at + r * row, left - r * row);
        if constexpr (Op::reads_y)
            fur_load<Whole>(&y[r], v.y + at + r * row, left - r * row);
        if constexpr (Op::reads_d)
            fur_load<Whole>(&d[r], v.d + at + r * row, left - r * row);
    }
#pragma unroll
    for (int r = 0; r < Op::batch; r++)
#pragma unroll
        for (int i = 0; i < piece_entries<Value>; i++)
            if (Whole || r * row + i < left)
                op.take(lane[i].part, x[r].entry[i], y[r].entry[i], d[r].entry[i]);
    if constexpr (Op::writes_y)
#pragma unroll
        for (int r = 0; r < Op::batch; r++)
            fur_store<Whole>(y[r], v.y + at + r * row, left - r * row);
}

// Folds the lanes of a row in halves, first those of different threads, then those of one. All
// threads get the result, as a + b = b + a.
template <class Op, class Partial, int Entries>
__device__ inline Partial fold(Partial (&lane)[Entries])
{
#pragma unroll
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < Entries; i++)
            lane[i] = Op::combine(lane[i], fur_lane_partial(lane[i], threadIdx.x ^ half));
#pragma unroll
    for (int half = Entries / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++)
            lane[i] = Op::combine(lane[i], lane[i + half]);
    return lane[0];
}

// The partial of a leaf: a warp goes over its rows, a piece a lane, and folds the lanes.
template <bool Whole, class Op, class Value>
__device__ inline typename Op::partial sum_leaf(const Op &op, const vectors<Value> &v, int64_t leaf)
{
    typename Op::partial lane[piece_entries<Value>] = {};
    int64_t at = leaf * leaf_entries<Value> + threadIdx.x % FUR_WARP * piece_entries<Value>;
#pragma unroll 1
    for (int row = 0; row < ROWS; row += Op::batch)
        take_rows<Whole>(op, v, at + row * row_entries<Value>, lane);
    return fold<Op>(lane);
}

// The partial of a leaf, also of one that is not whole.
template <class Op, class Value>
__device__ inline typename Op::partial sum_any_leaf(const Op &op, const vectors<Value> &v,
                                                    int64_t leaf)
{
    return v.in_pieces && (leaf + 1) * leaf_entries<Value> <= v.n ? sum_leaf<true>(op, v, leaf)
                                                                  : sum_leaf<false>(op, v, leaf);
}

} // namespace

#endif
