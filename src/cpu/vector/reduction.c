/* Dot product and norms over the fixed tree of docs/numerics.md.
 *
 * A leaf is 16 KiB of a vector: 32 rows of 512 bytes, which 32 GPU lanes would load 16 bytes each.
 * Entry j of a row belongs to lane j. A lane adds its entries in order, in double precision. A leaf
 * folds its lanes in halves. The leaves then form a binary tree (leaves.h). The compiler vectorises
 * the lane arrays below.
 *
 * Bytes an entry: one entry size for each vector read; operations that add to y write one more. If
 * the squares of a 2-norm overflow or underflow, the vector is read twice more. With several
 * vectors, a leaf of y stays in the first-level cache, so that y is read once. The leaves that
 * axpy_many_dots adds are in the second-level cache for their dot products.
 *
 * Tried: prefetching the next leaf before the fold, and halves of a row with AVX2, gained nothing.
 * gcc's unroll-and-jam keeps the sums in memory (0.46 of the plain loop's speed). */
#ifndef FUR_TEMPLATE
#    include "add_many.h"
#    include "coefficient.h"
#    include "fold.h"
#    include "isa.h"
#    include "kernel.h"
#    include "leaves.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "shares.h"
#    include "stream.h"
#    include "table.h"

#    include <float.h>
#    include <string.h>

/* Running maxima, which fit in registers. */
#    define MAX_LANES 16

static pair add(pair a, pair b)
{
    return (pair){a.re + b.re, a.im + b.im};
}

/* The larger of two magnitudes, or NaN if one is NaN. fmax would drop a NaN. */
static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static pair larger_pair(pair a, pair b)
{
    return (pair){larger(a.re, b.re), 0};
}

/* The power of two that brings a max norm into [1, 2), or as near as possible. Multiplying by it
 * changes no digit. */
static double scale_for(double most)
{
    return scalbn(1, most < DBL_MIN ? DBL_MAX_EXP - 1 : -ilogb(most));
}

/* Stores the result of a reduction, unless the ranks could not share it. */
static fur_status store(const fur_env *env, fur_slot out, double re, double im)
{
    FUR_TRY(shared_status(env));
    fur_slot_store(out, (fur_scalar){re, im});
    return FUR_OK;
}

#    define FUR_TEMPLATE "vector/reduction.c"
#    include "foreach_value.h"

extern const fur_reduction_kernels ISA(reduction_kernels);
const fur_reduction_kernels ISA(reduction_kernels) = {
    .dot = FUR_VALUE_TABLE(dot),
    .norm1 = FUR_VALUE_TABLE(norm1),
    .norm_max = FUR_VALUE_TABLE(norm_max),
    .norm2 = FUR_VALUE_TABLE(norm2),
    .axpy_norm2 = FUR_VALUE_TABLE(axpy_norm2),
    .axpy_norms = FUR_VALUE_TABLE(axpy_norms),
    .dot_many = FUR_VALUE_TABLE(dot_many),
    .dot_pairs = FUR_VALUE_TABLE(dot_pairs),
    .axpy_many_norm2 = FUR_VALUE_TABLE(axpy_many_norm2),
    .axpy_many_dots = FUR_VALUE_TABLE(axpy_many_dots),
};
#else

#    define ROW ((int)(ROW_BYTES / sizeof(VALUE)))

static reduction FN(reduction_of)(int64_t n, const void *x)
{
    return (reduction){
        .n = n, .leaf_entries = LEAF_BYTES / (int64_t)sizeof(VALUE), .x = x, .combine = add};
}

/* conj(x) y, added to the sums of a lane. */
static inline void FN(add_product)(VALUE x, VALUE y, double *re, double *im)
{
#    if COMPLEX
    double xr = x.re;
    double xi = x.im;
    double yr = y.re;
    double yi = y.im;
    *re = fma(xi, yi, fma(xr, yr, *re));
    *im = fma(-xi, yr, fma(xr, yi, *im));
#    else
    (void)im;
    *re = fma((double)x, (double)y, *re);
#    endif
}

/* Adds one row, or its remaining part at the end of the vector, to the lanes. */
static inline void FN(dot_row)(const VALUE *restrict x, const VALUE *restrict y, int count,
                               double *restrict re, double *restrict im)
{
    for (int j = 0; j < count; j++)
        FN(add_product)(x[j], y[j], &re[j], &im[COMPLEX ? j : 0]);
}

