// Operations of reductions: how they add the entries of vectors, and how they compute dot products
// and norms from a root.
#ifndef FURROW_CUDA_SUMS_CUH
#define FURROW_CUDA_SUMS_CUH

#include "cut_leaf.cuh"
#include "magnitude.cuh"

#include <float.h>

namespace
{

template <class Value> struct vectors {
    int64_t n;
    const Value *x;
    Value *y;
    const Value *d;
    bool in_pieces;
    fur_shares shares;
};

// The common part of the operations. An operation adds entries to the sums of a lane, combines two
// partial results, and computes the result from the root. For a 2-norm it does so only if the sum
// of squares is plain.
template <class Value, int Parts, int Batch = 8> struct reduction {
    using entry = Value;
    using partial = fur_partial<Parts>;
    static constexpr bool reads_y = false;
    static constexpr bool writes_y = false;
    static constexpr bool reads_d = false;
    static constexpr bool is_norm2 = false;
    static constexpr int batch = Batch; // rows whose loads are in flight together

    // Returns whether there is anything to do. The result is the same for all threads.
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
    __device__ fur_scalar end(const partial &root) const
    {
        return {root.part[0], 0};
    }
    // Stores additional results, by one thread.
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
    __device__ fur_scalar end(const fur_partial<2> &root) const
    {
        return {root.part[0], root.part[1]};
    }
};

template <class Value> struct magnitude_sum : reduction<Value, 1> {
    __device__ void take(double *sum, Value x, Value &, Value) const
    {
        sum[0] += magnitude(x);
    }
};

template <class Value> struct largest_magnitude : reduction<Value, 1> {
    __device__ void take(double *most, Value x, Value &, Value) const
    {
        most[0] = larger(magnitude(x), most[0]);
    }
    static __device__ fur_partial<1> combine(fur_partial<1> left, const fur_partial<1> &right)
    {
        return {{larger(left.part[0], right.part[0])}};
    }
};

// The sum of squares, and the largest real or imaginary part. The latter distinguishes the causes
// of a sum of 0 or infinity without another pass.
//
// A single vector needs more rows in flight. Types other than f64 do not have enough registers for
// this.
template <class Value>
struct square_sum : reduction<Value, 2, std::is_same_v<Value, double> ? 16 : 8> {
    static constexpr bool is_norm2 = true;
    double scale = 1;

