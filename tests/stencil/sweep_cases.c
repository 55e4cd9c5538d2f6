/* Cases for repeated sweeps. Vectors begin at any entry of an aligned array. */
#include "sweep_cases.h"

#include <math.h>
#include <string.h>

#define MAX_COUNT 9

/* after[k]: the expected x after k sweeps of a trial, whose y is b (b may be NULL). NULL: not
 * compared. */
typedef struct results {
    void *after[MAX_COUNT + 1];
} results;

static void free_results(results *expected)
{
    for (int count = 0; count <= MAX_COUNT; count++)
        free(expected->after[count]);
}

/* Draws points of this radius. If the radius is 0, takes the points of the named stencil, with
 * other constants. */
static void draw_points(stencil_trial *t, rng *r, int points, int radius)
{
    if (radius > 0) {
        trial_draw_offsets(t, r, points, radius);
        return;
    }
    trial_take_named(t, r, points);
    for (int k = 0; k < points; k++)
        t->coefficients[k] = rng_scalar(r, FUR_C128);
}

/* Draws extents. If `thick`, each axis has more than one point. */
static void draw_extents(stencil_trial *t, rng *r, int64_t most, bool thick)
{
    static const int64_t extents[] = {1, 2, 3, 5, 8, 17, 33, 65, 131};
    trial_draw_extents(t, r, extents + thick, COUNT_OF(extents) - thick, most);
}

/* Draws x and b. Some have infinity and NaN, which must reach exactly the rows that refer to them.
 */
static void draw_vectors(stencil_trial *t, rng *r)
{
    fur_value_type value = t->d.value_type;
    t->alpha = rng_below(r, 4) == 0 ? fur_real(0) : rng_scalar(r, value);
    t->x = trial_random(t, r);
    t->y = rng_below(r, 3) == 0 ? NULL : trial_random(t, r);
    if (rng_below(r, 3) == 0) {
        entry_set(value, t->x, rng_below(r, t->rows), fur_complex(NAN, 0));
        entry_set(value, t->y ? t->y : t->x, rng_below(r, t->rows), fur_complex(-INFINITY, 1));
    }
    trial_draw_fields(t, r);
}

/* Returns the results of a CPU kernel after `least` to `most` sweeps. */
static results expect(const stencil_trial *t, fur_context *host, const char *kernel, int least,
                      int most)
{
    results expected = {{NULL}};
    made m = trial_make(t, host, kernel);
    fur_vector *x = vector_from(host, t->d.value_type, t->rows, t->x);
    for (int count = 0; count <= most; count++) {
        fur_vector *y = vector_from(host, t->d.value_type, t->rows, t->y ? t->y : t->x);
        if (count >= least)
            expected.after[count] = vector_entries(x);
        ck_ok(host, fur_stencil_apply(m.s, fur_real(1), x, t->y ? t->alpha : fur_real(0), y));
        fur_vector_destroy(x);
        x = y;
    }
    fur_vector_destroy(x);
    made_destroy(&m);
    return expected;
}

/* A vector that begins some entries after the beginning of a larger one. */
typedef struct shifted {
    fur_vector *whole;
    fur_vector *part;
} shifted;

/* Returns a shifted vector with the entries, or with NaN if `entries` is NULL. */
static shifted place(sweeper *s, const stencil_trial *t, const void *entries)
{
    shifted v = {NULL, NULL};
    int64_t shift = rng_below(&s->random, 3) == 0 ? rng_below(&s->random, 4) : 0;
    ck_ok(s->context, fur_vector_create(s->context, t->d.value_type, t->rows + shift, &v.whole));
    ck_ok(s->context, fur_vector_fill(v.whole, fur_complex(NAN, NAN)));
    char *data = fur_vector_data(v.whole);
    data += (size_t)shift * fur_value_size(t->d.value_type);
    ck_ok(s->context, fur_vector_wrap(s->context, t->d.value_type, t->rows, data,
                                      FUR_OWNERSHIP_BORROW, &v.part));
    if (entries)
        ck_ok(s->context, fur_vector_upload(entries, v.part));
    return v;
}

static void remove_shifted(shifted *v)
{
    fur_vector_destroy(v->part);
    fur_vector_destroy(v->whole);
}