/* Adds entries begin .. end-1 of one leaf to the lanes. Entry `begin` belongs to lane 0. */
static inline void FN(dot_rows_of)(const VALUE *x, const VALUE *y, int64_t begin, int64_t end,
                                   double *restrict re, double *restrict im)
{
    int64_t i = begin;
    for (; i + ROW <= end; i += ROW)
        FN(dot_row)(x + i, y + i, ROW, re, im);
    FN(dot_row)(x + i, y + i, (int)(end - i), re, im);
}

/* x^H y over one leaf. */
static pair FN(dot_one)(const VALUE *x, const VALUE *y, int64_t begin, int64_t end)
{
    double re[ROW];
    double im[COMPLEX ? ROW : 1];
    clear(re, ROW);
#    if COMPLEX
    clear(im, ROW);
#    endif
    FN(dot_rows_of)(x, y, begin, end, re, im);
    return (pair){fold(re, ROW), COMPLEX ? fold(im, ROW) : 0};
}

static pair FN(dot_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    return FN(dot_one)(r->x, r->y, begin, end);
}

static void FN(dot_lanes)(const reduction *r, int k, int64_t begin, int64_t end, double *re,
                          double *im)
{
    FN(dot_rows_of)(r->many ? r->many->x[k] : r->x, r->y, begin, end, re, im);
}

static fur_status FN(dot)(fur_env *env, int64_t n, const void *x, const void *y, fur_slot out)
{
    if (out.state->halted >= 0)
        return FUR_OK;
    reduction r = FN(reduction_of)(n, x);
    r.y = y;
    r.leaf = FN(dot_leaf);
    r.lanes = FN(dot_lanes);
    pair sum = reduce(env, &r);
    return store(env, out, sum.re, sum.im);
}

static inline double FN(magnitude)(VALUE a)
{
#    if COMPLEX
    return fur_magnitude(a.re, a.im);
#    else
    return fabs((double)a);
#    endif
}

static inline void FN(abs_row)(const VALUE *restrict x, int count, double *restrict sum)
{
    for (int j = 0; j < count; j++)
        sum[j] += FN(magnitude)(x[j]);
}

static inline void FN(abs_lanes)(const reduction *r, int k, int64_t begin, int64_t end,
                                 double *restrict sum, double *im)
{
    const VALUE *x = r->x;
    int64_t i = begin;
    (void)k;
    (void)im;
    for (; i + ROW <= end; i += ROW)
        FN(abs_row)(x + i, ROW, sum);
    FN(abs_row)(x + i, (int)(end - i), sum);
}

static pair FN(abs_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    double sum[ROW];
    clear(sum, ROW);
    FN(abs_lanes)(r, 0, begin, end, sum, NULL);
    return (pair){fold(sum, ROW), 0};
}

static fur_status FN(norm1)(fur_env *env, int64_t n, const void *x, fur_slot out)
{
    reduction r = FN(reduction_of)(n, x);
    r.leaf = FN(abs_leaf);
    r.lanes = FN(abs_lanes);
    return store(env, out, reduce(env, &r).re, 0);
}

static inline void FN(max_row)(const VALUE *restrict x, int count, int64_t *restrict most)
{
    for (int j = 0; j < count; j++) {
        int64_t a = fur_magnitude_bits(FN(magnitude)(x[j]));
        most[j] = a > most[j] ? a : most[j];
    }
}

/* The order is free, because a maximum has the same bits in any order. */
static pair FN(max_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    const VALUE *x = r->x;
    int64_t most[MAX_LANES] = {0};
    int64_t i = begin;
    for (; i + MAX_LANES <= end; i += MAX_LANES)
        FN(max_row)(x + i, MAX_LANES, most);
    FN(max_row)(x + i, (int)(end - i), most);
    int64_t largest = 0;
    for (int j = 0; j < MAX_LANES; j++)
        largest = most[j] > largest ? most[j] : largest;
    return (pair){fur_magnitude_from(largest), 0};
}

static double FN(largest)(fur_env *env, int64_t n, const void *x)
{
    reduction r = FN(reduction_of)(n, x);
    r.leaf = FN(max_leaf);
    r.combine = larger_pair;
    return reduce(env, &r).re;
}

static fur_status FN(norm_max)(fur_env *env, int64_t n, const void *x, fur_slot out)
{
    return store(env, out, FN(largest)(env, n, x), 0);
}

