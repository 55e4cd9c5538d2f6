/* Stencils on a GPU: every registered kernel on named and random stencils, for all value types and
 * boundaries, on small and odd extents, against the CPU's reference, bit for bit; vectors that are
 * not aligned; what auto chooses; what kernels refuse; the matrix and the diagonal. */
#include "cuda_support.h"

#include <math.h>
#include <string.h>

#define MAX_POINTS 729
#define MAX_KERNELS 16
#define BOUNDARIES 27
/* Products of a trial: the CPU's reference has one thread. */
#define MAX_TERMS 500000

/* A stencil, and vectors on the host. */
typedef struct trial {
    fur_stencil_definition d;
    fur_stencil_offset offsets[MAX_POINTS];
    fur_scalar coefficients[MAX_POINTS];
    bool fields;
    void *field_entries[MAX_POINTS];
    int64_t rows;
    fur_scalar alpha;
    fur_scalar beta;
    void *x;
    void *y; /* before */
    void *expected;
} trial;

static void take_named(trial *t, int points)
{
    ck_assert(fur_stencil_named(points, &t->d));
    memcpy(t->offsets, t->d.offsets, (size_t)points * sizeof *t->offsets);
    memcpy(t->coefficients, t->d.coefficients, (size_t)points * sizeof *t->coefficients);
}

/* Random offsets within the radius, each once. */
static void draw_offsets(trial *t, rng *r, int points, int radius)
{
    t->d.points = offsets_random(r, t->d.axes, radius, points, t->offsets);
    for (int k = 0; k < t->d.points; k++)
        t->coefficients[k] = rng_scalar(r, FUR_C128);
}

static void count_rows(trial *t)
{
    t->rows = 1;
    for (int axis = 0; axis < t->d.axes; axis++)
        t->rows *= t->d.extent[axis];
}

static void draw_extents(trial *t, rng *r)
{
    static const int64_t extents[] = {1, 2, 3, 16, 31, 32, 33, 64, 65, 127, 130, 260};
    int64_t most = MAX_TERMS / t->d.points / (test_small() ? 10 : 1);
    do {
        for (int axis = 0; axis < t->d.axes; axis++)
            t->d.extent[axis] = extents[rng_below(r, COUNT_OF(extents))];
        count_rows(t);
    } while (t->rows > most);
}

/* Infinity and NaN must reach the rows that refer to them, and no others. */
static void poison(trial *t, rng *r)
{
    entry_set(t->d.value, t->x, rng_below(r, t->rows), fur_complex(NAN, 0));
    entry_set(t->d.value, t->x, rng_below(r, t->rows), fur_complex(0, INFINITY));
    entry_set(t->d.value, t->x, rng_below(r, t->rows), fur_complex(-INFINITY, 1));
}

/* x, y, alpha and beta; y is NaN where it is to be overwritten. */
static void draw_product(trial *t, rng *r)
{
    fur_value value = t->d.value;
    const fur_scalar betas[] = {{0, 0}, {1, 0}, rng_scalar(r, value)};
    t->alpha = rng_below(r, 3) == 0 ? fur_real(1) : rng_scalar(r, value);
    t->beta = betas[rng_below(r, COUNT_OF(betas))];
    t->x = entries_random(r, value, t->rows);
    t->y = entries_random(r, value, t->rows);
    for (int64_t p = 0; t->beta.re == 0 && t->beta.im == 0 && p < t->rows; p++)
        entry_set(value, t->y, p, fur_complex(NAN, NAN));
    if (rng_below(r, 2))
        poison(t, r);
}

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

/* Completes a trial whose offsets and extents are there. */
static void complete(trial *t, rng *r)
{
    for (int k = 0; t->fields && k < t->d.points; k++)
        t->field_entries[k] = entries_random(r, t->d.value, t->rows);
    draw_product(t, r);
}

static void close_trial(trial *t)
{
    for (int k = 0; k < t->d.points; k++)
        free(t->field_entries[k]);
    free(t->x);
    free(t->y);
    free(t->expected);
    free(t);
}

/* The trial's stencil in a context; its fields go to `fields`. */
static fur_status create(fur_context *context, const trial *t, const char *kernel,
                         fur_vector *fields[MAX_POINTS], fur_stencil **out)
{
    fur_stencil_definition d = t->d;
    const fur_vector *list[MAX_POINTS];
    d.kernel = kernel;
    d.offsets = t->offsets;
    d.coefficients = t->fields ? NULL : t->coefficients;
    d.fields = t->fields ? list : NULL;
    for (int k = 0; k < d.points; k++)
        list[k] = fields[k] =
            t->fields ? vector_from(context, d.value, t->rows, t->field_entries[k]) : NULL;
    return fur_stencil_create(context, &d, out);
}

