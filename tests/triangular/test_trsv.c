/* Triangular solves. Every triangle, operation, diagonal and schedule has the bits of the order in
 * docs/numerics.md, which is computed here, and meets a bound. This holds for all value types,
 * offset widths, threads and instruction sets. Also: new values, several right-hand sides,
 * refusals. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SEGMENT 128
/* A slow build tests every fifth combination of triangle, operation and diagonal. */
#define STEP (TEST_SLOW ? 5 : 1)
static const char *const schedules[] = {NULL, "serial", "blocks", "levels"};

/* The pattern of a square matrix. `has` returns whether row i has column j off the diagonal. */
typedef struct form {
    const char *name;
    int64_t rows;
    bool (*has)(rng *r, int64_t i, int64_t j);
} form;

static bool none(rng *r, int64_t i, int64_t j)
{
    (void)r, (void)i, (void)j;
    return false;
}

static bool neighbours(rng *r, int64_t i, int64_t j)
{
    int64_t d = i > j ? i - j : j - i;
    (void)r;
    return d == 1 || d == 13 || d == 169;
}

static bool chain(rng *r, int64_t i, int64_t j)
{
    (void)r;
    return i - j == 1 || j - i == 2;
}

static bool scattered(rng *r, int64_t i, int64_t j)
{
    (void)i, (void)j;
    return rng_below(r, 200) < 2;
}

/* Some rows and columns are full, so that rows have several segments. */
static bool arrow(rng *r, int64_t i, int64_t j)
{
    (void)r;
    return i % 270 == 269 || j % 250 == 7;
}

/* Long and short rows alternate, so one of two consecutive blocks is small. */
static bool uneven(rng *r, int64_t i, int64_t j)
{
    (void)r;
    return i % 2 == 1 && (i + j) % 3 > 0;
}

static bool two_colours(rng *r, int64_t i, int64_t j)
{
    return (i < 400) != (j < 400) && rng_below(r, 100) == 0;
}

static const form forms[] = {
    {"empty", 0, none},        {"one row", 1, none},    {"diagonal", 77, none},
    {"grid", 700, neighbours}, {"chain", 300, chain},   {"scattered", 500, scattered},
    {"arrow", 540, arrow},     {"uneven", 450, uneven}, {"two colours", 800, two_colours},
};

static fur_csr *make(fur_context *context, rng *r, const form *f, fur_value_type value,
                     fur_offset_type offset)
{
    int64_t most = f->rows * f->rows;
    int32_t *row = malloc(((size_t)most + 1) * sizeof *row);
    int32_t *col = malloc(((size_t)most + 1) * sizeof *col);
    int64_t count = 0;
    for (int64_t i = 0; i < f->rows; i++)
        for (int64_t j = 0; j < f->rows; j++)
            if (i == j || f->has(r, i, j)) {
                row[count] = (int32_t)i;
                col[count++] = (int32_t)j;
            }
    void *values = entries_random(r, value, count);
    for (int64_t k = 0; k < count; k++) {
        fur_scalar v = entry_get(value, values, k);
        double share = row[k] == col[k] ? 1 : 0.05;
        v.re = row[k] == col[k] ? 1.5 + v.re : v.re * share;
        v.im *= share;
        entry_set(value, values, k, v);
    }
    fur_coo_view coo = {sizeof coo, f->rows, f->rows, count, value, row, col, values};
    fur_csr *a = NULL;
    fur_csr *wide = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_convert(a, value, offset, &wide));
    fur_csr_destroy(a);
    free(values);
    free(row);
    free(col);
    return wide;
}

/* Return a b + c and similar results in the arithmetic of a value type. */
static double fma_part(fur_value_type value, double a, double b, double c)
{
    return value == FUR_F32 || value == FUR_C64 ? (double)fmaf((float)a, (float)b, (float)c)
                                                : fma(a, b, c);
}

static double round_part(fur_value_type value, double a)
{
    return value == FUR_F32 || value == FUR_C64 ? (double)(float)a : a;
}

