/* See stencil_trial.h. */
#include "stencil_trial.h"

#include <math.h>
#include <string.h>

void set_boundaries(fur_stencil_definition *d, int combination)
{
    for (int axis = 0; axis < 3; axis++, combination /= FUR_BOUNDARY_COUNT)
        d->boundary[axis] = (fur_boundary)(combination % FUR_BOUNDARY_COUNT);
}

int offsets_random(rng *r, int axes, int radius, int most, fur_stencil_offset *offsets)
{
    int side = 2 * radius + 1;
    int all = side * (axes > 1 ? side : 1) * (axes > 2 ? side : 1);
    int count = most < all ? most : all;
    int32_t *order = rng_order(r, all);
    for (int k = 0; k < count; k++) {
        int32_t z = axes > 2 ? order[k] / side / side - radius : 0;
        int32_t y = axes > 1 ? order[k] / side % side - radius : 0;
        offsets[k] = (fur_stencil_offset){order[k] % side - radius, y, z};
    }
    free(order);
    return count;
}

stencil_trial *trial_open(fur_value_type value, int boundaries)
{
    stencil_trial *t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
    t->d.size = sizeof t->d;
    t->d.value_type = value;
    t->d.offsets = t->offsets;
    t->d.coefficients = t->coefficients;
    set_boundaries(&t->d, boundaries);
    return t;
}

void trial_close(stencil_trial *t)
{
    for (int k = 0; k < t->d.points; k++)
        free(t->field_entries[k]);
    trial_release(t, t->x);
    trial_release(t, t->y);
    trial_release(t, t->expected);
    free(t);
}

void trial_take_named(stencil_trial *t, rng *r, int points)
{
    fur_stencil_definition d = t->d;
    ck_assert(fur_stencil_named(points, &d));
    int32_t *order = rng_order(r, points);
    for (int k = 0; k < points; k++) {
        t->offsets[k] = d.offsets[order[k]];
        t->coefficients[k] = d.coefficients[order[k]];
    }
    t->d.axes = d.axes;
    t->d.points = points;
    free(order);
}

void trial_draw_offsets(stencil_trial *t, rng *r, int points, int radius)
{
    t->d.points = offsets_random(r, t->d.axes, radius, points, t->offsets);
    for (int k = 0; k < t->d.points; k++)
        t->coefficients[k] = rng_scalar(r, FUR_C128);
}

void trial_set_extents(stencil_trial *t, const int64_t extent[3])
{
    t->rows = 1;
    for (int axis = 0; axis < t->d.axes; axis++)
        t->rows *= t->d.extent[axis] = extent[axis];
}

void trial_draw_extents(stencil_trial *t, rng *r, const int64_t *extents, int count, int64_t most)
{
    int64_t drawn[3];
    do {
        for (int axis = 0; axis < 3; axis++)
            drawn[axis] = extents[rng_below(r, count)];
        trial_set_extents(t, drawn);
    } while (t->rows > most);
}

void trial_draw_fields(stencil_trial *t, rng *r)
{
    for (int k = 0; t->fields && k < t->d.points; k++)
        t->field_entries[k] = entries_random(r, t->d.value_type, t->rows);
}

void trial_draw_product(stencil_trial *t, rng *r)
{
    fur_value_type value = t->d.value_type;
    const fur_scalar betas[] = {{0, 0}, {1, 0}, rng_scalar(r, value)};
    t->alpha = rng_below(r, 3) == 0 ? fur_real(1) : rng_scalar(r, value);
    t->beta = betas[rng_below(r, COUNT_OF(betas))];
    t->x = trial_random(t, r);
    t->y = trial_random(t, r);
    for (int64_t p = 0; trial_overwrites(t) && p < t->rows; p++)
        entry_set(value, t->y, p, fur_complex(NAN, NAN));
    trial_draw_fields(t, r);
}