static void destroy_fields(const trial *t, fur_vector *fields[MAX_POINTS])
{
    for (int k = 0; k < t->d.points; k++)
        fur_vector_destroy(fields[k]);
}

/* alpha S x + beta y in memory of malloc. */
static void *product(const trial *t, const fur_stencil *s, fur_context *context)
{
    fur_vector *x = vector_from(context, t->d.value, t->rows, t->x);
    fur_vector *y = vector_from(context, t->d.value, t->rows, t->y);
    ck_ok(context, fur_stencil_apply(s, t->alpha, x, t->beta, y));
    void *result = vector_entries(y);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    return result;
}

static void expect(trial *t, fur_context *host)
{
    fur_vector *fields[MAX_POINTS] = {NULL};
    fur_stencil *s = NULL;
    ck_ok(host, create(host, t, "reference", fields, &s));
    free(t->expected);
    t->expected = product(t, s, host);
    fur_stencil_destroy(s);
    destroy_fields(t, fields);
}

static int64_t extent_of(const trial *t, int axis)
{
    return axis < t->d.axes ? t->d.extent[axis] : 1;
}

static void check_result(const trial *t, const char *kernel, const void *result)
{
    int64_t p = first_difference(t->d.value, t->rows, result, t->expected);
    if (p < 0)
        return;
    fur_scalar is = entry_get(t->d.value, result, p);
    fur_scalar should = entry_get(t->d.value, t->expected, p);
    ck_abort_msg("%d points%s, %s, %lld x %lld x %lld, boundaries %d %d %d, kernel %s, alpha "
                 "%g%+gi, beta %g%+gi: y[%lld] = %a%+ai, expected %a%+ai",
                 t->d.points, t->fields ? " of fields" : "", fur_value_name(t->d.value),
                 (long long)extent_of(t, 0), (long long)extent_of(t, 1), (long long)extent_of(t, 2),
                 (int)t->d.boundary[0], (int)t->d.boundary[1], (int)t->d.boundary[2], kernel,
                 t->alpha.re, t->alpha.im, t->beta.re, t->beta.im, (long long)p, is.re, is.im,
                 should.re, should.im);
}

static fur_stencil_kernel_info info_of(fur_context *context, int kernel)
{
    fur_stencil_kernel_info info = {.name = NULL};
    ck_ok(context, fur_stencil_kernel_get(context, kernel, &info));
    return info;
}

/* The stencil, or NULL if the kernel refuses it with a sentence, which the reference must not. */
static fur_stencil *create_or_refusal(fur_context *context, const trial *t, int kernel,
                                      fur_vector *fields[MAX_POINTS])
{
    char start[128];
    fur_stencil *s = NULL;
    const char *name = info_of(context, kernel).name;
    fur_status status = create(context, t, name, fields, &s);
    if (status == FUR_OK)
        return s;
    const char *sentence = fur_context_error(context);
    snprintf(start, sizeof start, "kernel \"%s\" does not suit this stencil: ", name);
    ck_assert_msg(kernel > 0 && status == FUR_UNSUPPORTED &&
                      strncmp(sentence, start, strlen(start)) == 0,
                  "%s: %s: %s", name, fur_status_name(status), sentence);
    ck_assert_ptr_null(s);
    return NULL;
}

/* How often each kernel ran. */
typedef struct tally {
    int ran[MAX_KERNELS];
} tally;

static void check_kernels(trial *t, fur_context *context, tally *ran)
{
    expect(t, fur_context_host(context));
    for (int kernel = 0; kernel < fur_stencil_kernel_count(context); kernel++) {
        fur_vector *fields[MAX_POINTS] = {NULL};
        fur_stencil *s = create_or_refusal(context, t, kernel, fields);
        if (s) {
            void *result = product(t, s, context);
            check_result(t, info_of(context, kernel).name, result);
            free(result);
            ran->ran[kernel]++;
        }
        fur_stencil_destroy(s);
        destroy_fields(t, fields);
    }
}

/* Every kernel took part, of enough trials. */
static void check_tally(fur_context *context, const tally *ran)
{
    for (int kernel = 0; !test_small() && kernel < fur_stencil_kernel_count(context); kernel++)
        ck_assert_msg(ran->ran[kernel] > 0, "kernel %s refused every stencil",
                      info_of(context, kernel).name);
}