static fur_scalar fma_entry(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c)
{
    if (!value_is_complex(value))
        return fur_real(fma_part(value, a.re, b.re, c.re));
    return fur_complex(fma_part(value, -a.im, b.im, fma_part(value, a.re, b.re, c.re)),
                       fma_part(value, a.im, b.re, fma_part(value, a.re, b.im, c.im)));
}

static fur_scalar mul_entry(fur_value_type value, fur_scalar a, fur_scalar b)
{
    if (!value_is_complex(value))
        return fur_real(round_part(value, a.re * b.re));
    return fur_complex(fma_part(value, -a.im, b.im, round_part(value, a.re * b.re)),
                       fma_part(value, a.im, b.re, round_part(value, a.re * b.im)));
}

static fur_scalar reciprocal(fur_value_type value, fur_scalar d)
{
    double scale = scalbn(1, -ilogb(fmax(fabs(d.re), fabs(d.im))));
    double re = d.re * scale;
    double im = d.im * scale;
    double square = fma(re, re, im * im);
    return entry_round(value, fur_complex(re / square * scale, -im / square * scale));
}

/* A triangular system op(A) x = alpha b. */
typedef struct problem {
    fur_csr_view a;
    fur_triangle triangle;
    fur_op op;
    fur_triangle_diagonal diagonal;
    fur_scalar alpha;
} problem;

/* Returns all entries of op(A) as a dense matrix; the caller frees it. */
static fur_scalar *dense_of(const problem *p)
{
    int64_t n = p->a.rows;
    fur_scalar *dense = calloc((size_t)(n * n) + 1, sizeof *dense);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = offset_at(&p->a, i); k < offset_at(&p->a, i + 1); k++) {
            int64_t j = p->a.columns[k];
            fur_scalar v = entry_get(p->a.value_type, p->a.values, k);
            v.im = p->op == FUR_OP_H && value_is_complex(p->a.value_type) ? -v.im : v.im;
            dense[p->op == FUR_OP_N ? i * n + j : j * n + i] = v;
        }
    return dense;
}

static bool is_lower(const problem *p)
{
    return (p->triangle == FUR_TRIANGLE_LOWER) == (p->op == FUR_OP_N);
}

/* Computes x_i in the documented order. Zeros that are not stored change no bit: fma(-0, x, s) = s.
 */
static void solve_row(const problem *p, const fur_scalar *row, int64_t i, void *x, fur_scalar b)
{
    fur_value_type value = p->a.value_type;
    int64_t step = is_lower(p) ? 1 : -1;
    bool scaled = p->alpha.re != 1 || (value_is_complex(value) && p->alpha.im != 0);
    fur_scalar s = scaled ? mul_entry(value, entry_round(value, p->alpha), b) : b;
    fur_scalar sum = s;
    int64_t count = 0;
    for (int64_t j = is_lower(p) ? 0 : p->a.rows - 1; j != i; j += step) {
        if (row[j].re == 0 && row[j].im == 0)
            continue;
        if (count > 0 && count % SEGMENT == 0) {
            s = count == SEGMENT ? sum
                                 : fur_complex(round_part(value, s.re + sum.re),
                                               round_part(value, s.im + sum.im));
            sum = fur_real(0);
        }
        sum = fma_entry(value, fur_complex(-row[j].re, -row[j].im), entry_get(value, x, j), sum);
        count++;
    }
    s = count <= SEGMENT
            ? sum
            : fur_complex(round_part(value, s.re + sum.re), round_part(value, s.im + sum.im));
    if (p->diagonal == FUR_DIAGONAL_STORED)
        s = value_is_complex(value) ? mul_entry(value, reciprocal(value, row[i]), s)
                                    : fur_real(round_part(value, s.re / row[i].re));
    entry_set(value, x, i, s);
}