static inline double FN(add_square)(VALUE a, double scale, double sum)
{
#    if COMPLEX
    double re = scale * (double)a.re;
    double im = scale * (double)a.im;
    return fma(im, im, fma(re, re, sum));
#    else
    double b = scale * (double)a;
    return fma(b, b, sum);
#    endif
}

static inline void FN(squares_row)(const VALUE *restrict x, int count, double scale,
                                   double *restrict sum)
{
    for (int j = 0; j < count; j++)
        sum[j] = FN(add_square)(x[j], scale, sum[j]);
}

static inline void FN(squares_lanes)(const reduction *r, int k, int64_t begin, int64_t end,
                                     double *restrict sum, double *im)
{
    const VALUE *x = r->x;
    int64_t i = begin;
    (void)k;
    (void)im;
    for (; i + ROW <= end; i += ROW)
        FN(squares_row)(x + i, ROW, r->scale, sum);
    FN(squares_row)(x + i, (int)(end - i), r->scale, sum);
}

static pair FN(squares_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    double sum[ROW];
    clear(sum, ROW);
    FN(squares_lanes)(r, 0, begin, end, sum, NULL);
    return (pair){fold(sum, ROW), 0};
}

/* sum |scale x_i|^2, scale a power of two */
static double FN(sum_squares)(fur_env *env, int64_t n, double scale, const void *x)
{
    reduction r = FN(reduction_of)(n, x);
    r.scale = scale;
    r.leaf = FN(squares_leaf);
    r.lanes = FN(squares_lanes);
    return reduce(env, &r).re;
}

/* ||x||_2 from sum |x_i|^2. Between these bounds the sum is exact up to rounding. Below the lower
 * bound, squares of single entries may have underflowed, by 2^-1074 each. */
static double FN(norm_from)(fur_env *env, int64_t n, double sum, const void *x)
{
    if (sum >= 0x1p-960 && sum <= DBL_MAX)
        return sqrt(sum);
    double most = FN(largest)(env, n, x);
    if (most == 0 || isnan(most) || isinf(most))
        return most;
    double scale = scale_for(most);
    return sqrt(FN(sum_squares)(env, n, scale, x)) / scale;
}

static fur_status FN(norm2)(fur_env *env, int64_t n, const void *x, fur_slot out)
{
    double sum = FN(sum_squares)(env, n, 1, x);
    return store(env, out, FN(norm_from)(env, n, sum, x), 0);
}

static inline void FN(axpy_row)(VALUE alpha, const VALUE *x, VALUE *y, int count,
                                double *restrict sum)
{
    for (int j = 0; j < count; j++) {
        y[j] = V(fma)(alpha, x[j], y[j]);
        sum[j] = FN(add_square)(y[j], 1, sum[j]);
    }
}

/* All vectors of `many` except the last are added before x. x is the last of `many`. */
static inline void FN(axpy_lanes)(const reduction *r, int k, int64_t begin, int64_t end,
                                  double *restrict sum, double *im)
{
    const VALUE *x = r->x;
    VALUE *y = r->out;
    VALUE alpha = V(from)(r->alpha);
    int64_t i = begin;
    (void)k;
    (void)im;
    if (r->many)
        FN(add_many)(r->many, r->many->count - 1, y, begin, end);
    for (; i + ROW <= end; i += ROW)
        FN(axpy_row)(alpha, x + i, y + i, ROW, sum);
    FN(axpy_row)(alpha, x + i, y + i, (int)(end - i), sum);
}

static pair FN(axpy_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    double sum[ROW];
    clear(sum, ROW);
    FN(axpy_lanes)(r, 0, begin, end, sum, NULL);
    return (pair){fold(sum, ROW), 0};
}

static fur_status FN(axpy_norm2)(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x,
                                 void *y, fur_slot out)
{
    reduction r = FN(reduction_of)(n, x);
    if (out.state->halted >= 0 || !fur_coefficient_read(alpha, &r.alpha))
        return FUR_OK;
    r.out = y;
    r.leaf = FN(axpy_leaf);
    r.lanes = FN(axpy_lanes);
    double sum = reduce(env, &r).re;
    return store(env, out, FN(norm_from)(env, n, sum, y), 0);
}