static const int named_points[] = {3, 5, 7, 9, 13, 19, 27};

/* Loops over value types. */
START_TEST(kernels_agree_on_named_stencils)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(1 + (uint64_t)_i);
    tally ran = {{0}};
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 5 : 1)
        for (int n = 0; n < COUNT_OF(named_points); n++) {
            trial *t = open_trial((fur_value)_i, boundaries);
            take_named(t, named_points[n]);
            draw_extents(t, &r);
            complete(t, &r);
            check_kernels(t, context, &ran);
            close_trial(t);
        }
    check_tally(context, &ran);
    fur_context_destroy(context);
}
END_TEST

/* Points, radius, axes (0: any), fields. */
static const struct {
    int points;
    int radius;
    int axes;
    bool fields;
} drawn[] = {{1, 4, 0, false},  {2, 1, 0, false},   {6, 2, 0, true},    {9, 1, 2, false},
             {11, 3, 0, false}, {13, 1, 3, false},  {25, 2, 2, false},  {26, 1, 3, false},
             {27, 1, 3, false}, {27, 1, 0, true},   {40, 4, 0, false},  {125, 2, 3, false},
             {128, 4, 0, true}, {129, 4, 0, false}, {300, 4, 3, false}, {729, 4, 3, false}};

/* Loops over value types. */
START_TEST(kernels_agree_on_random_stencils)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(11 + (uint64_t)_i);
    tally ran = {{0}};
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 9 : 1)
        for (int n = 0; n < COUNT_OF(drawn); n++) {
            trial *t = open_trial((fur_value)_i, boundaries);
            t->d.axes = drawn[n].axes ? drawn[n].axes : 1 + (int)rng_below(&r, 3);
            t->fields = drawn[n].fields;
            draw_offsets(t, &r, drawn[n].points, drawn[n].radius);
            draw_extents(t, &r);
            complete(t, &r);
            check_kernels(t, context, &ran);
            close_trial(t);
        }
    check_tally(context, &ran);
    fur_context_destroy(context);
}
END_TEST

/* Grids of many tiles and blocks along each axis. */
static const struct {
    int points;
    int64_t extent[3];
    fur_value value;
} large[] = {
    {3, {70001, 0, 0}, FUR_F64},   {5, {1100, 261, 0}, FUR_F64}, {9, {7, 90001, 0}, FUR_F32},
    {7, {514, 90, 3}, FUR_C128},   {27, {130, 67, 65}, FUR_F64}, {13, {600, 3, 140}, FUR_F32},
    {7, {256, 128, 64}, FUR_F64},  {7, {260, 100, 50}, FUR_F32}, {19, {64, 64, 257}, FUR_C64},
    {27, {132, 96, 40}, FUR_F32},  {7, {2, 2, 70000}, FUR_F64},  {27, {66, 40, 66}, FUR_C128},
    {13, {64, 127, 130}, FUR_F64},
};

/* Loops over the large grids. */
START_TEST(kernels_agree_on_large_grids)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(21 + (uint64_t)_i);
    tally ran = {{0}};
    for (int mixed = 0; mixed < (test_small() ? 1 : 2); mixed++) {
        trial *t = open_trial(large[_i].value, mixed ? (int)rng_below(&r, BOUNDARIES) : 0);
        take_named(t, large[_i].points);
        for (int axis = 0; axis < t->d.axes; axis++)
            t->d.extent[axis] = large[_i].extent[axis] / (test_small() ? 4 : 1) + 1;
        if (!test_small())
            memcpy(t->d.extent, large[_i].extent, sizeof t->d.extent);
        count_rows(t);
        complete(t, &r);
        check_kernels(t, context, &ran);
        close_trial(t);
    }
    fur_context_destroy(context);
}
END_TEST

/* A vector that begins `shift` entries behind an aligned address. */
typedef struct shifted {
    char *data;
    fur_vector *vector;
} shifted;

static shifted place_shifted(fur_context *context, const trial *t, const void *entries,
                             size_t shift)
{
    size_t size = fur_value_size(t->d.value);
    shifted s = {.data = device_copy(entries, (size_t)t->rows * size, shift * size)};
    ck_ok(context, fur_vector_wrap(context, t->d.value, t->rows, s.data, FUR_BORROW, &s.vector));
    return s;
}