void trial_poison(stencil_trial *t, rng *r)
{
    entry_set(t->d.value_type, t->x, rng_below(r, t->rows), fur_complex(NAN, 0));
    entry_set(t->d.value_type, t->x, rng_below(r, t->rows), fur_complex(0, INFINITY));
    entry_set(t->d.value_type, t->x, rng_below(r, t->rows), fur_complex(-INFINITY, 1));
}

static size_t bytes_of(const stencil_trial *t)
{
    return (size_t)t->rows * fur_value_size(t->d.value_type);
}

void *trial_zeros(const stencil_trial *t)
{
    return guard_allocate(bytes_of(t));
}

void *trial_random(const stencil_trial *t, rng *r)
{
    void *entries = trial_zeros(t);
    for (int64_t p = 0; p < t->rows; p++)
        entry_set(t->d.value_type, entries, p, rng_scalar(r, t->d.value_type));
    return entries;
}

void *trial_copy(const stencil_trial *t, const void *entries)
{
    return memcpy(trial_zeros(t), entries, bytes_of(t));
}

void trial_release(const stencil_trial *t, void *entries)
{
    if (entries)
        guard_release(entries, bytes_of(t));
}

/* Returns the number of points along an axis, and 1 beyond the axes. */
static int64_t extent_of(const stencil_trial *t, int axis)
{
    return axis < t->d.axes ? t->d.extent[axis] : 1;
}

/* Reflects or wraps once in each pass of the loop. */
int64_t point_of(fur_boundary boundary, int64_t n, int64_t i)
{
    while (i < 0 || i >= n) {
        if (boundary == FUR_BOUNDARY_DIRICHLET)
            return -1;
        if (boundary == FUR_BOUNDARY_PERIODIC)
            i += i < 0 ? n : -n;
        else
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
    }
    return i;
}

int64_t trial_neighbour(const stencil_trial *t, int64_t p, int k)
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

fur_scalar trial_coefficient(const stencil_trial *t, int64_t p, int k)
{
    return t->fields ? entry_get(t->d.value_type, t->field_entries[k], p)
                     : entry_round(t->d.value_type, t->coefficients[k]);
}

bool trial_overwrites(const stencil_trial *t)
{
    return t->beta.re == 0 && t->beta.im == 0;
}

fur_scalar entry_add(fur_value_type value, fur_scalar a, fur_scalar b)
{
    return entry_round(value, fur_complex(a.re + b.re, a.im + b.im));
}

