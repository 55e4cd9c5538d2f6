/* Reductions. They have the bits of the published summation tree for every value type, size, thread
 * count and instruction set. Their error is compared with long double. The tests also cover norms
 * of numbers whose squares overflow or underflow, norms of infinity and NaN, axpby, and axpy with a
 * fused norm. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_CONTEXTS 24

/* The summation tree has leaves of 16 KiB. A leaf has rows of 512 bytes; entry j of a row is added
 * to lane j. */
#define LEAF_BYTES 16384
#define ROW_BYTES 512
#define MAX_LANES 128

typedef struct pair {
    double re;
    double im;
} pair;

/* Adds an entry to its lane, as a reduction does. */
typedef pair (*add_entry)(pair sum, fur_value_type value, fur_scalar x, fur_scalar y, double scale);

static pair add_dot(pair sum, fur_value_type value, fur_scalar x, fur_scalar y, double scale)
{
    (void)scale;
    sum.re = fma(x.re, y.re, sum.re);
    if (value_is_complex(value)) {
        sum.re = fma(x.im, y.im, sum.re);
        sum.im = fma(x.re, y.im, sum.im);
        sum.im = fma(-x.im, y.re, sum.im);
    }
    return sum;
}

static pair add_square(pair sum, fur_value_type value, fur_scalar x, fur_scalar y, double scale)
{
    (void)y;
    sum.re = fma(scale * x.re, scale * x.re, sum.re);
    if (value_is_complex(value))
        sum.re = fma(scale * x.im, scale * x.im, sum.re);
    return sum;
}

/* Returns |x|. If the larger part is outside 2^-400 .. 2^400, both parts are scaled to bring it to
 * [1, 2) before they are squared. */
static double magnitude(fur_scalar x)
{
    double most = fmax(fabs(x.re), fabs(x.im));
    int exponent = 0;
    if (x.im == 0)
        return fabs(x.re);
    if (isnan(x.re) || isnan(x.im))
        return NAN;
    if (isinf(most))
        return INFINITY;
    if (most > 0x1p400 || most < 0x1p-400)
        exponent = ilogb(most);
    double re = ldexp(x.re, -exponent);
    double im = ldexp(x.im, -exponent);
    return ldexp(sqrt(fma(re, re, im * im)), exponent);
}

static pair add_magnitude(pair sum, fur_value_type value, fur_scalar x, fur_scalar y, double scale)
{
    (void)value, (void)y, (void)scale;
    sum.re += magnitude(x);
    return sum;
}

static pair add_pairs(pair a, pair b)
{
    return (pair){a.re + b.re, a.im + b.im};
}

static int64_t leaf_entries(fur_value_type value)
{
    return LEAF_BYTES / (int64_t)fur_value_size(value);
}

static int64_t row_entries(fur_value_type value)
{
    return ROW_BYTES / (int64_t)fur_value_size(value);
}

/* The operands of a reduction. */
typedef struct input {
    fur_value_type value;
    int64_t n;
    const void *x;
    const void *y;
} input;

static pair leaf_sum(const input *in, add_entry add, double scale, int64_t begin, int64_t end)
{
    pair lanes[MAX_LANES] = {{0, 0}};
    int64_t count = row_entries(in->value);
    for (int64_t i = begin; i < end; i++) {
        pair *lane = &lanes[(i - begin) % count];
        fur_scalar y = in->y ? entry_get(in->value, in->y, i) : fur_real(0);
        *lane = add(*lane, in->value, entry_get(in->value, in->x, i), y, scale);
    }
    for (count /= 2; count > 0; count /= 2)
        for (int64_t j = 0; j < count; j++)
            lanes[j] = add_pairs(lanes[j], lanes[j + count]);
    return lanes[0];
}