static void release_shifted(shifted *s, size_t shift_bytes)
{
    fur_vector_destroy(s->vector);
    device_release(s->data, shift_bytes);
}

static void check_shifted(const trial *t, fur_context *context, int kernel, size_t shift)
{
    size_t size = fur_value_size(t->d.value);
    fur_vector *fields[MAX_POINTS] = {NULL};
    fur_stencil *s = create_or_refusal(context, t, kernel, fields);
    if (!s)
        return;
    shifted x = place_shifted(context, t, t->x, shift);
    shifted y = place_shifted(context, t, t->y, 3 - shift);
    ck_ok(context, fur_stencil_apply(s, t->alpha, x.vector, t->beta, y.vector));
    void *result = vector_entries(y.vector);
    check_result(t, info_of(context, kernel).name, result);
    free(result);
    release_shifted(&y, (3 - shift) * size);
    release_shifted(&x, shift * size);
    fur_stencil_destroy(s);
}

/* Loops over value types. */
START_TEST(vectors_need_no_alignment)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(31 + (uint64_t)_i);
    for (int n = 0; n < COUNT_OF(named_points); n++) {
        trial *t = open_trial((fur_value)_i, 0);
        take_named(t, named_points[n]);
        for (int axis = 0; axis < t->d.axes; axis++)
            t->d.extent[axis] = 36;
        count_rows(t);
        complete(t, &r);
        expect(t, fur_context_host(context));
        for (size_t shift = 1; shift <= 2; shift++)
            for (int kernel = 0; kernel < fur_stencil_kernel_count(context); kernel++)
                check_shifted(t, context, kernel, shift);
        close_trial(t);
    }
    fur_context_destroy(context);
}
END_TEST

/* The matrix and the diagonal are the host's. */
static void check_matrix(const trial *t, fur_context *context)
{
    fur_context *sides[] = {fur_context_host(context), context};
    fur_vector *fields[2][MAX_POINTS] = {{NULL}};
    fur_stencil *s[2] = {NULL, NULL};
    fur_csr *a[2] = {NULL, NULL};
    fur_csr *fetched = NULL;
    void *diagonal[2];
    int equal = 0;
    for (int side = 0; side < 2; side++) {
        fur_operator *op = NULL;
        fur_vector *d = vector_from(sides[side], t->d.value, t->rows, t->y);
        ck_ok(sides[side], create(sides[side], t, NULL, fields[side], &s[side]));
        ck_ok(sides[side], fur_stencil_assemble(s[side], &a[side]));
        ck_ok(sides[side], fur_operator_from_stencil(s[side], &op));
        ck_ok(sides[side], fur_operator_diagonal(op, d));
        diagonal[side] = vector_entries(d);
        fur_vector_destroy(d);
        fur_operator_destroy(op);
    }
    ck_ok(context, fur_csr_transfer(a[1], sides[0], &fetched));
    ck_ok(sides[0], fur_csr_compare(fetched, a[0], &equal));
    ck_assert_msg(equal, "%d points, %lld rows", t->d.points, (long long)t->rows);
    ck_assert_int_eq(first_difference(t->d.value, t->rows, diagonal[0], diagonal[1]), -1);
    fur_csr_destroy(fetched);
    for (int side = 0; side < 2; side++) {
        free(diagonal[side]);
        fur_csr_destroy(a[side]);
        fur_stencil_destroy(s[side]);
        destroy_fields(t, fields[side]);
    }
}

/* Loops over value types. */
START_TEST(matrices_are_those_of_the_host)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(41 + (uint64_t)_i);
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 9 : 4)
        for (int n = 0; n < COUNT_OF(drawn); n++) {
            trial *t = open_trial((fur_value)_i, boundaries);
            t->d.axes = drawn[n].axes ? drawn[n].axes : 1 + (int)rng_below(&r, 3);
            t->fields = drawn[n].fields;
            draw_offsets(t, &r, drawn[n].points, drawn[n].radius);
            draw_extents(t, &r);
            complete(t, &r);
            check_matrix(t, context);
            close_trial(t);
        }
    fur_context_destroy(context);
}
END_TEST

static const char *chosen(fur_context *context, const trial *t)
{
    fur_stencil_definition d = t->d;
    fur_stencil *s = NULL;
    ck_ok(context, fur_stencil_create(context, &d, &s));
    const char *name = fur_stencil_describe(s).kernel;
    fur_stencil_destroy(s);
    return name;
}

