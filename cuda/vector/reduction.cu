// Dot product and norms over the fixed tree of docs/numerics.md, one launch each, with the bits of
// src/cpu/vector/reduction.c.
//
// Bytes an entry: one entry size a vector read; axpy_norm2 and axpy_norms write one more. Flops an
// entry: 2 for a real product or square, 8 for a complex product, 4 for a complex square.
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