/* Adds neighbouring sums, level by level. A sum without a neighbour moves to the next level. */
static pair tree_sum(const input *in, add_entry add, double scale)
{
    int64_t size = leaf_entries(in->value);
    int64_t leaves = (in->n + size - 1) / size;
    pair *sums = calloc((size_t)leaves + 1, sizeof *sums);
    for (int64_t leaf = 0; leaf < leaves; leaf++) {
        int64_t end = (leaf + 1) * size;
        sums[leaf] = leaf_sum(in, add, scale, leaf * size, end < in->n ? end : in->n);
    }
    for (; leaves > 1; leaves = (leaves + 1) / 2)
        for (int64_t i = 0; i < (leaves + 1) / 2; i++)
            sums[i] = 2 * i + 1 < leaves ? add_pairs(sums[2 * i], sums[2 * i + 1]) : sums[2 * i];
    pair sum = sums[0];
    free(sums);
    return sum;
}

static double largest(const input *in)
{
    double most = 0;
    for (int64_t i = 0; i < in->n; i++) {
        double size = magnitude(entry_get(in->value, in->x, i));
        if (isnan(size))
            return NAN;
        most = size > most ? size : most;
    }
    return most;
}

/* Returns the root of the sum of squares. If the sum is above the largest number or below 2^-960,
 * the entries are scaled. The factor is the power of two that brings the largest to [1, 2), or
 * 2^1023 if the largest is subnormal. */
static double tree_norm2(const input *in)
{
    double sum = tree_sum(in, add_square, 1).re;
    if (sum >= 0x1p-960 && sum <= DBL_MAX)
        return sqrt(sum);
    double most = largest(in);
    if (most == 0 || !isfinite(most))
        return most;
    double scale = ldexp(1, most < DBL_MIN ? 1023 : -ilogb(most));
    return sqrt(tree_sum(in, add_square, scale).re) / scale;
}

/* The computed or expected results of the library's reductions. */
typedef struct results {
    fur_scalar dot;
    double norm1;
    double norm2;
    double norm_max;
} results;

static results tree_results(const input *in)
{
    pair dot = tree_sum(in, add_dot, 1);
    return (results){.dot = {dot.re, dot.im},
                     .norm1 = tree_sum(in, add_magnitude, 1).re,
                     .norm2 = tree_norm2(in),
                     .norm_max = largest(in)};
}

static fur_vector *borrow(fur_context *context, const input *in, const void *data)
{
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_wrap(context, in->value, in->n, (void *)(uintptr_t)data,
                                   FUR_OWNERSHIP_BORROW, &x));
    return x;
}

static results library_results(fur_context *context, const input *in)
{
    results r;
    fur_vector *x = borrow(context, in, in->x);
    fur_vector *y = borrow(context, in, in->y);
    ck_ok(context, fur_dot(x, y, &r.dot));
    ck_ok(context, fur_norm1(x, &r.norm1));
    ck_ok(context, fur_norm2(x, &r.norm2));
    ck_ok(context, fur_norm_max(x, &r.norm_max));
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    return r;
}

static void check_number(fur_context *context, const input *in, const char *what, double number,
                         double expected)
{
    ck_assert_msg(first_difference(FUR_F64, 1, &number, &expected) < 0,
                  "%s of %lld entries of %s, isa %s, %d threads: %a, expected %a", what,
                  (long long)in->n, fur_value_name(in->value), fur_context_isa(context),
                  fur_context_threads(context), number, expected);
}

static void check_results(fur_context *context, const input *in, const results *expected)
{
    results r = library_results(context, in);
    check_number(context, in, "re dot", r.dot.re, expected->dot.re);
    check_number(context, in, "im dot", r.dot.im, expected->dot.im);
    check_number(context, in, "norm1", r.norm1, expected->norm1);
    check_number(context, in, "norm2", r.norm2, expected->norm2);
    check_number(context, in, "norm max", r.norm_max, expected->norm_max);
}

/* Sums in long double, added in blocks so that their own error stays below 2^-53 of the sum of
 * moduli for all sizes here. */
typedef struct exact_sums {
    long double dot_re;
    long double dot_im;
    long double moduli; /* of the products of the dot product */
    long double norm1;
    long double squares;
} exact_sums;

