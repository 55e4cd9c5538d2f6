/* Stencils: every exact kernel on the named stencils and on random ones, for all value types,
 * boundaries, small extents, thread counts and instruction sets, against the formula added up here;
 * the matrix of a stencil; operators; what definitions are refused. Vectors end at unmapped pages.
 */
#include "support.h"

#include <math.h>
#include <string.h>

#define SEGMENT 128 /* of docs/numerics.md */
#define MAX_POINTS 729
#define MAX_CONTEXTS 12
#define BOUNDARIES 27

static const int named_points[] = {3, 5, 7, 9, 13, 19, 27};

/* A stencil, a vector, and the product that is expected. */
typedef struct trial {
    fur_stencil_definition d;
    fur_stencil_offset offsets[MAX_POINTS];
    fur_scalar coefficients[MAX_POINTS];
    void *field_entries[MAX_POINTS];
    int order[MAX_POINTS]; /* of the offsets: by z, then y, then x */
    int64_t rows;
    fur_scalar alpha;
    fur_scalar beta;
    void *x;
    void *y; /* before */
    void *expected;
} trial;

static bool is_single(fur_value value)
{
    return value == FUR_F32 || value == FUR_C64;
}

/* a b + c, rounded once. */
static double fma_part(fur_value value, double a, double b, double c)
{
    return is_single(value) ? fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static fur_scalar fma_entry(fur_value value, fur_scalar a, fur_scalar b, fur_scalar c)
{
    if (!value_is_complex(value))
        return fur_real(fma_part(value, a.re, b.re, c.re));
    return fur_complex(fma_part(value, -a.im, b.im, fma_part(value, a.re, b.re, c.re)),
                       fma_part(value, a.im, b.re, fma_part(value, a.re, b.im, c.im)));
}

/* Adding -0 to a product changes nothing. */
static fur_scalar multiply_entries(fur_value value, fur_scalar a, fur_scalar b)
{
    return fma_entry(value, a, b, fur_complex(-0.0, -0.0));
}

static fur_scalar add_entries(fur_value value, fur_scalar a, fur_scalar b)
{
    return entry_round(value, fur_complex(a.re + b.re, a.im + b.im));
}

/* Where position i of an axis of n points is found; -1: nowhere. One reflection or turn at a time.
 */
static int64_t point_of(fur_boundary boundary, int64_t n, int64_t i)
{
    while (i < 0 || i >= n) {
        if (boundary == FUR_DIRICHLET)
            return -1;
        if (boundary == FUR_PERIODIC)
            i += i < 0 ? n : -n;
        else
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
    }
    return i;
}

static int64_t extent_of(const trial *t, int axis)
{
    return axis < t->d.axes ? t->d.extent[axis] : 1;
}

/* The entry of x that offset k of row p refers to; -1: none. */
static int64_t neighbour(const trial *t, int64_t p, int k)
{
    const int32_t o[3] = {t->offsets[k].x, t->offsets[k].y, t->offsets[k].z};
    int64_t entry = 0;
    int64_t stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t n = extent_of(t, axis);
        int64_t i = point_of(t->d.boundary[axis], n, p / stride % n + o[axis]);
        if (i < 0)
            return -1;
        entry += stride * i;
        stride *= n;
    }
    return entry;
}

static fur_scalar coefficient(const trial *t, int k, int64_t p)
{
    return t->d.fields ? entry_get(t->d.value, t->field_entries[k], p)
                       : entry_round(t->d.value, t->coefficients[k]);
}

static fur_scalar expected_sum(const trial *t, int64_t p)
{
    fur_value value = t->d.value;
    fur_scalar sum = {0, 0};
    fur_scalar segment = {0, 0};
    int terms = 0;
    for (int n = 0; n < t->d.points; n++) {
        int64_t from = neighbour(t, p, t->order[n]);
        if (from < 0)
            continue;
        if (terms > 0 && terms % SEGMENT == 0) {
            sum = terms == SEGMENT ? segment : add_entries(value, sum, segment);
            segment = fur_real(0);
        }
        segment =
            fma_entry(value, coefficient(t, t->order[n], p), entry_get(value, t->x, from), segment);
        terms++;
    }
    return terms <= SEGMENT ? segment : add_entries(value, sum, segment);
}

static void expect(trial *t)
{
    fur_value value = t->d.value;
    bool overwrite = t->beta.re == 0 && t->beta.im == 0;
    t->expected = entries_make(value, t->rows);
    for (int64_t p = 0; p < t->rows; p++) {
        fur_scalar sum = expected_sum(t, p);
        fur_scalar scaled = multiply_entries(value, t->beta, entry_get(value, t->y, p));
        entry_set(value, t->expected, p,
                  overwrite ? multiply_entries(value, t->alpha, sum)
                            : fma_entry(value, t->alpha, sum, scaled));
    }
}

static int rank_of(fur_stencil_offset o)
{
    return o.x + 10 * (o.y + 10 * o.z);
}

