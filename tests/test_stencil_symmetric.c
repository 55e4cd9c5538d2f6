/* The stencil kernel `symmetric` against the sums of docs/numerics.md, bit by bit, for all value
 * types, boundaries, extents, thread counts and instruction sets, and against the reference kernel
 * within the bound that is documented there, in integers exactly; what it refuses. Vectors end at
 * unmapped pages, so that they begin anywhere in a cache line. */
#include "support.h"

#include <math.h>
#include <string.h>

#define POINTS 27
#define BOUNDARIES 27

typedef struct trial {
    fur_stencil_definition d;
    fur_stencil_offset offsets[POINTS];
    fur_scalar coefficients[POINTS];
    fur_scalar c[2][2][2]; /* by |dz|, |dy|, |dx|, rounded */
    int64_t rows;
    fur_scalar alpha;
    fur_scalar beta;
    void *x;
    void *y; /* before */
    void *expected;
    void *reference; /* of that kernel */
} trial;

static fur_scalar add(fur_value value, fur_scalar a, fur_scalar b)
{
    return entry_round(value, fur_complex(a.re + b.re, a.im + b.im));
}

/* a b + c, rounded once. */
static double fma_part(fur_value value, double a, double b, double c)
{
    return value == FUR_F32 || value == FUR_C64 ? fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static fur_scalar fma_entry(fur_value value, fur_scalar a, fur_scalar b, fur_scalar c)
{
    if (!value_is_complex(value))
        return fur_real(fma_part(value, a.re, b.re, c.re));
    return fur_complex(fma_part(value, -a.im, b.im, fma_part(value, a.re, b.re, c.re)),
                       fma_part(value, a.im, b.re, fma_part(value, a.re, b.im, c.im)));
}

/* Where position i of an axis of n points is found; -1: nowhere. */
static int64_t point_of(fur_boundary boundary, int64_t n, int64_t i)
{
    if (i >= 0 && i < n)
        return i;
    if (boundary == FUR_DIRICHLET)
        return -1;
    return (i < 0) == (boundary == FUR_NEUMANN) ? 0 : n - 1;
}

/* u at a point, or at one next to the grid. */
static fur_scalar entry_at(const trial *t, int64_t i, int64_t j, int64_t k)
{
    const int64_t *n = t->d.extent;
    j = point_of(t->d.boundary[1], n[1], j);
    k = point_of(t->d.boundary[2], n[2], k);
    return j < 0 || k < 0 ? fur_real(0) : entry_get(t->d.value, t->x, i + n[0] * (j + n[1] * k));
}

/* The nine entries of column i around line j of plane k, with the constants of |dx|. */
static fur_scalar column(const trial *t, int dx, int64_t i, int64_t j, int64_t k)
{
    fur_value value = t->d.value;
    i = point_of(t->d.boundary[0], t->d.extent[0], i);
    if (i < 0)
        return fur_real(0);
    fur_scalar z[3]; /* u(z - 1) + u(z + 1) at y - 1, y, y + 1 */
    for (int n = 0; n < 3; n++)
        z[n] = add(value, entry_at(t, i, j + n - 1, k - 1), entry_at(t, i, j + n - 1, k + 1));
    fur_scalar y = add(value, entry_at(t, i, j - 1, k), entry_at(t, i, j + 1, k));
    fur_scalar sum = fma_entry(value, t->c[0][0][dx], entry_at(t, i, j, k), fur_real(0));
    sum = fma_entry(value, t->c[0][1][dx], y, sum);
    sum = fma_entry(value, t->c[1][0][dx], z[1], sum);
    return fma_entry(value, t->c[1][1][dx], add(value, z[0], z[2]), sum);
}

static fur_scalar expected_at(const trial *t, int64_t i, int64_t j, int64_t k, fur_scalar y)
{
    fur_value value = t->d.value;
    fur_scalar sides = add(value, column(t, 1, i - 1, j, k), column(t, 1, i + 1, j, k));
    fur_scalar sum = add(value, column(t, 0, i, j, k), sides);
    fur_scalar none = fur_complex(-0.0, -0.0);
    bool overwrite = t->beta.re == 0 && t->beta.im == 0;
    return fma_entry(value, t->alpha, sum, overwrite ? none : fma_entry(value, t->beta, y, none));
}

static void expect(trial *t)
{
    int64_t p = 0;
    for (int64_t k = 0; k < t->d.extent[2]; k++)
        for (int64_t j = 0; j < t->d.extent[1]; j++)
            for (int64_t i = 0; i < t->d.extent[0]; i++, p++)
                entry_set(t->d.value, t->expected, p,
                          expected_at(t, i, j, k, entry_get(t->d.value, t->y, p)));
}

/* All 27 in random order; the number of each is that of its distances. */
static void draw_offsets(trial *t, rng *r)
{
    t->d.axes = 3;
    t->d.points = offsets_random(r, 3, 1, POINTS, t->offsets);
    ck_assert_int_eq(t->d.points, POINTS);
    for (int k = 0; k < POINTS; k++) {
        fur_stencil_offset o = t->offsets[k];
        t->coefficients[k] = t->c[abs(o.z)][abs(o.y)][abs(o.x)];
    }
    t->d.offsets = t->offsets;
    t->d.coefficients = t->coefficients;
}

static fur_scalar small_integer(rng *r, fur_value value)
{
    double re = (double)rng_below(r, 17) - 8;
    return value_is_complex(value) ? fur_complex(re, (double)rng_below(r, 17) - 8) : fur_real(re);
}

static fur_scalar draw(rng *r, fur_value value, bool integers)
{
    return integers ? small_integer(r, value) : rng_scalar(r, value);
}

static size_t bytes_of(const trial *t)
{
    return (size_t)t->rows * fur_value_size(t->d.value);
}

static void draw_product(trial *t, rng *r, bool integers)
{
    fur_value value = t->d.value;
    const fur_scalar betas[] = {{0, 0}, {1, 0}, draw(r, value, integers)};
    t->alpha = draw(r, value, integers);
    t->beta = betas[rng_below(r, COUNT_OF(betas))];
    t->x = guard_allocate(bytes_of(t));
    t->y = entries_make(value, t->rows);
    t->expected = entries_make(value, t->rows);
    t->reference = entries_make(value, t->rows);
    for (int64_t p = 0; p < t->rows; p++) {
        entry_set(value, t->x, p, draw(r, value, integers));
        entry_set(value, t->y, p, draw(r, value, integers));
    }
}

static trial *open_trial(rng *r, fur_value value, int boundaries, const int64_t extent[3],
                         bool integers)
{
    trial *t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
    t->d.size = sizeof t->d;
    t->d.value = value;
    t->rows = 1;
    for (int axis = 0; axis < 3; axis++, boundaries /= FUR_BOUNDARY_COUNT) {
        t->d.boundary[axis] = (fur_boundary)(boundaries % FUR_BOUNDARY_COUNT);
        t->rows *= t->d.extent[axis] = extent[axis];
    }
    for (int n = 0; n < 8; n++)
        t->c[n / 4][n / 2 % 2][n % 2] = draw(r, value, integers);
    draw_offsets(t, r);
    draw_product(t, r, integers);
    return t;
}

static void close_trial(trial *t)
{
    guard_release(t->x, bytes_of(t));
    free(t->y);
    free(t->expected);
    free(t->reference);
    free(t);
}

static fur_vector *borrow(fur_context *context, const trial *t, void *entries)
{
    fur_vector *v = NULL;
    ck_ok(context, fur_vector_wrap(context, t->d.value, t->rows, entries, FUR_BORROW, &v));
    return v;
}

/* y = alpha S x + beta y by the kernel. */
static void multiply(const trial *t, fur_context *context, const char *kernel, void *y)
{
    fur_stencil_definition d = t->d;
    fur_stencil *s = NULL;
    d.kernel = kernel;
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_assert_str_eq(fur_stencil_describe(s).kernel, kernel);
    fur_vector *from = borrow(context, t, t->x);
    fur_vector *to = borrow(context, t, y);
    ck_ok(context, fur_stencil_apply(s, t->alpha, from, t->beta, to));
    fur_vector_destroy(to);
    fur_vector_destroy(from);
    fur_stencil_destroy(s);
}

static void fail_at(const trial *t, const char *isa, int threads, int64_t p, fur_scalar is,
                    fur_scalar should)
{
    const int64_t *n = t->d.extent;
    ck_abort_msg("%s, %lld x %lld x %lld, boundaries %d %d %d, isa %s, %d threads, alpha %g%+gi, "
                 "beta %g%+gi: y[%lld] = %a%+ai, expected %a%+ai",
                 fur_value_name(t->d.value), (long long)n[0], (long long)n[1], (long long)n[2],
                 (int)t->d.boundary[0], (int)t->d.boundary[1], (int)t->d.boundary[2], isa, threads,
                 t->alpha.re, t->alpha.im, t->beta.re, t->beta.im, (long long)p, is.re, is.im,
                 should.re, should.im);
}

/* Every instruction set has the bits of `expected`. */
static void check_bits(const trial *t, int threads, const void *expected)
{
    for (int n = 0; isa_name(n); n++) {
        fur_context *context = context_make(isa_name(n), threads);
        void *y = guard_allocate(bytes_of(t));
        memcpy(y, t->y, bytes_of(t));
        multiply(t, context, "symmetric", y);
        int64_t p = first_difference(t->d.value, t->rows, y, expected);
        if (p >= 0)
            fail_at(t, isa_name(n), threads, p, entry_get(t->d.value, y, p),
                    entry_get(t->d.value, expected, p));
        guard_release(y, bytes_of(t));
        fur_context_destroy(context);
    }
}

static void refer(trial *t)
{
    fur_context *context = context_make(NULL, 1);
    memcpy(t->reference, t->y, bytes_of(t));
    multiply(t, context, "reference", t->reference);
    fur_context_destroy(context);
}

static double modulus(fur_scalar s)
{
    return hypot(s.re, s.im);
}

/* |alpha| |S| |x| + |beta| |y| in row (i, j, k). */
static double weight_at(const trial *t, int64_t i, int64_t j, int64_t k, int64_t p)
{
    double sum = 0;
    for (int n = 0; n < POINTS; n++) {
        fur_stencil_offset o = t->offsets[n];
        int64_t at = point_of(t->d.boundary[0], t->d.extent[0], i + o.x);
        if (at >= 0)
            sum += modulus(t->coefficients[n]) * modulus(entry_at(t, at, j + o.y, k + o.z));
    }
    return modulus(t->alpha) * sum + modulus(t->beta) * modulus(entry_get(t->d.value, t->y, p));
}

/* Terms of a real row pass through at most 27 roundings in the reference and 6 here, and one more
 * each with alpha; beta y through fewer. A part of a complex row is a sum of 54 products in the
 * reference, here each passes through 10 roundings; alpha mixes both parts, and rounds twice each:
 * sqrt(2) (54 + 10) + 4 < 95. epsilon is 2 u. */
static bool is_near(const trial *t, double weight, fur_scalar a, fur_scalar b)
{
    double roundings = value_is_complex(t->d.value) ? 95 : 35;
    double bound = (roundings + 1) / 2 * value_epsilon(t->d.value) * weight +
                   2 * roundings * value_tiny(t->d.value);
    return fabs(a.re - b.re) <= bound && fabs(a.im - b.im) <= bound;
}

static void check_bound(const trial *t)
{
    int64_t p = 0;
    for (int64_t k = 0; k < t->d.extent[2]; k++)
        for (int64_t j = 0; j < t->d.extent[1]; j++)
            for (int64_t i = 0; i < t->d.extent[0]; i++, p++) {
                fur_scalar is = entry_get(t->d.value, t->expected, p);
                fur_scalar should = entry_get(t->d.value, t->reference, p);
                if (!is_near(t, weight_at(t, i, j, k, p), is, should))
                    fail_at(t, "of the formula", 1, p, is, should);
            }
}

static bool is_finite(fur_scalar s)
{
    return isfinite(s.re) && isfinite(s.im);
}

/* Infinity and NaN reach the rows that refer to them, and no others. */
static void check_poisoned(trial *t, rng *r)
{
    entry_set(t->d.value, t->x, rng_below(r, t->rows), fur_real(NAN));
    entry_set(t->d.value, t->x, rng_below(r, t->rows), fur_complex(-INFINITY, 1));
    expect(t);
    check_bits(t, 1, t->expected);
    refer(t);
    for (int64_t p = 0; p < t->rows; p++)
        ck_assert_int_eq(is_finite(entry_get(t->d.value, t->expected, p)),
                         is_finite(entry_get(t->d.value, t->reference, p)));
}

/* Loops over value types times combinations of boundaries. */
START_TEST(columns_are_added_up_by_the_formula)
{
    static const int64_t lengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 40, 64};
    static const int64_t others[] = {1, 2, 3, 4, 5, 6};
    rng r = rng_stream((uint64_t)_i);
    for (int n = 0; n < (TEST_SLOW ? 2 : COUNT_OF(lengths)); n++) {
        const int64_t extent[] = {lengths[TEST_SLOW ? rng_below(&r, COUNT_OF(lengths)) : n],
                                  others[rng_below(&r, COUNT_OF(others))],
                                  others[rng_below(&r, COUNT_OF(others))]};
        trial *t =
            open_trial(&r, (fur_value)(_i % FUR_VALUE_COUNT), _i / FUR_VALUE_COUNT, extent, false);
        expect(t);
        check_bits(t, 1, t->expected);
        refer(t);
        check_bound(t);
        check_poisoned(t, &r);
        close_trial(t);
    }
}
END_TEST

