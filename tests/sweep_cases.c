/* The cases. Vectors begin at any entry of an aligned array. */
#include "sweep_cases.h"

#include <math.h>
#include <string.h>

#define MAX_POINTS 130
#define MAX_COUNT 9

/* A stencil, vectors on the host, and what sweeps should make of x. */
typedef struct trial {
    fur_stencil_definition d;
    fur_stencil_offset offsets[MAX_POINTS];
    fur_scalar coefficients[MAX_POINTS];
    bool fields;
    void *field_entries[MAX_POINTS];
    int64_t rows;
    fur_scalar alpha;
    void *x;
    void *b;                       /* NULL: none */
    void *expected[MAX_COUNT + 1]; /* after so many sweeps; NULL: not looked at */
} trial;

static trial *open_trial(fur_value value, int boundaries)
{
    trial *t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
    t->d.size = sizeof t->d;
    t->d.value = value;
    for (int axis = 0; axis < 3; axis++, boundaries /= FUR_BOUNDARY_COUNT)
        t->d.boundary[axis] = (fur_boundary)(boundaries % FUR_BOUNDARY_COUNT);
    return t;
}

static void close_trial(trial *t)
{
    for (int k = 0; k < t->d.points; k++)
        free(t->field_entries[k]);
    for (int count = 0; count <= MAX_COUNT; count++)
        free(t->expected[count]);
    free(t->x);
    free(t->b);
    free(t);
}

/* radius 0: those of the named stencil. */
static void draw_offsets(trial *t, rng *r, int points, int radius)
{
    if (radius == 0) {
        ck_assert(fur_stencil_named(points, &t->d));
        memcpy(t->offsets, t->d.offsets, (size_t)points * sizeof *t->offsets);
    } else {
        t->d.points = offsets_random(r, t->d.axes, radius, points, t->offsets);
    }
    for (int k = 0; k < t->d.points; k++)
        t->coefficients[k] = rng_scalar(r, FUR_C128);
}

static void count_rows(trial *t)
{
    t->rows = 1;
    for (int axis = 0; axis < t->d.axes; axis++)
        t->rows *= t->d.extent[axis];
}

/* thick: each axis has more than one point. */
static void draw_extents(trial *t, rng *r, int64_t most, bool thick)
{
    static const int64_t extents[] = {1, 2, 3, 5, 8, 17, 33, 65, 131};
    do {
        for (int axis = 0; axis < t->d.axes; axis++)
            t->d.extent[axis] = extents[thick + rng_below(r, COUNT_OF(extents) - thick)];
        count_rows(t);
    } while (t->rows > most);
}

/* x and b, the one or the other with infinity and NaN, which must go where terms bring them. */
static void draw_vectors(trial *t, rng *r)
{
    fur_value value = t->d.value;
    t->alpha = rng_below(r, 4) == 0 ? fur_real(0) : rng_scalar(r, value);
    t->x = entries_random(r, value, t->rows);
    t->b = rng_below(r, 3) == 0 ? NULL : entries_random(r, value, t->rows);
    if (rng_below(r, 3) == 0) {
        entry_set(value, t->x, rng_below(r, t->rows), fur_complex(NAN, 0));
        entry_set(value, t->b ? t->b : t->x, rng_below(r, t->rows), fur_complex(-INFINITY, 1));
    }
    for (int k = 0; t->fields && k < t->d.points; k++)
        t->field_entries[k] = entries_random(r, value, t->rows);
}

/* The trial's stencil in a context; its fields go to `fields`. */
static fur_status create(fur_context *context, const trial *t, const char *kernel,
                         const char *sweep_kernel, fur_vector *fields[MAX_POINTS],
                         fur_stencil **out)
{
    fur_stencil_definition d = t->d;
    const fur_vector *list[MAX_POINTS];
    d.kernel = kernel;
    d.sweep_kernel = sweep_kernel;
    d.offsets = t->offsets;
    d.coefficients = t->fields ? NULL : t->coefficients;
    d.fields = t->fields ? list : NULL;
    for (int k = 0; k < d.points; k++)
        list[k] = fields[k] =
            t->fields ? vector_from(context, d.value, t->rows, t->field_entries[k]) : NULL;
    return fur_stencil_create(context, &d, out);
}

