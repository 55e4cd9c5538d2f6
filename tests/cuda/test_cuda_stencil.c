/* Stencils on a GPU. Every registered kernel is compared with the CPU's reference bit for bit, on
 * named and random stencils. All value types and boundaries are tested, on small and odd extents.
 * Also: vectors that are not aligned; auto's choice; refusals of kernels; the matrix and the
 * diagonal. */
#include "cuda_support.h"
#include "stencil_trial.h"

#include <math.h>
#include <string.h>

#define MAX_KERNELS 16
/* Limit of the products of a trial, because the CPU's reference has one thread. */
#define MAX_TERMS 500000

static void draw_extents(stencil_trial *t, rng *r)
{
    static const int64_t extents[] = {1, 2, 3, 16, 31, 32, 33, 64, 65, 127, 130, 260};
    int64_t most = MAX_TERMS / t->d.points / (test_small() ? 10 : 1);
    trial_draw_extents(t, r, extents, COUNT_OF(extents), most);
}

/* Draws a product. In half of the trials, x has infinity and NaN. */
static void draw_product(stencil_trial *t, rng *r)
{
    trial_draw_product(t, r);
    if (rng_below(r, 2))
        trial_poison(t, r);
}

static void expect(stencil_trial *t, fur_context *host)
{
    made m = trial_make(t, host, "reference");
    t->expected = trial_product(t, host, m.s);
    made_destroy(&m);
}

static fur_kernel_info info_of(fur_context *context, int kernel)
{
    fur_kernel_info info = *fur_stencil_kernel_at(context, kernel);
    return info;
}

/* Makes a stencil with a kernel. Every kernel except the first may refuse it. */
static made make_or_refusal(fur_context *context, const stencil_trial *t, int kernel)
{
    made m = trial_try(t, context, info_of(context, kernel).name, NULL);
    ck_assert(m.s || kernel > 0);
    return m;
}

/* The number of runs of each kernel. */
typedef struct tally {
    int ran[MAX_KERNELS];
} tally;

static void check_kernels(stencil_trial *t, fur_context *context, tally *ran)
{
    expect(t, fur_context_host(context));
    for (int kernel = 0; kernel < kernel_count(fur_stencil_kernel_at, context); kernel++) {
        made m = make_or_refusal(context, t, kernel);
        if (m.s) {
            void *y = trial_product(t, context, m.s);
            trial_check(t, context, info_of(context, kernel).name, y, t->expected);
            trial_release(t, y);
            ran->ran[kernel]++;
        }
        made_destroy(&m);
    }
}

/* Checks that every kernel accepted a stencil. */
static void check_tally(fur_context *context, const tally *ran)
{
    for (int kernel = 0; !test_small() && kernel < kernel_count(fur_stencil_kernel_at, context);
         kernel++)
        ck_assert_msg(ran->ran[kernel] > 0, "kernel %s refused every stencil",
                      info_of(context, kernel).name);
}

static const int named_points[] = {3, 5, 7, 9, 13, 19, 27};

/* Kernels agree with the reference on named stencils. Loops over value types. */
START_TEST(kernels_agree_on_named_stencils)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(1 + (uint64_t)_i);
    tally ran = {{0}};
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 5 : 1)
        for (int n = 0; n < COUNT_OF(named_points); n++) {
            stencil_trial *t = trial_open((fur_value_type)_i, boundaries);
            trial_take_named(t, &r, named_points[n]);
            draw_extents(t, &r);
            draw_product(t, &r);
            check_kernels(t, context, &ran);
            trial_close(t);
        }
    check_tally(context, &ran);
    fur_context_destroy(context);
}
END_TEST

/* Number of points, radius, axes (0: any), whether there are fields. */
static const struct {
    int points;
    int radius;
    int axes;
    bool fields;
} drawn[] = {{1, 4, 0, false},  {2, 1, 0, false},   {6, 2, 0, true},    {9, 1, 2, false},
             {11, 3, 0, false}, {13, 1, 3, false},  {25, 2, 2, false},  {26, 1, 3, false},
             {27, 1, 3, false}, {27, 1, 0, true},   {40, 4, 0, false},  {125, 2, 3, false},
             {128, 4, 0, true}, {129, 4, 0, false}, {300, 4, 3, false}, {729, 4, 3, false}};

/* Kernels agree with the reference on random stencils. Loops over value types. */
START_TEST(kernels_agree_on_random_stencils)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(11 + (uint64_t)_i);
    tally ran = {{0}};
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 9 : 1)
        for (int n = 0; n < COUNT_OF(drawn); n++) {
            stencil_trial *t = trial_open((fur_value_type)_i, boundaries);
            t->d.axes = drawn[n].axes ? drawn[n].axes : 1 + (int)rng_below(&r, 3);
            t->fields = drawn[n].fields;
            trial_draw_offsets(t, &r, drawn[n].points, drawn[n].radius);
            draw_extents(t, &r);
            draw_product(t, &r);
            check_kernels(t, context, &ran);
            trial_close(t);
        }
    check_tally(context, &ran);
    fur_context_destroy(context);
}
END_TEST