static void sort_offsets(trial *t)
{
    for (int n = 0; n < t->d.points; n++) {
        int place = n;
        for (; place > 0 && rank_of(t->offsets[t->order[place - 1]]) > rank_of(t->offsets[n]);
             place--)
            t->order[place] = t->order[place - 1];
        t->order[place] = n;
    }
}

/* Random offsets within the radius, each once. */
static void draw_offsets(trial *t, rng *r, int points, int radius)
{
    t->d.points = offsets_random(r, t->d.axes, radius, points, t->offsets);
    for (int k = 0; k < t->d.points; k++)
        t->coefficients[k] = rng_scalar(r, FUR_C128);
}

/* A copy of a named stencil with its offsets in random order. */
static void take_named(trial *t, rng *r, int points)
{
    ck_assert(fur_stencil_named(points, &t->d));
    int32_t *order = rng_order(r, points);
    for (int k = 0; k < points; k++) {
        t->offsets[k] = t->d.offsets[order[k]];
        t->coefficients[k] = t->d.coefficients[order[k]];
    }
    free(order);
}

static void draw_extents(trial *t, rng *r, int64_t most)
{
    static const int64_t extents[] = {1, 2, 3, 5, 7, 8, 17, 33};
    do {
        t->rows = 1;
        for (int axis = 0; axis < t->d.axes; axis++) {
            t->d.extent[axis] = extents[rng_below(r, COUNT_OF(extents))];
            t->rows *= t->d.extent[axis];
        }
    } while (t->rows > most);
}

/* Infinity and NaN must reach the rows that refer to them, and no others. */
static void poison(trial *t, rng *r)
{
    entry_set(t->d.value, t->x, rng_below(r, t->rows), fur_complex(NAN, 0));
    entry_set(t->d.value, t->x, rng_below(r, t->rows), fur_complex(0, INFINITY));
    entry_set(t->d.value, t->x, rng_below(r, t->rows), fur_complex(-INFINITY, 1));
}

static size_t bytes_of(const trial *t)
{
    return (size_t)t->rows * fur_value_size(t->d.value);
}

/* x, y, alpha and beta; y is NaN where it is to be overwritten. */
static void draw_product(trial *t, rng *r)
{
    fur_value value = t->d.value;
    const fur_scalar betas[] = {{0, 0}, {1, 0}, rng_scalar(r, value)};
    void *entries = entries_random(r, value, t->rows);
    t->alpha = rng_below(r, 3) == 0 ? fur_real(1) : rng_scalar(r, value);
    t->beta = betas[rng_below(r, COUNT_OF(betas))];
    t->x = guard_allocate(bytes_of(t));
    memcpy(t->x, entries, bytes_of(t));
    free(entries);
    t->y = entries_random(r, value, t->rows);
    for (int64_t p = 0; t->beta.re == 0 && t->beta.im == 0 && p < t->rows; p++)
        entry_set(value, t->y, p, fur_complex(NAN, NAN));
}

static void draw_fields(trial *t, rng *r)
{
    for (int k = 0; k < t->d.points; k++)
        t->field_entries[k] = entries_random(r, t->d.value, t->rows);
}

static void set_boundaries(trial *t, int combination)
{
    for (int axis = 0; axis < 3; axis++, combination /= FUR_BOUNDARY_COUNT)
        t->d.boundary[axis] = (fur_boundary)(combination % FUR_BOUNDARY_COUNT);
}

static void close_trial(trial *t)
{
    for (int k = 0; k < t->d.points; k++)
        free(t->field_entries[k]);
    guard_release(t->x, bytes_of(t));
    free(t->y);
    free(t->expected);
    free(t);
}

static trial *open_trial(fur_value value, int boundaries)
{
    trial *t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
    t->d.size = sizeof t->d;
    t->d.value = value;
    set_boundaries(t, boundaries);
    return t;
}

/* Completes a trial whose offsets are there. */
static void complete(trial *t, rng *r, int64_t most_rows, bool fields)
{
    static const fur_vector *const none;
    t->d.offsets = t->offsets;
    t->d.coefficients = fields ? NULL : t->coefficients;
    t->d.fields = fields ? &none : NULL;
    draw_extents(t, r, most_rows);
    if (fields)
        draw_fields(t, r);
    sort_offsets(t);
    draw_product(t, r);
}

/* Every instruction set, with one thread and with three. */
typedef struct bench {
    fur_context *contexts[MAX_CONTEXTS];
    int count;
} bench;

static bench bench_open(void)
{
    bench b = {.count = 0};
    for (int i = 0; isa_name(i); i++)
        for (int threads = 1; threads <= 3; threads += 2)
            b.contexts[b.count++] = context_make(isa_name(i), threads);
    return b;
}

static void bench_close(bench *b)
{
    for (int c = 0; c < b->count; c++)
        fur_context_destroy(b->contexts[c]);
}

static fur_stencil *make_stencil(fur_context *context, const fur_stencil_definition *d)
{
    fur_stencil *s = NULL;
    ck_ok(context, fur_stencil_create(context, d, &s));
    return s;
}

