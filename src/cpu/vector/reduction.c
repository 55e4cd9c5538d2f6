/* Dot product and norms over the fixed tree of docs/numerics.md.
 *
 * A leaf is 16 KiB of a vector: 32 rows of 512 bytes, which 32 GPU lanes would load 16 bytes each.
 * Entry j of a row belongs to lane j; a lane adds its entries in order, in double precision. A leaf
 * folds its lanes in halves; the leaves then form a binary tree. Threads take blocks of 2^k leaves,
 * each a complete subtree: who walks which block, and how large blocks are, cannot show in the
 * result. The lane arrays below vectorise as they stand.
 *
 * Bytes an entry: one entry size a vector read; axpy_norm2 and axpy_norms write one more. A norm
 * 2 whose squares overflow or underflow reads its vector twice more. */
#ifndef FUR_TEMPLATE
#    include "coefficient.h"
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"
#    include "tree.h"

#    include <float.h>

#    define LEAF_BYTES 16384
#    define ROW_BYTES 512

/* Enough blocks to balance many threads, few enough to keep their sums on the stack. */
#    define MAX_BLOCKS 1024
#    define LEAF_GRAIN 4

/* The operands of a leaf function; members an operation does not need are 0. */
typedef struct reduction {
    int64_t n;
    int64_t leaf_entries;
    const void *x;
    const void *y;
    void *out;
    fur_scalar alpha;
    fur_scalar constant; /* in place of the entries of y */
    double scale;
    /* The result for entries begin .. end-1, which are one leaf. */
    pair (*leaf)(const struct reduction *r, int64_t begin, int64_t end);
    pair_combine combine;
} reduction;

static pair add(pair a, pair b)
{
    return (pair){a.re + b.re, a.im + b.im};
}

/* The larger of two magnitudes, NaN if one is: fmax would drop it. */
static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static pair larger_pair(pair a, pair b)
{
    return (pair){larger(a.re, b.re), 0};
}

static double fold(double *lane, int lanes)
{
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            lane[j] += lane[j + half];
    return lane[0];
}

static pair walk_block(const reduction *r, int64_t first, int64_t last)
{
    tree t = {.combine = r->combine};
    for (int64_t leaf = first; leaf < last; leaf++)
        tree_push(&t, r->leaf(r, leaf * r->leaf_entries,
                              fur_smaller(r->n, (leaf + 1) * r->leaf_entries)));
    return tree_root(&t);
}

/* Blocks of leaves, and where their sums go. */
typedef struct blocks {
    const reduction *r;
    int64_t leaves;
    int64_t block;
    pair *sums;
} blocks;

static void walk_blocks(void *job, int64_t begin, int64_t end)
{
    const blocks *b = job;
    for (int64_t i = begin; i < end; i++)
        b->sums[i] = walk_block(b->r, i * b->block, fur_smaller(b->leaves, (i + 1) * b->block));
}

static pair walk(const fur_env *env, const reduction *r)
{
    pair sums[MAX_BLOCKS];
    blocks b = {.r = r, .block = 1, .sums = sums};
    b.leaves = (r->n + r->leaf_entries - 1) / r->leaf_entries;
    while (b.leaves > b.block * MAX_BLOCKS)
        b.block *= 2;
    int64_t count = (b.leaves + b.block - 1) / b.block;
    fur_parallel(env, b.leaves / LEAF_GRAIN, count, walk_blocks, &b);

    tree t = {.combine = r->combine};
    for (int64_t i = 0; i < count; i++)
        tree_push(&t, sums[i]);
    return tree_root(&t);
}

/* sqrt(a^2 + b^2) from operations that every machine rounds alike, which hypot of a C library is
 * not. Where a square could overflow or lose bits, the larger part is first brought to [1, 2). */
static double modulus(double re, double im)
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

/* The power of two that brings a norm max to [1, 2), or as near as there is one: multiplying by it
 * changes no digit. */
static double scale_for(double most)
{
    return scalbn(1, most < DBL_MIN ? DBL_MAX_EXP - 1 : -ilogb(most));
}