/* Grids of many tiles and blocks along each axis. */
static const struct {
    int points;
    int64_t extent[3];
    fur_value_type value;
} large[] = {
    {3, {70001, 0, 0}, FUR_F64},   {5, {1100, 261, 0}, FUR_F64}, {9, {7, 90001, 0}, FUR_F32},
    {7, {514, 90, 3}, FUR_C128},   {27, {130, 67, 65}, FUR_F64}, {13, {600, 3, 140}, FUR_F32},
    {7, {256, 128, 64}, FUR_F64},  {7, {260, 100, 50}, FUR_F32}, {19, {64, 64, 257}, FUR_C64},
    {27, {132, 96, 40}, FUR_F32},  {7, {2, 2, 70000}, FUR_F64},  {27, {66, 40, 66}, FUR_C128},
    {13, {64, 127, 130}, FUR_F64},
};

/* Kernels agree with the reference on large grids. Loops over these grids. */
START_TEST(kernels_agree_on_large_grids)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(21 + (uint64_t)_i);
    tally ran = {{0}};
    int64_t extent[3];
    for (int mixed = 0; mixed < (test_small() ? 1 : 2); mixed++) {
        stencil_trial *t = trial_open(large[_i].value, mixed ? (int)rng_below(&r, BOUNDARIES) : 0);
        trial_take_named(t, &r, large[_i].points);
        for (int axis = 0; axis < 3; axis++)
            extent[axis] = test_small() ? large[_i].extent[axis] / 4 + 1 : large[_i].extent[axis];
        trial_set_extents(t, extent);
        draw_product(t, &r);
        check_kernels(t, context, &ran);
        trial_close(t);
    }
    fur_context_destroy(context);
}
END_TEST

/* A vector that begins `shift` entries after an aligned address. */
typedef struct shifted {
    char *data;
    fur_vector *vector;
} shifted;

static shifted place_shifted(fur_context *context, const stencil_trial *t, const void *entries,
                             size_t shift)
{
    size_t size = fur_value_size(t->d.value_type);
    shifted s = {.data = device_copy(entries, (size_t)t->rows * size, shift * size)};
    ck_ok(context, fur_vector_wrap(context, t->d.value_type, t->rows, s.data, FUR_OWNERSHIP_BORROW,
                                   &s.vector));
    return s;
}

static void release_shifted(shifted *s, size_t shift_bytes)
{
    fur_vector_destroy(s->vector);
    device_copy_release(s->data, shift_bytes);
}

static void check_shifted(const stencil_trial *t, fur_context *context, int kernel, size_t shift)
{
    size_t size = fur_value_size(t->d.value_type);
    made m = make_or_refusal(context, t, kernel);
    if (!m.s)
        return;
    shifted x = place_shifted(context, t, t->x, shift);
    shifted y = place_shifted(context, t, t->y, 3 - shift);
    ck_ok(context, fur_stencil_apply(m.s, t->alpha, x.vector, t->beta, y.vector));
    void *result = vector_entries(y.vector);
    trial_check(t, context, info_of(context, kernel).name, result, t->expected);
    free(result);
    release_shifted(&y, (3 - shift) * size);
    release_shifted(&x, shift * size);
    made_destroy(&m);
}

/* Vectors need no alignment. Loops over value types. */
START_TEST(vectors_need_no_alignment)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(31 + (uint64_t)_i);
    for (int n = 0; n < COUNT_OF(named_points); n++) {
        stencil_trial *t = trial_open((fur_value_type)_i, 0);
        trial_take_named(t, &r, named_points[n]);
        trial_set_extents(t, (const int64_t[]){36, 36, 36});
        draw_product(t, &r);
        expect(t, fur_context_host(context));
        for (size_t shift = 1; shift <= 2; shift++)
            for (int kernel = 0; kernel < kernel_count(fur_stencil_kernel_at, context); kernel++)
                check_shifted(t, context, kernel, shift);
        trial_close(t);
    }
    fur_context_destroy(context);
}
END_TEST

/* Checks that the matrix and the diagonal equal the host's. */
static void check_matrix(const stencil_trial *t, fur_context *context)
{
    fur_context *sides[] = {fur_context_host(context), context};
    made m[2];
    fur_csr *a[2] = {NULL, NULL};
    fur_csr *fetched = NULL;
    void *diagonal[2];
    int equal = 0;
    for (int side = 0; side < 2; side++) {
        fur_operator *op = NULL;
        fur_vector *d = vector_from(sides[side], t->d.value_type, t->rows, t->y);
        m[side] = trial_make(t, sides[side], NULL);
        ck_ok(sides[side], fur_stencil_assemble(m[side].s, &a[side]));
        ck_ok(sides[side], fur_operator_from_stencil(m[side].s, &op));
        ck_ok(sides[side], fur_operator_diagonal(op, d));
        diagonal[side] = vector_entries(d);
        fur_vector_destroy(d);
        fur_operator_destroy(op);
    }
    ck_ok(context, fur_csr_transfer(a[1], sides[0], &fetched));
    ck_ok(sides[0], fur_csr_compare(fetched, a[0], &equal));
    ck_assert_msg(equal, "%d points, %lld rows", t->d.points, (long long)t->rows);
    ck_assert_int_eq(first_difference(t->d.value_type, t->rows, diagonal[0], diagonal[1]), -1);
    fur_csr_destroy(fetched);
    for (int side = 0; side < 2; side++) {
        free(diagonal[side]);
        fur_csr_destroy(a[side]);
        made_destroy(&m[side]);
    }
}