/* Grids that are cut: lines into pieces, planes into blocks, work among threads; and results that
 * go past the caches, in pairs of lines and line by line. */
static const struct {
    int64_t extent[3];
    fur_value value;
} large[] = {
    {{5500, 9, 3}, FUR_F64}, {{1400, 33, 4}, FUR_C128},   {{70, 66, 32}, FUR_F32},
    {{47, 48, 20}, FUR_C64}, {{129, 130, 128}, FUR_C128}, {{176, 160, 150}, FUR_F64},
};
#define LARGE_QUICK 4 /* so many stay in the caches */

/* Small integers are added exactly in any order. Loops over the large grids. */
START_TEST(threads_and_blocks_do_not_show)
{
    rng r = rng_stream((uint64_t)_i);
    trial *t =
        open_trial(&r, large[_i].value, (int)rng_below(&r, BOUNDARIES), large[_i].extent, true);
    t->beta = fur_real(_i % 2);
    refer(t);
    for (int threads = _i < LARGE_QUICK ? 1 : 2; threads <= 3; threads += 2)
        check_bits(t, threads, t->reference);
    close_trial(t);
}
END_TEST

static trial *sound(void)
{
    rng r = rng_stream(1);
    trial *t = open_trial(&r, FUR_F64, 0, (const int64_t[]){5, 6, 7}, false);
    t->d.kernel = "symmetric";
    return t;
}