static void destroy(const trial *t, fur_stencil *s, fur_vector *fields[MAX_POINTS])
{
    fur_stencil_destroy(s);
    for (int k = 0; k < t->d.points; k++)
        fur_vector_destroy(fields[k]);
}

/* What is expected of 0 to `most` sweeps, of those not below `least`, by a kernel of the CPU. */
static void expect(trial *t, fur_context *host, const char *kernel, int least, int most)
{
    fur_vector *fields[MAX_POINTS] = {NULL};
    fur_stencil *s = NULL;
    ck_ok(host, create(host, t, kernel, "single", fields, &s));
    fur_vector *x = vector_from(host, t->d.value, t->rows, t->x);
    for (int count = 0; count <= most; count++) {
        fur_vector *y = vector_from(host, t->d.value, t->rows, t->b ? t->b : t->x);
        if (count >= least)
            t->expected[count] = vector_entries(x);
        ck_ok(host, fur_stencil_apply(s, fur_real(1), x, t->b ? t->alpha : fur_real(0), y));
        fur_vector_destroy(x);
        x = y;
    }
    fur_vector_destroy(x);
    destroy(t, s, fields);
}

/* A vector that begins some entries behind the beginning of a larger one. */
typedef struct shifted {
    fur_vector *whole;
    fur_vector *part;
} shifted;

/* entries NULL: NaN. */
static shifted place(sweeper *s, const trial *t, const void *entries)
{
    shifted v = {NULL, NULL};
    int64_t shift = rng_below(&s->random, 3) == 0 ? rng_below(&s->random, 4) : 0;
    ck_ok(s->context, fur_vector_create(s->context, t->d.value, t->rows + shift, &v.whole));
    ck_ok(s->context, fur_vector_fill(v.whole, fur_complex(NAN, NAN)));
    char *data = fur_vector_data(v.whole);
    data += (size_t)shift * fur_value_size(t->d.value);
    ck_ok(s->context, fur_vector_wrap(s->context, t->d.value, t->rows, data, FUR_BORROW, &v.part));
    if (entries)
        ck_ok(s->context, fur_vector_upload(entries, v.part));
    return v;
}

static void remove_shifted(shifted *v)
{
    fur_vector_destroy(v->part);
    fur_vector_destroy(v->whole);
}

static int64_t extent_of(const trial *t, int axis)
{
    return axis < t->d.axes ? t->d.extent[axis] : 1;
}

static void check_entries(const trial *t, const fur_stencil *s, int count, const fur_vector *is,
                          const void *expected)
{
    void *entries = vector_entries(is);
    int64_t p = first_difference(t->d.value, t->rows, entries, expected);
    if (p >= 0) {
        fur_scalar found = entry_get(t->d.value, entries, p);
        fur_scalar should = entry_get(t->d.value, expected, p);
        fur_stencil_report report = fur_stencil_describe(s);
        ck_abort_msg("%d points%s, %s, %lld x %lld x %lld, boundaries %d %d %d, kernel %s, sweeps "
                     "by %s, %d of them, %s b, alpha %g%+gi: entry %lld = %a%+ai, expected %a%+ai",
                     t->d.points, t->fields ? " of fields" : "", fur_value_name(t->d.value),
                     (long long)extent_of(t, 0), (long long)extent_of(t, 1),
                     (long long)extent_of(t, 2), (int)t->d.boundary[0], (int)t->d.boundary[1],
                     (int)t->d.boundary[2], report.kernel, report.sweep_kernel, count,
                     t->b ? "with" : "without", t->alpha.re, t->alpha.im, (long long)p, found.re,
                     found.im, should.re, should.im);
    }
    free(entries);
}

static void check_count(sweeper *w, const trial *t, const fur_stencil *s, int count)
{
    shifted x = place(w, t, t->x);
    shifted work = place(w, t, NULL);
    shifted b = {NULL, NULL};
    if (t->b)
        b = place(w, t, t->b);
    ck_ok(w->context, fur_stencil_sweep(s, count, t->alpha, b.part, x.part, work.part));
    check_entries(t, s, count, x.part, t->expected[count]);
    if (t->b)
        check_entries(t, s, count, b.part, t->b);
    remove_shifted(&b);
    remove_shifted(&work);
    remove_shifted(&x);
}

