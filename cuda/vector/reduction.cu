// Dot products and norms over the fixed tree of docs/numerics.md, in one launch each, with the bits
// of src/cpu/vector/reduction.c.
//
// Bytes an entry: one entry size for each vector read; axpy_norm2, axpy_norms and axpy_many_norm2
// write one more. Flops an entry: 2 for a real product or square, 8 for a complex product, 4 for a
// complex square.
#include "many.cuh"
#include "sums.cuh"

namespace
{

// Called by one thread.
template <class Op>
__device__ inline void store(const Op &op, fur_scalar result, const typename Op::partial &root,
                             fur_slot out)
{
    fur_slot_store(out, result);
    op.store_more(root);
}

// Reduces in one launch. Bytes and flops an entry: above.
template <class Op>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    reduce(const __grid_constant__ vectors<typename Op::entry> v, Op op,
           arrivals<typename Op::partial> a, fur_slot out)
{
    typename Op::partial root;
    auto leaf_of = [&](int64_t leaf) { return sum_any_leaf(op, v, leaf); };
    if (!op.begin(out) ||
        !sum_vector<Op>(leaf_of, leaves_of<typename Op::entry>(v.n), v.shares, 0, a, &root))
        return;
    fur_scalar result = end_of(op, v, root);
    if (threadIdx.x == 0)
        store(op, result, root, out);
}

// Finishes a reduction after a gather has brought the sums of all ranks, in one block. If the sum
// of squares does not give the 2-norm, the result waits for a second pass, and its scale and root
// are stored.
template <class Op>
__global__ void __launch_bounds__(BLOCK)
    reduce_gathered(const __grid_constant__ fur_shares shares, Op op, fur_slot out)
{
    if (!op.begin(out))
        return;
    auto root = gathered_sums<Op>(shares, 0);
    if (threadIdx.x > 0)
        return;
    fur_scalar result = op.end(root);
    if constexpr (Op::is_norm2) {
        double most = root.part[1];
        bool waits = !is_plain(root.part[0]) && most != 0 && !isinf(most);
        aside<Op>(shares)->scale = waits ? scale_for(most) : 0;
        aside<Op>(shares)->back = 1 / scale_for(most);
        aside<Op>(shares)->root = root;
        if (waits)
            return;
        if (!is_plain(root.part[0]))
            result = {most, 0};
    }
    store(op, result, root, out);
}

// The sum of scaled squares, if a norm waits for it.
template <class Value> struct rescaled : rare<square_sum<Value>> {
    const double *given;

    __device__ bool begin(const fur_slot &)
    {
        this->scale = *given;
        return this->scale != 0;
    }
};

// Finishes a norm that waits for the sum of scaled squares.
template <class Op>
__global__ void __launch_bounds__(BLOCK)
    reduce_rescaled(const __grid_constant__ fur_shares shares, Op op, fur_slot out)
{
    if (aside<Op>(shares)->scale == 0)
        return;
    auto squares = gathered_sums<square_sum<typename Op::entry>>(shares, 0);
    if (threadIdx.x == 0)
        store(op, {sqrt(squares.part[0]) * aside<Op>(shares)->back, 0}, aside<Op>(shares)->root,
              out);
}

// Launches the first part of a reduction: the sums of leaves and, with mailboxes or on one rank,
// all other steps.
template <class Op, class Value>
fur_status launch_sums(fur_env *env, const vectors<Value> &v, const Op &op, fur_slot out)
{
    using Partial = typename Op::partial;
    return launch_parts(
        env, v.shares, leaf_entries<Value>, 1, sizeof(Partial), [&](const fur_shares &shares) {
            auto g = grid_of<Op>(env->device, leaves_of<Value>(v.n), shares);
            vectors<Value> part = v;
            part.shares = shares;
            reduce<<<g.blocks, BLOCK, 0, fur_cuda_stream(env)>>>(part, op, g.memory, out);
        });
}

// The second pass over the vector y, for a norm that may wait.
template <class Op, class Value>
fur_status launch_rescaled(fur_env *env, const Op &op, fur_slot out, const vectors<Value> &v)
{
    using Squares = rescaled<Value>;
    Squares squares = {};
    squares.given = &aside<Op>(v.shares)->scale;
    FUR_TRY(launch_sums(env, v, squares, out));
    reduce_rescaled<<<1, BLOCK, 0, fur_cuda_stream(env)>>>(v.shares, op, out);
    return FUR_OK;
}

// Launches the steps after a gather.
template <class Op, class Value>
fur_status launch_rest(fur_env *env, const Op &op, fur_slot out, const vectors<Value> &v)
{
    if (!needs_gather(v.shares))
        return FUR_OK;
    reduce_gathered<<<1, BLOCK, 0, fur_cuda_stream(env)>>>(v.shares, op, out);
    if constexpr (Op::is_norm2)
        return launch_rescaled(env, op, out, scaled_vector<Op>(v));
    return FUR_OK;
}

// Reduces x, x and y, or x, y and d to the slot. Takes one launch if no gather is needed.
template <class Op>
fur_status launch(const char *name, fur_env *env, int64_t n, const void *x, const void *y,
                  const Op &op, fur_slot out, const void *d = nullptr)
{
    using Value = typename Op::entry;
    fur_shares shares;
    FUR_TRY(fur_cuda_find_shares(env, n, leaf_entries<Value>, &shares));
    vectors<Value> v = {n,
                        static_cast<const Value *>(x),
                        static_cast<Value *>(const_cast<void *>(y)),
                        static_cast<const Value *>(d),
                        fur_in_pieces(x) && fur_in_pieces(y) && fur_in_pieces(d) &&
                            keeps_pieces<Value>(shares),
                        shares};
    FUR_TRY(launch_sums(env, v, op, out));
    FUR_TRY(launch_rest(env, op, out, v));
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

// The dot products of a group of vectors with y. The group has as many vectors as a partial has
// room for. With pieces of four entries, the registers suffice for half of that.
template <class Value>
    struct dots : reduction < Value,
    fur_piece<Value>::entries<4 ? FUR_SUMS : FUR_SUMS / 2> {
    static constexpr int parts = fur_value_of<Value>::is_complex ? 2 : 1;
    static constexpr int group = sizeof(typename dots::partial) / sizeof(double) / parts;
};

// Adds a thread's piece of each vector of a block's group to the lanes of its row.
template <bool Whole, class Value, class Lanes>
__device__ inline void take_group(const many_of<Value> &m, int64_t at, Lanes &lane)
{
    using Op = dots<Value>;
    using dot = std::conditional_t<Op::parts == 2, complex_dot<Value>, real_dot<Value>>;
    int left = static_cast<int>(min(m.n - at, int64_t(leaf_entries<Value>)));
    int begin = static_cast<int>(max(-at, int64_t(0)));
    int first = blockIdx.x * Op::group;
    fur_piece<Value> x[Op::group];
    fur_piece<Value> y;
    fur_load<Whole>(&y, m.y + at, left, begin);
#pragma unroll
    for (int k = 0; k < Op::group; k++)
        if (first + k < m.count)
            fur_load<Whole>(&x[k], m.x[first + k] + at, left, begin);
#pragma unroll
    for (int k = 0; k < Op::group; k++)
#pragma unroll
        for (int i = 0; i < piece_entries<Value>; i++)
            if (first + k < m.count && (Whole || (i >= begin && i < left)))
                dot().take(&lane[i].part[k * Op::parts], x[k].entry[i], y.entry[i], y.entry[i]);
}

template <bool Whole, class Value>
__device__ inline auto dots_of_leaf(const many_of<Value> &m, const fur_shares &s, int64_t leaf)
{
    typename dots<Value>::partial lane[piece_entries<Value>] = {};
    int64_t at = leaf_start<Value>(s, leaf) + threadIdx.x % FUR_WARP * piece_entries<Value>;
    if constexpr (!Whole)
        take_lanes(s, blockIdx.x, leaf, lane);
#pragma unroll 1
    for (int row = 0; row < ROWS; row++)
        take_group<Whole>(m, at + row * row_entries<Value>, lane);
    if constexpr (!Whole)
        if (hand_on_lanes(s, blockIdx.x, leaf, lane))
            return typename dots<Value>::partial{};
    return fold<dots<Value>>(lane);
}

template <class Value>
__device__ inline auto dots_of_any_leaf(const many_of<Value> &m, const fur_shares &s, int64_t leaf)
{
    return m.in_pieces && is_whole<Value>(s, leaf, m.n) ? dots_of_leaf<true>(m, s, leaf)
                                                        : dots_of_leaf<false>(m, s, leaf);
}

// Stores the results of a block's group. There are `count` vectors in all.
template <class Value>
__device__ inline void store_group(int count, const typename dots<Value>::partial &root,
                                   fur_scalar *out)
{
    using Op = dots<Value>;
    int first = blockIdx.x * Op::group;
#pragma unroll
    for (int k = 0; k < Op::group; k++)
        if (threadIdx.x == 0 && first + k < count)
            out[first + k] = {root.part[k * Op::parts],
                              Op::parts == 2 ? root.part[k * Op::parts + 1] : 0};
}

// Blocks of all groups process the same leaves at the same time. One of them reads y from memory,
// and the others read it from the second-level cache. Bytes and flops an entry: above.
template <class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    reduce_many(const __grid_constant__ many_of<Value> m, arrivals<typename dots<Value>::partial> a,
                fur_scalar *out)
{
    using Op = dots<Value>;
    typename Op::partial root;
    const fur_shares whole = {};
    auto leaf_of = [&](int64_t leaf) { return dots_of_any_leaf(m, whole, leaf); };
    a.partials += blockIdx.x * gridDim.y;
    a.ticket += blockIdx.x;
    if (sum_grid<Op>(leaf_of, leaves_of<Value>(m.n), a, &root, blockIdx.y, gridDim.y))
        store_group<Value>(m.count, root, out);
}

// As above, for shared vectors: computes the sums of this rank. The lanes of cut leaves take
// registers.
template <class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT - 1)
    share_many(const __grid_constant__ many_of<Value> m, const __grid_constant__ fur_shares shares,
               arrivals<typename dots<Value>::partial> a)
{
    using Op = dots<Value>;
    auto own = own_sums<typename Op::partial>(shares, blockIdx.x);
    a.partials += blockIdx.x * gridDim.y;
    a.ticket += blockIdx.x;
    sum_shares<Op>([&](int64_t leaf) { return dots_of_any_leaf(m, shares, leaf); }, shares,
                   blockIdx.x, a, blockIdx.y, gridDim.y, own);
}

// Combines the sums of all ranks, with one block for each group.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    end_many(int count, const __grid_constant__ fur_shares shares, fur_scalar *out)
{
    using Op = dots<Value>;
    auto root = shares.boxes[shares.rank] ? exchange_own<Op>(shares, blockIdx.x)
                                          : gathered_sums<Op>(shares, blockIdx.x);
    store_group<Value>(count, root, out);
}

template <class Value>
fur_status dot_shared_many(fur_env *env, const fur_shares &shares, const many_of<Value> &m,
                           unsigned groups, fur_scalar *out)
{
    using Op = dots<Value>;
    FUR_TRY(launch_parts(env, shares, leaf_entries<Value>, groups, sizeof(typename Op::partial),
                         [&](const fur_shares &part) {
                             auto g = grid_of<Op>(env->device, leaves_of<Value>(m.n), part, groups);
                             dim3 blocks(groups, g.blocks);
                             share_many<<<blocks, BLOCK, 0, fur_cuda_stream(env)>>>(m, part,
                                                                                    g.memory);
                         }));
    end_many<Value><<<groups, BLOCK, 0, fur_cuda_stream(env)>>>(m.count, shares, out);
    return fur_cuda_launched(env, "dot_many");
}

template <class Value>
fur_status dot_many(fur_env *env, int64_t n, const fur_many *x, const void *y, fur_scalar *out)
{
    using Op = dots<Value>;
    fur_shares shares;
    FUR_TRY(fur_cuda_find_shares(env, n, leaf_entries<Value>, &shares));
    unsigned groups = static_cast<unsigned>(fur_ceil_div(x->count, Op::group));
    many_of<Value> m(n, x, y);
    m.in_pieces = m.in_pieces && keeps_pieces<Value>(shares);
    if (shares.ranks > 0)
        return dot_shared_many(env, shares, m, groups, out);
    auto g = grid_of<Op>(env->device, leaves_of<Value>(n), shares, groups);
    dim3 blocks(groups, g.blocks);
    reduce_many<<<blocks, BLOCK, 0, fur_cuda_stream(env)>>>(m, g.memory, out);
    return fur_cuda_launched(env, "dot_many");
}

// Rows of y whose loads are in flight together.
#define ADDED_ROWS 4

// y += sum_k alpha_k x_k, and the sum of its squares, over a leaf.
template <bool Whole, class Value>
__device__ inline auto add_leaf(const many_of<Value> &m, const fur_shares &s, int64_t leaf)
{
    constexpr int row = row_entries<Value>;
    fur_partial<2> lane[piece_entries<Value>] = {};
    int64_t at = leaf_start<Value>(s, leaf) + threadIdx.x % FUR_WARP * piece_entries<Value>;
    if constexpr (!Whole)
        take_lanes(s, 0, leaf, lane);
#pragma unroll 1
    for (int rows = 0; rows < ROWS; rows += ADDED_ROWS, at += ADDED_ROWS * row) {
        int left = static_cast<int>(min(m.n - at, int64_t(leaf_entries<Value>)));
        int first = static_cast<int>(max(-at, int64_t(0)));
        fur_piece<Value> y[ADDED_ROWS];
        add_rows<Whole>(m, at, left, y, first);
#pragma unroll
        for (int r = 0; r < ADDED_ROWS; r++)
#pragma unroll
            for (int i = 0; i < piece_entries<Value>; i++)
                if (Whole || (r * row + i >= first && r * row + i < left))
                    square_sum<Value>().take(lane[i].part, y[r].entry[i], y[r].entry[i],
                                             y[r].entry[i]);
    }
    if constexpr (!Whole)
        if (hand_on_lanes(s, 0, leaf, lane))
            return fur_partial<2>{};
    return fold<square_sum<Value>>(lane);
}

// Returns the vector y, whose norm is the result.
template <class Value>
__host__ __device__ inline vectors<Value> sum_of(const many_of<Value> &m, const fur_shares &shares)
{
    return {m.n, m.y, m.y, nullptr, m.in_pieces, shares};
}

// Bytes and flops an entry: above.
template <class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    add_and_reduce(const __grid_constant__ many_of<Value> m,
                   const __grid_constant__ fur_shares shares, arrivals<fur_partial<2>> a,
                   fur_slot out)
{
    using Op = square_sum<Value>;
    fur_partial<2> root;
    auto leaf_of = [&](int64_t leaf) {
        return m.in_pieces && is_whole<Value>(shares, leaf, m.n) ? add_leaf<true>(m, shares, leaf)
                                                                 : add_leaf<false>(m, shares, leaf);
    };
    if (!sum_vector<Op>(leaf_of, leaves_of<Value>(m.n), shares, 0, a, &root))
        return;
    fur_scalar norm = end_of(Op(), sum_of(m, shares), root);
    if (threadIdx.x == 0)
        fur_slot_store(out, norm);
}

template <class Value>
fur_status axpy_many_norm2(fur_env *env, int64_t n, const fur_many *x, void *y, fur_slot out)
{
    using Op = square_sum<Value>;
    fur_shares shares;
    FUR_TRY(fur_cuda_find_shares(env, n, leaf_entries<Value>, &shares));
    many_of<Value> m(n, x, y);
    m.in_pieces = m.in_pieces && keeps_pieces<Value>(shares);
    FUR_TRY(launch_parts(
        env, shares, leaf_entries<Value>, 1, sizeof(fur_partial<2>), [&](const fur_shares &part) {
            auto g = grid_of<Op>(env->device, leaves_of<Value>(n), part);
            add_and_reduce<<<g.blocks, BLOCK, 0, fur_cuda_stream(env)>>>(m, part, g.memory, out);
        }));
    FUR_TRY(launch_rest(env, Op(), out, sum_of(m, shares)));
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
    {}, // one launch for each dot product
    {axpy_many_norm2<float>, axpy_many_norm2<double>, axpy_many_norm2<fur_c64>,
     axpy_many_norm2<fur_c128>},
    {}, // the vectors would not stay in the caches
};
