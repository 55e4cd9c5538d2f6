/* Nearest neighbours on a GPU: both methods, on every kind of cloud, against all distances on the
 * host, to the bit; against the CPU where that would take too long; what is refused, in the CPU's
 * words; and failing memory. */
#include "clouds.h"
#include "cuda_support.h"

#include <math.h>

/* Around a warp, a group of boxes and one of the next level. */
static const int64_t sizes[] = {2, 3, 31, 32, 33, 255, 257, 1023, 1025, 1400};

typedef struct trial {
    const cloud_kind *kind;
    fur_value_type value;
    int64_t n;
    int d;
    int64_t k;
    fur_neighbours_options options;
    fur_layout layout;
} trial;

static fur_csr *find(fur_context *context, const trial *t, const void *points, const char *method,
                     fur_neighbours_report *report)
{
    fur_csr *g = NULL;
    fur_vectors *block = NULL;
    const fur_vectors_view array = {.size = sizeof array,
                                    .rows = t->n,
                                    .cols = t->d,
                                    .value_type = t->value,
                                    .data = (void *)(uintptr_t)points};
    fur_vectors *rows = NULL;
    fur_neighbours_options options = t->options;
    options.method = method;
    ck_ok(context, fur_vectors_wrap(context, &array, FUR_OWNERSHIP_COPY, &rows));
    ck_ok(context, fur_vectors_create(context, t->value, t->n, t->d, t->layout, &block));
    ck_ok(context, fur_vectors_copy(rows, block));
    ck_ok(context, fur_neighbours(block, t->k, &options, report, &g));
    fur_vectors_destroy(block);
    fur_vectors_destroy(rows);
    return g;
}

static void check_method(fur_context *context, const trial *t, const void *points,
                         const cloud_answer *answer, const char *method)
{
    char what[256];
    fur_neighbours_report report = FUR_DEFAULT(fur_neighbours_report);
    snprintf(what, sizeof what, "%s, %s, %s, n = %lld, d = %d, k = %lld%s%s", t->kind->name,
             fur_value_name(t->value), method, (long long)t->n, t->d, (long long)t->k,
             t->options.squared ? ", squared" : "", t->options.with_self ? ", with self" : "");
    fur_csr *g = find(context, t, points, method, &report);
    ck_assert_str_eq(report.method, method);
    cloud_check(what, answer, g);
    fur_csr_destroy(g);
}

static void run_trial(fur_context *context, const trial *t, rng *r)
{
    void *points = cloud_make(t->kind, r, t->value, t->n, t->d);
    cloud_answer answer =
        cloud_solve(t->value, t->n, t->d, points, t->k, t->options.squared, t->options.with_self);
    check_method(context, t, points, &answer, "brute");
    if (t->d <= FUR_NEIGHBOURS_GRID_DIMENSIONS)
        check_method(context, t, points, &answer, "grid");
    cloud_answer_release(&answer);
    free(points);
}

START_TEST(every_method_finds_the_nearest)
{
    rng r = rng_stream((uint64_t)(4500 + _i));
    counted c;
    counted_open(&c);
    for (int round = 0; round < (test_small() ? 3 : 24); round++) {
        trial t = {.kind = &cloud_kinds[_i],
                   .value = rng_below(&r, 2) ? FUR_F32 : FUR_F64,
                   .n = sizes[rng_below(&r, COUNT_OF(sizes))],
                   .d = 1 + (int)rng_below(&r, round % 3 ? 4 : 12),
                   .options = FUR_DEFAULT(fur_neighbours_options),
                   .layout = rng_below(&r, 2) ? FUR_LAYOUT_ROWS : FUR_LAYOUT_COLUMNS};
        t.options.squared = rng_below(&r, 2) != 0;
        t.options.with_self = rng_below(&r, 3) == 0;
        int64_t most = t.n - !t.options.with_self;
        t.k = 1 + rng_below(&r, most < 40 ? most : rng_below(&r, 4) ? 20 : 150 < most ? 150 : most);
        run_trial(c.context, &t, &r);
    }
    counted_close(&c);
}
END_TEST

/* More dimensions than a tile has room for points, and more than the device takes. */
START_TEST(many_dimensions)
{
    static const int dims[] = {5, 16, 33, 64, 65};
    rng r = rng_stream((uint64_t)(4550 + _i));
    counted c;
    counted_open(&c);
    for (int i = 0; i < COUNT_OF(dims); i++) {
        trial t = {.kind = &cloud_kinds[0],
                   .value = _i ? FUR_F64 : FUR_F32,
                   .n = 300,
                   .d = dims[i],
                   .k = 128,
                   .options = FUR_DEFAULT(fur_neighbours_options)};
        run_trial(c.context, &t, &r);
    }
    counted_close(&c);
}
END_TEST