static void add_exact(exact_sums *s, fur_scalar x, fur_scalar y)
{
    long double xx = (long double)x.re * x.re + (long double)x.im * x.im;
    long double yy = (long double)y.re * y.re + (long double)y.im * y.im;
    s->dot_re += (long double)x.re * y.re + (long double)x.im * y.im;
    s->dot_im += (long double)x.re * y.im - (long double)x.im * y.re;
    s->moduli += sqrtl(xx * yy);
    s->norm1 += sqrtl(xx);
    s->squares += xx;
}

static exact_sums sum_exactly(const input *in)
{
    exact_sums all = {0};
    for (int64_t begin = 0; begin < in->n; begin += 1024) {
        exact_sums s = {0};
        for (int64_t i = begin; i < begin + 1024 && i < in->n; i++)
            add_exact(&s, entry_get(in->value, in->x, i), entry_get(in->value, in->y, i));
        all.dot_re += s.dot_re;
        all.dot_im += s.dot_im;
        all.moduli += s.moduli;
        all.norm1 += s.norm1;
        all.squares += s.squares;
    }
    return all;
}

/* A term of the tree is rounded at most `depth` times. Its lane rounds it once for each of the 32
 * rows of a leaf (twice for complex entries). Each fold and each level rounds it once. With u = eps
 * / 2, a sum of terms t has an error of at most depth u / (1 - depth u) sum |t| < depth eps sum
 * |t|. A modulus has an error of 2 u before that. The square root halves the relative error of a
 * sum of squares and adds u. */
static void check_error(const input *in, const results *r)
{
    exact_sums exact = sum_exactly(in);
    int64_t leaves = in->n / leaf_entries(in->value) + 1;
    int parts = value_is_complex(in->value) ? 2 : 1;
    double depth = 32 * parts + ilogb((double)row_entries(in->value)) + ilogb((double)leaves) + 1;
    long double eps = DBL_EPSILON;
    long double norm2 = sqrtl(exact.squares);
    ck_assert(fabsl(r->dot.re - exact.dot_re) <= depth * eps * exact.moduli);
    ck_assert(fabsl(r->dot.im - exact.dot_im) <= depth * eps * exact.moduli);
    ck_assert(fabsl(r->norm1 - exact.norm1) <= (depth + 2) * eps * exact.norm1);
    ck_assert(fabsl(r->norm2 - norm2) <= (depth / 2 + 1) * eps * norm2);
}

/* Contexts for every instruction set with 1, 1 + step, ... up to 8 threads. */
typedef struct bench {
    fur_context *contexts[MAX_CONTEXTS];
    int count;
} bench;

static bench bench_open(int step)
{
    bench b = {.count = 0};
    for (int i = 0; isa_name(i); i++)
        for (int threads = 1; threads <= 8; threads += step)
            b.contexts[b.count++] = context_make(isa_name(i), threads);
    return b;
}

static void bench_close(bench *b)
{
    for (int c = 0; c < b->count; c++)
        fur_context_destroy(b->contexts[c]);
}

static void check_size(const bench *b, rng *r, fur_value_type value, int64_t n)
{
    void *x = entries_random(r, value, n);
    void *y = entries_random(r, value, n);
    input in = {value, n, x, y};
    results expected = tree_results(&in);
    check_error(&in, &expected);
    for (int c = 0; c < b->count; c++)
        check_results(b->contexts[c], &in, &expected);
    free(y);
    free(x);
}

/* Results have the tree's bits for sizes around rows, leaves and levels. Loops over value types. */
START_TEST(reductions_have_the_bits_of_the_tree)
{
    fur_value_type value = (fur_value_type)_i;
    int64_t row = row_entries(value);
    int64_t leaf = leaf_entries(value);
    const int64_t sizes[] = {0,        1,        2,         3,        row - 1,  row,
                             row + 1,  2 * row,  leaf - 1,  leaf,     leaf + 1, 2 * leaf,
                             3 * leaf, 5 * leaf, 33 * leaf, 64 * leaf};
    bench b = bench_open(TEST_SLOW ? 3 : 1);
    rng r = rng_stream((uint64_t)value);
    for (int i = 0; i < COUNT_OF(sizes); i++)
        check_size(&b, &r, value, sizes[i]);
    for (int i = 0; i < 10; i++)
        check_size(&b, &r, value, rng_below(&r, 20 * leaf));
    bench_close(&b);
}
END_TEST