    __device__ void take_part(double *sum, double part) const
    {
        double scaled = scale * part;
        sum[0] = fma(scaled, scaled, sum[0]);
        sum[1] = fmax(fabs(part), sum[1]);
    }
    __device__ void take(double *sum, Value x, Value &, Value) const
    {
        if constexpr (fur_value_of<Value>::is_complex) {
            take_part(sum, x.re);
            take_part(sum, x.im);
        } else {
            take_part(sum, x);
        }
    }
    static __device__ fur_partial<2> combine(const fur_partial<2> &left,
                                             const fur_partial<2> &right)
    {
        return {{left.part[0] + right.part[0], fmax(left.part[1], right.part[1])}};
    }
    __device__ fur_scalar end(const fur_partial<2> &root) const
    {
        return {isnan(root.part[0]) ? root.part[0] : sqrt(root.part[0]), 0};
    }
};

template <class Value> struct axpy_square_sum : square_sum<Value> {
    static constexpr bool reads_y = true;
    static constexpr bool writes_y = true;
    static constexpr int batch = 4;
    fur_ratio ratio;
    Value alpha;

    __device__ bool begin(const fur_slot &out)
    {
        fur_scalar factor;
        if (out.state->halted >= 0 || !fur_coefficient_read(ratio, &factor))
            return false;
        alpha = fur_from<Value>(factor);
        return true;
    }
    __device__ void take(double *sum, Value x, Value &y, Value) const
    {
        y = fur_fma(alpha, x, y);
        square_sum<Value>::take(sum, y, y, y);
    }
};

// As above, and also the sum of |y|^2 with the rounding of a dot product.
template <class Value> struct axpy_norm_and_square : axpy_square_sum<Value> {
    fur_slot product;

    __device__ void store_more(const fur_partial<2> &root) const
    {
        fur_slot_store(product, {root.part[0], 0});
    }
};

// As above, with the sum of conj(y) d y instead, where d is constant or a vector. A fourth part
// makes the length of the partial a power of two.
template <class Value, bool Constant> struct axpy_scaled_sums {
    using entry = Value;
    static constexpr int batch =
        sizeof(Value) < 8 || (std::is_same_v<Value, fur_c64> && !Constant) ? 2 : 4;
    static constexpr bool reads_y = true;
    static constexpr bool writes_y = true;
    static constexpr bool reads_d = !Constant;
    static constexpr bool is_norm2 = true;
    using partial = fur_partial<4>;
    Value constant;
    axpy_square_sum<Value> norm;
    fur_slot product;

    __device__ bool begin(const fur_slot &out)
    {
        return norm.begin(out);
    }
    __device__ void take(double *sum, Value x, Value &y, Value d) const
    {
        y = fur_fma(norm.alpha, x, y);
        add(sum, y, Constant ? constant : d);
    }
    __device__ void add(double *sum, Value y, Value d) const
    {
        norm.square_sum<Value>::take(sum, y, y, y);
        Value z = fur_mul(d, y);
        if constexpr (fur_value_of<Value>::is_complex)
            sum[2] = fma(double(y.im), double(z.im), fma(double(y.re), double(z.re), sum[2]));
        else
            sum[2] = fma(double(y), double(z), sum[2]);
    }
    static __device__ partial combine(const partial &left, const partial &right)
    {
        return {{left.part[0] + right.part[0], fmax(left.part[1], right.part[1]),
                 left.part[2] + right.part[2], 0}};
    }
    __device__ fur_scalar end(const partial &root) const
    {
        return norm.end({{root.part[0], root.part[1]}});
    }
    __device__ void store_more(const partial &root) const
    {
        fur_slot_store(product, {root.part[2], 0});
    }
};

// Adds a thread's pieces of a batch of rows, from entry `at` on, to the lanes they belong to.
template <bool Whole, class Op, class Value, class Partial>
__device__ inline void take_rows(const Op &op, const vectors<Value> &v, int64_t at,
                                 Partial (&lane)[piece_entries<Value>])
{
    constexpr int row = row_entries<Value>;
    int left = static_cast<int>(min(v.n - at, int64_t(leaf_entries<Value>)));
    int first = static_cast<int>(max(-at, int64_t(0)));
    fur_piece<Value> x[Op::batch];
    fur_piece<Value> y[Op::batch];
    fur_piece<Value> d[Op::batch];
#pragma unroll
    for (int r = 0; r < Op::batch; r++) {
        fur_load<Whole>(&x[r], v.x + at + r * row, left - r * row, first - r * row);
        if constexpr (Op::reads_y)
            fur_load<Whole>(&y[r], v.y + at + r * row, left - r * row, first - r * row);
        if constexpr (Op::reads_d)
            fur_load<Whole>(&d[r], v.d + at + r * row, left - r * row, first - r * row);
    }
#pragma unroll
    for (int r = 0; r < Op::batch; r++)
#pragma unroll
        for (int i = 0; i < piece_entries<Value>; i++)
            if (Whole || (r * row + i >= first && r * row + i < left))
                op.take(lane[i].part, x[r].entry[i], y[r].entry[i], d[r].entry[i]);
    if constexpr (Op::writes_y)
#pragma unroll
        for (int r = 0; r < Op::batch; r++)
            fur_store<Whole>(y[r], v.y + at + r * row, left - r * row, first - r * row);
}

// Returns the partial of a leaf. A warp goes over its rows, with a piece in each lane, and folds
// the lanes.
template <bool Whole, class Op, class Value>
__device__ inline typename Op::partial sum_leaf(const Op &op, const vectors<Value> &v, int64_t leaf)
{
    typename Op::partial lane[piece_entries<Value>] = {};
    int64_t at = leaf_start<Value>(v.shares, leaf) + threadIdx.x % FUR_WARP * piece_entries<Value>;
    if constexpr (!Whole)
        take_lanes(v.shares, 0, leaf, lane);
#pragma unroll 1
    for (int row = 0; row < ROWS; row += Op::batch)
        take_rows<Whole>(op, v, at + row * row_entries<Value>, lane);
    if constexpr (!Whole)
        if (hand_on_lanes(v.shares, 0, leaf, lane))
            return {};
    return fold<Op>(lane);
}

template <class Op, class Value>
__device__ inline typename Op::partial sum_any_leaf(const Op &op, const vectors<Value> &v,
                                                    int64_t leaf)
{
    return v.in_pieces && is_whole<Value>(v.shares, leaf, v.n) ? sum_leaf<true>(op, v, leaf)
                                                               : sum_leaf<false>(op, v, leaf);
}

// Returns the root over a whole vector, by one block.
template <class Op, class Value>
__device__ typename Op::partial sum_alone(const Op &op, const vectors<Value> &v)
{
    auto leaf_of = [&](int64_t leaf) { return sum_any_leaf(op, v, leaf); };
    int64_t leaves = leaves_of<Value>(v.n);
    int64_t count = 1;
    while (count < leaves)
        count *= 2;
    return v.shares.ranks > 0 ? sum_shares_alone<Op>(leaf_of, v.shares)
                              : sum_range<Op>(leaf_of, leaves, 0, count);
}

// An operation with fewer registers, for rare cases.
template <class Op> struct rare : Op {
    static constexpr int batch = 2;
};

// Returns the maximum norm, from the largest real or imaginary part.
template <class Value> __device__ double largest(const vectors<Value> &v, double part)
{
    if (!fur_value_of<Value>::is_complex || part == 0 || isinf(part))
        return part;
    return sum_alone(rare<largest_magnitude<Value>>(), v).part[0];
}

// Returns whether a sum of squares has neither overflowed nor lost bits to underflow.
__device__ inline bool is_plain(double sum)
{
    return isnan(sum) || (sum >= 0x1p-960 && sum <= DBL_MAX);
}

// Returns the power of two that scales the largest entry to about 1. It changes no digit.
__device__ inline double scale_for(double most)
{
    return scalbn(1.0, most < DBL_MIN ? DBL_MAX_EXP - 1 : -ilogb(most));
}

// Returns the 2-norm, if the plain sum of squares does not give it. The case is rare, therefore one
// block computes the norm alone. For shared vectors, the largest part is known and precise enough
// for the scale.
template <class Value> __device__ double scaled_norm2(const vectors<Value> &v, double part)
{
    double most = v.shares.ranks > 0 ? part : largest(v, part);
    if (most == 0 || isinf(most))
        return most;
    rare<square_sum<Value>> squares;
    squares.scale = scale_for(most);
    return sqrt(sum_alone(squares, v).part[0]) / squares.scale;
}

// Returns the vector whose 2-norm is the result, stored as x.
template <class Op, class Value>
__host__ __device__ inline vectors<Value> scaled_vector(const vectors<Value> &v)
{
    return {v.n, Op::writes_y ? v.y : v.x, nullptr, nullptr, v.in_pieces, v.shares};
}

// Returns the result from a root. Called by all threads of the last block.
template <class Op, class Value>
__device__ fur_scalar end_of(const Op &op, const vectors<Value> &v,
                             const typename Op::partial &root)
{
    if constexpr (Op::is_norm2)
        if (!is_plain(root.part[0]))
            return {scaled_norm2(scaled_vector<Op>(v), root.part[1]), 0};
    return op.end(root);
}

} // namespace

#endif