static fur_vector *borrow(fur_context *context, fur_value value, int64_t n, void *entries)
{
    fur_vector *v = NULL;
    ck_ok(context, fur_vector_wrap(context, value, n, entries, FUR_BORROW, &v));
    return v;
}

/* The trial's stencil in a context; its fields go to `fields`. */
static fur_stencil *stencil_of(fur_context *context, const trial *t, const char *kernel,
                               fur_vector *fields[MAX_POINTS])
{
    fur_stencil_definition d = t->d;
    const fur_vector *list[MAX_POINTS];
    d.kernel = kernel;
    for (int k = 0; k < d.points; k++)
        list[k] = fields[k] =
            d.fields ? borrow(context, d.value, t->rows, t->field_entries[k]) : NULL;
    if (d.fields)
        d.fields = list;
    return make_stencil(context, &d);
}

static void destroy_fields(const trial *t, fur_vector *fields[MAX_POINTS])
{
    for (int k = 0; k < t->d.points; k++)
        fur_vector_destroy(fields[k]);
}

static void fail_trial(const trial *t, fur_context *context, const char *kernel, int64_t p,
                       const void *y)
{
    fur_scalar is = entry_get(t->d.value, y, p);
    fur_scalar should = entry_get(t->d.value, t->expected, p);
    ck_abort_msg("%d points%s, %s, %lld x %lld x %lld, boundaries %d %d %d, kernel %s, isa %s, "
                 "%d threads, alpha %g%+gi, beta %g%+gi: y[%lld] = %a%+ai, expected %a%+ai",
                 t->d.points, t->d.fields ? " of fields" : "", fur_value_name(t->d.value),
                 (long long)extent_of(t, 0), (long long)extent_of(t, 1), (long long)extent_of(t, 2),
                 (int)t->d.boundary[0], (int)t->d.boundary[1], (int)t->d.boundary[2], kernel,
                 fur_context_isa(context), fur_context_threads(context), t->alpha.re, t->alpha.im,
                 t->beta.re, t->beta.im, (long long)p, is.re, is.im, should.re, should.im);
}

/* A vector at a guard page with the y of the trial. */
static void *y_before(const trial *t)
{
    void *y = guard_allocate(bytes_of(t));
    memcpy(y, t->y, bytes_of(t));
    return y;
}

static void check_kernel(const trial *t, fur_context *context, const char *kernel)
{
    fur_vector *fields[MAX_POINTS];
    fur_stencil *s = stencil_of(context, t, kernel, fields);
    void *entries = y_before(t);
    fur_vector *x = borrow(context, t->d.value, t->rows, t->x);
    fur_vector *y = borrow(context, t->d.value, t->rows, entries);
    ck_assert_str_eq(fur_stencil_describe(s).kernel, kernel);
    ck_ok(context, fur_stencil_apply(s, t->alpha, x, t->beta, y));
    int64_t p = first_difference(t->d.value, t->rows, entries, t->expected);
    if (p >= 0)
        fail_trial(t, context, kernel, p, entries);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    guard_release(entries, bytes_of(t));
    fur_stencil_destroy(s);
    destroy_fields(t, fields);
}

static fur_stencil_kernel_info kernel_info(fur_context *context, int kernel)
{
    fur_stencil_kernel_info info = {.name = NULL};
    ck_ok(context, fur_stencil_kernel_get(context, kernel, &info));
    return info;
}

static void check_kernels(const trial *t, const bench *b)
{
    for (int c = 0; c < b->count; c++)
        for (int kernel = 0; kernel < fur_stencil_kernel_count(b->contexts[c]); kernel++) {
            fur_stencil_kernel_info info = kernel_info(b->contexts[c], kernel);
            if (info.exact)
                check_kernel(t, b->contexts[c], info.name);
        }
}

static double modulus(fur_scalar s)
{
    return hypot(s.re, s.im);
}

/* Whether row p of the matrix's product is as near to the stencil's as two sums of the same terms
 * must be. The terms of the row are n products; a matrix adds those of one column first, so each
 * term is rounded at most n times more than in the stencil's sum: with test_spmv.c's g, both err by
 * at most g(2 n + 2) times the sum of moduli, and together by twice that. */
static bool is_near(const trial *t, int64_t p, fur_scalar a, fur_scalar b)
{
    double weight =
        modulus(t->beta) == 0 ? 0 : modulus(t->beta) * modulus(entry_get(t->d.value, t->y, p));
    double n = t->d.points;
    for (int k = 0; k < t->d.points; k++) {
        int64_t from = neighbour(t, p, k);
        if (from >= 0)
            weight += modulus(t->alpha) * modulus(coefficient(t, k, p)) *
                      modulus(entry_get(t->d.value, t->x, from));
    }
    double bound = (value_is_complex(t->d.value) ? 2 : 1) * 2 * (2 * n + 2) *
                   (value_epsilon(t->d.value) * weight + value_tiny(t->d.value));
    return fabs(a.re - b.re) <= bound && fabs(a.im - b.im) <= bound;
}