/* Threads share at most 1024 blocks of leaves, so these sizes give blocks of 2 and of 4 leaves. */
START_TEST(reductions_of_many_leaves_have_the_bits_of_the_tree)
{
    bench b = bench_open(7);
    rng r = rng_stream(5);
    check_size(&b, &r, FUR_F64, 1025 * leaf_entries(FUR_F64) + 3);
    if (!TEST_SLOW)
        check_size(&b, &r, FUR_C128, 2049 * leaf_entries(FUR_C128) + 1);
    bench_close(&b);
}
END_TEST

/* The dot product conjugates its first vector. */
START_TEST(dot_conjugates_its_first_vector)
{
    static const fur_value_type complex_values[] = {FUR_C64, FUR_C128};
    fur_context *context = context_make(NULL, 1);
    for (int i = 0; i < COUNT_OF(complex_values); i++) {
        fur_vector *x = NULL;
        fur_vector *y = NULL;
        fur_scalar dot;
        ck_ok(context, fur_vector_create(context, complex_values[i], 3, &x));
        ck_ok(context, fur_vector_create(context, complex_values[i], 3, &y));
        ck_ok(context, fur_vector_fill(x, fur_complex(2, 3)));
        ck_ok(context, fur_vector_fill(y, fur_complex(5, 7)));
        ck_ok(context, fur_dot(x, y, &dot));
        ck_assert_double_eq(dot.re, 3 * (2 * 5 + 3 * 7));
        ck_assert_double_eq(dot.im, 3 * (2 * 7 - 3 * 5));
        ck_ok(context, fur_dot(x, x, &dot));
        ck_assert_double_eq(dot.re, 3 * 13);
        ck_assert_double_eq(dot.im, 0);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
    }
    fur_context_destroy(context);
}
END_TEST

/* Sums of single precision vectors are computed and returned in double precision. */
START_TEST(single_precision_is_added_in_double)
{
    fur_context *context = context_make(NULL, 1);
    const float entries[] = {1, 0x1p-20f};
    fur_vector *x = vector_from(context, FUR_F32, 2, entries);
    fur_scalar dot;
    double norm;
    ck_ok(context, fur_dot(x, x, &dot));
    ck_assert_double_eq(dot.re, 1 + 0x1p-40);
    ck_ok(context, fur_norm1(x, &norm));
    ck_assert_double_eq(norm, 1 + 0x1p-20);
    fur_vector_destroy(x);
    fur_context_destroy(context);
}
END_TEST

/* The parts are the first entries of a vector; all other entries are 0. The expected norms are
 * exact: Pythagorean triples times powers of two, one entry that is much larger than all others, or
 * sqrt(x x) = x. */
typedef struct extreme {
    fur_value_type value;
    double parts[4];
    double norm1;
    double norm2;
    double norm_max;
} extreme;

#define BIG 1e300
#define TINY 0x1p-1074
#define HALF_MAX (DBL_MAX / 2)
#define FLOAT_MAX ((double)FLT_MAX)