static fur_status store(fur_slot out, double re, double im)
{
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
};
#else

#    define ROW ((int)(ROW_BYTES / sizeof(VALUE)))

static reduction FN(reduction_of)(int64_t n, const void *x)
{
    return (reduction){
        .n = n, .leaf_entries = LEAF_BYTES / (int64_t)sizeof(VALUE), .x = x, .combine = add};
}

/* One row, or the part of it that the vector still has, into the lanes. */
static inline void FN(dot_row)(const VALUE *restrict x, const VALUE *restrict y, int count,
                               double *restrict re, double *restrict im)
{
    for (int j = 0; j < count; j++) {
#    if COMPLEX
        double xr = x[j].re;
        double xi = x[j].im;
        double yr = y[j].re;
        double yi = y[j].im;
        re[j] = fma(xi, yi, fma(xr, yr, re[j]));
        im[j] = fma(-xi, yr, fma(xr, yi, im[j]));
#    else
        (void)im;
        re[j] = fma((double)x[j], (double)y[j], re[j]);
#    endif
    }
}

static pair FN(dot_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    const VALUE *x = r->x;
    const VALUE *y = r->y;
    double re[ROW] = {0};
    double im[COMPLEX ? ROW : 1] = {0};
    int64_t i = begin;
    for (; i + ROW <= end; i += ROW)
        FN(dot_row)(x + i, y + i, ROW, re, im);
    FN(dot_row)(x + i, y + i, (int)(end - i), re, im);
    return (pair){fold(re, ROW), COMPLEX ? fold(im, ROW) : 0};
}

static fur_status FN(dot)(fur_env *env, int64_t n, const void *x, const void *y, fur_slot out)
{
    if (out.state->halted >= 0)
        return FUR_OK;
    reduction r = FN(reduction_of)(n, x);
    r.y = y;
    r.leaf = FN(dot_leaf);
    pair sum = walk(env, &r);
    return store(out, sum.re, sum.im);
}

static inline double FN(magnitude)(VALUE a)
{
#    if COMPLEX
    return modulus(a.re, a.im);
#    else
    return fabs((double)a);
#    endif
}

static inline void FN(abs_row)(const VALUE *restrict x, int count, double *restrict sum)
{
    for (int j = 0; j < count; j++)
        sum[j] += FN(magnitude)(x[j]);
}

static pair FN(abs_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    const VALUE *x = r->x;
    double sum[ROW] = {0};
    int64_t i = begin;
    for (; i + ROW <= end; i += ROW)
        FN(abs_row)(x + i, ROW, sum);
    FN(abs_row)(x + i, (int)(end - i), sum);
    return (pair){fold(sum, ROW), 0};
}

static fur_status FN(norm1)(fur_env *env, int64_t n, const void *x, fur_slot out)
{
    reduction r = FN(reduction_of)(n, x);
    r.leaf = FN(abs_leaf);
    return store(out, walk(env, &r).re, 0);
}

/* A comparison drops NaN, so that is noted apart. */
static inline void FN(max_row)(const VALUE *restrict x, int count, double *restrict most,
                               int64_t *restrict unordered)
{
    for (int j = 0; j < count; j++) {
        double a = FN(magnitude)(x[j]);
        most[j] = a > most[j] ? a : most[j];
        unordered[j] |= a != a;
    }
}

static pair FN(max_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    const VALUE *x = r->x;
    double most[ROW] = {0};
    int64_t unordered[ROW] = {0};
    int64_t i = begin;
    for (; i + ROW <= end; i += ROW)
        FN(max_row)(x + i, ROW, most, unordered);
    FN(max_row)(x + i, (int)(end - i), most, unordered);
    double result = 0;
    for (int j = 0; j < ROW; j++)
        result = larger(unordered[j] ? NAN : most[j], result);
    return (pair){result, 0};
}

