// The inverse of the coarsest matrix, as in src/precond/amg/dense.c, by the Gauss-Jordan method.
// Each step goes from one array to the other. Bytes a step: the matrix in and out, from the caches.
#include "amg.cuh"
#include "cluster.cuh"
#include "inverse.cuh"

// Threads of a block in a product with the inverse.
#define THREADS 256
// A matrix of at most ONCE_MAX rows is inverted in one launch of a cluster. A larger matrix takes
// one launch for each step.
#define ONCE_MAX 384
#define ONCE_THREADS 1024

namespace
{

// Stores the matrix by rows. A complex entry re + i im becomes [re, -im; im, re].
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

// to(i, j) = s_i from(i, j) s_j, or its transpose.
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

// Returns an entry after a step, which eliminates an unknown, or drops it if its diagonal is too
// small. factor: the entry in the same row and the unknown's column. beside: the entry in the same
// column and the unknown's row.
__device__ inline double eliminated(bool in_row, bool in_column, double own, bool enough,
                                    double pivot, double factor, double beside)
{
    if (!enough)
        return in_row || in_column ? 0 : own;
    if (in_row)
        return in_column ? pivot : beside * pivot;
    if (factor == 0)
        return own;
    return in_column ? -factor * pivot : own - factor * (beside * pivot);
}

// Step k, one thread for each entry. Only rounding can make a pivot smaller than or equal to
// `least`.
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
        double diagonal = from[k * order + k];
        to[at] = eliminated(i == k, j == k, from[at], fabs(diagonal) > least, 1 / diagonal,
                            from[i * order + k], from[k * order + j]);
    }
};

// A block's data for a step. shown: the pivot row, if the block has it, for the other blocks. Two
// buffers alternate, because some blocks may still read the previous row. beside: a copy of the
// pivot row. factor: column k of the block's own rows.
struct step_lines {
    double shown[2][ONCE_MAX];
    double beside[ONCE_MAX];
    double factor[ONCE_MAX];
};

// Returns the pivot row in the shared memory of the block that has it.
__device__ inline const double *shown_row(step_lines *own, int k)
{
    double *row = own->shown[k % 2];
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(
        row, static_cast<unsigned>(k % FUR_CLUSTER));
#else
    return row;
#endif
}

// All steps, in place. Block b has rows b, b + FUR_CLUSTER, ... in its shared memory, and its warps
// share them. Bytes a step: a row from another block's shared memory.
__global__ void __launch_bounds__(ONCE_THREADS)
    eliminate_all(int order, double least, const double *from, double *to)
{
    extern __shared__ double tile[];
    __shared__ step_lines own;
    const int rank = static_cast<int>(fur_cluster_rank());
    const int rows = (order - rank + FUR_CLUSTER - 1) / FUR_CLUSTER;
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % FUR_WARP;
    const int warp = thread / FUR_WARP;
    const int warps = ONCE_THREADS / FUR_WARP;
    for (int i = warp; i < rows; i += warps)
        for (int j = lane; j < order; j += FUR_WARP)
            tile[i * order + j] = from[(i * FUR_CLUSTER + rank) * order + j];
    for (int k = 0; k < order; k++) {
        __syncthreads();
        if (k % FUR_CLUSTER == rank && thread < order)
            own.shown[k % 2][thread] = tile[k / FUR_CLUSTER * order + thread];
        if (thread < rows)
            own.factor[thread] = tile[thread * order + k];
        fur_cluster_wait();
        if (thread < order)
            own.beside[thread] = shown_row(&own, k)[thread];
        __syncthreads();
        const double diagonal = own.beside[k];
        const double pivot = 1 / diagonal;
        for (int i = warp; i < rows; i += warps) {
            const double factor = own.factor[i];
            const bool in_row = i * FUR_CLUSTER + rank == k;
            for (int j = lane; j < order; j += FUR_WARP)
                tile[i * order + j] =
                    eliminated(in_row, j == k, tile[i * order + j], fabs(diagonal) > least, pivot,
                               factor, own.beside[j]);
        }
    }
    for (int i = warp; i < rows; i += warps)
        for (int j = lane; j < order; j += FUR_WARP)
            to[(i * FUR_CLUSTER + rank) * order + j] = tile[i * order + j];
    fur_cluster_wait();
}

// Runs all steps on a small matrix in one launch, if the device has clusters. Reads `from` and
// writes `to`.
fur_status eliminate_at_once(fur_env *env, int64_t order, double least, double *from, double *to)
{
    auto bytes =
        static_cast<size_t>(fur_ceil_div(order, FUR_CLUSTER_BLOCKS) * order) * sizeof(double);
    FUR_CUDA(env, cudaFuncSetAttribute(eliminate_all, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)));
    return fur_launch_cluster(env, eliminate_all, ONCE_THREADS, bytes, static_cast<int>(order),
                              least, from, to);
}

// Runs all steps, one launch each, alternating between the two arrays. After an even number of
// steps, the result is in `from`.
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

// Converts between precisions.
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
    bool at_once = false;
    FUR_TRY(other.take(entries));
    FUR_TRY(s.take(order));
    FUR_TRY(fur_has_clusters(env, eliminate_all, &at_once));
    at_once = at_once && order <= ONCE_MAX;
    double least = fur_amg_least_pivot(order, a->value_type == FUR_F32 || a->value_type == FUR_C64);
    // If the steps end in `other`, the result is scaled from there.
    bool ends_there = !at_once && order % 2 == 0;
    double *from = ends_there ? other.at : inverse;
    double *to = ends_there ? inverse : other.at;
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
    FUR_TRY((at_once ? eliminate_at_once : eliminate_by_steps)(env, order, least, from, to));
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
