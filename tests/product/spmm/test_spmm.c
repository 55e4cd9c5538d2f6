/* Tests of products with blocks of vectors on the CPU and on a GPU. Every kernel gives the bits of
 * single products on the CPU, for every shape, operation, value type, offset width, layout and
 * number of columns. Also: sums, new values, refusals. */
#include "placed_block.h"
#include "spmm_trial.h"

#include <string.h>

static const int64_t column_counts[] = {1,  2,  3,  4,  5,  7,  8,  9,   12,  15,  16,
                                        17, 24, 31, 32, 33, 64, 66, 100, 128, 129, 256};

static int64_t draw_columns(rng *r, int64_t entries)
{
    int64_t cols = column_counts[rng_below(r, COUNT_OF(column_counts))];
    if (on_gpu())
        return entries > 20000 && cols > 33 ? 9 : cols;
    return cols > (entries > 5000 ? 17 : 100) ? 9 : cols;
}

/* Checks every exact kernel, with some of the layouts. */
static void check_kernels(const fur_csr *a, const spmm_trial *t, const char *what, int *way)
{
    fur_context *context = fur_csr_context(a);
    for (int kernel = 0; fur_spmm_kernel_at(context, kernel); kernel++) {
        fur_spmm_options options = {.size = sizeof options, .op = t->op};
        options.kernel = fur_spmm_kernel_at(context, kernel)->name;
        bool exact = fur_spmm_kernel_at(context, kernel)->exact;
        ck_assert(exact || on_gpu());
        if (!exact)
            continue;
        fur_spmm *plan = NULL;
        ck_ok(context, fur_spmm_plan(a, &options, &plan));
        for (int i = 0; i < (test_small() ? 1 : on_gpu() ? 3 : 2); i++)
            spmm_check(context, plan, t, (*way)++ % SPMM_WAYS, what);
        fur_spmm_destroy(plan);
    }
}