static bool is_dirichlet(const trial *t)
{
    bool all = true;
    for (int axis = 0; axis < t->d.axes; axis++)
        all = all && t->d.boundary[axis] == FUR_DIRICHLET;
    return all;
}

static void check_product_of_matrix(const trial *t, fur_context *context, const fur_csr *a)
{
    fur_value value = t->d.value;
    void *entries = y_before(t);
    fur_vector *x = borrow(context, value, t->rows, t->x);
    fur_vector *y = borrow(context, value, t->rows, entries);
    fur_spmv *plan = NULL;
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_spmv_apply(plan, t->alpha, x, t->beta, y));
    if (is_dirichlet(t)) {
        int64_t p = first_difference(value, t->rows, entries, t->expected);
        if (p >= 0)
            fail_trial(t, context, "of the matrix", p, entries);
    }
    for (int64_t p = 0; p < t->rows; p++)
        if (!is_near(t, p, entry_get(value, entries, p), entry_get(value, t->expected, p)))
            fail_trial(t, context, "of the matrix", p, entries);
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    guard_release(entries, bytes_of(t));
}

static void check_diagonal(const trial *t, fur_context *context, const fur_stencil *s,
                           const fur_csr *a)
{
    fur_operator *op = NULL;
    fur_vector *of_matrix = NULL;
    fur_vector *own = NULL;
    ck_ok(context, fur_operator_from_stencil(s, &op));
    ck_ok(context, fur_vector_create(context, t->d.value, t->rows, &own));
    ck_ok(context, fur_operator_diagonal(op, own));
    ck_ok(context, fur_csr_diagonal(a, &of_matrix));
    ck_assert_int_eq(
        first_difference(t->d.value, t->rows, fur_vector_data(own), fur_vector_data(of_matrix)),
        -1);
    fur_vector_destroy(of_matrix);
    fur_vector_destroy(own);
    fur_operator_destroy(op);
}

/* The matrix is valid, multiplies as the stencil does, and has its diagonal. */
static void check_matrix(const trial *t, fur_context *context)
{
    fur_vector *fields[MAX_POINTS];
    fur_stencil *s = stencil_of(context, t, NULL, fields);
    fur_csr *a = NULL;
    ck_ok(context, fur_stencil_assemble(s, &a));
    fur_csr_view view = fur_csr_get(a);
    ck_ok(context, fur_csr_check(context, &view));
    ck_assert(view.rows == t->rows && view.cols == t->rows && view.value == t->d.value);
    check_product_of_matrix(t, context, a);
    check_diagonal(t, context, s, a);
    fur_csr_destroy(a);
    fur_stencil_destroy(s);
    destroy_fields(t, fields);
}

/* Sound numbers for the matrix too, then poisoned ones. */
static void run_trial(trial *t, rng *r, const bench *b)
{
    expect(t);
    check_kernels(t, b);
    check_matrix(t, b->contexts[rng_below(r, b->count)]);
    poison(t, r);
    free(t->expected);
    expect(t);
    check_kernels(t, b);
    close_trial(t);
}

/* Loops over value types times combinations of boundaries. */
START_TEST(named_stencils_are_added_up_by_the_formula)
{
    bench b = bench_open();
    rng r = rng_stream((uint64_t)_i);
    for (int n = _i % (TEST_SLOW ? 3 : 1); n < COUNT_OF(named_points); n += TEST_SLOW ? 3 : 1) {
        trial *t = open_trial((fur_value)(_i % FUR_VALUE_COUNT), _i / FUR_VALUE_COUNT);
        take_named(t, &r, named_points[n]);
        complete(t, &r, TEST_SLOW ? 700 : 10000, false);
        run_trial(t, &r, &b);
    }
    bench_close(&b);
}
END_TEST

/* Points, radius, fields, the most rows. */
static const struct {
    int points;
    int radius;
    bool fields;
    int64_t rows;
} drawn[] = {{1, 4, false, 5000}, {2, 1, false, 5000},  {6, 2, true, 3000},   {11, 3, false, 3000},
             {27, 1, true, 3000}, {40, 4, false, 3000}, {128, 4, false, 400}, {129, 4, false, 400},
             {300, 4, true, 300}, {729, 4, false, 300}};

/* Loops over value types times combinations of boundaries. */
START_TEST(random_stencils_are_added_up_by_the_formula)
{
    bench b = bench_open();
    rng r = rng_stream((uint64_t)_i);
    for (int n = _i % (TEST_SLOW ? 4 : 1); n < COUNT_OF(drawn); n += TEST_SLOW ? 4 : 1) {
        trial *t = open_trial((fur_value)(_i % FUR_VALUE_COUNT), _i / FUR_VALUE_COUNT);
        t->d.axes = 1 + (int)rng_below(&r, 3);
        draw_offsets(t, &r, drawn[n].points, drawn[n].radius);
        complete(t, &r, TEST_SLOW ? drawn[n].rows / 4 : drawn[n].rows, drawn[n].fields);
        run_trial(t, &r, &b);
    }
    bench_close(&b);
}
END_TEST