static void *solve_plainly(const problem *p, const fur_scalar *dense, const void *b)
{
    int64_t n = p->a.rows;
    void *x = entries_make(p->a.value_type, n);
    for (int64_t place = 0; place < n; place++) {
        int64_t i = is_lower(p) ? place : n - 1 - place;
        solve_row(p, dense + i * n, i, x, entry_get(p->a.value_type, b, i));
    }
    return x;
}

static long double modulus(fur_scalar s)
{
    return hypotl(s.re, s.im);
}

/* Checks |alpha b - T x| <= (2 n + 8) eps (|T||x| + |alpha b|). This is the header's bound in each
 * row, enlarged for complex arithmetic, which has twice the roundings and a factor sqrt 2. */
static void check_bound(const problem *p, const fur_scalar *dense, const void *b, const void *x)
{
    fur_value_type value = p->a.value_type;
    int64_t n = p->a.rows;
    for (int64_t i = 0; i < n; i++) {
        fur_scalar alpha = entry_round(value, p->alpha);
        fur_scalar own = entry_get(value, b, i);
        bool complex = value_is_complex(value);
        long double re =
            (long double)alpha.re * own.re - (complex ? (long double)alpha.im * own.im : 0);
        long double im =
            complex ? (long double)alpha.re * own.im + (long double)alpha.im * own.re : 0;
        long double weight = modulus(alpha) * modulus(own);
        int64_t terms = 1;
        for (int64_t j = 0; j < n; j++) {
            bool inside = is_lower(p) ? j < i : j > i;
            fur_scalar t = inside ? dense[i * n + j] : fur_real(0);
            if (i == j)
                t = p->diagonal == FUR_DIAGONAL_UNIT ? fur_real(1) : dense[i * n + i];
            if (t.re == 0 && t.im == 0)
                continue;
            fur_scalar xj = entry_get(value, x, j);
            re -= (long double)t.re * xj.re - (long double)t.im * xj.im;
            im -= (long double)t.re * xj.im + (long double)t.im * xj.re;
            weight += modulus(t) * modulus(xj);
            terms++;
        }
        ck_assert(hypotl(re, im) <= (2 * (long double)terms + 8) * value_epsilon(value) * weight);
    }
}

/* Checks a plan: repeated solves, and a solve in place. */
static void check_plan(const fur_csr *a, const problem *p, const char *schedule, const void *b,
                       const void *expected)
{
    fur_context *context = fur_csr_context(a);
    int64_t n = p->a.rows;
    fur_value_type value = p->a.value_type;
    fur_trsv_options options = {.size = sizeof options, .schedule = schedule};
    fur_trsv *plan = NULL;
    fur_vector *from = vector_from(context, value, n, b);
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, value, n, &x));
    ck_ok(context, fur_trsv_plan(a, p->triangle, p->op, p->diagonal, &options, &plan));
    for (int round = 0; round < 2; round++) {
        ck_ok(context, fur_vector_fill(x, fur_real(NAN)));
        ck_ok(context, fur_trsv_apply(plan, p->alpha, from, x));
        ck_assert_int_eq(first_difference(value, n, fur_vector_const_data(x), expected), -1);
    }
    ck_ok(context, fur_trsv_apply(plan, p->alpha, from, from));
    ck_assert_int_eq(first_difference(value, n, fur_vector_const_data(from), expected), -1);
    if (schedule)
        ck_assert_str_eq(fur_trsv_describe(plan)->schedule, schedule);
    fur_trsv_destroy(plan);
    fur_vector_destroy(x);
    fur_vector_destroy(from);
}

static fur_context *contexts[16];
static int context_count;

static void open_contexts(void)
{
    static const int threads[] = {1, 2, 3, 8};
    context_count = 0;
    for (int t = 0; t < COUNT_OF(threads); t++)
        contexts[context_count++] = context_make(NULL, threads[t]);
    for (int i = 0; isa_name(i); i++)
        contexts[context_count++] = context_make(isa_name(i), 2);
}

static void close_contexts(void)
{
    while (context_count > 0)
        fur_context_destroy(contexts[--context_count]);
}