/* Whether the kernels take the stencil. */
static bool check_kernel(sweeper *w, const trial *t, const char *kernel, const char *sweep_kernel)
{
    static const char start[] = "kernel \"%s\" does not suit this stencil: ";
    fur_vector *fields[MAX_POINTS] = {NULL};
    fur_stencil *s = NULL;
    fur_status status = create(w->context, t, kernel, sweep_kernel, fields, &s);
    if (status == FUR_OK) {
        for (int count = 0; count <= MAX_COUNT; count++)
            if (t->expected[count])
                check_count(w, t, s, count);
    } else {
        char sentence[128];
        const char *error = fur_context_error(w->context);
        int length = snprintf(sentence, sizeof sentence, start, kernel ? kernel : sweep_kernel);
        ck_assert_msg(status == FUR_UNSUPPORTED && !strncmp(error, sentence, (size_t)length), "%s",
                      error);
    }
    destroy(t, s, fields);
    return status == FUR_OK;
}

static void check_kernels(sweeper *w, const trial *t)
{
    fur_stencil_kernel_info info = {.name = NULL};
    for (int i = 0; i < fur_stencil_kernel_count(w->context); i++) {
        ck_ok(w->context, fur_stencil_kernel_get(w->context, i, &info));
        if (info.exact)
            check_kernel(w, t, info.name, "single");
    }
    for (int i = 0; i < fur_stencil_sweep_kernel_count(w->context); i++) {
        ck_ok(w->context, fur_stencil_sweep_kernel_get(w->context, i, &info));
        w->ran[i] += check_kernel(w, t, NULL, info.name);
    }
}

void sweep_check_tally(const sweeper *s, fur_value value)
{
    int count = fur_stencil_sweep_kernel_count(s->context);
    ck_assert_int_le(count, MAX_SWEEP_KERNELS);
    for (int i = 0; i < count; i++) {
        fur_stencil_kernel_info info = {.name = NULL};
        ck_ok(s->context, fur_stencil_sweep_kernel_get(s->context, i, &info));
        ck_assert_msg(s->ran[i] > 0 || value == FUR_C64 || value == FUR_C128,
                      "kernel %s refused every stencil", info.name);
        ck_assert_int_eq(info.exact, 1);
        ck_assert_int_gt(info.depth, 1);
    }
}

/* Points, radius (0: the named stencil), axes, fields, the most rows. */
static const struct {
    int points;
    int radius;
    int axes;
    bool fields;
    int64_t rows;
} drawn[] = {{3, 1, 1, false, 300},  {5, 1, 2, false, 2200},  {9, 2, 2, true, 600},
             {7, 1, 3, false, 1500}, {27, 1, 3, false, 700},  {13, 2, 3, false, 400},
             {40, 4, 3, false, 200}, {129, 4, 3, false, 100}, {7, 0, 3, false, 1500}};

void sweep_random(sweeper *s, fur_value value, int boundaries)
{
    const int step = TEST_SLOW ? 6 : 2;
    const int last = COUNT_OF(drawn) - 1; /* the one that no kernel refuses: always */
    for (int n = last; n >= 0; n -= n == last ? 1 + (int)rng_below(&s->random, step) : step) {
        trial *t = open_trial(value, boundaries);
        t->d.axes = drawn[n].axes;
        t->fields = drawn[n].fields;
        draw_offsets(t, &s->random, drawn[n].points, drawn[n].radius);
        draw_extents(t, &s->random, drawn[n].rows, n == last);
        draw_vectors(t, &s->random);
        expect(t, fur_context_host(s->context), "reference", 0, MAX_COUNT);
        check_kernels(s, t);
        close_trial(t);
    }
}

/* A named stencil, or random points of radius 1; how many sweeps. The last goes past the caches of
 * a CPU. */
