/* Tests of sampled products. Every shape, value type, offset width, layout and number of columns
 * has the bits that docs/numerics.md describes. This holds on every device and instruction set, for
 * any number of threads. The error is within its bound. New values take effect. Wrong arguments are
 * refused. */
#include "placed_block.h"
#include "sddmm_trial.h"

#include <math.h>

static const int64_t column_counts[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  12,
                                        15, 16, 17, 24, 31, 32, 33, 64, 100};

/* Checks the product in a context of each instruction set, with a random number of threads. */
static void check_everywhere(const fur_csr_view *arrays, const sddmm_trial *t, const char *what,
                             rng *r, int *way)
{
    for (int i = 0; isa_name(i); i++) {
        fur_context *context = context_make(isa_name(i), 1 + (int)rng_below(r, 8));
        fur_csr *a = matrix_lent(context, arrays);
        for (int n = 0; n < (test_small() ? 1 : 3); n++)
            sddmm_check(a, t, (*way)++ % SDDMM_WAYS, what);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
}

static void check_shape(const shape *s, fur_value_type value, rng *r, int *way)
{
    fur_context *host = context_cpu(NULL, 1);
    pattern p = pattern_make(s, r);
    void *values = entries_random(r, value, p.entries);
    fur_csr_view arrays =
        arrays_make(&p, value, (fur_offset_type)rng_below(r, FUR_OFFSET_COUNT), values);
    fur_csr *a = NULL;
    ck_ok(host, fur_csr_create(host, &arrays, FUR_OWNERSHIP_BORROW, &a));
    int64_t cols = column_counts[rng_below(r, COUNT_OF(column_counts))];
    if (p.entries > (on_gpu() ? 20000 : 5000) && cols > (on_gpu() ? 33 : 17))
        cols = 9;
    sddmm_trial t = sddmm_random(a, cols, r);
    check_everywhere(&arrays, &t, s->name, r, way);
    sddmm_release(&t);
    fur_csr_destroy(a);
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    fur_context_destroy(host);
}

/* Loops over value types, as the next test does. */
START_TEST(entries_have_the_bits_of_the_documented_order)
{
    rng r = rng_stream((uint64_t)_i);
    int way = _i;
    for (int s = 0; s < shape_count; s++)
        check_shape(&shapes[s], (fur_value_type)_i, &r, &way);
}
END_TEST

START_TEST(any_number_of_columns_in_any_layout)
{
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(10 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    fur_csr *near = matrix_random(fur_context_host(context), &r, &shapes[shape_find("small grid")],
                                  value, FUR_I32);
    fur_csr *a = matrix_in(context, near);
    int way = 0;
    for (int64_t cols = 0; cols <= 100; cols += TEST_SHORT ? 7 : cols < 70 ? 1 : 30) {
        sddmm_trial t = sddmm_random(near, cols, &r);
        for (int n = 0; n < (on_gpu() && !test_small() ? 3 : 1); n++)
            sddmm_check(a, &t, way++ % SDDMM_WAYS, "grid");
        sddmm_release(&t);
    }
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(context);
}
END_TEST

/* Errors against long double are within the bound. An entry is a sum of k products, and each
 * product is rounded at most ceil(k / 8) + 3 times. */
START_TEST(errors_are_within_their_bound)
{
    enum { ROWS = 30, COLS = 77 };
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(20);
    int64_t offsets[ROWS + 1];
    int32_t columns[ROWS * ROWS];
    double values[ROWS * ROWS] = {0};
    for (int i = 0; i <= ROWS; i++)
        offsets[i] = (int64_t)i * ROWS;
    for (int e = 0; e < ROWS * ROWS; e++)
        columns[e] = e % ROWS;
    fur_csr_view view = {sizeof view, ROWS,    ROWS,    ROWS * ROWS, FUR_F64,
                         FUR_I64,     offsets, columns, values};
    fur_csr *a = matrix_lent(context, &view);
    fur_csr *c = NULL;
    double *entries = entries_random(&r, FUR_F64, (int64_t)ROWS * COLS);
    placed_block x = block_place(context, FUR_F64, ROWS, COLS, FUR_LAYOUT_ROWS, false, entries);
    ck_ok(context, fur_sddmm_multiply(fur_real(1), x.block, x.block, fur_real(0), a, &c));
    fur_csr *near = matrix_near(c);
    const double *found = fur_csr_get(near)->values;
    const int rounds = COLS / 8 + 1 + 3;
    const double bound = rounds * 0x1p-53 * (1 + 0x1p-40);
    for (int e = 0; e < ROWS * ROWS; e++) {
        long double sum = 0;
        long double size = 0;
        for (int k = 0; k < COLS; k++) {
            long double product = (long double)entries[e / ROWS * COLS + k] *
                                  (long double)entries[e % ROWS * COLS + k];
            sum += product;
            size += fabsl(product);
        }
        ck_assert(fabsl((long double)found[e] - sum) <= (long double)bound * size);
    }
    block_remove(&x);
    free(entries);
    fur_csr_destroy(near);
    fur_csr_destroy(c);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Rows of every length are sampled. There are entries for several threads and many GPU blocks, long
 * ranges of empty rows, and rows longer than a block. Loops over single and double precision. */
START_TEST(rows_of_every_length)
{
    rng r = rng_stream(25 + (uint64_t)_i);
    fur_context *host = context_cpu(NULL, 1);
    const int32_t rows = TEST_SHORT ? 3000 : on_gpu() ? 300000 : 30000;
    const int32_t cols = 4000;
    int64_t *offsets = malloc(((size_t)rows + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)8 * (size_t)(rows + cols) * sizeof *columns);
    offsets[0] = 0;
    for (int32_t i = 0; i < rows; i++) {
        bool empty = i / 1000 % 3 == 1; /* a thousand consecutive rows */
        int32_t length = i % (rows / 7) == 5 ? cols : empty ? 0 : (int32_t)rng_below(&r, 8);
        offsets[i + 1] = offsets[i] + length;
        for (int32_t k = 0; k < length; k++)
            columns[offsets[i] + k] = length == cols ? k : k * 500 + (int32_t)rng_below(&r, 500);
    }
    fur_csr_view view = {sizeof view, rows,    cols,    offsets[rows], _i ? FUR_F64 : FUR_F32,
                         FUR_I64,     offsets, columns, NULL};
    view.values = entries_random(&r, view.value_type, view.entries);
    fur_csr *a = NULL;
    ck_ok(host, fur_csr_create(host, &view, FUR_OWNERSHIP_BORROW, &a));
    sddmm_trial t = sddmm_random(a, _i ? 9 : 21, &r);
    int way = 0;
    check_everywhere(&view, &t, "rows of every length", &r, &way);
    sddmm_release(&t);
    fur_csr_destroy(a);
    free((void *)(uintptr_t)view.values);
    free(columns);
    free(offsets);
    fur_context_destroy(host);
}
END_TEST

START_TEST(nan_in_old_values_is_not_read_without_beta)
{
    fur_context *context = context_make(NULL, 1);
    const int32_t offsets[] = {0, 1};
    const int32_t columns[] = {0};
    const double values[] = {NAN};
    const double ones[] = {1, 1, 1};
    fur_csr_view view = {sizeof view, 1, 1, 1, FUR_F64, FUR_I32, offsets, columns, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    placed_block x = block_place(context, FUR_F64, 1, 3, FUR_LAYOUT_ROWS, false, ones);
    ck_ok(context, fur_sddmm_apply(fur_real(2), x.block, x.block, fur_real(0), a));
    fur_csr *near = matrix_near(a);
    ck_assert(((const double *)fur_csr_get(near)->values)[0] == 6);
    block_remove(&x);
    fur_csr_destroy(near);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A plan made from the matrix uses the new values. Borrowed values are unchanged. */
START_TEST(what_was_made_from_the_matrix_follows)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(30);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("band")], FUR_F64, FUR_I32);
    fur_csr_view v = *fur_csr_get(a);
    double *values = entries_random(&r, FUR_F64, v.entries);
    double *kept = entries_make(FUR_F64, v.entries);
    for (int64_t e = 0; e < v.entries; e++)
        kept[e] = values[e];
    ck_ok(context, fur_csr_set_values(a, values, LENT));
    fur_spmv *plan = NULL;
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    double *x_entries = entries_random(&r, FUR_F64, v.rows * 5);
    double *y_entries = entries_random(&r, FUR_F64, v.cols * 5);
    placed_block x = block_place(context, FUR_F64, v.rows, 5, FUR_LAYOUT_ROWS, false, x_entries);
    placed_block y = block_place(context, FUR_F64, v.cols, 5, FUR_LAYOUT_ROWS, false, y_entries);
    ck_ok(context, fur_sddmm_apply(fur_real(1), x.block, y.block, fur_real(1), a));
    fur_spmv *fresh = NULL;
    ck_ok(context, fur_spmv_plan(a, NULL, &fresh));
    fur_vector *u = vector_random(context, &r, FUR_F64, v.cols);
    fur_vector *p[2] = {vector_random(context, &r, FUR_F64, v.rows),
                        vector_random(context, &r, FUR_F64, v.rows)};
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), u, fur_real(0), p[0]));
    ck_ok(context, fur_spmv_apply(fresh, fur_real(1), u, fur_real(0), p[1]));
    ck_same_bits(p[0], p[1]);
    ck_assert(first_difference(FUR_F64, v.entries, values, kept) < 0);
    fur_vector_destroy(p[1]);
    fur_vector_destroy(p[0]);
    fur_vector_destroy(u);
    fur_spmv_destroy(fresh);
    fur_spmv_destroy(plan);
    block_remove(&y);
    block_remove(&x);
    free(y_entries);
    free(x_entries);
    fur_csr_destroy(a);
    free(kept);
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
    fur_csr *c = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    fur_vectors *x = block_make(context, FUR_F64, 4, 3);
    fur_vectors *y = block_make(context, FUR_F64, 6, 3);
    fur_vectors *wide = block_make(context, FUR_F64, 6, 4);
    fur_vectors *single = block_make(context, FUR_F32, 6, 3);
    fur_vectors *foreign = block_make(other, FUR_F64, 6, 3);
    const fur_scalar one = fur_real(1);
    ck_fails(context, FUR_INVALID, "X has 6 rows, but the 4 x 6 matrix needs 4",
             fur_sddmm_multiply(one, y, y, one, a, &c));
    ck_fails(context, FUR_INVALID, "Y has 4 rows, but the 4 x 6 matrix needs 6",
             fur_sddmm_apply(one, x, x, one, a));
    ck_fails(context, FUR_INVALID, "X has 3 columns, but Y has 4",
             fur_sddmm_apply(one, x, wide, one, a));
    ck_fails(context, FUR_INVALID,
             "Y has entries of type f32, but the matrix has type f64; convert one",
             fur_sddmm_apply(one, x, single, one, a));
    ck_fails(context, FUR_INVALID, "Y belongs to another context than the matrix",
             fur_sddmm_apply(one, x, foreign, one, a));
    ck_assert_ptr_null(c);
    ck_ok(context, fur_sddmm_multiply(one, x, y, one, a, &c)); /* the matrix has no entries */
    fur_vectors *const made[] = {foreign, single, wide, y, x};
    for (int i = 0; i < COUNT_OF(made); i++)
        fur_vectors_destroy(made[i]);
    fur_csr_destroy(c);
    fur_csr_destroy(a);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

