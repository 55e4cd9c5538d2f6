// The inverse of the coarsest matrix, as src/amg/dense.c: Gauss and Jordan's method, a step a
// launch, from one array into the other. Bytes a step: the matrix in and out, from the caches.
#include "amg.cuh"

// Of a product with the inverse: threads of a block, which fetch so many columns of so many rows at
// once; one of them has a row.
#define THREADS 256
#define ROWS FUR_WARP
#define COLUMNS 128

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
        int64_t i = at / order;
        int64_t j = at % order;
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

// x = G b, column by column. Bytes: the inverse.
template <class Real>
__global__ void __launch_bounds__(THREADS)
    apply(int64_t order, const double *inverse, const Real *b, Real *x)
{
    __shared__ double tile[COLUMNS][ROWS];
    __shared__ double part[COLUMNS];
    int64_t top = blockIdx.x * int64_t(ROWS);
    int rows = static_cast<int>(min(order - top, int64_t(ROWS)));
    int lane = threadIdx.x % ROWS;
    double sum = 0;
    for (int64_t first = 0; first < order; first += COLUMNS) {
        int count = static_cast<int>(min(order - first, int64_t(COLUMNS)));
        __syncthreads();
        for (int j = threadIdx.x / ROWS; j < count && lane < rows; j += THREADS / ROWS)
            tile[j][lane] = inverse[(first + j) * order + top + lane];
        if (static_cast<int>(threadIdx.x) < count)
            part[threadIdx.x] = double(b[first + threadIdx.x]);
        __syncthreads();
        if (static_cast<int>(threadIdx.x) < rows)
#pragma unroll 8
            for (int j = 0; j < count; j++)
                sum += tile[j][lane] * part[j];
    }
    if (static_cast<int>(threadIdx.x) < rows)
        x[top + lane] = static_cast<Real>(sum);
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
    // The last step writes to `other`, from where the result is scaled.
    double *from = order % 2 == 0 ? inverse : other.at;
    double *to = order % 2 == 0 ? other.at : inverse;
    FUR_TRY(fur_with_value(a->value_type, [&](auto one) {
        using Value = decltype(one);
        return fur_amg_run(env, "a dense matrix", a->rows,
                           unpack<Value>{{a->offsets, a->offset_type == FUR_I64},
                                         a->columns,
                                         static_cast<const Value *>(a->values),
                                         order,
                                         from});
    }));
    FUR_TRY(fur_amg_run(env, "scales", order, find_scale{order, from, s.at}));
    FUR_TRY(fur_amg_run(env, "scale a dense matrix", entries, scale{order, s.at, false, from, to}));
    for (int64_t k = 0; k < order; k++) {
        double *swapped = from;
        from = to;
        to = swapped;
        FUR_TRY(fur_amg_run(env, "eliminate", entries, eliminate{order, k, least, from, to}));
    }
    return fur_amg_run(env, "scale an inverse", entries, scale{order, s.at, true, to, inverse});
}

fur_status fur_cuda_amg_apply_dense(fur_env *env, int64_t order, const double *inverse, bool single,
                                    const void *b, void *x)
{
    if (order == 0)
        return FUR_OK;
    unsigned blocks = fur_blocks(order, ROWS);
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