static double fma_part(fur_value_type value, double a, double b, double c)
{
    return value == FUR_F32 || value == FUR_C64 ? fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

fur_scalar entry_fma(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c)
{
    if (!value_is_complex(value))
        return fur_real(fma_part(value, a.re, b.re, c.re));
    return fur_complex(fma_part(value, -a.im, b.im, fma_part(value, a.re, b.re, c.re)),
                       fma_part(value, a.im, b.re, fma_part(value, a.re, b.im, c.im)));
}

static fur_status create(const stencil_trial *t, fur_context *context, const char *kernel,
                         const char *sweep_kernel, made *m)
{
    fur_stencil_definition d = t->d;
    const fur_vector *fields[MAX_POINTS];
    d.kernel = kernel;
    d.sweep_kernel = sweep_kernel;
    for (int k = 0; t->fields && k < d.points; k++)
        fields[k] = m->fields[k] = trial_vector(t, context, t->field_entries[k]);
    if (t->fields) {
        d.coefficients = NULL;
        d.fields = fields;
    }
    return fur_stencil_create(context, &d, &m->s);
}

made trial_make(const stencil_trial *t, fur_context *context, const char *kernel)
{
    made m = {.s = NULL};
    ck_ok(context, create(t, context, kernel, NULL, &m));
    return m;
}

made trial_try(const stencil_trial *t, fur_context *context, const char *kernel,
               const char *sweep_kernel)
{
    char start[128];
    made m = {.s = NULL};
    const char *name = kernel ? kernel : sweep_kernel;
    fur_status status = create(t, context, kernel, sweep_kernel, &m);
    if (status == FUR_OK)
        return m;
    const char *sentence = fur_context_error(context);
    snprintf(start, sizeof start, "kernel \"%s\" does not suit this stencil: ", name ? name : "");
    ck_assert_msg(status == FUR_UNSUPPORTED && strncmp(sentence, start, strlen(start)) == 0,
                  "%s: %s: %s", name ? name : "auto", fur_status_name(status), sentence);
    ck_assert_ptr_null(m.s);
    return m;
}

void made_destroy(made *m)
{
    fur_stencil_destroy(m->s);
    for (int k = 0; k < MAX_POINTS; k++)
        fur_vector_destroy(m->fields[k]);
}

static bool is_remote(fur_context *context)
{
    return fur_context_host(context) != context;
}

fur_vector *trial_vector(const stencil_trial *t, fur_context *context, void *entries)
{
    fur_vector *v = NULL;
    if (is_remote(context))
        return vector_from(context, t->d.value_type, t->rows, entries);
    ck_ok(context,
          fur_vector_wrap(context, t->d.value_type, t->rows, entries, FUR_OWNERSHIP_BORROW, &v));
    return v;
}

void *trial_product(const stencil_trial *t, fur_context *context, const fur_stencil *s)
{
    void *entries = trial_copy(t, t->y);
    fur_vector *x = trial_vector(t, context, t->x);
    fur_vector *y = trial_vector(t, context, entries);
    ck_ok(context, fur_stencil_apply(s, t->alpha, x, t->beta, y));
    if (is_remote(context))
        ck_ok(context, fur_vector_download(y, entries));
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    return entries;
}

static void fail_at(const stencil_trial *t, fur_context *context, const char *kernel, int64_t p,
                    fur_scalar is, fur_scalar should)
{
    ck_abort_msg("%d points%s, %s, %lld x %lld x %lld, boundaries %d %d %d, kernel %s, isa %s, "
                 "%d threads, alpha %g%+gi, beta %g%+gi: entry %lld = %a%+ai, expected %a%+ai",
                 t->d.points, t->fields ? " of fields" : "", fur_value_name(t->d.value_type),
                 (long long)extent_of(t, 0), (long long)extent_of(t, 1), (long long)extent_of(t, 2),
                 (int)t->d.boundary[0], (int)t->d.boundary[1], (int)t->d.boundary[2], kernel,
                 fur_context_isa(context), fur_context_threads(context), t->alpha.re, t->alpha.im,
                 t->beta.re, t->beta.im, (long long)p, is.re, is.im, should.re, should.im);
}

void trial_check(const stencil_trial *t, fur_context *context, const char *kernel,
                 const void *entries, const void *expected)
{
    int64_t p = first_difference(t->d.value_type, t->rows, entries, expected);
    if (p >= 0)
        fail_at(t, context, kernel, p, entry_get(t->d.value_type, entries, p),
                entry_get(t->d.value_type, expected, p));
}

static double modulus(fur_scalar s)
{
    return hypot(s.re, s.im);
}

/* Returns |alpha| |S| |x| + |beta| |y| in row p. */
static double weight_at(const stencil_trial *t, int64_t p)
{
    double sum = 0;
    for (int k = 0; k < t->d.points; k++) {
        int64_t from = trial_neighbour(t, p, k);
        if (from >= 0)
            sum += modulus(trial_coefficient(t, p, k)) *
                   modulus(entry_get(t->d.value_type, t->x, from));
    }
    double y = trial_overwrites(t) ? 0 : modulus(entry_get(t->d.value_type, t->y, p));
    return modulus(t->alpha) * sum + modulus(t->beta) * y;
}

void trial_check_near(const stencil_trial *t, fur_context *context, const char *kernel,
                      const void *entries, const void *expected, double relative, double absolute)
{
    for (int64_t p = 0; p < t->rows; p++) {
        double bound = relative * weight_at(t, p) + absolute;
        fur_scalar is = entry_get(t->d.value_type, entries, p);
        fur_scalar should = entry_get(t->d.value_type, expected, p);
        if (!(fabs(is.re - should.re) <= bound && fabs(is.im - should.im) <= bound))
            fail_at(t, context, kernel, p, is, should);
    }
}