/* Grids that are cut: lines into pieces, planes into blocks, work among threads; and a result that
 * goes past the caches. */
static const struct {
    int points; /* 0: random ones of radius 4 */
    int axes;
    int64_t extent[3];
    fur_value value;
} large[] = {
    {3, 1, {70001, 0, 0}, FUR_F64},    {0, 1, {40000, 0, 0}, FUR_C128},
    {5, 2, {1100, 61, 0}, FUR_F64},    {9, 2, {7, 9001, 0}, FUR_F32},
    {7, 3, {513, 90, 3}, FUR_C128},    {27, 3, {41, 37, 35}, FUR_F64},
    {13, 3, {600, 3, 40}, FUR_F32},    {0, 3, {33, 40, 31}, FUR_F32},
    {0, 2, {1025, 67, 0}, FUR_C64},    {7, 3, {161, 163, 165}, FUR_F64},
    {5, 2, {2100, 1003, 0}, FUR_C128},
};

static fur_vector *product(fur_context *context, const trial *t, const char *kernel,
                           const fur_vector *x)
{
    fur_vector *y = NULL;
    fur_stencil_definition d = t->d;
    d.kernel = kernel;
    fur_stencil *s = make_stencil(context, &d);
    ck_ok(context, fur_vector_create(context, d.value, t->rows, &y));
    ck_ok(context, fur_stencil_apply(s, t->alpha, x, fur_real(0), y));
    fur_stencil_destroy(s);
    return y;
}

static void check_threads(const trial *t, const char *isa, const void *expected)
{
    for (int threads = 1; threads <= 8; threads = threads < 3 ? threads + 1 : threads + 5) {
        fur_context *context = context_make(isa, threads);
        fur_vector *x = borrow(context, t->d.value, t->rows, t->x);
        fur_vector *y = product(context, t, NULL, x);
        int64_t p = first_difference(t->d.value, t->rows, expected, fur_vector_data(y));
        ck_assert_msg(p == -1, "%d points, isa %s, %d threads: y[%lld] differs", t->d.points, isa,
                      threads, (long long)p);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
        fur_context_destroy(context);
    }
}

/* Loops over the large grids. */
START_TEST(threads_and_blocks_do_not_show)
{
    rng r = rng_stream((uint64_t)_i);
    trial *t = open_trial(large[_i].value, (int)rng_below(&r, BOUNDARIES));
    t->d.axes = large[_i].axes;
    if (large[_i].points)
        take_named(t, &r, large[_i].points);
    else
        draw_offsets(t, &r, 20, 4);
    complete(t, &r, 1000, false);
    guard_release(t->x, bytes_of(t));
    t->rows = 1;
    for (int axis = 0; axis < t->d.axes; axis++)
        t->rows *= t->d.extent[axis] = large[_i].extent[axis];
    t->x = guard_allocate(bytes_of(t));
    void *entries = entries_random(&r, t->d.value, t->rows);
    memcpy(t->x, entries, bytes_of(t));
    fur_context *context = context_make(NULL, 1);
    fur_vector *x = borrow(context, t->d.value, t->rows, t->x);
    fur_vector *y = product(context, t, "reference", x);
    for (int i = 0; isa_name(i); i++)
        check_threads(t, isa_name(i), fur_vector_data(y));
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_context_destroy(context);
    free(entries);
    close_trial(t);
}
END_TEST

static void small_integers(fur_vector *x, rng *r)
{
    double *entries = fur_vector_data(x);
    for (int64_t p = 0; p < fur_vector_size(x); p++)
        entries[p] = (double)(rng_below(r, 17) - 8);
}

static double dot(const fur_vector *x, const fur_vector *y)
{
    fur_scalar sum;
    ck_ok(fur_vector_context(x), fur_dot(x, y, &sum));
    return sum.re;
}

static void check_symmetry(fur_context *context, rng *r, const trial *t)
{
    fur_stencil *s = make_stencil(context, &t->d);
    fur_vector *v[4] = {NULL};
    for (int i = 0; i < COUNT_OF(v); i++)
        ck_ok(context, fur_vector_create(context, FUR_F64, t->rows, &v[i]));
    small_integers(v[0], r);
    small_integers(v[1], r);
    ck_ok(context, fur_stencil_apply(s, fur_real(1), v[0], fur_real(0), v[2]));
    ck_ok(context, fur_stencil_apply(s, fur_real(1), v[1], fur_real(0), v[3]));
    ck_assert_double_eq(dot(v[1], v[2]), dot(v[0], v[3]));
    for (int i = 0; i < COUNT_OF(v); i++)
        fur_vector_destroy(v[i]);
    fur_stencil_destroy(s);
}