/* Checks the problem in each context. The contexts use the schedules in turn. */
static void check_problem(const fur_csr *const *a, const problem *p, const void *b, int turn)
{
    fur_scalar *dense = dense_of(p);
    void *expected = solve_plainly(p, dense, b);
    check_bound(p, dense, b, expected);
    for (int c = 0; c < context_count; c++)
        check_plan(a[c], p, schedules[(turn + c) % COUNT_OF(schedules)], b, expected);
    free(expected);
    free(dense);
}

/* Checks all problems with one matrix, which is copied to every context. */
static void check_matrix(rng *r, const form *f, fur_value_type value, fur_offset_type offset)
{
    fur_csr *a[16];
    a[0] = make(contexts[0], r, f, value, offset);
    for (int c = 1; c < context_count; c++)
        ck_ok(contexts[c], fur_csr_transfer(a[0], contexts[c], &a[c]));
    void *b = entries_random(r, value, f->rows);
    problem p = {.a = *fur_csr_get(a[0])};
    for (int i = 0; i < 12; i += STEP) {
        p.triangle = (fur_triangle)(i % 2);
        p.op = (fur_op)(i / 2 % 3);
        p.diagonal = (fur_triangle_diagonal)(i / 6);
        p.alpha = i % 4 == 1 ? fur_complex(-0.7, 0.3) : fur_real(1);
        check_problem((const fur_csr *const *)a, &p, b, i / 2 + i / 6);
    }
    free(b);
    for (int c = 0; c < context_count; c++)
        fur_csr_destroy(a[c]);
}

/* Solutions have the bits of the documented order. Loops over value types. */
START_TEST(solutions_have_the_documented_bits)
{
    fur_value_type value = (fur_value_type)_i;
    open_contexts();
    for (int i = 0; i < COUNT_OF(forms); i++) {
        rng r = rng_stream(400 + 10 * (uint64_t)_i + (uint64_t)i);
        check_matrix(&r, &forms[i], value, i % 2 ? FUR_I32 : FUR_I64);
    }
    close_contexts();
}
END_TEST

/* Each of several right-hand sides has the bits of a single solve, also in place. Loops over value
 * types, schedules, and plans for one or for many right-hand sides. */
