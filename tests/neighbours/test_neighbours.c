/* Tests of nearest neighbours. Both methods are compared with all distances, on clouds that suit a
 * grid or do not, in up to 65 dimensions, for all numbers of threads, instruction sets and devices.
 * Large clouds on a GPU are compared with the CPU. Also: refusals, failing memory. */
#include "clouds.h"

#include <math.h>
#include <string.h>

/* Sizes near a block of points, a warp and a group of boxes. Fast builds also need the next
 * level. */
static const int64_t sizes[] = {
    2, 3, 15, 16, 17, 31, 32, 33, 255, 257, TEST_SLOW ? 300 : 1100, 1023, 1025, 1400};
#define SIZES_OF_GPU 3 /* the last sizes are used on a GPU only */

typedef struct trial {
    const cloud_kind *kind;
    fur_value_type value;
    int64_t n;
    int d;
    int64_t k;
    bool squared;
    bool with_self;
    fur_layout layout;
    bool gaps;
} trial;

static void check_trial(fur_context *context, const trial *t, const void *points,
                        const cloud_answer *answer, const char *method)
{
    char what[256];
    fur_csr *g = NULL;
    fur_neighbours_options options = FUR_DEFAULT(fur_neighbours_options);
    fur_neighbours_report report = FUR_DEFAULT(fur_neighbours_report);
    options.method = method;
    options.squared = t->squared;
    options.with_self = t->with_self;
    snprintf(what, sizeof what, "%s, %s, %s, n = %lld, d = %d, k = %lld, %s, %d threads",
             t->kind->name, fur_value_name(t->value), method, (long long)t->n, t->d,
             (long long)t->k, fur_context_isa(context), fur_context_threads(context));
    fur_vectors *block = cloud_block(context, t->value, t->n, t->d, points, t->layout, t->gaps);
    fur_status status = fur_neighbours(block, t->k, &options, &report, &g);
    ck_assert_msg(status == FUR_OK, "%s: %s", what, fur_context_error(context));
    cloud_check(what, answer, g);
    if (strcmp(method, "auto") != 0)
        ck_assert_str_eq(report.method, method);
    ck_assert(report.seconds >= report.seconds_plan && report.bytes > 0);
    fur_csr_destroy(g);
    fur_vectors_destroy(block);
}

static void run_trial(const trial *t, rng *r)
{
    void *points = cloud_make(t->kind, r, t->value, t->n, t->d);
    cloud_answer answer = cloud_solve(t->value, t->n, t->d, points, t->k, t->squared, t->with_self);
    for (int i = 0; isa_name(i); i++) {
        for (int threads = 1; threads <= (on_gpu() ? 1 : 3); threads += 2) {
            memory m = {0};
            fur_context *context = context_counting(&m, isa_name(i), threads);
            check_trial(context, t, points, &answer, "brute");
            check_trial(context, t, points, &answer, "auto");
            if (t->d <= FUR_NEIGHBOURS_GRID_DIMENSIONS)
                check_trial(context, t, points, &answer, "grid");
            fur_context_destroy(context);
            ck_assert_int_eq(m.outstanding, 0);
        }
    }
    cloud_answer_release(&answer);
    free(points);
}

static trial random_trial(rng *r, int kind)
{
    trial t = {.kind = &cloud_kinds[kind],
               .value = rng_below(r, 2) ? FUR_F32 : FUR_F64,
               .n = sizes[rng_below(r, COUNT_OF(sizes) - (on_gpu() ? 0 : SIZES_OF_GPU))],
               .d = 1 + (int)rng_below(r, on_gpu() ? 12 : 9),
               .squared = rng_below(r, 2) != 0,
               .with_self = rng_below(r, 3) == 0,
               .layout = rng_below(r, 2) ? FUR_LAYOUT_ROWS : FUR_LAYOUT_COLUMNS,
               .gaps = rng_below(r, 4) == 0};
    if (rng_below(r, 3) > 0)
        t.d = 1 + (int)rng_below(r, FUR_NEIGHBOURS_GRID_DIMENSIONS);
    int64_t most = t.n - !t.with_self;
    int64_t few = on_gpu() && rng_below(r, 4) == 0 ? 150 : 20;
    t.k = rng_below(r, 4) == 0 && t.n < 300 ? most : 1 + rng_below(r, most < few ? most : few);
    return t;
}

START_TEST(every_method_finds_the_nearest)
{
    rng r = rng_stream((uint64_t)(4100 + _i));
    for (int round = 0; round < (TEST_SHORT ? 3 : on_gpu() ? 24 : 6); round++) {
        trial t = random_trial(&r, _i);
        run_trial(&t, &r);
    }
}
END_TEST

/* The grid method misses no neighbour in three dimensions with more than one level of boxes. */
START_TEST(a_grid_of_several_levels_leaves_nothing_out)
{
    rng r = rng_stream((uint64_t)(4200 + _i));
    trial t = {.kind = &cloud_kinds[_i],
               .value = _i % 2 ? FUR_F64 : FUR_F32,
               .n = TEST_SLOW ? 700 : 1500,
               .d = 3,
               .k = 16};
    run_trial(&t, &r);
}
END_TEST