#define REFUSED(reason)                                                                            \
    ck_fails(context, FUR_UNSUPPORTED, "kernel \"symmetric\" does not suit this stencil: " reason, \
             fur_stencil_create(context, &t->d, &s))

START_TEST(other_stencils_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil *s = NULL;
    trial *t = sound();
    ck_assert(fur_stencil_named(19, &t->d));
    REFUSED("it has other points than the 27 of radius 1");
    t->d.points = POINTS;
    t->d.offsets = t->offsets;
    t->d.coefficients = t->coefficients;
    fur_stencil_offset first = t->offsets[0];
    t->offsets[0] = (fur_stencil_offset){0, 2, 0};
    REFUSED("it has other points than the 27 of radius 1");
    t->offsets[0] = first;
    for (int k = 0; k < POINTS; k++) {
        fur_scalar c = t->coefficients[k];
        fur_stencil_offset o = t->offsets[k];
        t->coefficients[k].re *= 1 + 0x1p-52;
        if (o.x || o.y || o.z)
            REFUSED("its coefficients differ at -1 and +1 along an axis");
        t->coefficients[k] = c;
    }
    for (int k = 0; k < POINTS; k++)
        t->coefficients[k] = fur_real(INFINITY);
    REFUSED("its coefficients are not finite");
    ck_assert_ptr_null(s);
    close_trial(t);
    fur_context_destroy(context);
}
END_TEST