static const extreme extremes[] = {
    {FUR_F64, {BIG, -BIG, BIG, BIG}, 4 * BIG, 2 * BIG, BIG},
    {FUR_F64, {-1 / BIG, 1 / BIG, 1 / BIG, 1 / BIG}, 4 / BIG, 2 / BIG, 1 / BIG},
    {FUR_F64, {TINY, TINY, -TINY, TINY}, 4 * TINY, 2 * TINY, TINY},
    {FUR_F64, {3 * TINY, 0, -4 * TINY, 0}, 7 * TINY, 5 * TINY, 4 * TINY},
    {FUR_F64, {3 * 0x1p1000, 0, 0, 0x1p1002}, 7 * 0x1p1000, 5 * 0x1p1000, 0x1p1002},
    {FUR_F64, {3 * 0x1p-530, 0, 0, 0x1p-528}, 7 * 0x1p-530, 5 * 0x1p-530, 0x1p-528},
    {FUR_F64, {3 * 0x1p-1060, 0x1p-1058, 0, 0}, 7 * 0x1p-1060, 5 * 0x1p-1060, 0x1p-1058},
    {FUR_F64, {BIG, 1 / BIG, TINY, 1}, BIG, BIG, BIG},
    {FUR_F64, {TINY, 1e-290, TINY, 0}, 1e-290, 1e-290, 1e-290},
    {FUR_F64, {DBL_MAX, 0, 0, 0}, DBL_MAX, DBL_MAX, DBL_MAX},
    {FUR_F64, {HALF_MAX, HALF_MAX, HALF_MAX, HALF_MAX}, INFINITY, DBL_MAX, HALF_MAX},
    {FUR_F64, {DBL_MAX, -DBL_MAX, 0, 0}, INFINITY, INFINITY, DBL_MAX},
    {FUR_F64, {DBL_MIN, 0, 0, 0}, DBL_MIN, DBL_MIN, DBL_MIN},
    {FUR_F64, {1, -INFINITY, 1, 1}, INFINITY, INFINITY, INFINITY},
    {FUR_F64, {INFINITY, -INFINITY, 0, TINY}, INFINITY, INFINITY, INFINITY},
    {FUR_F64, {NAN, 1, 1, 1}, NAN, NAN, NAN},
    {FUR_F64, {1, 1, 1, -NAN}, NAN, NAN, NAN},
    {FUR_F64, {INFINITY, NAN, 1, 1}, NAN, NAN, NAN},
    {FUR_F64, {NAN, INFINITY, 1, 1}, NAN, NAN, NAN},
    {FUR_F64, {0, -0.0, 0, -0.0}, 0, 0, 0},
    {FUR_F32, {FLT_MAX, -FLT_MAX, FLT_MAX, FLT_MAX}, 4 * FLOAT_MAX, 2 * FLOAT_MAX, FLOAT_MAX},
    {FUR_F32, {0x1p-149, 0x1p-149, 0x1p-149, -0x1p-149}, 0x1p-147, 0x1p-148, 0x1p-149},
    {FUR_F32, {1, -INFINITY, 1, 1}, INFINITY, INFINITY, INFINITY},
    {FUR_F32, {1, 1, NAN, INFINITY}, NAN, NAN, NAN},
    {FUR_C64, {3 * 0x1p125, 0x1p127, 0, 0}, 5 * 0x1p125, 5 * 0x1p125, 5 * 0x1p125},
    {FUR_C64, {3 * 0x1p-149, 0, 0, -0x1p-147}, 7 * 0x1p-149, 5 * 0x1p-149, 0x1p-147},
    {FUR_C64, {1, -INFINITY, 1, 1}, INFINITY, INFINITY, INFINITY},
    {FUR_C64, {1, 1, NAN, 0}, NAN, NAN, NAN},
    {FUR_C64, {1, 1, -NAN, -NAN}, NAN, NAN, NAN},
    {FUR_C128, {3 * 0x1p1000, -0x1p1002, 0, 0}, 5 * 0x1p1000, 5 * 0x1p1000, 5 * 0x1p1000},
    {FUR_C128, {3 * 0x1p1000, 0, 0, 0x1p1002}, 7 * 0x1p1000, 5 * 0x1p1000, 0x1p1002},
    {FUR_C128, {3 * TINY, 4 * TINY, 0, 0}, 5 * TINY, 5 * TINY, 5 * TINY},
    {FUR_C128, {3 * TINY, 0, 0, -4 * TINY}, 7 * TINY, 5 * TINY, 4 * TINY},
    {FUR_C128, {3 * 0x1p-402, 0x1p-400, 0, 0}, 5 * 0x1p-402, 5 * 0x1p-402, 5 * 0x1p-402},
    {FUR_C128, {3 * 0x1p399, 0x1p401, 0, 0}, 5 * 0x1p399, 5 * 0x1p399, 5 * 0x1p399},
    {FUR_C128, {DBL_MAX, 0, 0, 0}, DBL_MAX, DBL_MAX, DBL_MAX},
    {FUR_C128, {0, -DBL_MAX, 0, 0}, DBL_MAX, DBL_MAX, DBL_MAX},
    {FUR_C128, {DBL_MAX, DBL_MAX, 0, 0}, INFINITY, INFINITY, INFINITY},
    {FUR_C128, {BIG, 1 / BIG, TINY, 1}, BIG, BIG, BIG},
    {FUR_C128, {1, INFINITY, 0, 0}, INFINITY, INFINITY, INFINITY},
    {FUR_C128, {-INFINITY, INFINITY, 1, 1}, INFINITY, INFINITY, INFINITY},
    {FUR_C128, {0, NAN, 1, 1}, NAN, NAN, NAN},
    {FUR_C128, {NAN, 0, 1, 1}, NAN, NAN, NAN},
    {FUR_C128, {INFINITY, NAN, 1, 1}, NAN, NAN, NAN},
    {FUR_C128, {1, 1, NAN, -INFINITY}, NAN, NAN, NAN},
    {FUR_C128, {-NAN, -NAN, 1, 1}, NAN, NAN, NAN},
};

