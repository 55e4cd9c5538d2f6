/* The stencil kernel `symmetric`. It is compared with the sums of docs/numerics.md bit by bit, for
 * all value types, boundaries, extents, thread counts and instruction sets. It agrees with the
 * reference kernel within the documented bound, and exactly in integers. It refuses other stencils.
 * Vectors end at unmapped pages, so they begin anywhere in a cache line. */
#include "stencil_trial.h"

#include <math.h>
#include <string.h>

#define POINTS 27

/* The constants, rounded, at indices |dz|, |dy|, |dx|. */
typedef struct constants {
    fur_scalar at[2][2][2];
} constants;

/* Returns u at a point of the grid or of its boundary. */
static fur_scalar entry_at(const stencil_trial *t, int64_t i, int64_t j, int64_t k)
{
    const int64_t *n = t->d.extent;
    j = point_of(t->d.boundary[1], n[1], j);
    k = point_of(t->d.boundary[2], n[2], k);
    return j < 0 || k < 0 ? fur_real(0)
                          : entry_get(t->d.value_type, t->x, i + n[0] * (j + n[1] * k));
}

/* Returns the sum of the nine entries of column i around line j of plane k, with the constants of
 * |dx|. */
static fur_scalar column(const stencil_trial *t, const constants *c, int dx, int64_t i, int64_t j,
                         int64_t k)
{
    fur_value_type value = t->d.value_type;
    i = point_of(t->d.boundary[0], t->d.extent[0], i);
    if (i < 0)
        return fur_real(0);
    fur_scalar z[3]; /* u(z - 1) + u(z + 1) at y - 1, y, y + 1 */
    for (int n = 0; n < 3; n++)
        z[n] = entry_add(value, entry_at(t, i, j + n - 1, k - 1), entry_at(t, i, j + n - 1, k + 1));
    fur_scalar y = entry_add(value, entry_at(t, i, j - 1, k), entry_at(t, i, j + 1, k));
    fur_scalar sum = entry_fma(value, c->at[0][0][dx], entry_at(t, i, j, k), fur_real(0));
    sum = entry_fma(value, c->at[0][1][dx], y, sum);
    sum = entry_fma(value, c->at[1][0][dx], z[1], sum);
    return entry_fma(value, c->at[1][1][dx], entry_add(value, z[0], z[2]), sum);
}

static fur_scalar expected_at(const stencil_trial *t, const constants *c, int64_t i, int64_t j,
                              int64_t k, fur_scalar y)
{
    fur_value_type value = t->d.value_type;
    fur_scalar left = column(t, c, 1, i - 1, j, k);
    fur_scalar right = column(t, c, 1, i + 1, j, k);
    fur_scalar sum = entry_add(value, column(t, c, 0, i, j, k), entry_add(value, left, right));
    fur_scalar none = fur_complex(-0.0, -0.0);
    return entry_fma(value, t->alpha, sum,
                     trial_overwrites(t) ? none : entry_fma(value, t->beta, y, none));
}

static void expect(stencil_trial *t, const constants *c)
{
    int64_t p = 0;
    trial_release(t, t->expected);
    t->expected = trial_zeros(t);
    for (int64_t k = 0; k < t->d.extent[2]; k++)
        for (int64_t j = 0; j < t->d.extent[1]; j++)
            for (int64_t i = 0; i < t->d.extent[0]; i++, p++)
                entry_set(t->d.value_type, t->expected, p,
                          expected_at(t, c, i, j, k, entry_get(t->d.value_type, t->y, p)));
}

static fur_scalar small_integer(rng *r, fur_value_type value)
{
    double re = (double)rng_below(r, 17) - 8;
    return value_is_complex(value) ? fur_complex(re, (double)rng_below(r, 17) - 8) : fur_real(re);
}

/* Makes a stencil of all 27 offsets in random order. The constant of an offset depends on its
 * distances only. `integers`: all constants are integers. */