static trial *named_trial(int points, int64_t n, int boundaries)
{
    trial *t = open_trial(FUR_F64, boundaries);
    take_named(t, points);
    for (int axis = 0; axis < t->d.axes; axis++)
        t->d.extent[axis] = n;
    return t;
}

/* Where a kernel's copies or tiles do not suit, auto takes the next. */
START_TEST(auto_takes_what_suits)
{
    static const struct {
        int points;
        int64_t n;
        int boundaries;
        const char *kernel;
    } cases[] = {{7, 64, 0, "registers"}, {27, 64, 0, "registers"}, {7, 63, 0, "registers"},
                 {7, 64, 1, "registers"}, {13, 64, 0, "queue"},     {3, 64, 0, "points"}};
    fur_context *context = context_cuda();
    for (int i = 0; i < COUNT_OF(cases); i++) {
        trial *t = named_trial(cases[i].points, cases[i].n, cases[i].boundaries);
        ck_assert_str_eq(chosen(context, t), cases[i].kernel);
        close_trial(t);
    }
    fur_context_destroy(context);
}
END_TEST

static void ck_refused(fur_context *context, const trial *t, const char *kernel,
                       const char *sentence)
{
    fur_stencil_definition d = t->d;
    fur_stencil *s = NULL;
    d.kernel = kernel;
    ck_fails(context, FUR_UNSUPPORTED, sentence, fur_stencil_create(context, &d, &s));
    ck_assert_ptr_null(s);
}

START_TEST(kernels_say_why_they_refuse)
{
    counted c;
    counted_open(&c);
    trial *line = named_trial(3, 64, 0);
    trial *far = named_trial(13, 64, 0);
    ck_refused(c.context, line, "queue",
               "kernel \"queue\" does not suit this stencil: its tiles are for grids of two or "
               "three axes");
    ck_refused(c.context, far, "registers",
               "kernel \"registers\" does not suit this stencil: it is for neighbours at a "
               "distance of one point along each axis");
    close_trial(far);
    close_trial(line);
    counted_close(&c);
}
END_TEST

START_TEST(kernels_have_distinct_names_and_say_what_they_do)
{
    fur_context *context = context_cuda();
    int count = fur_stencil_kernel_count(context);
    ck_assert(count > 0 && count <= MAX_KERNELS);
    for (int i = 0; i < count; i++) {
        fur_stencil_kernel_info info = info_of(context, i);
        ck_assert_int_eq(info.exact, 1);
        ck_assert_uint_gt(strlen(info.summary), 8);
        ck_assert_uint_gt(strlen(info.source), 8);
        ck_assert_str_ne(info.name, "auto");
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(info.name, info_of(context, j).name);
    }
    fur_context_destroy(context);
}
END_TEST

/* More than 2^31 points, of numbers that repeat with a period that divides no power of two. */
static const int64_t vast[3] = {1300, 1301, 1270};
#define VAST_ROWS (INT64_C(1300) * 1301 * 1270)
#define PERIOD 3001
#define WINDOW 100000

static bool vast_grid_fits(void)
{
    size_t available = 0;
    size_t total = 0;
    ck_cuda(cudaMemGetInfo(&available, &total));
    if (!test_small() && available > 3 * (size_t)VAST_ROWS * sizeof(float))
        return true;
    printf("skipped: over 2^31 points need %zu GB of the device, %zu are free%s\n",
           3 * (size_t)VAST_ROWS * sizeof(float) >> 30, available >> 30,
           test_small() ? " (and FURROW_TEST_SMALL is set)" : "");
    fflush(stdout);
    return false;
}

/* Small integers, so that sums have no rounding. */
static float number(int64_t p)
{
    return (float)(p % PERIOD % 29);
}

static float *vast_vector(void)
{
    float *data = NULL;
    static float period[PERIOD];
    for (int64_t p = 0; p < PERIOD; p++)
        period[p] = number(p);
    size_t bytes = (size_t)VAST_ROWS * sizeof *data;
    ck_cuda(cudaMalloc((void **)&data, bytes));
    ck_cuda(cudaMemcpy(data, period, sizeof period, cudaMemcpyHostToDevice));
    for (size_t filled = sizeof period; filled < bytes; filled *= 2) {
        size_t more = filled < bytes - filled ? filled : bytes - filled;
        ck_cuda(cudaMemcpy((char *)data + filled, data, more, cudaMemcpyDeviceToDevice));
    }
    ck_cuda(cudaDeviceSynchronize());
    return data;
}

