/* Tests of incomplete factors by thresholds. They equal the plain algorithm bit for bit, in the
 * order and with the scales of public functions. They are within a bound of exact factors. Also:
 * matrices that other kinds refuse, new values, raised pivots, refusals. */
#include "duplicates.h"
#include "plain_factors.h"
#include "poisson.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Options, and the thresholds that they mean. */
typedef struct trial {
    fur_ilut_options options;
    thresholds means;
} trial;

#define OPTIONS(...)                                                                               \
    {                                                                                              \
        .size = sizeof(fur_ilut_options), __VA_ARGS__                                              \
    }
static const trial trials[] = {
    {OPTIONS(.fill = 0), {10, 1e-3, 0}},
    {OPTIONS(.fill = 1, .drop = 0.05), {1, 0.05, 0}},
    {OPTIONS(.fill = 3, .drop = DBL_MIN, .shift = 0.25), {3, DBL_MIN, 0.25}},
    {OPTIONS(.fill = 2, .drop = 0.01, .no_matching = 1), {2, 0.01, 0}}};

static fur_precond *precond_make(const fur_csr *a, const fur_ilut_options *ilut)
{
    const fur_precond_options o = {.size = sizeof o, .kind = "ilut", .ilut = ilut};
    fur_precond *p = NULL;
    ck_ok(fur_csr_context(a), fur_precond_create(a, &o, &p));
    return p;
}

/* Returns a random entry plus the weight. If `coarse`, entries have only a few moduli. */
static fur_scalar entry_random(rng *r, fur_value_type value, bool coarse, double weight)
{
    fur_scalar v = rng_scalar(r, value);
    if (coarse)
        v = fur_complex(v.re > 0 ? 1 : -1, v.im > 0 ? 0.5 : -0.5);
    return fur_complex(weight + v.re, value_is_complex(value) ? v.im : 0);
}

/* Makes a random matrix with a large entry in each row and column. If `plain`, it is on the
 * diagonal. Otherwise it is anywhere, and few diagonal entries are stored. `most` of 1000 other
 * entries are stored. */
static fur_csr *make(fur_context *context, rng *r, int64_t n, int most, bool plain, bool coarse,
                     fur_value_type value, fur_offset_type offset)
{
    size_t all = (size_t)(n * n) + 1;
    int32_t *row = malloc(all * sizeof *row);
    int32_t *col = malloc(all * sizeof *col);
    int32_t *place = rng_order(r, n);
    void *values = entries_make(value, n * n + 1);
    int64_t count = 0;
    for (int64_t k = 0; k < n * n; k++) {
        bool large = k % n == (plain ? k / n : place[k / n]);
        if (!large && rng_below(r, 1000) >= most)
            continue;
        row[count] = (int32_t)(k / n);
        col[count] = (int32_t)(k % n);
        double weight = large ? 4 + most * (double)n / 500 : 0;
        entry_set(value, values, count++, entry_random(r, value, coarse, weight));
    }
    fur_coo_view coo = {sizeof coo, n, n, count, value, row, col, values};
    fur_csr *a = NULL;
    fur_csr *wide = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_convert(a, value, offset, &wide));
    fur_csr_destroy(a);
    free(values);
    free(place);
    free(col);
    free(row);
    return wide;
}

/* Orders and scales of a preconditioner, computed by the public functions that define them. */
typedef struct frame {
    fur_permutation *matching;
    fur_permutation *order;
    fur_vector *r;
    fur_vector *c;
} frame;

static frame frame_make(const fur_csr *a, bool no_matching)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *v = fur_csr_get(a);
    frame f;
    fur_csr *matched = NULL;
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &f.r));
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &f.c));
    if (no_matching) {
        ck_ok(context, fur_permutation_create(context, v->rows, NULL, &f.matching));
        ck_ok(context, fur_vector_fill(f.r, fur_real(1)));
        ck_ok(context, fur_vector_fill(f.c, fur_real(1)));
    } else {
        ck_ok(context, fur_matching_find(a, f.r, f.c, NULL, &f.matching));
    }
    ck_ok(context, fur_csr_permute(a, f.matching, NULL, &matched));
    ck_ok(context, fur_reorder(matched, "rcm", NULL, NULL, &f.order));
    fur_csr_destroy(matched);
    return f;
}