/* Matrices equal those of the host. Loops over value types. */
START_TEST(matrices_are_those_of_the_host)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(41 + (uint64_t)_i);
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries += test_small() ? 9 : 4)
        for (int n = 0; n < COUNT_OF(drawn); n++) {
            stencil_trial *t = trial_open((fur_value_type)_i, boundaries);
            t->d.axes = drawn[n].axes ? drawn[n].axes : 1 + (int)rng_below(&r, 3);
            t->fields = drawn[n].fields;
            trial_draw_offsets(t, &r, drawn[n].points, drawn[n].radius);
            draw_extents(t, &r);
            draw_product(t, &r);
            check_matrix(t, context);
            trial_close(t);
        }
    fur_context_destroy(context);
}
END_TEST

static const char *chosen(fur_context *context, const stencil_trial *t)
{
    made m = trial_make(t, context, NULL);
    const char *name = fur_stencil_describe(m.s)->kernel;
    made_destroy(&m);
    return name;
}

static stencil_trial *named_trial(int points, int64_t n, int boundaries)
{
    rng r = rng_stream(51);
    stencil_trial *t = trial_open(FUR_F64, boundaries);
    trial_take_named(t, &r, points);
    trial_set_extents(t, (const int64_t[]){n, n, n});
    return t;
}

/* auto takes the first kernel whose copies and tiles suit the grid. */
START_TEST(auto_takes_what_suits)
{
    static const struct {
        int points;
        int64_t n;
        int boundaries;
        const char *kernel;
    } cases[] = {{7, 64, 0, "bulk"},      {27, 64, 0, "bulk"},       {7, 256, 0, "registers"},
                 {19, 64, 0, "bulk"},     {19, 160, 0, "registers"}, {7, 63, 0, "registers"},
                 {7, 64, 1, "registers"}, {13, 64, 0, "queue"},      {3, 64, 0, "reference"}};
    fur_context *context = context_cuda();
    for (int i = 0; i < COUNT_OF(cases); i++) {
        stencil_trial *t = named_trial(cases[i].points, cases[i].n, cases[i].boundaries);
        ck_assert_str_eq(chosen(context, t), cases[i].kernel);
        trial_close(t);
    }
    fur_context_destroy(context);
}
END_TEST

static void ck_refused(fur_context *context, const stencil_trial *t, const char *kernel,
                       const char *sentence)
{
    ck_assert_ptr_null(trial_try(t, context, kernel, NULL).s);
    ck_assert_str_eq(fur_context_error(context), sentence);
}

START_TEST(kernels_say_why_they_refuse)
{
    counted c;
    counted_open(&c);
    stencil_trial *line = named_trial(3, 64, 0);
    stencil_trial *far = named_trial(13, 64, 0);
    ck_refused(c.context, line, "queue",
               "kernel \"queue\" does not suit this stencil: it needs a grid of two or three axes");
    ck_refused(c.context, far, "registers",
               "kernel \"registers\" does not suit this stencil: it needs offsets of at most one "
               "point along each axis");
    trial_close(far);
    trial_close(line);
    counted_close(&c);
}
END_TEST

START_TEST(kernels_have_distinct_names_and_say_what_they_do)
{
    fur_context *context = context_cuda();
    int count = kernel_count(fur_stencil_kernel_at, context);
    ck_assert(count > 0 && count <= MAX_KERNELS);
    for (int i = 0; i < count; i++) {
        fur_kernel_info info = info_of(context, i);
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

/* A grid of more than 2^31 points. Its numbers repeat with a period that divides no power of two.
 */
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

/* Returns small integers, whose sums have no rounding. */
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

/* Returns row p of the product with the 7-point Laplacian. */
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
                                .value_type = FUR_F32,
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
    ck_ok(context, fur_vector_wrap(context, FUR_F32, VAST_ROWS, data, FUR_OWNERSHIP_BORROW, &x));
    ck_ok(context, fur_vector_create(context, FUR_F32, VAST_ROWS, &y));
    for (int kernel = 0; kernel < kernel_count(fur_stencil_kernel_at, context); kernel++)
        check_vast(context, x, y, kernel);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    ck_cuda(cudaFree(data));
    fur_context_destroy(context);
}
END_TEST

/* Makes a stencil and its matrix. */
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

/* Checks that nothing leaks if each allocation of one side fails once. */
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
    stencil_trial *t = named_trial(7, 64, 0);
    fur_stencil_definition d = t->d;
    for (int kernel = 0; kernel < kernel_count(fur_stencil_kernel_at, c.context); kernel++) {
        d.kernel = info_of(c.context, kernel).name;
        check_failures(&c, &c.host, &d);
        check_failures(&c, &c.device, &d);
    }
    trial_close(t);
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