static void check_entries(const stencil_trial *t, fur_context *context, const fur_stencil *s,
                          int count, const fur_vector *is, const void *expected)
{
    char kernel[128];
    void *entries = vector_entries(is);
    fur_stencil_report report = *fur_stencil_describe(s);
    snprintf(kernel, sizeof kernel, "%s, sweeps by %s, %d of them, %s b", report.kernel,
             report.sweep_kernel, count, t->y ? "with" : "without");
    trial_check(t, context, kernel, entries, expected);
    free(entries);
}

static void check_count(sweeper *w, const stencil_trial *t, const fur_stencil *s, int count,
                        const void *expected)
{
    shifted x = place(w, t, t->x);
    shifted work = place(w, t, NULL);
    shifted b = {NULL, NULL};
    if (t->y)
        b = place(w, t, t->y);
    ck_ok(w->context, fur_stencil_sweep(s, count, t->alpha, b.part, x.part, work.part));
    check_entries(t, w->context, s, count, x.part, expected);
    if (t->y)
        check_entries(t, w->context, s, count, b.part, t->y);
    remove_shifted(&b);
    remove_shifted(&work);
    remove_shifted(&x);
}

/* Checks one pair of kernels. Returns whether they accept the stencil. */
static bool check_kernel(sweeper *w, const stencil_trial *t, const results *expected,
                         const char *kernel, const char *sweep_kernel)
{
    made m = trial_try(t, w->context, kernel, sweep_kernel);
    for (int count = 0; m.s && count <= MAX_COUNT; count++)
        if (expected->after[count])
            check_count(w, t, m.s, count, expected->after[count]);
    bool taken = m.s;
    made_destroy(&m);
    return taken;
}

static void check_kernels(sweeper *w, const stencil_trial *t, const results *expected)
{
    fur_kernel_info info;
    for (int i = 0; i < kernel_count(fur_stencil_kernel_at, w->context); i++) {
        info = *fur_stencil_kernel_at(w->context, i);
        if (info.exact)
            check_kernel(w, t, expected, info.name, "single");
    }
    for (int i = 0; i < kernel_count(fur_stencil_sweep_kernel_at, w->context); i++) {
        info = *fur_stencil_sweep_kernel_at(w->context, i);
        w->ran[i] += check_kernel(w, t, expected, NULL, info.name);
    }
}

void sweep_check_tally(const sweeper *s, fur_value_type value)
{
    int count = kernel_count(fur_stencil_sweep_kernel_at, s->context);
    ck_assert_int_le(count, MAX_SWEEP_KERNELS);
    for (int i = 0; i < count; i++) {
        fur_kernel_info info = *fur_stencil_sweep_kernel_at(s->context, i);
        ck_assert_msg(s->ran[i] > 0 || value == FUR_C64 || value == FUR_C128,
                      "kernel %s refused every stencil", info.name);
        ck_assert_int_eq(info.exact, 1);
        ck_assert_int_gt(info.depth, 1);
    }
}

/* Number of points, radius (0: the named stencil), axes, whether there are fields, largest number
 * of rows. */
static const struct {
    int points;
    int radius;
    int axes;
    bool fields;
    int64_t rows;
} drawn[] = {{3, 1, 1, false, 300},  {5, 1, 2, false, 2200},  {9, 2, 2, true, 600},
             {7, 1, 3, false, 1500}, {27, 1, 3, false, 700},  {13, 2, 3, false, 400},
             {40, 4, 3, false, 200}, {129, 4, 3, false, 100}, {7, 0, 3, false, 1500}};

void sweep_random(sweeper *s, fur_value_type value, int boundaries)
{
    const int step = TEST_SLOW ? 12 : 2;
    const int last = COUNT_OF(drawn) - 1; /* always tried, because no kernel refuses it */
    for (int n = last; n >= 0; n -= n == last ? 1 + (int)rng_below(&s->random, step) : step) {
        stencil_trial *t = trial_open(value, boundaries);
        t->d.axes = drawn[n].axes;
        t->fields = drawn[n].fields;
        draw_points(t, &s->random, drawn[n].points, drawn[n].radius);
        draw_extents(t, &s->random, drawn[n].rows, n == last);
        draw_vectors(t, &s->random);
        results expected = expect(t, fur_context_host(s->context), "reference", 0, MAX_COUNT);
        check_kernels(s, t, &expected);
        free_results(&expected);
        trial_close(t);
    }
}

/* A named stencil, or random points of radius 1, and the number of sweeps. The last grid is larger
 * than the caches of a CPU. */