/* The real part of conj(r) d r, with the roundings of a dot product. */
static inline double FN(add_scaled_square)(VALUE d, VALUE r, double sum)
{
    VALUE z = V(mul)(d, r);
#    if COMPLEX
    return fma((double)r.im, (double)z.im, fma((double)r.re, (double)z.re, sum));
#    else
    return fma((double)r, (double)z, sum);
#    endif
}

static inline void FN(axpy_norms_row)(VALUE alpha, const VALUE *x, const VALUE *d, VALUE *y,
                                      int count, double *restrict sum, double *restrict product)
{
    for (int j = 0; j < count; j++) {
        y[j] = V(fma)(alpha, x[j], y[j]);
        sum[j] = FN(add_square)(y[j], 1, sum[j]);
        product[j] = FN(add_scaled_square)(d[j], y[j], product[j]);
    }
}

/* Both sums, as the two parts of a pair. If d has no entries, a row of the constant replaces it. */
static inline void FN(axpy_norms_lanes)(const reduction *r, int k, int64_t begin, int64_t end,
                                        double *restrict sum, double *restrict product)
{
    const VALUE *x = r->x;
    const VALUE *d = r->y;
    VALUE *y = r->out;
    VALUE alpha = V(from)(r->alpha);
    VALUE same[ROW];
    int64_t i = begin;
    (void)k;
    for (int j = 0; j < ROW; j++)
        same[j] = V(from)(r->constant);
    for (; i + ROW <= end; i += ROW)
        FN(axpy_norms_row)(alpha, x + i, d ? d + i : same, y + i, ROW, sum, product);
    FN(axpy_norms_row)(alpha, x + i, d ? d + i : same, y + i, (int)(end - i), sum, product);
}

static pair FN(axpy_norms_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    double sum[ROW];
    double product[ROW];
    clear(sum, ROW);
    clear(product, ROW);
    FN(axpy_norms_lanes)(r, 0, begin, end, sum, product);
    return (pair){fold(sum, ROW), fold(product, ROW)};
}

static fur_status FN(axpy_norms)(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x,
                                 const fur_diagonal *d, void *y, fur_slot norm, fur_slot product)
{
    reduction r = FN(reduction_of)(n, x);
    /* An empty part of a shared d looks like a constant, so that all ranks take both sums. */
    bool unit = fur_is_unit(d) && !env->shared;
    if (norm.state->halted >= 0 || !fur_coefficient_read(alpha, &r.alpha))
        return FUR_OK;
    r.y = d->entries;
    r.constant = d->constant;
    r.out = y;
    r.leaf = unit ? FN(axpy_leaf) : FN(axpy_norms_leaf);
    r.lanes = unit ? FN(axpy_lanes) : FN(axpy_norms_lanes);
    pair sums = reduce(env, &r);
    FUR_TRY(store(env, norm, FN(norm_from)(env, n, sums.re, y), 0));
    return store(env, product, unit ? sums.re : sums.im, 0);
}

static fur_status FN(axpy_many_norm2)(fur_env *env, int64_t n, const fur_many *m, void *y,
                                      fur_slot out)
{
    reduction r = FN(reduction_of)(n, m->x[m->count - 1]);
    r.alpha = m->alpha[m->count - 1];
    r.many = m;
    r.out = y;
    r.leaf = FN(axpy_leaf);
    r.lanes = FN(axpy_lanes);
    double sum = reduce(env, &r).re;
    return store(env, out, FN(norm_from)(env, n, sum, y), 0);
}

/* One row of `count` vectors side by side. `count` is a constant, at most GROUP. */
static inline void FN(dot_rows)(int count, const VALUE *const *x, const VALUE *y, int64_t begin,
                                int64_t end, double (*re)[ROW], double (*im)[COMPLEX ? ROW : 1])
{
    for (int64_t i = begin; i < end; i++)
        for (int k = 0; k < count; k++)
            FN(add_product)(x[k][i], y[i], &re[k][i - begin], &im[k][COMPLEX ? i - begin : 0]);
}

/* Prefetches the same row of the next leaf into the second-level cache. It is used after all other
 * vectors of this leaf. */
static inline void FN(prefetch_rows)(int count, const VALUE *const *x, int64_t i)
{
    for (int k = 0; k < count; k++)
        for (int byte = 0; byte < ROW_BYTES; byte += FUR_STREAM_LINE)
            __builtin_prefetch((const char *)(x[k] + i) + LEAF_BYTES + byte, 0, 2);
}

