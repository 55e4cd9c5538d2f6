/* Stencils on blocks of vectors. Every column has the bits of a single product. This holds for any
 * boundary, value type, layout, stride and number of columns, on every device and instruction set,
 * with any number of threads. Wrong arguments are refused. */
#include "stencil_block_trial.h"

static const int64_t column_counts[] = {0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 66, 100, 300};

static int64_t draw_columns(rng *r)
{
    return column_counts[rng_below(r, COUNT_OF(column_counts) - (on_gpu() ? 0 : 2))];
}

/* Checks a product in a context of each instruction set, with a random number of threads. */
static void check_everywhere(const stencil_trial *t, const char *kernel, int64_t cols, int *way,
                             rng *r)
{
    for (int i = 0; isa_name(i); i++) {
        fur_context *context = context_make(isa_name(i), 1 + (int)rng_below(r, 4));
        stencil_block_check(t, context, kernel, cols, (*way)++ % STENCIL_BLOCK_WAYS, r);
        fur_context_destroy(context);
    }
}

/* Columns have the bits of single products. Loops over value types, as the next two tests do. */
START_TEST(columns_have_the_bits_of_single_products)
{
    rng r = rng_stream((uint64_t)_i);
    int way = _i;
    for (int boundaries = 0; boundaries < BOUNDARIES; boundaries++)
        for (int n = 0; n < (TEST_SHORT ? 1 : 3); n++) {
            int points = 1 + (int)rng_below(&r, n == 2 ? 60 : 12);
            stencil_trial *t = stencil_block_draw((fur_value_type)_i, boundaries, points,
                                                  on_gpu() ? 2000 : 600, &r);
            check_everywhere(t, NULL, draw_columns(&r), &way, &r);
            trial_close(t);
        }
}
END_TEST

/* Rows of more than one segment have the bits of single products. */
START_TEST(long_rows_have_segments)
{
    rng r = rng_stream(10 + (uint64_t)_i);
    int way = _i;
    for (int points = 127; points < 700; points += TEST_SHORT ? 300 : on_gpu() ? 86 : 129) {
        stencil_trial *t = stencil_block_draw((fur_value_type)_i, points % 27, points, 300, &r);
        check_everywhere(t, NULL, 5 + points % 2, &way, &r);
        trial_close(t);
    }
}
END_TEST