START_TEST(several_right_hand_sides_have_the_bits_of_one)
{
    enum { MAX = 17 };
    fur_value_type value = (fur_value_type)(_i / 8);
    rng r = rng_stream(460 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, &forms[6], value, FUR_I32);
    int64_t n = fur_csr_get(a)->rows;
    fur_trsv *plan = NULL;
    fur_vector *b[MAX];
    fur_vector *x[MAX];
    fur_vector *alone[MAX];
    fur_trsv_options options = {
        .size = sizeof options, .many = _i % 2, .schedule = schedules[_i / 2 % 4]};
    ck_ok(context,
          fur_trsv_plan(a, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, &options, &plan));
    for (int k = 0; k < MAX; k++) {
        b[k] = vector_random(context, &r, value, n);
        ck_ok(context, fur_vector_create(context, value, n, &x[k]));
        ck_ok(context, fur_vector_create(context, value, n, &alone[k]));
        ck_ok(context, fur_trsv_apply(plan, fur_real(0.3), b[k], alone[k]));
    }
    for (int count = 0; count <= MAX; count++) {
        ck_ok(context,
              fur_trsv_apply_many(plan, fur_real(0.3), count, (const fur_vector *const *)b, x));
        for (int k = 0; k < count; k++)
            ck_assert_int_eq(first_difference(value, n, fur_vector_const_data(x[k]),
                                              fur_vector_const_data(alone[k])),
                             -1);
    }
    ck_ok(context, fur_trsv_apply_many(plan, fur_real(0.3), MAX, (const fur_vector *const *)b, b));
    for (int k = 0; k < MAX; k++)
        ck_assert_int_eq(first_difference(value, n, fur_vector_const_data(b[k]),
                                          fur_vector_const_data(alone[k])),
                         -1);
    for (int k = 0; k < MAX; k++) {
        fur_vector_destroy(alone[k]);
        fur_vector_destroy(x[k]);
        fur_vector_destroy(b[k]);
    }
    fur_trsv_destroy(plan);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Checks that a plan of a matrix with new values solves as a new plan. */
static void check_new_values(fur_csr *a, fur_csr *other, fur_op op, const char *schedule)
{
    fur_context *context = fur_csr_context(a);
    rng r = rng_stream(470);
    int64_t n = fur_csr_get(a)->rows;
    fur_value_type value = fur_csr_get(a)->value_type;
    fur_trsv_options options = {.size = sizeof options, .schedule = schedule};
    fur_trsv *plan = NULL;
    fur_trsv *fresh = NULL;
    fur_vector *b = vector_random(context, &r, value, n);
    fur_vector *x = vector_random(context, &r, value, n);
    fur_vector *y = vector_random(context, &r, value, n);
    ck_ok(context, fur_trsv_plan(a, FUR_TRIANGLE_LOWER, op, FUR_DIAGONAL_STORED, &options, &plan));
    ck_ok(context,
          fur_trsv_plan(other, FUR_TRIANGLE_LOWER, op, FUR_DIAGONAL_STORED, &options, &fresh));
    ck_ok(context, fur_csr_set_values(a, fur_csr_get(other)->values, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_trsv_apply(plan, fur_real(1), b, x));
    ck_ok(context, fur_trsv_apply(fresh, fur_real(1), b, y));
    ck_assert_int_eq(first_difference(value, n, fur_vector_const_data(x), fur_vector_const_data(y)),
                     -1);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_trsv_destroy(fresh);
    fur_trsv_destroy(plan);
}

/* Plans use new values. Loops over value types. */
START_TEST(new_values_are_taken_over)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < 12; i += STEP) {
        rng r = rng_stream(480);
        fur_csr *a = make(context, &r, &forms[3], value, FUR_I32);
        fur_csr *other = make(context, &r, &forms[3], value, FUR_I32);
        check_new_values(a, other, (fur_op)(i % 3), schedules[i / 3]);
        fur_csr_destroy(other);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

static fur_csr *small(fur_context *context, fur_value_type value, int64_t count, const int32_t *row,
                      const int32_t *col, const double *entries, int64_t cols)
{
    void *values = entries_make(value, count);
    for (int64_t k = 0; k < count; k++)
        entry_set(value, values, k, fur_real(entries[k]));
    fur_coo_view coo = {sizeof coo, 3, cols, count, value, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    free(values);
    return a;
}

static const int32_t row3[] = {0, 1, 1, 1, 2, 2, 2};
static const int32_t col3[] = {0, 0, 1, 1, 0, 0, 2};

/* Kept duplicates off the diagonal are separate terms; those on the diagonal are added. */
START_TEST(duplicates_count)
{
    const double entries[] = {2, 3, 1, 3, 5, 6, 4};
    const double right[] = {2, 11, 15};
    const double expected[] = {1, 2, 1};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = small(context, FUR_F64, 7, row3, col3, entries, 3);
    fur_vector *x = vector_from(context, FUR_F64, 3, right);
    fur_trsv *plan = NULL;
    ck_ok(context,
          fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &plan));
    ck_ok(context, fur_trsv_apply(plan, fur_real(1), x, x));
    ck_assert_int_eq(first_difference(FUR_F64, 3, fur_vector_const_data(x), expected), -1);
    ck_assert_int_eq(fur_trsv_describe(plan)->entries, 6);
    ck_assert_int_eq(fur_trsv_describe(plan)->levels, 2);
    ck_assert_int_eq(fur_trsv_describe(plan)->level_max, 2);
    fur_trsv_destroy(plan);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(useless_diagonals_are_refused_by_row)
{
    const double entries[] = {2, 3, 1, -1, 5, 6, 0};
    const double good[] = {2, 3, 1, 1, 5, 6, 1};
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = small(context, FUR_F64, 7, row3, col3, entries, 3);
    fur_csr *gap = small(context, FUR_F64, 6, row3, col3, good, 3);
    fur_csr *c = small(context, FUR_C64, 7, row3, col3, entries, 3);
    fur_vector *x = NULL;
    fur_trsv *plan = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 3, &x));
    ck_fails(context, FUR_INVALID,
             "row 2, counting from 1, has a zero on the diagonal: a triangular solve cannot divide "
             "by it",
             fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &plan));
    ck_fails(
        context, FUR_INVALID,
        "row 3, counting from 1, has no entry on the diagonal; store one, or use FUR_DIAGONAL_UNIT",
        fur_trsv_plan(gap, FUR_TRIANGLE_UPPER, FUR_OP_T, FUR_DIAGONAL_STORED, NULL, &plan));
    ck_fails(context, FUR_INVALID,
             "row 2, counting from 1, has an entry without a finite reciprocal on the diagonal: a "
             "triangular solve cannot divide by it",
             fur_trsv_plan(c, FUR_TRIANGLE_LOWER, FUR_OP_H, FUR_DIAGONAL_STORED, NULL, &plan));
    ck_assert_ptr_null(plan);
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    ck_ok(context,
          fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_T, FUR_DIAGONAL_STORED, NULL, &plan));
    ck_ok(context, fur_csr_set_values(a, entries, FUR_OWNERSHIP_COPY));
    ck_fails(context, FUR_INVALID,
             "the triangular solve could not be updated for new values: row 2, counting from 1, "
             "has a zero on the diagonal: a triangular solve cannot divide by it",
             fur_trsv_apply(plan, fur_real(1), x, x));
    ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_trsv_apply(plan, fur_real(1), x, x));
    fur_csr_destroy(a);
    ck_fails(context, FUR_INVALID,
             "the triangular solve cannot be used any more, because an object that it was "
             "created from has been destroyed",
             fur_trsv_apply(plan, fur_real(1), x, x));
    fur_trsv_destroy(plan);
    fur_vector_destroy(x);
    fur_csr_destroy(c);
    fur_csr_destroy(gap);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    const double entries[] = {2, 3, 1, 1, 5, 6, 4};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = small(context, FUR_F64, 7, row3, col3, entries, 3);
    fur_csr *wide = small(context, FUR_F64, 7, row3, col3, entries, 4);
    fur_vector *x[2] = {NULL, NULL};
    fur_vector *shorter = NULL;
    fur_vector *single = NULL;
    fur_trsv *plan = NULL;
    fur_trsv_options options = {.size = sizeof options, .schedule = "guessing"};
    ck_fails(context, FUR_INVALID, "a triangular solve needs a square matrix; this one is 3 x 4",
             fur_trsv_plan(wide, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, NULL, &plan));
    ck_fails(context, FUR_INVALID,
             "2 is not a triangle; use FUR_TRIANGLE_LOWER or FUR_TRIANGLE_UPPER",
             fur_trsv_plan(a, (fur_triangle)2, FUR_OP_N, FUR_DIAGONAL_UNIT, NULL, &plan));
    ck_fails(context, FUR_INVALID, "3 is not an operation; use FUR_OP_N, _T or _H",
             fur_trsv_plan(a, FUR_TRIANGLE_LOWER, (fur_op)3, FUR_DIAGONAL_UNIT, NULL, &plan));
    ck_fails(context, FUR_INVALID,
             "2 is not a diagonal; use FUR_DIAGONAL_STORED or FUR_DIAGONAL_UNIT",
             fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, (fur_triangle_diagonal)2, NULL, &plan));
    ck_fails(context, FUR_UNSUPPORTED,
             "there is no schedule \"guessing\"; use auto, serial, blocks or levels",
             fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, &options, &plan));
    ck_ok(context, fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, NULL, &plan));
    ck_ok(context, fur_vector_create(context, FUR_F64, 3, &x[0]));
    ck_ok(context, fur_vector_create(context, FUR_F64, 3, &x[1]));
    ck_ok(context, fur_vector_create(context, FUR_F64, 2, &shorter));
    ck_ok(context, fur_vector_create(context, FUR_F32, 3, &single));
    ck_fails(context, FUR_INVALID, "b has 2 entries, but the 3 x 3 matrix needs 3",
             fur_trsv_apply(plan, fur_real(1), shorter, x[0]));
    ck_fails(context, FUR_INVALID,
             "x has entries of type f32, but the matrix has type f64; convert one",
             fur_trsv_apply(plan, fur_real(1), x[0], single));
    fur_vector *twice[2] = {x[0], x[0]};
    ck_fails(context, FUR_INVALID,
             "a vector of b and one of x overlap in memory; give each a separate array",
             fur_trsv_apply_many(plan, fur_real(1), 2, (const fur_vector *const *)x, twice));
    fur_vector *gap[2] = {x[0], NULL};
    ck_fails(context, FUR_INVALID, "vector 1 of x is NULL",
             fur_trsv_apply_many(plan, fur_real(1), 2, (const fur_vector *const *)x, gap));
    fur_trsv_destroy(plan);
    fur_vector_destroy(single);
    fur_vector_destroy(shorter);
    fur_vector_destroy(x[1]);
    fur_vector_destroy(x[0]);
    fur_csr_destroy(wide);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A plan works as an operator and gives the same bits. */