static void *spread(const extreme *e, int64_t gap, int64_t n)
{
    void *x = entries_make(e->value, n);
    for (int i = 0; i < 4; i++) {
        if (!value_is_complex(e->value))
            entry_set(e->value, x, i * gap, fur_real(e->parts[i]));
        else if (i % 2 == 0)
            entry_set(e->value, x, i * gap, fur_complex(e->parts[i], e->parts[i + 1]));
    }
    return x;
}

static void check_extreme(fur_context *context, const extreme *e, int64_t gap)
{
    double norm;
    int64_t n = 3 * gap + 1;
    void *data = spread(e, gap, n);
    input in = {e->value, n, data, data};
    fur_vector *zeros = NULL;
    fur_vector *x = borrow(context, &in, data);
    ck_ok(context, fur_vector_create(context, e->value, n, &zeros));
    ck_ok(context, fur_norm1(x, &norm));
    check_number(context, &in, "norm1", norm, e->norm1);
    ck_ok(context, fur_norm2(x, &norm));
    check_number(context, &in, "norm2", norm, e->norm2);
    ck_ok(context, fur_norm_max(x, &norm));
    check_number(context, &in, "norm max", norm, e->norm_max);
    ck_ok(context, fur_axpy_norm2(fur_real(0), zeros, x, &norm));
    check_number(context, &in, "norm2 after axpy", norm, e->norm2);
    fur_vector_destroy(x);
    fur_vector_destroy(zeros);
    free(data);
}

START_TEST(norms_of_extremes_are_right)
{
    static const int64_t gaps[] = {1, 777, 5000};
    bench b = bench_open(7);
    for (int c = 0; c < b.count; c++)
        for (int i = 0; i < COUNT_OF(extremes); i++)
            for (int g = 0; g < COUNT_OF(gaps); g++)
                check_extreme(b.contexts[c], &extremes[i], gaps[g]);
    bench_close(&b);
}
END_TEST

/* norm_max returns NaN for a NaN in any leaf and lane. */
START_TEST(norm_max_sees_every_nan)
{
    fur_context *context = context_make(NULL, 3);
    int64_t n = 5 * leaf_entries(FUR_F64);
    double *x = entries_make(FUR_F64, n);
    input in = {FUR_F64, n, x, x};
    fur_vector *v = borrow(context, &in, x);
    for (int64_t i = 0; i < n; i += TEST_SLOW ? 137 : 7) {
        double norm;
        x[i] = NAN;
        ck_ok(context, fur_norm_max(v, &norm));
        ck_assert_double_nan(norm);
        x[i] = 0;
    }
    fur_vector_destroy(v);
    free(x);
    fur_context_destroy(context);
}
END_TEST

/* The norm of one entry with any exponents is its modulus. The square, its sum, the root and the
 * last scaling are rounded, by 2 u together. Below the normal range the last rounding is half of
 * the smallest number. */