static const struct {
    int points;
    bool named;
    int64_t extent[3];
    fur_value_type value;
    int count;
} large[] = {
    {7, true, {130, 67, 65}, FUR_F64, 4},    {27, true, {130, 67, 65}, FUR_F64, 4},
    {7, true, {260, 50, 41}, FUR_F32, 8},    {27, true, {131, 70, 40}, FUR_F32, 7},
    {7, true, {64, 64, 130}, FUR_F64, 8},    {19, true, {66, 40, 66}, FUR_C64, 3},
    {7, true, {70, 33, 35}, FUR_C128, 6},    {5, true, {1100, 261, 0}, FUR_F64, 8},
    {9, true, {700, 301, 0}, FUR_F32, 5},    {3, true, {70001, 0, 0}, FUR_F64, 8},
    {14, false, {129, 66, 37}, FUR_F64, 6},  {25, false, {66, 66, 66}, FUR_F32, 4},
    {5, true, {2100, 1003, 0}, FUR_C128, 2},
};
const int sweep_large_count = COUNT_OF(large);

void sweep_large(sweeper *s, int number, int boundaries)
{
    const int shrink = TEST_SLOW || test_small() ? 3 : 1;
    const int count = large[number].count;
    int64_t extent[3];
    stencil_trial *t = trial_open(large[number].value, boundaries);
    t->d.axes = 3;
    if (large[number].named)
        trial_take_named(t, &s->random, large[number].points);
    else
        trial_draw_offsets(t, &s->random, large[number].points, 1);
    for (int axis = 0; axis < 3; axis++)
        extent[axis] = large[number].extent[axis] / shrink;
    trial_set_extents(t, extent);
    draw_vectors(t, &s->random);
    results expected = expect(t, fur_context_host(s->context), NULL, count, count);
    check_kernels(s, t, &expected);
    free_results(&expected);
    trial_close(t);
}

/* Computes x := S x - b in integers. */
static void sweep_plainly(const stencil_trial *t, int64_t *x)
{
    int64_t *y = calloc((size_t)t->rows, sizeof *y);
    ck_assert_ptr_nonnull(y);
    for (int64_t p = 0; p < t->rows; p++) {
        y[p] = -(int64_t)entry_get(t->d.value_type, t->y, p).re;
        for (int k = 0; k < t->d.points; k++) {
            int64_t from = trial_neighbour(t, p, k);
            y[p] += from < 0 ? 0 : (int64_t)t->coefficients[k].re * x[from];
        }
    }
    memcpy(x, y, (size_t)t->rows * sizeof *y);
    free(y);
}

/* Returns random integers of modulus up to `most`. */
static void *draw_integers(const stencil_trial *t, rng *r, int64_t most)
{
    void *entries = trial_zeros(t);
    for (int64_t p = 0; p < t->rows; p++)
        entry_set(t->d.value_type, entries, p,
                  fur_real((double)(rng_below(r, 2 * most + 1) - most)));
    return entries;
}

static void *entries_of(const stencil_trial *t, const int64_t *x)
{
    void *entries = entries_make(t->d.value_type, t->rows);
    for (int64_t p = 0; p < t->rows; p++)
        entry_set(t->d.value_type, entries, p, fur_real((double)x[p]));
    return entries;
}

/* The result is exact in any type, because nothing is rounded. The five coefficients have modulus
 * 1, |x| <= 2 and |b| <= 1. Entries are at most 5^n (2 + 1/4) after n sweeps, which is below 2^24
 * for n = 9. */
void sweep_integers(sweeper *s, fur_value_type value, int boundaries)
{
    results expected;
    stencil_trial *t = trial_open(value, boundaries);
    t->d.axes = 1 + (int)rng_below(&s->random, 3);
    trial_draw_offsets(t, &s->random, 5, 1);
    for (int k = 0; k < t->d.points; k++)
        t->coefficients[k] = fur_real(rng_below(&s->random, 2) ? 1 : -1);
    draw_extents(t, &s->random, 2000, false);
    t->alpha = fur_real(-1);
    t->x = draw_integers(t, &s->random, 2);
    t->y = draw_integers(t, &s->random, 1);
    int64_t *x = calloc((size_t)t->rows, sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (int64_t p = 0; p < t->rows; p++)
        x[p] = (int64_t)entry_get(value, t->x, p).re;
    for (int count = 0; count <= MAX_COUNT; count++, sweep_plainly(t, x))
        expected.after[count] = entries_of(t, x);
    check_kernels(s, t, &expected);
    ck_assert(check_kernel(s, t, &expected, NULL, NULL));
    free(x);
    free_results(&expected);
    trial_close(t);
}
