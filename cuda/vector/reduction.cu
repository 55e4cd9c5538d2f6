// Dot product and norms over the fixed tree of docs/numerics.md, one launch each, with the bits of
// src/cpu/vector/reduction.c.
//
// Bytes an entry: one entry size a vector read; axpy_norm2, axpy_norms and axpy_many_norm2 write
// one more. Flops an entry: 2 for a real product or square, 8 for a complex product, 4 for a
// complex square.
#include "many.cuh"
#include "sums.cuh"

namespace
{

// One launch. Bytes and flops an entry: above.
template <class Op>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    reduce(vectors<typename Op::entry> v, Op op, arrivals<typename Op::partial> a, fur_slot out)
{
    typename Op::partial root;
    auto leaf_of = [&](int64_t leaf) { return sum_any_leaf(op, v, leaf); };
    if (!op.begin(out) || !sum_grid<Op>(leaf_of, leaves_of<typename Op::entry>(v.n), a, &root))
        return;
    fur_scalar result = op.end(v, root);
    if (threadIdx.x == 0) {
        fur_slot_store(out, result);
        op.store_more(root);
    }
}

// Reduces x, x and y, or x, y and d to the slot by one launch.
template <class Op>
fur_status launch(const char *name, fur_env *env, int64_t n, const void *x, const void *y,
                  const Op &op, fur_slot out, const void *d = nullptr)
{
    using Value = typename Op::entry;
    int64_t leaves = leaves_of<Value>(n);
    auto a = arrivals_of<Op>(env->device, leaves);
    vectors<Value> v = {n, static_cast<const Value *>(x),
                        static_cast<Value *>(const_cast<void *>(y)), static_cast<const Value *>(d),
                        fur_in_pieces(x) && fur_in_pieces(y) && fur_in_pieces(d)};
    reduce<<<blocks_of(leaves, a.leaves_a_block), BLOCK, 0, fur_cuda_stream(env)>>>(v, op, a, out);
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

// The dot products of a group of vectors with y: as many as a partial has room for. Pieces of four
// entries leave registers for half of that.
template <class Value>
    struct dots : reduction < Value,
    fur_piece<Value>::entries<4 ? FUR_SUMS : FUR_SUMS / 2> {
    static constexpr int parts = fur_value_of<Value>::is_complex ? 2 : 1;
    static constexpr int group = sizeof(typename dots::partial) / sizeof(double) / parts;
};

// A thread's piece of a row of each vector of a block's group, into the lanes they belong to.
template <bool Whole, class Value, class Lanes>
__device__ inline void take_group(const many_of<Value> &m, int64_t at, Lanes &lane)
{
    using Op = dots<Value>;
    using dot = std::conditional_t<Op::parts == 2, complex_dot<Value>, real_dot<Value>>;
    int left = static_cast<int>(min(m.n - at, int64_t(leaf_entries<Value>)));
    int first = blockIdx.x * Op::group;
    fur_piece<Value> x[Op::group];
    fur_piece<Value> y;
    fur_load<Whole>(&y, m.y + at, left);
#pragma unroll
    for (int k = 0; k < Op::group; k++)
        if (first + k < m.count)
            fur_load<Whole>(&x[k], m.x[first + k] + at, left);
#pragma unroll
    for (int k = 0; k < Op::group; k++)
#pragma unroll
        for (int i = 0; i < piece_entries<Value>; i++)
            if (first + k < m.count && (Whole || i < left))
                dot().take(&lane[i].part[k * Op::parts], x[k].entry[i], y.entry[i], y.entry[i]);
}

template <bool Whole, class Value>
__device__ inline auto dots_of_leaf(const many_of<Value> &m, int64_t leaf)
{
    typename dots<Value>::partial lane[piece_entries<Value>] = {};
    int64_t at = leaf * leaf_entries<Value> + threadIdx.x % FUR_WARP * piece_entries<Value>;
#pragma unroll 1
    for (int row = 0; row < ROWS; row++)
        take_group<Whole>(m, at + row * row_entries<Value>, lane);
    return fold<dots<Value>>(lane);
}

// Blocks of all groups go over the same leaves side by side: y is read from memory once, and by the
// others from the second-level cache. Bytes and flops an entry: above.
template <class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    reduce_many(const __grid_constant__ many_of<Value> m, arrivals<typename dots<Value>::partial> a,
                fur_scalar *out)
{
    using Op = dots<Value>;
    typename Op::partial root;
    auto leaf_of = [&](int64_t leaf) {
        return m.in_pieces && (leaf + 1) * leaf_entries<Value> <= m.n
                   ? dots_of_leaf<true>(m, leaf)
                   : dots_of_leaf<false>(m, leaf);
    };
    a.partials += blockIdx.x * gridDim.y;
    a.ticket += blockIdx.x;
    if (!sum_grid<Op>(leaf_of, leaves_of<Value>(m.n), a, &root, blockIdx.y, gridDim.y) ||
        threadIdx.x > 0)
        return;
    int first = blockIdx.x * Op::group;
#pragma unroll
    for (int k = 0; k < Op::group; k++)
        if (first + k < m.count)
            out[first + k] = {root.part[k * Op::parts],
                              Op::parts == 2 ? root.part[k * Op::parts + 1] : 0};
}

template <class Value>
fur_status dot_many(fur_env *env, int64_t n, const fur_many *x, const void *y, fur_scalar *out)
{
    using Op = dots<Value>;
    int64_t leaves = leaves_of<Value>(n);
    unsigned groups = static_cast<unsigned>(fur_ceil_div(x->count, Op::group));
    auto a = arrivals_of<Op>(env->device, leaves, groups);
    dim3 blocks(groups, blocks_of(leaves, a.leaves_a_block));
    reduce_many<<<blocks, BLOCK, 0, fur_cuda_stream(env)>>>(many_of<Value>(n, x, y), a, out);
    return fur_cuda_launched(env, "dot_many");
}

// Rows of y whose loads are in flight together.
#define ADDED_ROWS 4

// y += sum_k alpha_k x_k and the sum of its squares over a leaf.
template <bool Whole, class Value>
__device__ inline auto add_leaf(const many_of<Value> &m, int64_t leaf)
{
    constexpr int row = row_entries<Value>;
    fur_partial<2> lane[piece_entries<Value>] = {};
    int64_t at = leaf * leaf_entries<Value> + threadIdx.x % FUR_WARP * piece_entries<Value>;
#pragma unroll 1
    for (int rows = 0; rows < ROWS; rows += ADDED_ROWS, at += ADDED_ROWS * row) {
        int left = static_cast<int>(min(m.n - at, int64_t(leaf_entries<Value>)));
        fur_piece<Value> y[ADDED_ROWS];
        add_rows<Whole>(m, at, left, y);
#pragma unroll
        for (int r = 0; r < ADDED_ROWS; r++)
#pragma unroll
            for (int i = 0; i < piece_entries<Value>; i++)
                if (Whole || r * row + i < left)
                    square_sum<Value>().take(lane[i].part, y[r].entry[i], y[r].entry[i],
                                             y[r].entry[i]);
    }
    return fold<square_sum<Value>>(lane);
}

// Bytes and flops an entry: above.
template <class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    add_and_reduce(const __grid_constant__ many_of<Value> m, arrivals<fur_partial<2>> a,
                   fur_slot out)
{
    using Op = square_sum<Value>;
    fur_partial<2> root;
    auto leaf_of = [&](int64_t leaf) {
        return m.in_pieces && (leaf + 1) * leaf_entries<Value> <= m.n ? add_leaf<true>(m, leaf)
                                                                      : add_leaf<false>(m, leaf);
    };
    if (!sum_grid<Op>(leaf_of, leaves_of<Value>(m.n), a, &root))
        return;
    fur_scalar norm = Op().end({m.n, m.y, nullptr, nullptr, m.in_pieces}, root);
    if (threadIdx.x == 0)
        fur_slot_store(out, norm);
}

template <class Value>
fur_status axpy_many_norm2(fur_env *env, int64_t n, const fur_many *x, void *y, fur_slot out)
{
    int64_t leaves = leaves_of<Value>(n);
    auto a = arrivals_of<square_sum<Value>>(env->device, leaves);
    add_and_reduce<<<blocks_of(leaves, a.leaves_a_block), BLOCK, 0, fur_cuda_stream(env)>>>(
        many_of<Value>(n, x, y), a, out);
    return fur_cuda_launched(env, "axpy_many_norm2");
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
    {dot_many<float>, dot_many<double>, dot_many<fur_c64>, dot_many<fur_c128>},
    {axpy_many_norm2<float>, axpy_many_norm2<double>, axpy_many_norm2<fur_c64>,
     axpy_many_norm2<fur_c128>},
    {}, // the vectors would not stay near
};