static const struct {
    int points;
    bool named;
    int64_t extent[3];
    fur_value value;
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
    trial *t = open_trial(large[number].value, boundaries);
    if (large[number].named) {
        ck_assert(fur_stencil_named(large[number].points, &t->d));
        memcpy(t->offsets, t->d.offsets, (size_t)t->d.points * sizeof *t->offsets);
        memcpy(t->coefficients, t->d.coefficients, (size_t)t->d.points * sizeof *t->coefficients);
    } else {
        t->d.axes = 3;
        draw_offsets(t, &s->random, large[number].points, 1);
    }
    for (int axis = 0; axis < t->d.axes; axis++)
        t->d.extent[axis] = large[number].extent[axis] / shrink;
    count_rows(t);
    draw_vectors(t, &s->random);
    expect(t, fur_context_host(s->context), NULL, large[number].count, large[number].count);
    check_kernels(s, t);
    close_trial(t);
}

/* The point that position i of an axis of n points stands for; -1: none. */
static int64_t point_of(fur_boundary boundary, int64_t n, int64_t i)
{
    while (i < 0 || i >= n)
        switch (boundary) {
        case FUR_DIRICHLET:
            return -1;
        case FUR_NEUMANN:
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
            break;
        default:
            i += i < 0 ? n : -n;
        }
    return i;
}

/* The term of offset k in row p of a sweep of integers. */
static int64_t term(const trial *t, const int64_t *x, int64_t p, int k)
{
    const int32_t o[3] = {t->offsets[k].x, t->offsets[k].y, t->offsets[k].z};
    int64_t from = 0;
    int64_t stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t n = extent_of(t, axis);
        int64_t i = point_of(t->d.boundary[axis], n, p / stride % n + o[axis]);
        if (i < 0)
            return 0;
        from += stride * i;
        stride *= n;
    }
    return (int64_t)t->coefficients[k].re * x[from];
}

/* x := S x - b, all in integers. */
static void sweep_plainly(const trial *t, int64_t *x)
{
    int64_t *y = calloc((size_t)t->rows, sizeof *y);
    ck_assert_ptr_nonnull(y);
    for (int64_t p = 0; p < t->rows; p++) {
        y[p] = -(int64_t)entry_get(t->d.value, t->b, p).re;
        for (int k = 0; k < t->d.points; k++)
            y[p] += term(t, x, p, k);
    }
    memcpy(x, y, (size_t)t->rows * sizeof *y);
    free(y);
}

/* Integers of modulus up to `most`. */
static void *draw_integers(const trial *t, rng *r, int64_t most)
{
    void *entries = entries_make(t->d.value, t->rows);
    for (int64_t p = 0; p < t->rows; p++)
        entry_set(t->d.value, entries, p, fur_real((double)(rng_below(r, 2 * most + 1) - most)));
    return entries;
}

static void *entries_of(const trial *t, const int64_t *x)
{
    void *entries = entries_make(t->d.value, t->rows);
    for (int64_t p = 0; p < t->rows; p++)
        entry_set(t->d.value, entries, p, fur_real((double)x[p]));
    return entries;
}

/* With five coefficients of modulus 1, |x| <= 2 and |b| <= 1, entries are at most 5^n (2 + 1/4)
 * after n sweeps, which is below 2^24 for n = 9: nothing is rounded in any type. */
void sweep_integers(sweeper *s, fur_value value, int boundaries)
{
    trial *t = open_trial(value, boundaries);
    t->d.axes = 1 + (int)rng_below(&s->random, 3);
    draw_offsets(t, &s->random, 5, 1);
    for (int k = 0; k < t->d.points; k++)
        t->coefficients[k] = fur_real(rng_below(&s->random, 2) ? 1 : -1);
    draw_extents(t, &s->random, 2000, false);
    t->alpha = fur_real(-1);
    t->x = draw_integers(t, &s->random, 2);
    t->b = draw_integers(t, &s->random, 1);
    int64_t *x = calloc((size_t)t->rows, sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (int64_t p = 0; p < t->rows; p++)
        x[p] = (int64_t)entry_get(value, t->x, p).re;
    for (int count = 0; count <= MAX_COUNT; count++, sweep_plainly(t, x))
        t->expected[count] = entries_of(t, x);
    check_kernels(s, t);
    ck_assert(check_kernel(s, t, NULL, NULL));
    free(x);
    close_trial(t);
}