/* Checks the kernels in a context of each instruction set, with a random number of threads. */
static void check_everywhere(const fur_csr_view *arrays, const spmm_trial *t, const char *what,
                             rng *r, int *way)
{
    for (int i = 0; isa_name(i); i++) {
        fur_context *context = context_make(isa_name(i), 1 + (int)rng_below(r, 8));
        fur_csr *a = matrix_lent(context, arrays);
        check_kernels(a, t, what, way);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
}

/* Checks products with some operations and numbers of columns. */
static void check_shape(const shape *s, fur_value_type value, rng *r, int *way)
{
    fur_context *host = context_cpu(NULL, 1);
    pattern p = pattern_make(s, r);
    void *values = entries_random(r, value, p.entries);
    fur_csr_view arrays =
        arrays_make(&p, value, (fur_offset_type)rng_below(r, FUR_OFFSET_COUNT), values);
    fur_csr *a = NULL;
    ck_ok(host, fur_csr_create(host, &arrays, FUR_OWNERSHIP_BORROW, &a));
    for (int i = 0; i < (on_gpu() && !test_small() ? 3 : 1); i++) {
        spmm_trial t = spmm_random(a, (fur_op)rng_below(r, 3), draw_columns(r, p.entries), r);
        check_everywhere(&arrays, &t, s->name, r, way);
        spmm_release(&t);
    }
    fur_csr_destroy(a);
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    fur_context_destroy(host);
}

/* Loops over value types. */
START_TEST(columns_have_the_bits_of_single_products)
{
    rng r = rng_stream((uint64_t)_i);
    int way = _i;
    for (int s = 0; s < shape_count; s++)
        check_shape(&shapes[s], (fur_value_type)_i, &r, &way);
}
END_TEST

/* A matrix with a small form for single products is multiplied column by column, before and after
 * new values. Loops over operations. */
START_TEST(columns_of_stencils_go_one_by_one)
{
    fur_stencil_definition d = {.size = sizeof d,
                                .value_type = FUR_F64,
                                .extent = {20, TEST_SLOW ? 15 : 30, TEST_SLOW ? 13 : 25}};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(60);
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    fur_spmm *plan = NULL;
    fur_spmm_options options = {
        .size = sizeof options, .op = (fur_op)_i, .layout = FUR_LAYOUT_COLUMNS};
    ck_assert(fur_stencil_named(7, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    ck_ok(context, fur_spmm_plan(a, &options, &plan));
    void *values = entries_random(&r, FUR_F64, fur_csr_get(a)->entries);
    for (int round = 0; round < 2; round++) {
        fur_csr *near = matrix_near(a);
        spmm_trial t = spmm_random(near, options.op, 4, &r);
        for (int way = 0; way < SPMM_WAYS; way++)
            spmm_check(context, plan, &t, way, "stencil");
        spmm_release(&t);
        fur_csr_destroy(near);
        ck_ok(context, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    }
    free(values);
    fur_spmm_destroy(plan);
    fur_csr_destroy(a);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
}
END_TEST

/* Makes a matrix with short, empty and long rows. */
static fur_csr *skewed(fur_context *context, rng *r, fur_value_type value)
{
    return matrix_random(context, r, &shapes[shape_find("skewed")], value, FUR_I32);
}

/* Checks random products of `cols` columns in every `step`-th layout. */
static void check_ways(fur_context *context, const fur_csr *near, const fur_spmm *plan,
                       int64_t cols, int step, rng *r)
{
    spmm_trial t = spmm_random(near, FUR_OP_N, cols, r);
    for (int way = (int)(cols % step); way < SPMM_WAYS; way += step)
        spmm_check(context, plan, &t, way, "small grid");
    spmm_release(&t);
}

/* Any number of columns works: all numbers up to more than four registers of any kind, and the
 * numbers for which a GPU has kernels. */
START_TEST(any_number_of_columns_in_any_layout)
{
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(10 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *near = matrix_random(fur_context_host(context), &r, &shapes[shape_find("small grid")],
                                  value, FUR_I32);
    fur_csr *a = matrix_in(context, near);
    fur_spmm *plan = NULL;
    int step = on_gpu() && !test_small() ? 1 : 3;
    ck_ok(context, fur_spmm_plan(a, NULL, &plan));
    for (int64_t cols = 0; cols <= 70; cols += TEST_SHORT ? 7 : cols < 36 ? 1 : 4)
        check_ways(context, near, plan, cols, step, &r);
    for (int c = 0; on_gpu() && c < COUNT_OF(column_counts); c += test_small() ? 5 : 1)
        check_ways(context, near, plan, column_counts[c], 1, &r);
    fur_spmm_destroy(plan);
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(context);
}
END_TEST

/* Rows of thousands of entries next to short rows are multiplied, with more columns than a GPU
 * block has threads. */
START_TEST(long_rows_and_many_columns)
{
    static const char *const names[] = {"long rows", "dense row", "1 x N", "skewed"};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(20 + (uint64_t)_i);
    fur_csr *near = matrix_random(fur_context_host(context), &r, &shapes[shape_find(names[_i])],
                                  FUR_F64, (fur_offset_type)(_i % 2));
    fur_csr *a = matrix_in(context, near);
    int64_t most = TEST_SHORT ? 6 : on_gpu() ? 700 : 70;
    int way = _i;
    for (int64_t cols = 5; cols < most; cols = 11 * cols + 7) {
        spmm_trial t = spmm_random(near, _i % 2 ? FUR_OP_T : FUR_OP_N, cols, &r);
        check_kernels(a, &t, names[_i], &way);
        spmm_release(&t);
    }
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(context);
}
END_TEST

/* Computes Y = alpha X + beta Y for columns 2 to 71 of two arrays, in one of the pairs of layouts.
 * Returns all columns of the second array. */
static void *sum_of_blocks(fur_context *context, fur_value_type value, const char *entries,
                           fur_scalar beta, int layouts)
{
    fur_vectors *whole[2] = {NULL, NULL};
    fur_vectors *block[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        ck_ok(context, fur_vectors_create(context, value, 133, 73, (fur_layout)(layouts >> i & 1),
                                          &whole[i]));
        ck_ok(context, fur_vectors_columns(whole[i], 2, 70, &block[i]));
        ck_ok(context,
              fur_vectors_upload(entries + (size_t)i * 133 * 70 * fur_value_size(value), block[i]));
    }
    ck_ok(context, fur_vectors_axpby(fur_complex(0.7, 0.1), block[0], beta, block[1]));
    void *result = entries_make(value, 133 * 73);
    ck_ok(context, fur_vectors_download(whole[1], result));
    for (int i = 0; i < 2; i++) {
        fur_vectors_destroy(block[i]);
        fur_vectors_destroy(whole[i]);
    }
    return result;
}

/* Loops over value types. */
START_TEST(blocks_are_summed_alike_everywhere)
{
    static const fur_scalar betas[] = {{0, 0}, {1, 0}, {0.3, -0.7}};
    fur_value_type value = (fur_value_type)_i;
    fur_context *host = context_cpu("portable", 1);
    rng r = rng_stream(40 + (uint64_t)_i);
    for (int way = 0; way < 12; way++) {
        void *entries = entries_random(&r, value, 2 * 133 * 70);
        void *expected = sum_of_blocks(host, value, entries, betas[way / 4], way % 4);
        for (int isa = 0; isa_name(isa); isa++) {
            fur_context *context = context_make(isa_name(isa), 2);
            void *found = sum_of_blocks(context, value, entries, betas[way / 4], way % 4);
            ck_assert_msg(first_difference(value, 133 * 73, expected, found) < 0, "way %d", way);
            free(found);
            fur_context_destroy(context);
        }
        free(expected);
        free(entries);
    }
    fur_context_destroy(host);
}
END_TEST

START_TEST(streamed_results_are_written_whole)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(20);
    fur_csr_view view = {.size = sizeof view, .rows = TEST_SLOW ? 1000 : 270000, .cols = 5};
    view.entries = view.rows;
    int32_t *offsets = malloc((size_t)(view.rows + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)view.rows * sizeof *columns);
    for (int64_t i = 0; i <= view.rows; i++)
        offsets[i] = (int32_t)i;
    for (int64_t i = 0; i < view.rows; i++)
        columns[i] = (int32_t)rng_below(&r, 5);
    view.value_type = FUR_F64;
    view.offsets = offsets;
    view.columns = columns;
    view.values = entries_random(&r, FUR_F64, view.entries);
    fur_csr *a = NULL;
    fur_spmm *plan = NULL;
    fur_vectors *x = NULL;
    fur_vectors *y = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_BORROW, &a));
    ck_ok(context, fur_spmm_plan(a, NULL, &plan));
    ck_ok(context, fur_vectors_create(context, FUR_F64, 5, 16, FUR_LAYOUT_ROWS, &x));
    ck_ok(context, fur_vectors_create(context, FUR_F64, view.rows, 16, FUR_LAYOUT_ROWS, &y));
    double *entries = fur_vectors_get(x)->data;
    for (int i = 0; i < 80; i++)
        entries[i] = rng_unit(&r);
    ck_ok(context, fur_spmm_apply(plan, fur_real(2), x, fur_real(0), y));
    const double *result = fur_vectors_get(y)->data;
    int64_t wrong = 0;
    for (int64_t i = 0; i < 16 * view.rows; i++)
        wrong += result[i] != 2 * (((const double *)view.values)[i / 16] *
                                   entries[columns[i / 16] * 16 + i % 16]);
    ck_assert_int_eq(wrong, 0);
    fur_vectors_destroy(y);
    fur_vectors_destroy(x);
    fur_spmm_destroy(plan);
    fur_csr_destroy(a);
    free((void *)(uintptr_t)view.values);
    free(columns);
    free(offsets);
    fur_context_destroy(context);
}
END_TEST

START_TEST(new_values_reach_the_plan)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(30);
    fur_csr *a = skewed(context, &r, FUR_C64);
    void *values = entries_random(&r, FUR_C64, fur_csr_get(a)->entries);
    fur_spmm *plans[3];
    for (int op = 0; op < 3; op++) {
        fur_spmm_options options = {
            .size = sizeof options, .op = (fur_op)op, .layout = FUR_LAYOUT_COLUMNS};
        ck_ok(context, fur_spmm_plan(a, &options, &plans[op]));
        ck_assert_int_gt(fur_spmm_describe(plans[op])->matrix_bytes, 0);
    }
    ck_ok(context, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    fur_csr *near = matrix_near(a);
    for (int op = 0; op < 3; op++) {
        spmm_trial t = spmm_random(near, (fur_op)op, 5, &r);
        for (int way = 0; way < SPMM_WAYS; way++)
            spmm_check(context, plans[op], &t, way, "new values");
        spmm_release(&t);
    }
    fur_csr_destroy(near);
    fur_csr_destroy(a);
    fur_vectors *x = NULL;
    ck_ok(context, fur_vectors_create(context, FUR_C64, 1, 1, FUR_LAYOUT_ROWS, &x));
    ck_fails(
        context, FUR_INVALID,
        "the plan cannot be used any more, because an object that it was created from has been "
        "destroyed",
        fur_spmm_apply(plans[0], fur_real(1), x, fur_real(0), x));
    fur_vectors_destroy(x);
    for (int op = 0; op < 3; op++)
        fur_spmm_destroy(plans[op]);
    free(values);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    const int64_t offsets[5] = {0};
    fur_csr_view view = {sizeof view, 4, 6, 0, FUR_F64, FUR_I64, offsets, NULL, NULL};
    fur_csr *a = NULL;
    fur_spmm *plan = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    fur_spmm_options wrong = {.size = sizeof wrong, .op = (fur_op)7};
    ck_fails(context, FUR_INVALID, "7 is not an operation; use FUR_OP_N, _T or _H",
             fur_spmm_plan(a, &wrong, &plan));
    wrong.op = FUR_OP_N;
    wrong.layout = (fur_layout)5;
    ck_fails(context, FUR_INVALID, "5 is not a layout; use FUR_LAYOUT_ROWS or FUR_LAYOUT_COLUMNS",
             fur_spmm_plan(a, &wrong, &plan));
    wrong.layout = FUR_LAYOUT_ROWS;
    wrong.kernel = "fast";
    if (on_gpu())
        ck_assert_int_eq(fur_spmm_plan(a, &wrong, &plan), FUR_UNSUPPORTED);
    else
        ck_fails(context, FUR_UNSUPPORTED,
                 "there is no SpMM kernel \"fast\" on device cpu; it has auto, reference, rows",
                 fur_spmm_plan(a, &wrong, &plan));
    ck_ok(context, fur_spmm_plan(a, NULL, &plan));
    fur_vectors *x = block_make(context, FUR_F64, 6, 3);
    fur_vectors *y = block_make(context, FUR_F64, 4, 3);
    fur_vectors *wide = block_make(context, FUR_F64, 4, 4);
    fur_vectors *single = block_make(context, FUR_F32, 4, 3);
    fur_vectors *foreign = block_make(other, FUR_F64, 4, 3);
    fur_vectors *inside = NULL;
    const fur_scalar one = fur_real(1);
    ck_ok(context, fur_vectors_rows(x, 1, 4, &inside));
    ck_fails(context, FUR_INVALID, "X has 4 rows, but the 4 x 6 matrix needs 6",
             fur_spmm_apply(plan, one, y, one, x));
    ck_fails(context, FUR_INVALID, "Y has 6 rows, but the 4 x 6 matrix needs 4",
             fur_spmm_apply(plan, one, x, one, x));
    ck_fails(context, FUR_INVALID, "X has 3 columns, but Y has 4",
             fur_spmm_apply(plan, one, x, one, wide));
    ck_fails(context, FUR_INVALID,
             "Y has entries of type f32, but the matrix has type f64; convert one",
             fur_spmm_apply(plan, one, x, one, single));
    ck_fails(context, FUR_INVALID, "Y belongs to another context than the matrix",
             fur_spmm_apply(plan, one, x, one, foreign));
    ck_fails(context, FUR_INVALID, "X and Y overlap in memory; give each a separate array",
             fur_spmm_apply(plan, one, x, one, inside));
    fur_vectors *const made[] = {inside, foreign, single, wide, y, x};
    for (int i = 0; i < COUNT_OF(made); i++)
        fur_vectors_destroy(made[i]);
    fur_spmm_destroy(plan);
    fur_csr_destroy(a);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

/* Loops over operations. */
START_TEST(plans_survive_every_failing_allocation)
{
    fur_status status = FUR_OUT_OF_MEMORY;
    for (int64_t fail_at = 1; status != FUR_OK; fail_at++) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, 1);
        rng r = rng_stream(45);
        fur_csr *a = matrix_random(context, &r, &shapes[shape_find("band")], FUR_F64, FUR_I32);
        fur_spmm_options options = {
            .size = sizeof options, .op = (fur_op)_i, .layout = FUR_LAYOUT_COLUMNS};
        fur_spmm *plan = NULL;
        int64_t before = m.outstanding;
        m.fail_at = m.calls + fail_at;
        status = fur_spmm_plan(a, &options, &plan);
        ck_assert((status == FUR_OK) == (plan != NULL));
        fur_spmm_destroy(plan);
        ck_assert_int_eq(m.outstanding, before);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
}
END_TEST

START_TEST(products_do_not_allocate)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    rng r = rng_stream(50);
    fur_csr *a = skewed(context, &r, FUR_F64);
    const fur_csr_view *v = fur_csr_get(a);
    for (int way = 0; way < 4; way++) {
        fur_spmm *plan = NULL;
        fur_vectors *x = NULL;
        fur_vectors *y = NULL;
        ck_ok(context, fur_spmm_plan(a, NULL, &plan));
        ck_ok(context, fur_vectors_create(context, FUR_F64, v->cols, 5, (fur_layout)(way & 1), &x));
        ck_ok(context, fur_vectors_create(context, FUR_F64, v->rows, 5, (fur_layout)(way / 2), &y));
        int64_t calls = m.calls;
        ck_ok(context, fur_spmm_apply(plan, fur_real(1), x, fur_real(0), y));
        ck_assert_int_eq(m.calls, calls);
        fur_vectors_destroy(y);
        fur_vectors_destroy(x);
        fur_spmm_destroy(plan);
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_turns(tests, columns_have_the_bits_of_single_products, FUR_VALUE_COUNT, 2);
    tcase_add_loop_test(tests, any_number_of_columns_in_any_layout, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, columns_of_stencils_go_one_by_one, 0, 3);
    tcase_add_loop_test(tests, long_rows_and_many_columns, 0, 4);
    tcase_add_loop_test(tests, blocks_are_summed_alike_everywhere, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, new_values_reach_the_plan);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    if (!on_gpu())
        tcase_add_test(tests, streamed_results_are_written_whole);
    tcase_add_loop_test(tests, plans_survive_every_failing_allocation, 0, 3);
    tcase_add_test(tests, products_do_not_allocate);
}

int main(void)
{
    return run_tests("spmm", add_tests);
}