/* Results are right in more dimensions than a GPU tile of points has, and than the device
 * supports. */
START_TEST(many_dimensions)
{
    static const int dims[] = {5, 16, 33, 64, 65};
    rng r = rng_stream((uint64_t)(4550 + _i));
    for (int i = 0; i < COUNT_OF(dims); i++) {
        trial t = {.kind = &cloud_kinds[0],
                   .value = _i ? FUR_F64 : FUR_F32,
                   .n = 300,
                   .d = dims[i],
                   .k = 128};
        run_trial(&t, &r);
    }
}
END_TEST

static fur_csr *find(fur_context *context, const trial *t, const void *points, const char *method)
{
    fur_csr *g = NULL;
    const fur_neighbours_options options = {.size = sizeof options, .method = method};
    fur_vectors *block = cloud_block(context, t->value, t->n, t->d, points, FUR_LAYOUT_ROWS, false);
    ck_ok(context, fur_neighbours(block, t->k, &options, NULL, &g));
    fur_vectors_destroy(block);
    return g;
}

/* A GPU gives the bits of the CPU with three and four levels of boxes. */
START_TEST(large_clouds_give_the_bits_of_the_cpu)
{
    memory m = {0};
    rng r = rng_stream((uint64_t)(4600 + _i));
    fur_context *host = context_cpu(NULL, 0);
    fur_context *context = context_counting(&m, NULL, 0);
    const trial t = {.kind = &cloud_kinds[_i],
                     .value = _i % 2 ? FUR_F64 : FUR_F32,
                     .n = test_small() ? 3000 : 150000,
                     .d = 2 + _i % 2,
                     .k = 16};
    void *points = cloud_make(t.kind, &r, t.value, t.n, t.d);
    fur_csr *expected = find(host, &t, points, "grid");
    for (int brute = 0; brute < 2; brute++) {
        fur_csr *g = find(context, &t, points, brute ? "brute" : "grid");
        ck_same_matrix(g, expected, t.kind->name);
        fur_csr_destroy(g);
    }
    fur_csr_destroy(expected);
    free(points);
    fur_context_destroy(context);
    fur_context_destroy(host);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Loops over the methods. */
START_TEST(failing_memory_is_said_and_none_is_lost)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_vectors *block = NULL;
    fur_csr *g = NULL;
    const fur_neighbours_options options = {.size = sizeof options,
                                            .method = _i ? "grid" : "brute"};
    ck_ok(context, fur_vectors_create(context, FUR_F32, 500, 3, FUR_LAYOUT_ROWS, &block));
    for (int64_t n = 1; !g; n++) {
        int64_t outstanding = m.outstanding;
        m.fail_at = m.calls + n;
        fur_status status = fur_neighbours(block, 4, &options, NULL, &g);
        m.fail_at = 0;
        if (status != FUR_OK) {
            ck_assert_msg(status == FUR_OUT_OF_MEMORY, "%s", fur_context_error(context));
            ck_assert_int_eq(m.outstanding, outstanding);
            ck_assert_ptr_null(g);
        }
    }
    fur_csr_destroy(g);
    fur_vectors_destroy(block);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* If many points coincide, a search must not read all of them for each point. Here this would take
 * minutes. */
START_TEST(many_points_at_one_place_take_no_longer)
{
    int64_t n = TEST_SLOW ? 20000 : 100000;
    float *points = calloc((size_t)n * 2, sizeof *points);
    fur_context *context = context_make(NULL, 0);
    fur_neighbours_options options = {.size = sizeof options, .method = "grid"};
    fur_csr *g = NULL;
    fur_vectors *block = cloud_block(context, FUR_F32, n, 2, points, FUR_LAYOUT_ROWS, false);
    ck_ok(context, fur_neighbours(block, 3, &options, NULL, &g));
    fur_csr *near = matrix_near(g);
    const fur_csr_view *v = fur_csr_get(near);
    for (int64_t i = 0; i < n; i++) {
        int32_t next = 0;
        for (int p = 0; p < 3; p++, next++) {
            next += next == i;
            ck_assert_int_eq(v->columns[3 * i + p], next);
            ck_assert(((const float *)v->values)[3 * i + p] == 0);
        }
    }
    fur_csr_destroy(near);
    fur_csr_destroy(g);
    fur_vectors_destroy(block);
    fur_context_destroy(context);
    free(points);
}
END_TEST

static fur_vectors *zeros(fur_context *context, fur_value_type value, int64_t n, int64_t d)
{
    fur_vectors *x = NULL;
    ck_ok(context, fur_vectors_create(context, value, n, d, FUR_LAYOUT_ROWS, &x));
    return x;
}

START_TEST(what_cannot_be_done_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_neighbours_options options = FUR_DEFAULT(fur_neighbours_options);
    fur_csr *g = NULL;
    fur_vectors *five = zeros(context, FUR_F64, 5, 3);
    ck_fails(context, FUR_INVALID,
             "5 neighbours for each of 5 points were requested; ask for 1 to 4, as a point is not "
             "its own neighbour",
             fur_neighbours(five, 5, NULL, NULL, &g));
    ck_fails(context, FUR_INVALID,
             "0 neighbours for each of 5 points were requested; ask for 1 to 4, as a point is not "
             "its own neighbour",
             fur_neighbours(five, 0, NULL, NULL, &g));
    options.with_self = 1;
    ck_fails(context, FUR_INVALID,
             "6 neighbours for each of 5 points were requested; ask for 1 "
             "to 5",
             fur_neighbours(five, 6, &options, NULL, &g));
    ck_ok(context, fur_neighbours(five, 5, &options, NULL, &g));
    fur_csr_destroy(g);
    g = NULL;
    options.method = "tree";
    ck_fails(context, FUR_INVALID,
             "there is no method \"tree\" for neighbours; use auto, brute or grid",
             fur_neighbours(five, 2, &options, NULL, &g));
    fur_vectors_destroy(five);
    fur_vectors *complex = zeros(context, FUR_C64, 5, 3);
    ck_fails(context, FUR_INVALID,
             "the points have coordinates of type c64; they must be f32 or f64",
             fur_neighbours(complex, 2, NULL, NULL, &g));
    fur_vectors_destroy(complex);
    fur_vectors *flat = zeros(context, FUR_F32, 5, 0);
    ck_fails(context, FUR_INVALID, "the points have no coordinates",
             fur_neighbours(flat, 2, NULL, NULL, &g));
    fur_vectors_destroy(flat);
    fur_vectors *none = zeros(context, FUR_F32, 0, 2);
    ck_fails(context, FUR_INVALID, "0 points have no neighbours; give at least two points",
             fur_neighbours(none, 1, NULL, NULL, &g));
    fur_vectors_destroy(none);
    fur_vectors *wide = zeros(context, FUR_F32, 9, 5);
    options.method = "grid";
    ck_fails(context, FUR_UNSUPPORTED,
             "method \"grid\" supports at most 4 dimensions, but the points have 5; use method "
             "\"brute\"",
             fur_neighbours(wide, 1, &options, NULL, &g));
    fur_vectors_destroy(wide);
    ck_assert_ptr_null(g);
    fur_context_destroy(context);
}
END_TEST

START_TEST(points_that_are_not_finite_are_refused_by_name)
{
    static const double unfit[] = {NAN, INFINITY, -INFINITY};
    fur_context *context = context_make(NULL, 2);
    fur_csr *g = NULL;
    double points[70 * 2] = {0};
    for (int i = 0; i < 70; i++)
        points[2 * i] = i;
    points[2 * 41 + 1] = unfit[_i % 3];
    points[2 * 39] = unfit[_i % 3];
    fur_vectors *block = cloud_block(context, FUR_F64, 70, 2, points, FUR_LAYOUT_COLUMNS, false);
    ck_fails(context, FUR_INVALID, "point 40, counting from 1, has a coordinate that is not finite",
             fur_neighbours(block, 2, NULL, NULL, &g));
    ck_assert_ptr_null(g);
    fur_vectors_destroy(block);
    fur_context_destroy(context);
}
END_TEST

START_TEST(auto_takes_what_suits)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(4300);
    fur_neighbours_report report = FUR_DEFAULT(fur_neighbours_report);
    static const struct {
        int64_t n;
        int d;
        const char *method;
    } cases[] = {{20000, 3, "grid"}, {100, 3, "brute"}, {2000, 7, "brute"}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        void *points = cloud_make(&cloud_kinds[0], &r, FUR_F32, cases[i].n, cases[i].d);
        fur_vectors *block =
            cloud_block(context, FUR_F32, cases[i].n, cases[i].d, points, FUR_LAYOUT_ROWS, false);
        fur_csr *g = NULL;
        ck_ok(context, fur_neighbours(block, 4, NULL, &report, &g));
        ck_assert_str_eq(report.method, cases[i].method);
        ck_assert_str_ne(report.reason, "");
        fur_csr_destroy(g);
        fur_vectors_destroy(block);
        free(points);
    }
    fur_context_destroy(context);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, every_method_finds_the_nearest, 0, cloud_kind_count);
    tcase_add_loop_test(tests, a_grid_of_several_levels_leaves_nothing_out, 0, cloud_kind_count);
    tcase_add_loop_test(tests, many_dimensions, 0, 2);
    if (on_gpu())
        tcase_add_loop_test(tests, large_clouds_give_the_bits_of_the_cpu, 0, cloud_kind_count);
    tcase_add_loop_test(tests, failing_memory_is_said_and_none_is_lost, 0, 2);
    tcase_add_test(tests, many_points_at_one_place_take_no_longer);
    tcase_add_test(tests, what_cannot_be_done_is_refused);
    tcase_add_loop_test(tests, points_that_are_not_finite_are_refused_by_name, 0, 3);
    if (!on_gpu())
        tcase_add_test(tests, auto_takes_what_suits);
}

int main(void)
{
    return run_tests("neighbours", add);
}