static stencil_trial *open_grid(rng *r, fur_value_type value, int boundaries,
                                const int64_t extent[3], bool integers, constants *c)
{
    stencil_trial *t = trial_open(value, boundaries);
    for (int n = 0; n < 8; n++)
        c->at[n / 4][n / 2 % 2][n % 2] = integers ? small_integer(r, value) : rng_scalar(r, value);
    trial_take_named(t, r, POINTS);
    for (int k = 0; k < POINTS; k++) {
        fur_stencil_offset o = t->offsets[k];
        t->coefficients[k] = c->at[abs(o.z)][abs(o.y)][abs(o.x)];
    }
    trial_set_extents(t, extent);
    return t;
}

static void draw_integers(stencil_trial *t, rng *r)
{
    fur_value_type value = t->d.value_type;
    t->alpha = small_integer(r, value);
    t->x = trial_zeros(t);
    t->y = trial_zeros(t);
    for (int64_t p = 0; p < t->rows; p++) {
        entry_set(value, t->x, p, small_integer(r, value));
        entry_set(value, t->y, p, small_integer(r, value));
    }
}

/* Returns y = alpha S x + beta y, computed by the kernel. */
static void *multiply(const stencil_trial *t, fur_context *context, const char *kernel)
{
    made m = trial_make(t, context, kernel);
    void *y = trial_product(t, context, m.s);
    ck_assert_str_eq(fur_stencil_describe(m.s)->kernel, kernel);
    made_destroy(&m);
    return y;
}

/* Checks that every instruction set gives the expected bits. */
static void check_bits(const stencil_trial *t, int threads)
{
    for (int n = 0; isa_name(n); n++) {
        fur_context *context = context_make(isa_name(n), threads);
        void *y = multiply(t, context, "symmetric");
        trial_check(t, context, "symmetric", y, t->expected);
        trial_release(t, y);
        fur_context_destroy(context);
    }
}

/* Checks the documented bound of the difference from the reference kernel. Terms of a real row pass
 * through at most 27 roundings in the reference and 6 here, and one more each with alpha. beta y
 * passes through fewer. A part of a complex row is a sum of 54 products in the reference; here each
 * product passes through 10 roundings. alpha mixes both parts and rounds twice each: sqrt(2) (54 +
 * 10) + 4 < 95. epsilon is 2 u. */
static void check_bound(const stencil_trial *t, fur_context *context)
{
    double roundings = value_is_complex(t->d.value_type) ? 95 : 35;
    void *reference = multiply(t, context, "reference");
    trial_check_near(t, context, "of the formula", t->expected, reference,
                     (roundings + 1) / 2 * value_epsilon(t->d.value_type),
                     2 * roundings * value_tiny(t->d.value_type));
    trial_release(t, reference);
}

static bool is_finite(fur_scalar s)
{
    return isfinite(s.re) && isfinite(s.im);
}

/* Checks that infinity and NaN reach the rows that refer to them, and no other rows. */
static void check_finite(const stencil_trial *t, fur_context *context)
{
    void *reference = multiply(t, context, "reference");
    for (int64_t p = 0; p < t->rows; p++)
        ck_assert_int_eq(is_finite(entry_get(t->d.value_type, t->expected, p)),
                         is_finite(entry_get(t->d.value_type, reference, p)));
    trial_release(t, reference);
}

/* Sums have the bits of docs/numerics.md. Loops over value types times combinations of boundaries.
 */
START_TEST(columns_are_added_up_by_the_formula)
{
    static const int64_t lengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 40, 64};
    static const int64_t others[] = {1, 2, 3, 4, 5, 6};
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream((uint64_t)_i);
    constants c;
    for (int n = 0; n < (TEST_SLOW ? 2 : COUNT_OF(lengths)); n++) {
        const int64_t extent[] = {lengths[TEST_SLOW ? rng_below(&r, COUNT_OF(lengths)) : n],
                                  others[rng_below(&r, COUNT_OF(others))],
                                  others[rng_below(&r, COUNT_OF(others))]};
        stencil_trial *t = open_grid(&r, (fur_value_type)(_i % FUR_VALUE_COUNT),
                                     _i / FUR_VALUE_COUNT, extent, false, &c);
        trial_draw_product(t, &r);
        expect(t, &c);
        check_bits(t, 1);
        check_bound(t, context);
        trial_poison(t, &r);
        expect(t, &c);
        check_bits(t, 1);
        check_finite(t, context);
        trial_close(t);
    }
    fur_context_destroy(context);
}
END_TEST