/* Any number of columns gives these bits, up to more than four registers hold. */
START_TEST(any_number_of_columns)
{
    rng r = rng_stream(20 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    stencil_trial *t = stencil_block_draw((fur_value_type)_i, 13, 9, 200, &r);
    for (int64_t cols = 0; cols <= 70; cols += TEST_SHORT ? 7 : 1)
        stencil_block_check(t, context, NULL, cols, (int)(cols % STENCIL_BLOCK_WAYS), &r);
    trial_close(t);
    fur_context_destroy(context);
}
END_TEST

/* The bits do not depend on the stencil's kernel for single products, even if it has another
 * order. */
START_TEST(the_kernel_does_not_matter)
{
    static const int64_t extent[3] = {19, 11, 7};
    rng r = rng_stream(30);
    fur_context *context = context_make(NULL, 2);
    stencil_trial *t = trial_open(FUR_F64, 5);
    trial_take_named(t, &r, 27);
    trial_set_extents(t, extent);
    trial_draw_product(t, &r);
    for (int kernel = 0; fur_stencil_kernel_at(context, kernel); kernel++) {
        const char *name = fur_stencil_kernel_at(context, kernel)->name;
        made m = trial_try(t, context, name, NULL);
        ck_assert_msg(m.s || on_gpu(), "%s", name); /* kernels of a GPU may refuse this stencil */
        for (int way = 0; m.s && way < STENCIL_BLOCK_WAYS; way++)
            stencil_block_check(t, context, name, 6, way, &r);
        made_destroy(&m);
    }
    trial_close(t);
    fur_context_destroy(context);
}
END_TEST

/* Named stencils have these bits in every layout. Loops over value types. */
START_TEST(named_stencils_in_every_layout)
{
    static const int named[] = {3, 5, 9, 7, 13, 19, 27};
    static const int64_t extent[3] = {37, 21, 18};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(50 + (uint64_t)_i);
    for (int n = 0; n < COUNT_OF(named); n += TEST_SHORT ? 3 : 1) {
        stencil_trial *t = trial_open((fur_value_type)_i, n);
        trial_take_named(t, &r, named[n]);
        trial_set_extents(t, extent);
        trial_draw_product(t, &r);
        for (int way = 0; way < STENCIL_BLOCK_WAYS; way += TEST_SHORT ? 3 : 1)
            stencil_block_check(t, context, NULL, way % 3 == 2 ? 5 : 8, way, &r);
        trial_close(t);
    }
    fur_context_destroy(context);
}
END_TEST

/* Large grids have these bits: lines are split into blocks, and results exceed the cache. */
START_TEST(large_grids_are_cut)
{
    static const int64_t extent[3] = {TEST_SLOW ? 20 : 129, TEST_SLOW ? 20 : 67,
                                      TEST_SLOW ? 9 : 33};
    rng r = rng_stream(40);
    fur_context *context = context_make(NULL, 2);
    stencil_trial *t = trial_open(FUR_F64, 0);
    trial_take_named(t, &r, 7);
    trial_set_extents(t, extent);
    trial_draw_product(t, &r);
    t->beta = fur_real(0);
    stencil_block_check(t, context, NULL, 16, 0, &r);
    trial_close(t);
    fur_context_destroy(context);
}
END_TEST

static fur_vectors *block(fur_context *context, fur_value_type value, int64_t rows, int64_t cols,
                          fur_layout layout)
{
    fur_vectors *x = NULL;
    ck_ok(context, fur_vectors_create(context, value, rows, cols, layout, &x));
    return x;
}

static fur_stencil *line(fur_context *context)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {10}};
    fur_stencil *s = NULL;
    ck_assert(fur_stencil_named(3, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    return s;
}

START_TEST(what_does_not_fit_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    fur_stencil *s = line(context);
    fur_vectors *x = block(context, FUR_F64, 10, 3, FUR_LAYOUT_ROWS);
    fur_vectors *y = block(context, FUR_F64, 10, 4, FUR_LAYOUT_ROWS);
    fur_vectors *tall = block(context, FUR_F64, 11, 3, FUR_LAYOUT_ROWS);
    fur_vectors *single = block(context, FUR_F32, 10, 3, FUR_LAYOUT_ROWS);
    fur_vectors *foreign = block(other, FUR_F64, 10, 3, FUR_LAYOUT_ROWS);
    fur_vectors *inside = NULL;
    const fur_scalar one = fur_real(1);
    ck_ok(context, fur_vectors_columns(y, 1, 3, &inside));
    ck_fails(context, FUR_INVALID, "X has 11 rows of type f64, but the grid needs 10 of type f64",
             fur_stencil_apply_block(s, one, tall, one, x));
    ck_fails(context, FUR_INVALID, "Y has 10 rows of type f32, but the grid needs 10 of type f64",
             fur_stencil_apply_block(s, one, x, one, single));
    ck_fails(context, FUR_INVALID, "Y belongs to another context than the stencil",
             fur_stencil_apply_block(s, one, x, one, foreign));
    ck_fails(context, FUR_INVALID, "X has 3 columns, but Y has 4",
             fur_stencil_apply_block(s, one, x, one, y));
    ck_fails(context, FUR_INVALID, "X and Y overlap in memory; give each a separate array",
             fur_stencil_apply_block(s, one, inside, one, inside));
    fur_vectors *const blocks[] = {inside, foreign, single, tall, y, x};
    for (int i = 0; i < COUNT_OF(blocks); i++)
        fur_vectors_destroy(blocks[i]);
    fur_stencil_destroy(s);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

/* Every failing allocation is survived. If X and Y have different layouts, X is copied; otherwise
 * nothing is allocated. Loops over layouts of Y. */
START_TEST(every_failing_allocation_is_survived)
{
    const fur_scalar one = fur_real(1);
    fur_status status = FUR_OUT_OF_MEMORY;
    for (int64_t fail_at = 1; status != FUR_OK; fail_at++) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, 2);
        fur_stencil *s = line(context);
        fur_vectors *x = block(context, FUR_F64, 10, 3, FUR_LAYOUT_ROWS);
        fur_vectors *other = block(context, FUR_F64, 10, 3, FUR_LAYOUT_COLUMNS);
        fur_vectors *y = block(context, FUR_F64, 10, 3, (fur_layout)_i);
        int64_t calls = m.calls;
        int64_t before = m.outstanding;
        ck_ok(context, fur_stencil_apply_block(s, one, _i ? other : x, one, y));
        ck_assert_int_eq(m.calls, calls);
        m.fail_at = m.calls + fail_at;
        status = fur_stencil_apply_block(s, one, _i ? x : other, one, y);
        ck_assert_int_eq(m.outstanding, before);
        fur_vectors_destroy(y);
        fur_vectors_destroy(other);
        fur_vectors_destroy(x);
        fur_stencil_destroy(s);
        fur_context_destroy(context);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, columns_have_the_bits_of_single_products, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, long_rows_have_segments, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, any_number_of_columns, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, named_stencils_in_every_layout, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, the_kernel_does_not_matter);
    tcase_add_test(tests, large_grids_are_cut);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    tcase_add_loop_test(tests, every_failing_allocation_is_survived, 0, 2);
}

int main(void)
{
    return run_tests("stencil_block", add_tests);
}
