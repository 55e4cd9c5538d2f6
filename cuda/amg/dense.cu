// The inverse of the coarsest matrix, as src/amg/dense.c: Gauss and Jordan's method, each step from
// one array into the other. Bytes a step: the matrix in and out, from the caches.
#include "amg.cuh"
#include "cluster.cuh"
#include "inverse.cuh"

// Of a product with the inverse.
#define THREADS 256
// A matrix of so many rows is inverted in one launch of a cluster, a larger one a step a launch.
#define ONCE_MOST 384
#define ONCE_THREADS 1024

namespace
{

// The matrix by rows; an entry re + i im is [re, -im; im, re].
template <class Value> struct unpack {
    fur_row_starts offsets;
    const int32_t *columns;
    const Value *values;
    int64_t order;
    double *g;

    __device__ void operator()(int64_t row) const
    {
        constexpr int parts = fur_value_of<Value>::is_complex ? 2 : 1;
        double *to = g + row * parts * order;
        for (int64_t k = 0; k < parts * order; k++)
            to[k] = 0;
        int64_t end = offsets[row + 1];
        for (int64_t k = offsets[row]; k < end; k++) {
            double *at = to + int64_t(columns[k]) * parts;
            if constexpr (parts == 2) {
                double re = values[k].re;
                double im = values[k].im;
                at[0] += re;
                at[1] -= im;
                at[order] += im;
                at[order + 1] += re;
            } else {
                at[0] += double(values[k]);
            }
        }
    }
};

struct find_scale {
    int64_t order;
    const double *g;
    double *s;

    __device__ void operator()(int64_t i) const
    {
        double d = g[i * order + i];
        s[i] = d != 0 ? 1 / sqrt(fabs(d)) : 0;
    }
};

// to(i, j) = s_i from(i, j) s_j, or the transpose of that.
struct scale {
    int64_t order;
    const double *s;
    bool transposed;
    const double *from;
    double *to;

    __device__ void operator()(int64_t at) const
    {
        int64_t i = at / order;
        int64_t j = at % order;
        to[transposed ? j * order + i : at] = from[at] * (s[i] * s[j]);
    }
};

// Step k: unknown k is eliminated, or left out where rounding alone may have left its pivot.
struct eliminate {
    int64_t order;
    int64_t k;
    double least;
    const double *from;
    double *to;

    __device__ void operator()(int64_t at) const
    {
        int64_t i = static_cast<unsigned>(at) / static_cast<unsigned>(order);
        int64_t j = at - i * order;
        double own = from[at];
        double diagonal = from[k * order + k];
        if (!(fabs(diagonal) > least)) {
            to[at] = i == k || j == k ? 0 : own;
            return;
        }
        double pivot = 1 / diagonal;
        double factor = from[i * order + k];
        double row = from[k * order + j] * pivot;
        if (i == k)
            to[at] = j == k ? pivot : row;
        else if (factor == 0)
            to[at] = own;
        else
            to[at] = j == k ? -factor * pivot : own - factor * row;
    }
};

// All steps; the result is in `from` if the order is even.
__global__ void __launch_bounds__(ONCE_THREADS)
    eliminate_all(int64_t order, double least, double *from, double *to)
{
    const int64_t entries = order * order;
    const int64_t threads = FUR_CLUSTER * int64_t(ONCE_THREADS);
    for (int64_t k = 0; k < order; k++) {
        const eliminate step = {order, k, least, from, to};
        for (int64_t at = fur_cluster_rank() * int64_t(ONCE_THREADS) + threadIdx.x; at < entries;
             at += threads)
            step(at);
        fur_cluster_wait();
        double *swapped = from;
        from = to;
        to = swapped;
    }
}

// The same by launches.
fur_status eliminate_by_steps(fur_env *env, int64_t order, double least, double *from, double *to)
{
    for (int64_t k = 0; k < order; k++) {
        FUR_TRY(fur_amg_run(env, "eliminate", order * order, eliminate{order, k, least, from, to}));
        double *swapped = from;
        from = to;
        to = swapped;
    }
    return FUR_OK;
}

// x = G b. Bytes: the inverse.
template <class Real>
__global__ void __launch_bounds__(THREADS)
    apply(int64_t order, const double *inverse, const Real *b, Real *x)
{
    __shared__ fur_inverse_tile tile;
    fur_apply_inverse(order, inverse, b, x, blockIdx.x * int64_t(FUR_INVERSE_ROWS), &tile);
}

// Between precisions.
template <class From, class To> struct convert {
    const From *from;
    double factor;
    To *to;

    __device__ void operator()(int64_t i) const
    {
        to[i] = static_cast<To>(factor * double(from[i]));
    }
};

} // namespace

fur_status fur_cuda_amg_invert(fur_env *env, const fur_csr_view *a, int64_t order, double *inverse)
{
    fur_amg_room<double> other(env);
    fur_amg_room<double> s(env);
    const int64_t entries = order * order;
    FUR_TRY(other.take(entries));
    FUR_TRY(s.take(order));
    double least = fur_amg_least_pivot(order, a->value_type == FUR_F32 || a->value_type == FUR_C64);
    // The steps end in `other`, from where the result is scaled: an even number where it began.
    double *from = order % 2 == 0 ? other.at : inverse;
    double *to = order % 2 == 0 ? inverse : other.at;
    FUR_TRY(fur_with_value(a->value_type, [&](auto one) {
        using Value = decltype(one);
        return fur_amg_run(env, "a dense matrix", a->rows,
                           unpack<Value>{{a->offsets, a->offset_type == FUR_I64},
                                         a->columns,
                                         static_cast<const Value *>(a->values),
                                         order,
                                         to});
    }));
    FUR_TRY(fur_amg_run(env, "scales", order, find_scale{order, to, s.at}));
    FUR_TRY(fur_amg_run(env, "scale a dense matrix", entries, scale{order, s.at, false, to, from}));
    FUR_TRY(order <= ONCE_MOST
                ? fur_launch_cluster(env, eliminate_all, ONCE_THREADS, order, least, from, to)
                : eliminate_by_steps(env, order, least, from, to));
    return fur_amg_run(env, "scale an inverse", entries,
                       scale{order, s.at, true, other.at, inverse});
}

fur_status fur_cuda_amg_apply_dense(fur_env *env, int64_t order, const double *inverse, bool single,
                                    const void *b, void *x)
{
    if (order == 0)
        return FUR_OK;
    unsigned blocks = fur_blocks(order, FUR_INVERSE_ROWS);
    if (single)
        apply<<<blocks, THREADS, 0, fur_cuda_stream(env)>>>(
            order, inverse, static_cast<const float *>(b), static_cast<float *>(x));
    else
        apply<<<blocks, THREADS, 0, fur_cuda_stream(env)>>>(
            order, inverse, static_cast<const double *>(b), static_cast<double *>(x));
    return fur_cuda_launched(env, "coarsest level");
}

fur_status fur_cuda_amg_narrow(fur_env *env, int64_t n, const double *from, double factor,
                               float *to)
{
    return fur_amg_run(env, "narrow", n, convert<double, float>{from, factor, to});
}

fur_status fur_cuda_amg_widen(fur_env *env, int64_t n, const float *from, double factor, double *to)
{
    return fur_amg_run(env, "widen", n, convert<float, double>{from, factor, to});
}