static void frame_release(frame *f)
{
    fur_vector_destroy(f->c);
    fur_vector_destroy(f->r);
    fur_permutation_destroy(f->order);
    fur_permutation_destroy(f->matching);
}

/* Computes x := M x. Scales x before permuting it, and permutes it twice. Returns the number of
 * raised pivots. */
static int64_t apply_plainly_in(const frame *f, const fur_csr *a, const trial *t, fur_vector *x)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *v = fur_csr_get(a);
    int64_t raised;
    fur_csr *scaled = NULL;
    fur_csr *matched = NULL;
    fur_csr *b = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &y));
    ck_ok(context, fur_csr_permute(a, NULL, NULL, &scaled));
    if (!t->options.no_matching) {
        ck_ok(context, fur_csr_scale(scaled, f->r, f->c));
        ck_ok(context, fur_multiply_elementwise(f->r, x, x));
    }
    ck_ok(context, fur_csr_permute(scaled, f->matching, NULL, &matched));
    ck_ok(context, fur_csr_permute(matched, f->order, f->order, &b));
    ck_ok(context, fur_vector_permute(f->matching, x, y));
    ck_ok(context, fur_vector_permute(f->order, y, x));
    apply_thresholds_plainly(b, &t->means, x, &raised);
    ck_ok(context, fur_vector_unpermute(f->order, x, y));
    if (!t->options.no_matching)
        ck_ok(context, fur_multiply_elementwise(f->c, y, y));
    ck_ok(context, fur_vector_copy(y, x));
    fur_vector_destroy(y);
    fur_csr_destroy(b);
    fur_csr_destroy(matched);
    fur_csr_destroy(scaled);
    return raised;
}

/* The factors have the bits of the plain algorithm, also for new values. New values wait for the
 * update and keep the orders and scales. */