/* The device's bits are the CPU's, with three and four levels of boxes. */
START_TEST(large_clouds_give_the_bits_of_the_cpu)
{
    rng r = rng_stream((uint64_t)(4600 + _i));
    fur_context *host = context_cpu(NULL, 0);
    counted c;
    counted_open(&c);
    trial t = {.kind = &cloud_kinds[_i],
               .value = _i % 2 ? FUR_F64 : FUR_F32,
               .n = test_small() ? 3000 : 150000,
               .d = 2 + _i % 2,
               .k = 16,
               .options = FUR_DEFAULT(fur_neighbours_options)};
    void *points = cloud_make(t.kind, &r, t.value, t.n, t.d);
    fur_csr *expected = find(host, &t, points, "grid", NULL);
    for (int brute = 0; brute < 2; brute++) {
        int equal = 0;
        fur_csr *moved = NULL;
        fur_csr *g = find(c.context, &t, points, brute ? "brute" : "grid", NULL);
        ck_ok(c.context, fur_csr_transfer(g, host, &moved));
        ck_ok(host, fur_csr_compare(expected, moved, &equal));
        ck_assert_msg(equal, "%s by %s", t.kind->name, brute ? "brute" : "grid");
        fur_csr_destroy(moved);
        fur_csr_destroy(g);
    }
    fur_csr_destroy(expected);
    free(points);
    counted_close(&c);
    fur_context_destroy(host);
}
END_TEST

START_TEST(refused_in_the_words_of_the_cpu)
{
    counted c;
    counted_open(&c);
    double points[70 * 2] = {0};
    fur_csr *g = NULL;
    fur_vectors *block = NULL;
    points[2 * 41 + 1] = NAN;
    points[2 * 39] = INFINITY;
    const fur_vectors_view array = {
        .size = sizeof array, .rows = 70, .cols = 2, .value_type = FUR_F64, .data = points};
    ck_ok(c.context, fur_vectors_wrap(c.context, &array, FUR_OWNERSHIP_COPY, &block));
    ck_fails(c.context, FUR_INVALID,
             "point 40, counting from 1, has a coordinate that is not finite",
             fur_neighbours(block, 2, NULL, NULL, &g));
    ck_fails(c.context, FUR_INVALID,
             "70 neighbours for each of 70 points: ask for 1 to 69, as a point is not its own "
             "neighbour",
             fur_neighbours(block, 70, NULL, NULL, &g));
    ck_assert_ptr_null(g);
    fur_vectors_destroy(block);
    counted_close(&c);
}
END_TEST

START_TEST(failing_memory_is_said_and_none_is_lost)
{
    counted c;
    counted_open(&c);
    fur_vectors *block = NULL;
    fur_csr *g = NULL;
    fur_neighbours_options options = {.size = sizeof options, .method = _i ? "grid" : "brute"};
    ck_ok(c.context, fur_vectors_create(c.context, FUR_F32, 500, 3, FUR_LAYOUT_ROWS, &block));
    for (int64_t n = 1; !g; n++) {
        int64_t outstanding = c.device.outstanding;
        c.device.fail_at = c.device.calls + n;
        fur_status status = fur_neighbours(block, 4, &options, NULL, &g);
        c.device.fail_at = 0;
        if (status != FUR_OK) {
            ck_assert_msg(status == FUR_OUT_OF_MEMORY, "%s", fur_context_error(c.context));
            ck_assert_int_eq(c.device.outstanding, outstanding);
            ck_assert_ptr_null(g);
        }
    }
    fur_csr_destroy(g);
    fur_vectors_destroy(block);
    counted_close(&c);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, every_method_finds_the_nearest, 0, cloud_kind_count);
    tcase_add_loop_test(tests, many_dimensions, 0, 2);
    tcase_add_loop_test(tests, large_clouds_give_the_bits_of_the_cpu, 0, cloud_kind_count);
    tcase_add_test(tests, refused_in_the_words_of_the_cpu);
    tcase_add_loop_test(tests, failing_memory_is_said_and_none_is_lost, 0, 2);
}

int main(void)
{
    return run_gpu_tests("cuda neighbours", add);
}