START_TEST(norms_of_one_complex_entry_are_its_modulus)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(10);
    for (int i = 0; i < 20000; i++) {
        double parts[2] = {ldexp(rng_unit(&r), (int)rng_below(&r, 2090) - 1070),
                           ldexp(rng_unit(&r), (int)rng_below(&r, 2090) - 1070)};
        fur_vector *x = vector_from(context, FUR_C128, 1, parts);
        long double re = parts[0];
        long double im = parts[1];
        long double exact = sqrtl(re * re + im * im);
        double norms[3];
        ck_ok(context, fur_norm1(x, &norms[0]));
        ck_ok(context, fur_norm2(x, &norms[1]));
        ck_ok(context, fur_norm_max(x, &norms[2]));
        for (int k = 0; k < 3; k++)
            ck_assert_msg(fabsl(norms[k] - exact) <= 2 * DBL_EPSILON * exact + TINY,
                          "norm %d of %a%+ai is %a", k, parts[0], parts[1], norms[k]);
        fur_vector_destroy(x);
    }
    fur_context_destroy(context);
}
END_TEST

/* Return a b and a b + c, rounded once, in the value type's precision. */
static double round_product(fur_value_type value, double a, double b)
{
    return value_epsilon(value) == DBL_EPSILON ? a * b : (float)a * (float)b;
}

static double round_fma(fur_value_type value, double a, double b, double c)
{
    return value_epsilon(value) == DBL_EPSILON ? fma(a, b, c) : fmaf((float)a, (float)b, (float)c);
}

/* Returns a b, or a b + c if c is given, with the roundings of the library's order. */
static fur_scalar product(fur_value_type value, fur_scalar a, fur_scalar b, const fur_scalar *c)
{
    double re = c ? round_fma(value, a.re, b.re, c->re) : round_product(value, a.re, b.re);
    double im = 0;
    if (value_is_complex(value)) {
        re = round_fma(value, -a.im, b.im, re);
        im = c ? round_fma(value, a.re, b.im, c->im) : round_product(value, a.re, b.im);
        im = round_fma(value, a.im, b.re, im);
    }
    return fur_complex(re, im);
}

/* Returns alpha x + beta y by its definition. */
static void *expect_axpby(const input *in, fur_scalar alpha, fur_scalar beta)
{
    void *out = entries_make(in->value, in->n);
    bool overwrites = beta.re == 0 && beta.im == 0;
    for (int64_t i = 0; i < in->n; i++) {
        fur_scalar y = product(in->value, beta, entry_get(in->value, in->y, i), NULL);
        fur_scalar x = entry_get(in->value, in->x, i);
        entry_set(in->value, out, i, product(in->value, alpha, x, overwrites ? NULL : &y));
    }
    return out;
}

/* Checks axpby and, for beta = 1, also axpy_norm2. x and y may be the same array. */
static void check_axpby(fur_context *context, const input *in, fur_scalar alpha, fur_scalar beta)
{
    bool same = in->x == in->y;
    void *expected = expect_axpby(in, alpha, beta);
    for (int fused = 0; fused <= (beta.re == 1 && beta.im == 0); fused++) {
        fur_vector *y = vector_from(context, in->value, in->n, in->y);
        fur_vector *x = same ? y : vector_from(context, in->value, in->n, in->x);
        double norm = 0;
        double after = 0;
        ck_ok(context, fused ? fur_axpy_norm2(alpha, x, y, &norm) : fur_axpby(alpha, x, beta, y));
        ck_assert_int_eq(first_difference(in->value, in->n, fur_vector_data(y), expected), -1);
        ck_ok(context, fur_norm2(y, &after));
        check_number(context, in, "norm2 after axpy", fused ? norm : after, after);
        fur_vector_destroy(same ? NULL : x);
        fur_vector_destroy(y);
    }
    free(expected);
}