START_TEST(fields_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil *s = NULL;
    trial *t = sound();
    const fur_vector *fields[POINTS];
    fur_vector *field = vector_from(context, FUR_F64, t->rows, t->y);
    for (int k = 0; k < POINTS; k++)
        fields[k] = field;
    t->d.coefficients = NULL;
    t->d.fields = fields;
    REFUSED("its coefficients are not constant");
    ck_assert_ptr_null(s);
    fur_vector_destroy(field);
    close_trial(t);
    fur_context_destroy(context);
}
END_TEST

/* auto must not show in the bits. */
START_TEST(it_is_taken_by_name_only)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil_kernel_info info = {.name = ""};
    fur_stencil *s = NULL;
    trial *t = sound();
    t->d.kernel = NULL;
    ck_ok(context, fur_stencil_create(context, &t->d, &s));
    ck_assert_str_eq(fur_stencil_describe(s).kernel, "blocked");
    for (int i = 0; strcmp(info.name, "symmetric") != 0; i++)
        ck_ok(context, fur_stencil_kernel_get(context, i, &info));
    ck_assert_int_eq(info.exact, 0);
    fur_stencil_destroy(s);
    close_trial(t);
    fur_context_destroy(context);
}
END_TEST

START_TEST(memory_that_is_refused_is_reported_and_released)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_stencil *s = NULL;
    trial *t = sound();
    int64_t outstanding = m.outstanding;
    int64_t before = m.calls;
    ck_ok(context, fur_stencil_create(context, &t->d, &s));
    int64_t calls = m.calls - before;
    fur_stencil_destroy(s);
    s = NULL;
    for (int64_t n = 1; n <= calls; n++) {
        m.fail_at = m.calls + n;
        ck_assert_int_eq(fur_stencil_create(context, &t->d, &s), FUR_OUT_OF_MEMORY);
        ck_assert_ptr_null(s);
        ck_assert_int_eq(m.outstanding, outstanding);
    }
    close_trial(t);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, columns_are_added_up_by_the_formula, 0,
                        FUR_VALUE_COUNT * BOUNDARIES);
    tcase_add_loop_test(tests, threads_and_blocks_do_not_show, 0,
                        TEST_SLOW ? LARGE_QUICK : COUNT_OF(large));
    tcase_add_test(tests, other_stencils_are_refused);
    tcase_add_test(tests, fields_are_refused);
    tcase_add_test(tests, it_is_taken_by_name_only);
    tcase_add_test(tests, memory_that_is_refused_is_reported_and_released);
}

int main(void)
{
    return run_tests("stencil_symmetric", add_tests);
}