/* Of the 7-point Laplacian. */
static float vast_sum(int64_t p)
{
    float sum = 6 * number(p);
    int64_t stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t i = p / stride % vast[axis];
        sum -= i > 0 ? number(p - stride) : 0;
        sum -= i + 1 < vast[axis] ? number(p + stride) : 0;
        stride *= vast[axis];
    }
    return sum;
}

static void check_window(const float *y, int64_t first, const char *kernel)
{
    static float window[WINDOW];
    ck_cuda(cudaMemcpy(window, y + first, sizeof window, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < WINDOW; i++)
        if (window[i] != vast_sum(first + i))
            ck_abort_msg("kernel %s: y[%lld] = %g, expected %g", kernel, (long long)(first + i),
                         (double)window[i], (double)vast_sum(first + i));
}

static void check_vast(fur_context *context, const fur_vector *x, fur_vector *y, int kernel)
{
    fur_stencil *s = NULL;
    fur_stencil_definition d = {.size = sizeof d,
                                .value = FUR_F32,
                                .extent = {vast[0], vast[1], vast[2]},
                                .kernel = info_of(context, kernel).name};
    ck_assert(fur_stencil_named(7, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_vector_fill(y, fur_real(NAN)));
    ck_ok(context, fur_stencil_apply(s, fur_real(1), x, fur_real(0), y));
    ck_ok(context, fur_context_synchronize(context));
    const float *data = fur_vector_const_data(y);
    check_window(data, 0, d.kernel);
    check_window(data, (INT64_C(1) << 31) - WINDOW / 2, d.kernel);
    check_window(data, VAST_ROWS - WINDOW, d.kernel);
    fur_stencil_destroy(s);
}

START_TEST(points_above_2_to_31_are_right)
{
    if (!vast_grid_fits())
        return;
    fur_context *context = context_cuda();
    float *data = vast_vector();
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_vector_wrap(context, FUR_F32, VAST_ROWS, data, FUR_BORROW, &x));
    ck_ok(context, fur_vector_create(context, FUR_F32, VAST_ROWS, &y));
    for (int kernel = 0; kernel < fur_stencil_kernel_count(context); kernel++)
        check_vast(context, x, y, kernel);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    ck_cuda(cudaFree(data));
    fur_context_destroy(context);
}
END_TEST

/* Makes a stencil, and its matrix. */
static fur_status make_both(fur_context *context, const fur_stencil_definition *d)
{
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    fur_status status = fur_stencil_create(context, d, &s);
    if (status == FUR_OK)
        status = fur_stencil_assemble(s, &a);
    ck_assert(status == FUR_OK || !a);
    fur_csr_destroy(a);
    fur_stencil_destroy(s);
    return status;
}

/* With every allocation of one side failing once. */
static void check_failures(counted *c, memory *side, const fur_stencil_definition *d)
{
    int64_t host = c->host.outstanding;
    int64_t device = c->device.outstanding;
    fur_status status = FUR_OUT_OF_MEMORY;
    int failures = -1;
    while (status == FUR_OUT_OF_MEMORY) {
        side->fail_at = side->calls + ++failures + 1;
        status = make_both(c->context, d);
        side->fail_at = 0;
        ck_assert(c->host.outstanding == host && c->device.outstanding == device);
    }
    ck_assert_msg(status == FUR_OK, "%s", fur_context_error(c->context));
    ck_assert_int_gt(failures, 2);
}

START_TEST(failures_leave_nothing)
{
    counted c;
    counted_open(&c);
    trial *t = named_trial(7, 64, 0);
    fur_stencil_definition d = t->d;
    for (int kernel = 0; kernel < fur_stencil_kernel_count(c.context); kernel++) {
        d.kernel = info_of(c.context, kernel).name;
        check_failures(&c, &c.host, &d);
        check_failures(&c, &c.device, &d);
    }
    close_trial(t);
    counted_close(&c);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, kernels_agree_on_named_stencils, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, kernels_agree_on_random_stencils, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, kernels_agree_on_large_grids, 0, COUNT_OF(large));
    tcase_add_loop_test(tests, vectors_need_no_alignment, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, matrices_are_those_of_the_host, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, auto_takes_what_suits);
    tcase_add_test(tests, kernels_say_why_they_refuse);
    tcase_add_test(tests, kernels_have_distinct_names_and_say_what_they_do);
    tcase_add_test(tests, points_above_2_to_31_are_right);
    tcase_add_test(tests, failures_leave_nothing);
}

int main(void)
{
    return run_gpu_tests("cuda_stencil", add_tests);
}