/* x.Sy = y.Sx, in integers that are added exactly. Loops over combinations of boundaries. */
START_TEST(symmetric_stencils_stay_symmetric_at_every_boundary)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream((uint64_t)_i);
    for (int n = 0; n < COUNT_OF(named_points); n++)
        for (int i = 0; i < 4; i++) {
            trial *t = open_trial(FUR_F64, _i);
            take_named(t, &r, named_points[n]);
            complete(t, &r, 5000, false);
            check_symmetry(context, &r, t);
            close_trial(t);
        }
    fur_context_destroy(context);
}
END_TEST

static double *sine_product(int n)
{
    double pi = acos(-1);
    double *u = malloc((size_t)n * (size_t)n * (size_t)n * sizeof *u);
    ck_assert_ptr_nonnull(u);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                u[i + n * (j + n * k)] = sin(pi * (i + 1) / (n + 1)) * sin(pi * (j + 1) / (n + 1)) *
                                         sin(pi * (k + 1) / (n + 1));
    return u;
}

/* The largest error of the solution of -Laplace u = 3 pi^2 u on the unit cube, u = 0 around it, for
 * u = sin(pi x) sin(pi y) sin(pi z), on n^3 points; in units of the largest u. */
static double solution_error(int n)
{
    fur_context *context = context_make(NULL, 2);
    fur_stencil_definition d = {.size = sizeof d, .value = FUR_F64, .extent = {n, n, n}};
    ck_assert(fur_stencil_named(7, &d));
    int64_t rows = (int64_t)n * n * n;
    double pi = acos(-1);
    double *u = sine_product(n);
    fur_stencil *s = make_stencil(context, &d);
    fur_operator *op = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report;
    fur_vector *exact = vector_from(context, FUR_F64, rows, u);
    fur_vector *b = vector_from(context, FUR_F64, rows, u);
    rng r = rng_stream(1);
    fur_vector *x = vector_random(context, &r, FUR_F64, rows);
    fur_solver_options options = {.size = sizeof options, .rtol = 1e-12};
    ck_ok(context, fur_axpby(fur_real(0), exact, fur_real(3 * pi * pi / (n + 1) / (n + 1)), b));
    ck_ok(context, fur_operator_from_stencil(s, &op));
    ck_ok(context, fur_solver_create(op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, b, x, &report));
    ck_assert_int_eq(report.outcome, FUR_CONVERGED);
    ck_ok(context, fur_axpby(fur_real(-1), exact, fur_real(1), x));
    double error = 0;
    double size = 0;
    ck_ok(context, fur_norm_max(x, &error));
    ck_ok(context, fur_norm_max(exact, &size));
    fur_solver_destroy(solver);
    fur_operator_destroy(op);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_vector_destroy(exact);
    fur_stencil_destroy(s);
    free(u);
    fur_context_destroy(context);
    return error / size;
}

/* With h = 1 / (n + 1), u is an eigenvector of the discrete operator too, with the eigenvalue
 * 3 (2 / h)^2 sin^2(pi h / 2) instead of 3 pi^2: the solution is u times their quotient, which is
 * 1 + pi^2 h^2 / 12 + O(h^4). That is the smallest eigenvalue, so a residual of 1e-12 leaves an
 * error of at most 1e-12 in norm 2, of which u has sqrt((n + 1)^3 / 8) < 64. The solver begins at
 * random numbers. */
START_TEST(errors_fall_with_the_square_of_the_distance)
{
    double pi = acos(-1);
    double errors[2];
    for (int i = 0; i < 2; i++) {
        double h = 1.0 / (16 << i);
        double angle = pi * h / 2;
        errors[i] = solution_error((16 << i) - 1);
        ck_assert_double_eq_tol(errors[i], angle * angle / sin(angle) / sin(angle) - 1, 1e-9);
    }
    /* 4 (1 + O(h^2)): the next term of the quotient is h^4 pi^4 / 240. */
    ck_assert_double_eq_tol(errors[0] / errors[1], 4, 4 * pi * pi / 20 / 256);
}
END_TEST

START_TEST(named_stencils_have_the_documented_coefficients)
{
    static const struct {
        int points, axes;
        double centre, face, edge, corner, second;
    } expected[] = {{3, 1, 2, -1, 0, 0, 0},    {5, 2, 4, -1, 0, 0, 0},    {9, 2, 8, -1, -1, 0, 0},
                    {7, 3, 6, -1, 0, 0, 0},    {13, 3, 90, -16, 0, 0, 1}, {19, 3, 24, -2, -1, 0, 0},
                    {27, 3, 26, -1, -1, -1, 0}};
    for (int n = 0; n < COUNT_OF(expected); n++) {
        fur_stencil_definition d = {.size = 0};
        double sum = 0;
        ck_assert(fur_stencil_named(expected[n].points, &d));
        ck_assert(d.points == expected[n].points && d.axes == expected[n].axes && !d.fields);
        for (int k = 0; k < d.points; k++) {
            fur_stencil_offset o = d.offsets[k];
            int far = o.x * o.x + o.y * o.y + o.z * o.z;
            const double by_distance[] = {expected[n].centre, expected[n].face, expected[n].edge,
                                          expected[n].corner, expected[n].second};
            ck_assert_int_le(far, 4);
            ck_assert_double_eq(d.coefficients[k].re, by_distance[far]);
            sum += d.coefficients[k].re;
        }
        ck_assert_double_eq(sum, 0);
    }
    fur_stencil_definition d = {.points = -5};
    ck_assert(!fur_stencil_named(0, &d) && !fur_stencil_named(8, &d) && d.points == -5);
}
END_TEST