static double FN(largest)(const fur_env *env, int64_t n, const void *x)
{
    reduction r = FN(reduction_of)(n, x);
    r.leaf = FN(max_leaf);
    r.combine = larger_pair;
    return walk(env, &r).re;
}

static fur_status FN(norm_max)(fur_env *env, int64_t n, const void *x, fur_slot out)
{
    return store(out, FN(largest)(env, n, x), 0);
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

static pair FN(squares_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    const VALUE *x = r->x;
    double sum[ROW] = {0};
    int64_t i = begin;
    for (; i + ROW <= end; i += ROW)
        FN(squares_row)(x + i, ROW, r->scale, sum);
    FN(squares_row)(x + i, (int)(end - i), r->scale, sum);
    return (pair){fold(sum, ROW), 0};
}

/* sum |scale x_i|^2, scale a power of two */
static double FN(sum_squares)(const fur_env *env, int64_t n, double scale, const void *x)
{
    reduction r = FN(reduction_of)(n, x);
    r.scale = scale;
    r.leaf = FN(squares_leaf);
    return walk(env, &r).re;
}

/* ||x||_2 from sum |x_i|^2. The sum is exact to rounding between these bounds: below the lower one
 * squares of single entries may have underflowed, by 2^-1074 each. */
static double FN(norm_from)(const fur_env *env, int64_t n, double sum, const void *x)
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
    return store(out, FN(norm_from)(env, n, sum, x), 0);
}

static inline void FN(axpy_row)(VALUE alpha, const VALUE *x, VALUE *y, int count,
                                double *restrict sum)
{
    for (int j = 0; j < count; j++) {
        y[j] = V(fma)(alpha, x[j], y[j]);
        sum[j] = FN(add_square)(y[j], 1, sum[j]);
    }
}

static pair FN(axpy_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    const VALUE *x = r->x;
    VALUE *y = r->out;
    VALUE alpha = V(from)(r->alpha);
    double sum[ROW] = {0};
    int64_t i = begin;
    for (; i + ROW <= end; i += ROW)
        FN(axpy_row)(alpha, x + i, y + i, ROW, sum);
    FN(axpy_row)(alpha, x + i, y + i, (int)(end - i), sum);
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
    double sum = walk(env, &r).re;
    return store(out, FN(norm_from)(env, n, sum, y), 0);
}

/* The real part of conj(r) d r, as a dot product has it. */
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

/* Both sums, as the two parts of a pair. Without entries of d a row of the constant is its. */
static pair FN(axpy_norms_leaf)(const reduction *r, int64_t begin, int64_t end)
{
    const VALUE *x = r->x;
    const VALUE *d = r->y;
    VALUE *y = r->out;
    VALUE alpha = V(from)(r->alpha);
    VALUE same[ROW];
    double sum[ROW] = {0};
    double product[ROW] = {0};
    int64_t i = begin;
    for (int j = 0; j < ROW; j++)
        same[j] = V(from)(r->constant);
    for (; i + ROW <= end; i += ROW)
        FN(axpy_norms_row)(alpha, x + i, d ? d + i : same, y + i, ROW, sum, product);
    FN(axpy_norms_row)(alpha, x + i, d ? d + i : same, y + i, (int)(end - i), sum, product);
    return (pair){fold(sum, ROW), fold(product, ROW)};
}

static fur_status FN(axpy_norms)(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x,
                                 const fur_diagonal *d, void *y, fur_slot norm, fur_slot product)
{
    reduction r = FN(reduction_of)(n, x);
    bool unit = fur_is_unit(d);
    if (norm.state->halted >= 0 || !fur_coefficient_read(alpha, &r.alpha))
        return FUR_OK;
    r.y = d->entries;
    r.constant = d->constant;
    r.out = y;
    r.leaf = unit ? FN(axpy_leaf) : FN(axpy_norms_leaf);
    pair sums = walk(env, &r);
    FUR_TRY(store(norm, FN(norm_from)(env, n, sums.re, y), 0));
    return store(product, unit ? sums.re : sums.im, 0);
}

#    undef ROW
#endif
