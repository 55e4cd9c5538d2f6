// Dot product and norms over the fixed tree of docs/numerics.md, one launch each, with the bits of
// src/cpu/vector/reduction.c.
//
// A leaf is a warp's: 32 rows of 512 bytes, 16 bytes a lane. A block takes an aligned range of 2^k
// leaves, which is a subtree; the last block to arrive combines the results of all.
//
// Bytes an entry: one entry size a vector read; axpy_norm2 and axpy_norms write one more. Flops an
// entry: 2 for a real product or square, 8 for a complex product, 4 for a complex square.
#include "ticket.cuh"
#include "tree.cuh"
#include "vector.cuh"

#include <float.h>

#define BLOCK FUR_REDUCTION_THREADS
#define WARPS (BLOCK / FUR_WARP)
#define ROWS 32
// Blocks a multiprocessor has registers for, with the loads of a batch of rows in flight.
#define RESIDENT 4
// Leaves of a block from which on a large vector rather gets more blocks than are resident.
#define FULL_BLOCK (2 * WARPS)

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

// sqrt(a^2 + b^2); where a square could overflow or lose bits, the larger part is first brought to
// [1, 2).
__device__ inline double modulus(double re, double im)
{
    double a = fabs(re);
    double b = fabs(im);
    double large = a > b ? a : b;
    if (large > 0x1p400 || (large < 0x1p-400 && large > 0)) {
        if (isinf(large) || isnan(a) || isnan(b))
            return a + b;
        int exponent = ilogb(large);
        a = scalbn(a, -exponent);
        b = scalbn(b, -exponent);
        return scalbn(sqrt(fma(a, a, b * b)), exponent);
    }
    return sqrt(fma(a, a, b * b));
}

template <class Value> __device__ inline double magnitude(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return modulus(a.re, a.im);
    else
        return fabs(double(a));
}

template <class Value> struct magnitude_sum : reduction<Value, 1> {
    __device__ void take(double *sum, Value x, Value &, Value) const
    {
        sum[0] += magnitude(x);
    }
};

// NaN if one is: fmax would drop it.
__device__ inline double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

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

// The sum of squares and, beside it, the largest real or imaginary part, which explains a sum of 0
// or infinity without another pass.
//
// One vector alone needs more rows in flight; other types than f64 have no registers for them.
template <class Value>
struct square_sum : reduction<Value, 2, std::is_same_v<Value, double> ? 16 : 8> {
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
    __device__ fur_scalar end(const vectors<Value> &v, const fur_partial<2> &root) const;
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
    __device__ fur_scalar end(const vectors<Value> &v, const fur_partial<2> &root) const
    {
        return square_sum<Value>::end({v.n, v.y, nullptr, nullptr, v.in_pieces}, root);
    }
};

// The same, and beside the norm sum |y|^2 as a dot product has it.
template <class Value> struct axpy_norm_and_square : axpy_square_sum<Value> {
    fur_slot product;

    __device__ void store_more(const fur_partial<2> &root) const
    {
        fur_slot_store(product, {root.part[0], 0});
    }
};