/* Grids for which lines are split into pieces, planes into blocks, and work among threads. Some
 * results are larger than the caches, in pairs of lines and line by line. */
static const struct {
    int64_t extent[3];
    fur_value_type value;
} large[] = {
    {{5500, 9, 3}, FUR_F64}, {{1400, 33, 4}, FUR_C128},   {{70, 66, 32}, FUR_F32},
    {{47, 48, 20}, FUR_C64}, {{129, 130, 128}, FUR_C128}, {{176, 160, 150}, FUR_F64},
};
#define LARGE_QUICK 4 /* the first grids fit into the caches */

/* Threads and blocks change no bit: small integers are added exactly in any order. Loops over the
 * large grids. */
START_TEST(threads_and_blocks_do_not_show)
{
    rng r = rng_stream((uint64_t)_i);
    constants c;
    stencil_trial *t =
        open_grid(&r, large[_i].value, (int)rng_below(&r, BOUNDARIES), large[_i].extent, true, &c);
    draw_integers(t, &r);
    t->beta = fur_real(_i % 2);
    fur_context *context = context_make(NULL, 1);
    t->expected = multiply(t, context, "reference");
    for (int threads = _i < LARGE_QUICK ? 1 : 2; threads <= 3; threads += 2)
        check_bits(t, threads);
    fur_context_destroy(context);
    trial_close(t);
}
END_TEST

static stencil_trial *sound(void)
{
    rng r = rng_stream(1);
    constants c;
    stencil_trial *t = open_grid(&r, FUR_F64, 0, (const int64_t[]){5, 6, 7}, false, &c);
    t->d.kernel = "symmetric";
    return t;
}

#define REFUSAL "kernel \"symmetric\" does not suit this stencil: "
#define REFUSED(reason)                                                                            \
    ck_fails(context, FUR_UNSUPPORTED, REFUSAL reason, fur_stencil_create(context, &t->d, &s))

START_TEST(other_stencils_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil *s = NULL;
    stencil_trial *t = sound();
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
    trial_close(t);
    fur_context_destroy(context);
}
END_TEST

START_TEST(fields_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(1);
    stencil_trial *t = sound();
    t->fields = true;
    trial_draw_fields(t, &r);
    made m = trial_try(t, context, "symmetric", NULL);
    ck_assert_ptr_null(m.s);
    ck_assert_str_eq(fur_context_error(context), REFUSAL "its coefficients are not constant");
    made_destroy(&m);
    trial_close(t);
    fur_context_destroy(context);
}
END_TEST

/* auto never selects this kernel, because its bits differ from those of the others. */
START_TEST(it_is_taken_by_name_only)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil *s = NULL;
    stencil_trial *t = sound();
    t->d.kernel = NULL;
    ck_ok(context, fur_stencil_create(context, &t->d, &s));
    ck_assert_str_eq(fur_stencil_describe(s)->kernel, "blocked");
    int i = 0;
    while (strcmp(fur_stencil_kernel_at(context, i)->name, "symmetric") != 0)
        i++;
    ck_assert_int_eq(fur_stencil_kernel_at(context, i)->exact, 0);
    fur_stencil_destroy(s);
    trial_close(t);
    fur_context_destroy(context);
}
END_TEST

START_TEST(memory_that_is_refused_is_reported_and_released)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_stencil *s = NULL;
    stencil_trial *t = sound();
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
    trial_close(t);
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