START_TEST(a_stencil_describes_itself)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = {.size = sizeof d, .value = FUR_C64, .extent = {5, 6, 7}};
    ck_assert(fur_stencil_named(7, &d));
    fur_stencil *s = make_stencil(context, &d);
    fur_stencil_report report = fur_stencil_describe(s);
    ck_assert_str_eq(report.kernel, "blocked");
    ck_assert_str_eq(report.reason, "the fastest of those that suit the stencil");
    ck_assert(report.rows == 210 && report.points == 7 && report.bytes == INT64_C(2) * 210 * 8);
    fur_stencil_destroy(s);
    d.kernel = "reference";
    d.coefficients = NULL;
    fur_vector *field = NULL;
    ck_ok(context, fur_vector_create(context, FUR_C64, 210, &field));
    const fur_vector *fields[] = {field, field, field, field, field, field, field};
    d.fields = fields;
    s = make_stencil(context, &d);
    report = fur_stencil_describe(s);
    ck_assert_str_eq(report.kernel, "reference");
    ck_assert_str_eq(report.reason, "asked for by name");
    ck_assert(report.bytes == INT64_C(9) * 210 * 8);
    fur_stencil_destroy(s);
    fur_stencil_destroy(NULL);
    fur_vector_destroy(field);
    fur_context_destroy(context);
}
END_TEST

/* A sound definition that tests then spoil. */
static fur_stencil_definition sound(void)
{
    fur_stencil_definition d = {.size = sizeof d, .value = FUR_F64, .extent = {3, 4, 5}};
    ck_assert(fur_stencil_named(7, &d));
    return d;
}

#define REFUSED(status, sentence)                                                                  \
    ck_fails(context, status, sentence, fur_stencil_create(context, &d, &s))