/* If any allocation fails, no memory is lost. Column-major blocks are copied, so there are
 * allocations. Loops over a product in place and as a new matrix. */
START_TEST(every_failing_allocation_is_survived)
{
    fur_status status = FUR_OUT_OF_MEMORY;
    for (int64_t fail_at = 1; status != FUR_OK; fail_at++) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, 1);
        rng r = rng_stream(45);
        fur_csr *a = matrix_random(context, &r, &shapes[shape_find("band")], FUR_F64, FUR_I32);
        fur_csr *c = NULL;
        fur_vectors *x = NULL;
        fur_vectors *y = NULL;
        const fur_csr_view *v = fur_csr_get(a);
        ck_ok(context, fur_vectors_create(context, FUR_F64, v->rows, 3, FUR_LAYOUT_COLUMNS, &x));
        ck_ok(context, fur_vectors_create(context, FUR_F64, v->cols, 3, FUR_LAYOUT_COLUMNS, &y));
        int64_t before = m.outstanding;
        m.fail_at = m.calls + fail_at;
        status = _i ? fur_sddmm_multiply(fur_real(1), x, y, fur_real(1), a, &c)
                    : fur_sddmm_apply(fur_real(1), x, y, fur_real(1), a);
        ck_assert(_i == 0 || (status == FUR_OK) == (c != NULL));
        fur_csr_destroy(c);
        ck_assert_int_eq(m.outstanding, before);
        fur_vectors_destroy(y);
        fur_vectors_destroy(x);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
}
END_TEST

START_TEST(rows_are_sampled_without_allocating)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    rng r = rng_stream(50);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("band")], FUR_C128, FUR_I64);
    fur_vectors *x = block_make(context, FUR_C128, fur_csr_get(a)->rows, 9);
    fur_vectors *y = block_make(context, FUR_C128, fur_csr_get(a)->cols, 9);
    int64_t calls = m.calls;
    ck_ok(context, fur_sddmm_apply(fur_real(1), x, y, fur_real(1), a));
    ck_assert_int_eq(m.calls, calls);
    fur_vectors_destroy(y);
    fur_vectors_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, entries_have_the_bits_of_the_documented_order, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, any_number_of_columns_in_any_layout, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, errors_are_within_their_bound);
    tcase_add_loop_test(tests, rows_of_every_length, 0, 2);
    tcase_add_test(tests, nan_in_old_values_is_not_read_without_beta);
    tcase_add_test(tests, what_was_made_from_the_matrix_follows);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    tcase_add_loop_test(tests, every_failing_allocation_is_survived, 0, 2);
    tcase_add_test(tests, rows_are_sampled_without_allocating);
}

int main(void)
{
    return run_tests("sddmm", add_tests);
}