/* The dot products of `count` vectors from k on over one leaf. */
static inline void FN(dot_group)(int count, const reduction *r, int k, int64_t begin, int64_t end,
                                 pair *out)
{
    const VALUE *x[GROUP];
    const VALUE *y = r->y;
    double re[GROUP][ROW] = {0};
    double im[GROUP][COMPLEX ? ROW : 1] = {0};
    int64_t i = begin;
    for (int g = 0; g < count; g++)
        x[g] = r->many->x[k + g];
    for (; i + ROW <= end; i += ROW) {
        if (r->streams)
            FN(prefetch_rows)(count, x, i);
        FN(dot_rows)(count, x, y, i, i + ROW, re, im);
    }
    FN(dot_rows)(count, x, y, i, end, re, im);
    for (int g = 0; g < count; g++)
        out[k + g] = (pair){fold(re[g], ROW), COMPLEX ? fold(im[g], ROW) : 0};
}

/* The last vectors come first, because their leaves may have been read just before. */
static void FN(dots_leaf)(const reduction *r, int64_t begin, int64_t end, pair *out)
{
    int count = r->many->count;
    for (int k = (count - 1) / GROUP * GROUP; k >= 0; k -= GROUP)
        switch (count - k) {
        case 1:
            out[k] = FN(dot_one)(r->many->x[k], r->y, begin, end);
            break;
        case 2:
            FN(dot_group)(2, r, k, begin, end, out);
            break;
        case 3:
            FN(dot_group)(3, r, k, begin, end, out);
            break;
        default:
            FN(dot_group)(GROUP, r, k, begin, end, out);
        }
}

/* y is updated before the first product. */
static void FN(axpy_dots_lanes)(const reduction *r, int k, int64_t begin, int64_t end, double *re,
                                double *im)
{
    if (k == 0)
        FN(add_many)(r->many, r->many->count, r->out, begin, end);
    FN(dot_lanes)(r, k, begin, end, re, im);
}

static void FN(axpy_dots_leaf)(const reduction *r, int64_t begin, int64_t end, pair *out)
{
    FN(add_many)(r->many, r->many->count, r->out, begin, end);
    FN(dots_leaf)(r, begin, end, out);
}

static fur_status FN(walk_dots)(fur_env *env, reduction r, const fur_many *m, const void *y,
                                fur_scalar *out)
{
    pair sums[FUR_MANY_MAX];
    r.many = m;
    r.streams = fur_streams(r.n * m->count * (int64_t)sizeof(VALUE));
    r.y = y;
    reduce_many(env, &r, sums);
    FUR_TRY(shared_status(env));
    for (int k = 0; k < m->count; k++)
        out[k] = (fur_scalar){sums[k].re, sums[k].im};
    return FUR_OK;
}

static fur_status FN(dot_many)(fur_env *env, int64_t n, const fur_many *m, const void *y,
                               fur_scalar *out)
{
    reduction r = FN(reduction_of)(n, NULL);
    r.leaf_of_many = FN(dots_leaf);
    r.lanes = FN(dot_lanes);
    return FN(walk_dots)(env, r, m, y, out);
}

static void FN(pairs_leaf)(const reduction *r, int64_t begin, int64_t end, pair *out)
{
    for (int k = 0; k < r->many->count; k++)
        out[k] = FN(dot_one)(r->many->x[k], r->with->x[k], begin, end);
}

static void FN(pairs_lanes)(const reduction *r, int k, int64_t begin, int64_t end, double *re,
                            double *im)
{
    FN(dot_rows_of)(r->many->x[k], r->with->x[k], begin, end, re, im);
}

static fur_status FN(dot_pairs)(fur_env *env, int64_t n, const fur_many *x, const fur_many *y,
                                fur_scalar *out)
{
    reduction r = FN(reduction_of)(n, NULL);
    r.leaf_of_many = FN(pairs_leaf);
    r.lanes = FN(pairs_lanes);
    r.with = y;
    return FN(walk_dots)(env, r, x, NULL, out);
}

static fur_status FN(axpy_many_dots)(fur_env *env, int64_t n, const fur_many *m, void *y,
                                     fur_scalar *out)
{
    reduction r = FN(reduction_of)(n, NULL);
    r.leaf_of_many = FN(axpy_dots_leaf);
    r.lanes = FN(axpy_dots_lanes);
    r.out = y;
    return FN(walk_dots)(env, r, m, y, out);
}

#    undef ROW
#endif