START_TEST(factors_have_the_bits_of_the_plain_algorithm)
{
    rng r = rng_stream(1100 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    const trial *t = &trials[_i / FUR_VALUE_COUNT];
    bool no_matching = t->options.no_matching != 0;
    enum { N = TEST_SLOW ? 40 : 90 };
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    for (int turn = 0; turn < 4; turn++) {
        fur_csr *a = make(context, &r, N, turn < 2 ? 60 : 300, no_matching, turn % 2, value,
                          turn % 2 ? FUR_I32 : FUR_I64);
        frame f = frame_make(a, no_matching);
        fur_precond *p = precond_make(a, &t->options);
        fur_vector *b = vector_random(context, &r, value, N);
        fur_vector *x = vector_random(context, &r, value, N);
        fur_vector *before = vector_random(context, &r, value, N);
        fur_vector *d = vector_random(context, &r, value, N);
        ck_ok(context, fur_precond_apply(p, b, before));
        ck_ok(context, fur_vector_copy(b, x));
        ck_assert_int_eq(apply_plainly_in(&f, a, t, x), fur_precond_describe(p)->raised);
        ck_same_bits(before, x);
        ck_ok(context, fur_csr_scale(a, d, NULL));
        int64_t calls = m.calls;
        ck_ok(context, fur_precond_apply(p, b, x));
        ck_assert_int_eq(m.calls, calls);
        ck_same_bits(before, x);
        ck_ok(context, fur_precond_update(p));
        ck_ok(context, fur_precond_apply(p, b, before));
        ck_assert_int_eq(apply_plainly_in(&f, a, t, b), fur_precond_describe(p)->raised);
        ck_same_bits(before, b);
        fur_vector_destroy(d);
        fur_vector_destroy(before);
        fur_vector_destroy(x);
        fur_vector_destroy(b);
        fur_precond_destroy(p);
        frame_release(&f);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(bits_do_not_depend_on_threads)
{
    rng r = rng_stream(1150);
    void *first = NULL;
    void *random = entries_random(&r, FUR_F64, 2000);
    rng same = r;
    for (int threads = 1; threads <= 8; threads++) {
        r = same;
        fur_context *context = context_make(NULL, threads);
        fur_csr *a = make(context, &r, TEST_SLOW ? 300 : 2000, 2, false, false, FUR_F64, FUR_I32);
        int64_t n = fur_csr_get(a)->rows;
        fur_precond *p = precond_make(a, &trials[0].options);
        fur_vector *b = vector_from(context, FUR_F64, n, random);
        fur_vector *z = vector_from(context, FUR_F64, n, random);
        ck_ok(context, fur_precond_apply(p, b, z));
        void *own = vector_entries(z);
        if (first)
            ck_assert_int_eq(first_difference(FUR_F64, n, first, own), -1);
        free(first);
        first = own;
        fur_vector_destroy(z);
        fur_vector_destroy(b);
        fur_precond_destroy(p);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
    free(random);
    free(first);
}
END_TEST

/* Complete factors solve: nothing is dropped, so A M r = r. Elimination has an error of |E| <= 3 n
 * u |L||U| for any scales. If each row's large entry w dominates, || |L||U| || <= 2 n ||A|| <= 4 n
 * w (Higham 2002, sections 9.3 and 9.5). So |A z - r| <= 12 n^2 u w max |z|. The factor 64 leaves
 * room for scales, complex numbers and the rounding of the residual. */
START_TEST(complete_factors_solve)
{
    static const fur_ilut_options complete = OPTIONS(.fill = 10000, .drop = DBL_MIN);
    rng r = rng_stream(1160 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)_i;
    enum { N = 60 };
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &r, N, 500, false, false, value, FUR_I32);
    fur_precond *p = precond_make(a, &complete);
    fur_spmv *plan = NULL;
    fur_vector *b = vector_random(context, &r, value, N);
    fur_vector *z = vector_random(context, &r, value, N);
    double norm;
    double largest;
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_precond_apply(p, b, z));
    ck_ok(context, fur_spmv_apply(plan, fur_real(-1), z, fur_real(1), b));
    ck_ok(context, fur_norm_max(b, &norm));
    ck_ok(context, fur_norm_max(z, &largest));
    ck_assert_msg(norm <= 64.0 * N * N * value_epsilon(value) * largest * (4 + N), "%g", norm);
    ck_assert_int_eq(fur_precond_describe(p)->raised, 0);
    fur_vector_destroy(z);
    fur_vector_destroy(b);
    fur_spmv_destroy(plan);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Iterations are as known. hypre's ILUT(1e-2) needs 23 stationary iterations. Its thresholds are
 * relative to the mean modulus and apply before the division by the pivot, so it stores twice the
 * entries. */
START_TEST(known_iterations_are_taken)
{
    static const fur_precond_options coarse = {.size = sizeof coarse,
                                               .kind = "ilut:fill=1000,drop=1e-2,no_matching"};
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = poisson_make(context, 10);
    double residual;
    ck_assert_int_eq(poisson_stationary(a, &coarse, &residual), 62);
    const fur_precond_options o = {.size = sizeof o, .kind = "ilut"};
    ck_assert_int_eq(poisson_iterations(a, "gmres", &o, NULL), 7);
    ck_assert_int_eq(poisson_iterations(a, "bicgstab", &o, NULL), 4);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Makes a matrix from coordinates and keeps duplicates. */
static fur_csr *from(fur_context *context, int64_t n, int64_t count, const int32_t *row,
                     const int32_t *col, const double *values)
{
    fur_coo_view coo = {sizeof coo, n, n, count, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    return a;
}

/* A small pivot is raised. The second pivot of [1 1; 1 1] is 0 and becomes d = 1e-4 sqrt(2). The
 * second column of M has 1 / d or 1 / d + 1, whichever row is first. */
START_TEST(small_pivots_are_raised)
{
    static const int32_t row[] = {0, 0, 1, 1};
    static const int32_t col[] = {0, 1, 0, 1};
    static const fur_ilut_options plain = OPTIONS(.fill = 1, .drop = 0.5, .no_matching = 1);
    static const double ones[] = {1, 1, 1, 1};
    static const double better[] = {1, 1, 1, 2};
    static const double unit[] = {0, 1};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = from(context, 2, 4, row, col, ones);
    fur_vector *b = vector_from(context, FUR_F64, 2, unit);
    fur_vector *x = vector_from(context, FUR_F64, 2, unit);
    fur_precond *p = precond_make(a, &plain);
    const double *z = fur_vector_const_data(x);
    ck_assert_int_eq(fur_precond_describe(p)->raised, 1);
    ck_ok(context, fur_precond_apply(p, b, x));
    ck_assert_msg(fabs(fabs(z[1]) - 1e4 / sqrt(2)) <= 1 + 1e-8, "%g", z[1]);
    ck_ok(context, fur_csr_set_values(a, better, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_precond_update(p));
    ck_assert_int_eq(fur_precond_describe(p)->raised, 0);
    fur_precond_destroy(p);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A breakdown is cured by a shift. For 27 points of ones with a zero diagonal, in single precision,
 * raised pivots grow until they are infinite. With a larger diagonal all rows can be used, and the
 * factors do not grow. */
START_TEST(breakdowns_are_shifted)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F32, .extent = {12, 12, 12}};
    fur_stencil *stencil = NULL;
    fur_csr *a = NULL;
    ck_assert(fur_stencil_named(27, &d));
    fur_scalar coefficients[27];
    for (int64_t k = 0; k < 27; k++)
        coefficients[k] = fur_real(k != 13);
    d.coefficients = coefficients;
    ck_ok(context, fur_stencil_create(context, &d, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &a));
    fur_precond *p = precond_make(a, &trials[0].options);
    const fur_precond_report *report = fur_precond_describe(p);
    ck_assert_msg(report->shift >= 1e-3 && report->shift <= 16, "%g", report->shift);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_stencil_destroy(stencil);
    fur_context_destroy(context);
}
END_TEST

/* Factors do not grow for central differences of a strong rotating flow on 16 x 16 points. With few
 * entries in each row, factors could lose accuracy and solves could grow. M A s must not grow if s
 * has ones of both signs. */
START_TEST(factors_do_not_grow)
{
    enum { SIDE = 16, N = SIDE * SIDE };
    int32_t rows[5 * N];
    int32_t cols[5 * N];
    double entries[5 * N];
    double signs[N];
    int64_t count = 0;
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(1190);
    fur_csr *a = NULL;
    fur_spmv *plan = NULL;
    for (int k = 0; k < N; k++) {
        int i = k / SIDE;
        int j = k % SIDE;
        double x = acos(-1) * (j + 1) / (SIDE + 1);
        double y = acos(-1) * (i + 1) / (SIDE + 1);
        double across = -8.5 * sin(x) * cos(y);
        double down = 8.5 * cos(x) * sin(y);
        const int to[] = {k, k - 1, k + 1, k - SIDE, k + SIDE};
        const double value[] = {2.312, -0.578 - across, -0.578 + across, -0.578 - down,
                                -0.578 + down};
        const bool is_there[] = {true, j > 0, j + 1 < SIDE, i > 0, i + 1 < SIDE};
        for (int m = 0; m < 5; m++) {
            rows[count] = k;
            cols[count] = to[m];
            entries[count] = value[m];
            count += is_there[m];
        }
        signs[k] = rng_below(&r, 2) ? 1 : -1;
    }
    fur_coo_view coo = {sizeof coo, N, N, count, FUR_F64, rows, cols, entries};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    fur_vector *s = vector_from(context, FUR_F64, N, signs);
    fur_vector *image = vector_from(context, FUR_F64, N, signs);
    fur_precond *p = precond_make(a, &trials[0].options);
    double growth;
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), s, fur_real(0), image));
    ck_ok(context, fur_precond_apply(p, image, s));
    ck_ok(context, fur_norm_max(s, &growth));
    ck_assert_msg(growth <= 1e4, "%g, shift %g", growth, fur_precond_describe(p)->shift);
    fur_precond_destroy(p);
    fur_vector_destroy(image);
    fur_vector_destroy(s);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(duplicates_count)
{
    static const fur_precond_options fine = {
        .size = sizeof fine, .kind = "ilut:fill=1,drop=2.2250738585072014e-308,no_matching"};
    rng r = rng_stream(1180);
    check_duplicates(&r, &fine);
}
END_TEST

START_TEST(extreme_sizes_work)
{
    rng r = rng_stream(1170);
    fur_context *context = context_make(NULL, 2);
    for (int k = 0; k < COUNT_OF(trials); k++)
        for (int64_t n = 0; n < 3; n++) {
            fur_csr *a = make(context, &r, n, 1000, false, false, FUR_C64, FUR_I32);
            fur_precond *p = precond_make(a, &trials[k].options);
            fur_vector *b = vector_random(context, &r, FUR_C64, n);
            fur_vector *z = vector_random(context, &r, FUR_C64, n);
            ck_ok(context, fur_precond_apply(p, b, z));
            fur_vector_destroy(z);
            fur_vector_destroy(b);
            fur_precond_destroy(p);
            fur_csr_destroy(a);
        }
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_it_cannot_use_is_refused)
{
    static const int32_t row[] = {0, 0, 1, 1, 2, 2};
    static const int32_t col[] = {1, 2, 0, 2, 0, 1};
    static const double good[] = {1, 2, 3, 4, 5, 6};
    static const double empty[] = {1, 2, 0, 0, 5, 6};
    static const double infinite[] = {1, 2, 3, INFINITY, 5, 6};
    static const struct {
        fur_ilut_options options;
        const char *sentence;
    } bad[] = {{{.fill = -1}, "fill of \"ilut\" must be from 1 to 10000; it is -1"},
               {{.fill = 10001}, "fill of \"ilut\" must be from 1 to 10000; it is 10001"},
               {{.drop = -0.5}, "drop of \"ilut\" must be from 0 to below 1; it is -0.5"},
               {{.drop = 1}, "drop of \"ilut\" must be from 0 to below 1; it is 1"},
               {{.drop = NAN}, "drop of \"ilut\" must be from 0 to below 1; it is nan"}};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = from(context, 3, 6, row, col, good);
    fur_precond *p = NULL;
    for (int i = 0; i < COUNT_OF(bad); i++) {
        fur_ilut_options ilut = bad[i].options;
        fur_precond_options o = {.size = sizeof o, .kind = "ilut", .ilut = &ilut};
        ilut.size = sizeof ilut;
        ck_fails(context, FUR_INVALID, bad[i].sentence, fur_precond_create(a, &o, &p));
    }
    fur_ilut_options ilut = trials[0].options;
    fur_precond_options o = {.size = sizeof o, .kind = "ilut", .ilut = &ilut};
    for (ilut.no_matching = 0; ilut.no_matching < 2; ilut.no_matching++) {
        const double *const values[] = {empty, infinite};
        for (int i = 0; i < 2; i++) {
            ck_ok(context, fur_csr_set_values(a, values[i], FUR_OWNERSHIP_COPY));
            ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
            ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 2, counting from 1"));
        }
        ck_assert_ptr_null(p);
        ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
        ck_ok(context, fur_precond_create(a, &o, &p));
        fur_vector *x = vector_from(context, FUR_F64, 3, good);
        fur_vector *y = vector_from(context, FUR_F64, 3, good);
        ck_ok(context, fur_csr_set_values(a, empty, FUR_OWNERSHIP_COPY));
        ck_ok(context, fur_precond_apply(p, x, y));
        ck_assert_int_eq(fur_precond_update(p), FUR_INVALID);
        ck_assert_int_eq(fur_precond_apply(p, x, y), FUR_INVALID);
        ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 2, counting from 1"));
        ck_ok(context, fur_csr_set_values(a, good, FUR_OWNERSHIP_COPY));
        ck_ok(context, fur_precond_update(p));
        ck_ok(context, fur_precond_apply(p, x, y));
        fur_vector_destroy(y);
        fur_vector_destroy(x);
        fur_precond_destroy(p);
        p = NULL;
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, factors_have_the_bits_of_the_plain_algorithm, 0,
                        COUNT_OF(trials) * FUR_VALUE_COUNT);
    tcase_add_test(tests, bits_do_not_depend_on_threads);
    tcase_add_loop_test(tests, complete_factors_solve, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, known_iterations_are_taken);
    tcase_add_test(tests, small_pivots_are_raised);
    tcase_add_test(tests, breakdowns_are_shifted);
    tcase_add_test(tests, factors_do_not_grow);
    tcase_add_test(tests, duplicates_count);
    tcase_add_test(tests, extreme_sizes_work);
    tcase_add_test(tests, what_it_cannot_use_is_refused);
}

int main(void)
{
    return run_tests("ilut", add_tests);
}