START_TEST(a_plan_is_an_operator)
{
    rng r = rng_stream(490);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, &forms[3], FUR_F64, FUR_I32);
    int64_t n = fur_csr_get(a)->rows;
    fur_trsv *plan = NULL;
    fur_operator *op = NULL;
    fur_vector *b = vector_random(context, &r, FUR_F64, n);
    fur_vector *x = vector_random(context, &r, FUR_F64, n);
    fur_vector *y = vector_random(context, &r, FUR_F64, n);
    ck_ok(context,
          fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &plan));
    ck_ok(context, fur_operator_from_trsv(plan, &op));
    ck_ok(context, fur_trsv_apply(plan, fur_real(1), b, x));
    ck_ok(context, fur_operator_apply(op, b, y));
    ck_assert_int_eq(
        first_difference(FUR_F64, n, fur_vector_const_data(x), fur_vector_const_data(y)), -1);
    fur_operator_destroy(op);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_trsv_destroy(plan);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(solves_do_not_allocate)
{
    memory m = {0};
    rng r = rng_stream(495);
    fur_context *context = context_counting(&m, NULL, 2);
    for (int s = 0; s < COUNT_OF(schedules); s++) {
        fur_csr *a = make(context, &r, &forms[3], FUR_F64, FUR_I32);
        fur_vector *b = vector_random(context, &r, FUR_F64, fur_csr_get(a)->rows);
        fur_trsv_options options = {.size = sizeof options, .schedule = schedules[s]};
        fur_trsv *plan = NULL;
        ck_ok(context,
              fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_T, FUR_DIAGONAL_STORED, &options, &plan));
        int64_t calls = m.calls;
        ck_ok(context, fur_trsv_apply(plan, fur_real(1), b, b));
        fur_csr_values_changed(a);
        ck_ok(context, fur_trsv_apply(plan, fur_real(1), b, b));
        ck_assert_int_eq(m.calls, calls);
        fur_trsv_destroy(plan);
        fur_vector_destroy(b);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, solutions_have_the_documented_bits, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, several_right_hand_sides_have_the_bits_of_one, 0,
                        8 * FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, new_values_are_taken_over, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, duplicates_count);
    tcase_add_test(tests, useless_diagonals_are_refused_by_row);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    tcase_add_test(tests, a_plan_is_an_operator);
    tcase_add_test(tests, solves_do_not_allocate);
}

int main(void)
{
    return run_tests("trsv", add_tests);
}