// And with sum conj(y) d y instead, where d is a constant or not; a fourth part makes the partial a
// power of two long.
template <class Value, bool Constant> struct axpy_scaled_sums {
    using entry = Value;
    static constexpr int batch = sizeof(Value) < 8 ? 2 : 4;
    static constexpr bool reads_y = true;
    static constexpr bool writes_y = true;
    static constexpr bool reads_d = !Constant;
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
        norm.take(sum, x, y, d);
        Value z = fur_mul(Constant ? constant : d, y);
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
    __device__ fur_scalar end(const vectors<Value> &v, const partial &root) const
    {
        return norm.end(v, {{root.part[0], root.part[1]}});
    }
    __device__ void store_more(const partial &root) const
    {
        fur_slot_store(product, {root.part[2], 0});
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

// One warp, leaves first .. last-1.
template <class Op, class Value>
__device__ typename Op::partial sum_leaves(const Op &op, const vectors<Value> &v, int64_t first,
                                           int64_t last)
{
    fur_tree<Op, typename Op::partial> tree;
    for (int64_t leaf = first; leaf < last; leaf++)
        if (v.in_pieces && (leaf + 1) * leaf_entries<Value> <= v.n)
            tree.push(sum_leaf<true>(op, v, leaf));
        else
            tree.push(sum_leaf<false>(op, v, leaf));
    return tree.root();
}

// The root over the partials of those warps that have one, which are the first, for all threads.
template <class Op, class Partial>
__device__ Partial tree_of_warps(const Partial &p, bool has_partial)
{
    __shared__ Partial results[WARPS];
    int lane = threadIdx.x % FUR_WARP;
    // Also lets those finish who still read the results of the call before.
    int count = __syncthreads_count(has_partial) / FUR_WARP;
    if (lane == 0)
        results[threadIdx.x / FUR_WARP] = p;
    __syncthreads();
    return fur_lane_partial(fur_tree_of_lanes<Op>(results[lane % WARPS], count), 0);
}

// One block, leaves first .. first + count-1 as far as they exist; count is a power of two.
template <class Op, class Value>
__device__ typename Op::partial sum_range(const Op &op, const vectors<Value> &v, int64_t first,
                                          int64_t count)
{
    int64_t share = count > WARPS ? count / WARPS : 1;
    int64_t end = min(first + count, leaves_of<Value>(v.n));
    int64_t begin = first + threadIdx.x / FUR_WARP * share;
    return tree_of_warps<Op>(sum_leaves(op, v, begin, min(begin + share, end)), begin < end);
}

// The same for the whole vector.
template <class Op, class Value>
__device__ typename Op::partial sum_alone(const Op &op, const vectors<Value> &v)
{
    int64_t count = 1;
    while (count < leaves_of<Value>(v.n))
        count *= 2;
    return sum_range(op, v, 0, count);
}

// The norm max, given the largest real or imaginary part.
template <class Value> __device__ double largest(const vectors<Value> &v, double part)
{
    if (!fur_value_of<Value>::is_complex || part == 0 || isinf(part))
        return part;
    return sum_alone(largest_magnitude<Value>(), v).part[0];
}

// The norm 2 where the plain sum of squares overflowed or may have lost bits: the largest entry is
// brought near 1 by a power of two, which changes no digit. So rare that one block may do it alone.
template <class Value> __device__ double scaled_norm2(const vectors<Value> &v, double part)
{
    double most = largest(v, part);
    if (most == 0 || isinf(most))
        return most;
    square_sum<Value> squares;
    squares.scale = scalbn(1.0, most < DBL_MIN ? DBL_MAX_EXP - 1 : -ilogb(most));
    return sqrt(sum_alone(squares, v).part[0]) / squares.scale;
}

template <class Value>
__device__ fur_scalar square_sum<Value>::end(const vectors<Value> &v,
                                             const fur_partial<2> &root) const
{
    double sum = root.part[0];
    if (isnan(sum))
        return {sum, 0};
    if (sum >= 0x1p-960 && sum <= DBL_MAX)
        return {sqrt(sum), 0};
    return {scaled_norm2(v, root.part[1]), 0};
}

// The root over the partials of all blocks, FUR_REDUCTION_BLOCKS at most, for all threads.
template <class Op, class Partial>
__device__ Partial tree_of_blocks(const Partial *partials, int count)
{
    __shared__ Partial groups[BLOCK];
    int lane = threadIdx.x % FUR_WARP;
    int warp = threadIdx.x / FUR_WARP;
#pragma unroll 4
    for (int first = warp * FUR_WARP; first < count; first += BLOCK) {
        Partial p = partials[min(first + lane, count - 1)];
        p = fur_tree_of_lanes<Op>(p, count - first);
        if (lane == 0)
            groups[first / FUR_WARP] = p;
    }
    __syncthreads();
    int left = (count + FUR_WARP - 1) / FUR_WARP - warp * FUR_WARP;
    return tree_of_warps<Op>(fur_tree_of_lanes<Op>(groups[threadIdx.x], left), left > 0);
}

// The leaves of a block, then, in the last block to arrive, the blocks'. Bytes and flops an entry:
// above.
template <class Op>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    reduce(vectors<typename Op::entry> v, Op op, int64_t leaves_a_block,
           typename Op::partial *partials, unsigned *ticket, fur_slot out)
{
    if (!op.begin(out))
        return;
    auto partial = sum_range(op, v, blockIdx.x * leaves_a_block, leaves_a_block);
    bool last = false;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = partial;
        last = fur_last_to_arrive(ticket, gridDim.x);
    }
    if (!__syncthreads_or(last))
        return;
    typename Op::partial root = tree_of_blocks<Op>(partials, gridDim.x);
    fur_scalar result = op.end(v, root);
    if (threadIdx.x == 0) {
        fur_slot_store(out, result);
        op.store_more(root);
    }
}

// A small vector goes to as many warps as there are leaves, on all multiprocessors; a large one to
// blocks that are long enough for their beginning and end to be nothing, and to more of them than
// are resident, so that the multiprocessors end together.
int64_t leaves_a_block_for(const fur_device *device, int64_t leaves)
{
    int64_t resident = min(device->multiprocessors * RESIDENT, FUR_REDUCTION_BLOCKS);
    int64_t count = 1;
    while (fur_ceil_div(leaves, count) > (count < FULL_BLOCK ? resident : FUR_REDUCTION_BLOCKS))
        count *= 2;
    return count;
}

// Reduces x, x and y, or x, y and d to the slot by one launch.
template <class Op>
fur_status launch(const char *name, fur_env *env, int64_t n, const void *x, const void *y,
                  const Op &op, fur_slot out, const void *d = nullptr)
{
    using Value = typename Op::entry;
    fur_device *device = env->device;
    int64_t leaves = leaves_of<Value>(n);
    int64_t leaves_a_block = leaves_a_block_for(device, leaves);
    unsigned blocks = leaves > 0 ? fur_ceil_div(leaves, leaves_a_block) : 1;
    vectors<Value> v = {n, static_cast<const Value *>(x),
                        static_cast<Value *>(const_cast<void *>(y)), static_cast<const Value *>(d),
                        fur_in_pieces(x) && fur_in_pieces(y) && fur_in_pieces(d)};
    reduce<<<blocks, BLOCK, 0, fur_cuda_stream(env)>>>(
        v, op, leaves_a_block, reinterpret_cast<typename Op::partial *>(device->partials),
        device->tickets, out);
    return fur_cuda_launched(env, name);
}

template <template <class> class Op, class Value>
fur_status dot(fur_env *env, int64_t n, const void *x, const void *y, fur_slot out)
{
    return launch("dot", env, n, x, y, Op<Value>(), out);
}

template <class Value> fur_status norm1(fur_env *env, int64_t n, const void *x, fur_slot out)
{
    return launch("norm1", env, n, x, nullptr, magnitude_sum<Value>(), out);
}

template <class Value> fur_status norm_max(fur_env *env, int64_t n, const void *x, fur_slot out)
{
    return launch("norm_max", env, n, x, nullptr, largest_magnitude<Value>(), out);
}

template <class Value> fur_status norm2(fur_env *env, int64_t n, const void *x, fur_slot out)
{
    return launch("norm2", env, n, x, nullptr, square_sum<Value>(), out);
}

template <class Value>
fur_status axpy_norm2(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x, void *y,
                      fur_slot out)
{
    axpy_square_sum<Value> op = {};
    op.ratio = *alpha;
    return launch("axpy_norm2", env, n, x, y, op, out);
}

template <bool Constant, class Value>
fur_status axpy_scaled(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x,
                       const fur_diagonal *d, void *y, fur_slot norm, fur_slot product)
{
    axpy_scaled_sums<Value, Constant> op = {};
    op.norm.ratio = *alpha;
    op.product = product;
    op.constant = fur_from<Value>(d->constant);
    return launch("axpy_norms", env, n, x, y, op, norm, d->entries);
}

template <class Value>
fur_status axpy_norms(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x,
                      const fur_diagonal *d, void *y, fur_slot norm, fur_slot product)
{
    if (d->entries)
        return axpy_scaled<false, Value>(env, n, alpha, x, d, y, norm, product);
    if (!fur_is_unit(d))
        return axpy_scaled<true, Value>(env, n, alpha, x, d, y, norm, product);
    axpy_norm_and_square<Value> op = {};
    op.ratio = *alpha;
    op.product = product;
    return launch("axpy_norms", env, n, x, y, op, norm);
}

} // namespace

extern "C" const fur_reduction_kernels fur_cuda_reduction = {
    {dot<real_dot, float>, dot<real_dot, double>, dot<complex_dot, fur_c64>,
     dot<complex_dot, fur_c128>},
    {norm1<float>, norm1<double>, norm1<fur_c64>, norm1<fur_c128>},
    {norm_max<float>, norm_max<double>, norm_max<fur_c64>, norm_max<fur_c128>},
    {norm2<float>, norm2<double>, norm2<fur_c64>, norm2<fur_c128>},
    {axpy_norm2<float>, axpy_norm2<double>, axpy_norm2<fur_c64>, axpy_norm2<fur_c128>},
    {axpy_norms<float>, axpy_norms<double>, axpy_norms<fur_c64>, axpy_norms<fur_c128>},
};