static void check_axpby_size(fur_context *context, fur_value_type value, int64_t n, uint64_t stream)
{
    rng r = rng_stream(stream);
    void *x = entries_random(&r, value, n);
    void *y = entries_random(&r, value, n);
    const fur_scalar alphas[] = {rng_scalar(&r, value), {1, 0}, {0, 0}};
    const fur_scalar betas[] = {rng_scalar(&r, value), {1, 0}, {-1, 0}, {0, 0}};
    input apart = {value, n, x, y};
    input same = {value, n, x, x};
    for (int a = 0; a < COUNT_OF(alphas); a++) {
        for (int b = 0; b < COUNT_OF(betas); b++) {
            check_axpby(context, &apart, alphas[a], betas[b]);
            check_axpby(context, &same, alphas[a], betas[b]);
        }
    }
    free(y);
    free(x);
}

/* axpby has the bits of its definition. Loops over value types. */
START_TEST(axpby_has_the_bits_of_its_definition)
{
    static const int64_t sizes[] = {0, 1, 2, 7, 16, 33, 1023, 33000};
    bench b = bench_open(7);
    for (int c = 0; c < b.count; c++)
        for (int i = 0; i < COUNT_OF(sizes); i++)
            check_axpby_size(b.contexts[c], (fur_value_type)_i, sizes[i], 100 + (uint64_t)i);
    bench_close(&b);
}
END_TEST

/* beta = 0 overwrites a NaN in y. alpha = 0 does not hide a NaN in x. Loops over value types. */
START_TEST(axpby_with_zeros_treats_nan_as_said)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 1);
    fur_vector *nan = NULL;
    fur_vector *y = NULL;
    double norm;
    ck_ok(context, fur_vector_create(context, value, 100, &nan));
    ck_ok(context, fur_vector_create(context, value, 100, &y));
    ck_ok(context, fur_vector_fill(nan, fur_complex(NAN, NAN)));
    ck_ok(context, fur_axpby(fur_real(2), y, fur_real(0), nan));
    ck_ok(context, fur_norm_max(nan, &norm));
    ck_assert_double_eq(norm, 0);
    ck_ok(context, fur_vector_fill(nan, fur_complex(NAN, NAN)));
    ck_ok(context, fur_axpby(fur_real(0), nan, fur_real(1), y));
    ck_ok(context, fur_norm_max(y, &norm));
    ck_assert_double_nan(norm);
    fur_vector_destroy(y);
    fur_vector_destroy(nan);
    fur_context_destroy(context);
}
END_TEST

START_TEST(vectors_that_do_not_match_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    rng r = rng_stream(11);
    fur_vector *x = vector_random(context, &r, FUR_F64, 5);
    const struct {
        fur_vector *y;
        const char *sentence;
    } cases[] = {
        {vector_random(context, &r, FUR_F64, 6),
         "the vectors have 5 and 6 entries; they need the same number"},
        {vector_random(context, &r, FUR_C128, 5),
         "the vectors have entries of types f64 and c128; they need the same type: convert one"},
        {vector_random(other, &r, FUR_F64, 5), "the vectors belong to different contexts"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_scalar dot = {42, 43};
        double norm = 44;
        ck_fails(context, FUR_INVALID, cases[i].sentence, fur_dot(x, cases[i].y, &dot));
        ck_fails(context, FUR_INVALID, cases[i].sentence,
                 fur_axpy_norm2(fur_real(1), x, cases[i].y, &norm));
        ck_fails(context, FUR_INVALID, cases[i].sentence,
                 fur_axpby(fur_real(1), x, fur_real(1), cases[i].y));
        ck_assert(dot.re == 42 && dot.im == 43 && norm == 44);
        fur_vector_destroy(cases[i].y);
    }
    fur_vector_destroy(x);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, reductions_have_the_bits_of_the_tree, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, reductions_of_many_leaves_have_the_bits_of_the_tree);
    tcase_add_test(tests, dot_conjugates_its_first_vector);
    tcase_add_test(tests, single_precision_is_added_in_double);
    tcase_add_test(tests, norms_of_extremes_are_right);
    tcase_add_test(tests, norm_max_sees_every_nan);
    tcase_add_test(tests, norms_of_one_complex_entry_are_its_modulus);
    tcase_add_loop_test(tests, axpby_has_the_bits_of_its_definition, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, axpby_with_zeros_treats_nan_as_said, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, vectors_that_do_not_match_are_refused);
}

int main(void)
{
    return run_tests("reduce", add_tests);
}