START_TEST(definitions_that_break_the_contract_are_refused)
{
    static const fur_stencil_offset far[] = {{0, 0, 0}, {0, -5, 0}};
    static const fur_stencil_offset twice[] = {{1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    int64_t outstanding = m.outstanding;
    fur_stencil *s = NULL;
    fur_stencil_definition d = sound();
    d.value = (fur_value)4;
    REFUSED(FUR_INVALID, "4 is not a value type");
    d = sound();
    d.axes = 4;
    REFUSED(FUR_INVALID, "a grid has 1, 2 or 3 axes, not 4");
    d = sound();
    d.extent[1] = 0;
    REFUSED(FUR_INVALID, "axis 1 has 0 points; a grid needs at least 1");
    d = sound();
    d.boundary[2] = (fur_boundary)3;
    REFUSED(FUR_INVALID, "3 is not a boundary; use FUR_DIRICHLET, FUR_NEUMANN or FUR_PERIODIC");
    d = sound();
    d.extent[0] = d.extent[1] = d.extent[2] = INT64_C(1) << 21;
    REFUSED(FUR_OVERFLOW, "the grid has 2^63 points or more");
    d = sound();
    d.points = 0;
    REFUSED(FUR_INVALID, "a stencil needs at least one offset");
    d = sound();
    d.offsets = NULL;
    REFUSED(FUR_INVALID, "a stencil needs at least one offset");
    d = sound();
    d.coefficients = NULL;
    REFUSED(FUR_INVALID, "a stencil has either coefficients or fields; none were given");
    d = sound();
    d.offsets = far;
    d.points = 2;
    REFUSED(FUR_INVALID, "offset 1 is (0, -5, 0); it must be at most 4 along each of 3 axes");
    d = sound();
    d.axes = 2;
    REFUSED(FUR_INVALID, "offset 5 is (0, 0, -1); it must be at most 4 along each of 2 axes");
    d = sound();
    d.offsets = twice;
    d.points = 3;
    REFUSED(FUR_INVALID, "offsets 0 and 2 are the same");
    d = sound();
    d.kernel = "fast";
    REFUSED(FUR_UNSUPPORTED,
            "there is no stencil kernel \"fast\" on device cpu; it has auto, reference, blocked, "
            "symmetric");
    ck_fails(context, FUR_INVALID, "a grid has 1, 2 or 3 axes, not 0",
             fur_stencil_create(context, NULL, &s));
    ck_assert_ptr_null(s);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_context_destroy(context);
}
END_TEST

START_TEST(fields_that_do_not_fit_are_refused)
{
    static const fur_stencil_offset offsets[] = {{0, 0, 0}, {1, 0, 0}};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_context *other = context_make(NULL, 1);
    fur_vector *good = NULL;
    fur_vector *shorter = NULL;
    fur_vector *foreign = NULL;
    fur_stencil *s = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 10, &good));
    ck_ok(context, fur_vector_create(context, FUR_F64, 9, &shorter));
    ck_ok(other, fur_vector_create(other, FUR_F64, 10, &foreign));
    int64_t outstanding = m.outstanding;
    const fur_vector *fields[] = {good, NULL};
    fur_stencil_definition d = {.size = sizeof d,
                                .value = FUR_F64,
                                .axes = 1,
                                .extent = {10},
                                .points = 2,
                                .offsets = offsets,
                                .fields = fields};
    REFUSED(FUR_INVALID, "field 1 is missing");
    fields[1] = shorter;
    REFUSED(FUR_INVALID, "field 1 has 9 entries of type f64, the grid needs 10 of type f64");
    fields[1] = foreign;
    REFUSED(FUR_INVALID, "field 1 belongs to another context");
    d.value = FUR_F32;
    REFUSED(FUR_INVALID, "field 0 has 10 entries of type f64, the grid needs 10 of type f32");
    const fur_scalar coefficients[] = {{1, 0}, {1, 0}};
    d.coefficients = coefficients;
    REFUSED(FUR_INVALID, "a stencil has either coefficients or fields; both were given");
    ck_assert_ptr_null(s);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_vector_destroy(foreign);
    fur_vector_destroy(shorter);
    fur_vector_destroy(good);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

START_TEST(vectors_that_do_not_fit_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    fur_stencil_definition d = sound();
    fur_stencil *s = make_stencil(context, &d);
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    fur_vector *shorter = NULL;
    fur_vector *foreign = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 60, &x));
    ck_ok(context, fur_vector_create(context, FUR_F32, 60, &y));
    ck_ok(context, fur_vector_create(context, FUR_F64, 59, &shorter));
    ck_ok(other, fur_vector_create(other, FUR_F64, 60, &foreign));
    ck_fails(context, FUR_INVALID, "y has 60 entries of type f32, the grid needs 60 of type f64",
             fur_stencil_apply(s, fur_real(1), x, fur_real(0), y));
    ck_fails(context, FUR_INVALID, "x has 59 entries of type f64, the grid needs 60 of type f64",
             fur_stencil_apply(s, fur_real(1), shorter, fur_real(0), x));
    ck_fails(context, FUR_INVALID, "y belongs to another context than the stencil",
             fur_stencil_apply(s, fur_real(1), x, fur_real(0), foreign));
    ck_fails(context, FUR_INVALID, "x and y are the same array; the product needs two",
             fur_stencil_apply(s, fur_real(1), x, fur_real(0), x));
    fur_vector_destroy(foreign);
    fur_vector_destroy(shorter);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_stencil_destroy(s);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_grid_beyond_a_matrix_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = sound();
    fur_csr *a = NULL;
    d.extent[0] = d.extent[1] = d.extent[2] = 1291;
    fur_stencil *s = make_stencil(context, &d);
    ck_fails(context, FUR_OVERFLOW,
             "a grid of 2151685171 points has too many for a matrix: at most 2147483647 rows",
             fur_stencil_assemble(s, &a));
    ck_assert_ptr_null(a);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
}
END_TEST

START_TEST(kernels_are_listed)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil_kernel_info info;
    int count = fur_stencil_kernel_count(context);
    char sentence[64];
    ck_assert_str_eq(kernel_info(context, 0).name, "reference");
    for (int i = 0; i < count; i++) {
        info = kernel_info(context, i);
        ck_assert(info.name[0] && info.summary[0] && info.source);
    }
    snprintf(sentence, sizeof sentence, "there is no stencil kernel %d; there are %d", count,
             count);
    ck_fails(context, FUR_INVALID, sentence, fur_stencil_kernel_get(context, count, &info));
    ck_assert_int_eq(fur_stencil_kernel_get(context, -1, &info), FUR_INVALID);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, named_stencils_are_added_up_by_the_formula, 0,
                        FUR_VALUE_COUNT * BOUNDARIES);
    tcase_add_loop_test(tests, random_stencils_are_added_up_by_the_formula, 0,
                        FUR_VALUE_COUNT * BOUNDARIES);
    tcase_add_loop_test(tests, threads_and_blocks_do_not_show, 0, COUNT_OF(large));
    tcase_add_loop_test(tests, symmetric_stencils_stay_symmetric_at_every_boundary, 0, BOUNDARIES);
    tcase_add_test(tests, errors_fall_with_the_square_of_the_distance);
    tcase_add_test(tests, named_stencils_have_the_documented_coefficients);
    tcase_add_test(tests, a_stencil_describes_itself);
    tcase_add_test(tests, definitions_that_break_the_contract_are_refused);
    tcase_add_test(tests, fields_that_do_not_fit_are_refused);
    tcase_add_test(tests, vectors_that_do_not_fit_are_refused);
    tcase_add_test(tests, a_grid_beyond_a_matrix_is_refused);
    tcase_add_test(tests, kernels_are_listed);
}

int main(void)
{
    return run_tests("stencil", add_tests);
}
