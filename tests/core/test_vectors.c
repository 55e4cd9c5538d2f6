/* Blocks of vectors: every layout, stride and value type in copies, views, sums and the caller's
 * arrays. Also tests refusals and failing allocations. */
#include "support.h"

#include <math.h>
#include <string.h>

/* A block with gaps in memory: `block` is rows 1 .. and columns 2 .. of the larger block
 * `memory`. */
typedef struct inner {
    fur_vectors *memory;
    fur_vectors *block;
} inner;

static inner inner_make(fur_context *context, fur_value_type value, int64_t rows, int64_t cols,
                        fur_layout layout)
{
    inner b = {NULL, NULL};
    fur_vectors *columns = NULL;
    ck_ok(context, fur_vectors_create(context, value, rows + 2, cols + 3, layout, &b.memory));
    ck_ok(context, fur_vectors_fill(b.memory, fur_complex(7, 8)));
    ck_ok(context, fur_vectors_columns(b.memory, 2, cols, &columns));
    ck_ok(context, fur_vectors_rows(columns, 1, rows, &b.block));
    fur_vectors_destroy(columns);
    return b;
}

static void inner_release(inner *b)
{
    fur_vectors_destroy(b->block);
    fur_vectors_destroy(b->memory);
}

/* Returns entry (i, j) for both layouts. */
static fur_scalar at(const fur_vectors *x, int64_t i, int64_t j)
{
    const fur_vectors_view *v = fur_vectors_get(x);
    int64_t place = v->layout == FUR_LAYOUT_ROWS ? i * v->stride + j : i + j * v->stride;
    return entry_get(v->value_type, v->data, place);
}

static bool is_same(fur_scalar a, fur_scalar b)
{
    return a.re == b.re && a.im == b.im;
}

/* Checks that the entries of `memory` around the inner block are unchanged. */
static void check_frame(const inner *b)
{
    const fur_vectors_view *v = fur_vectors_get(b->memory);
    fur_scalar around = entry_round(v->value_type, fur_complex(7, 8));
    int64_t changed = 0;
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t j = 0; j < v->cols; j++)
            if (i == 0 || i == v->rows - 1 || j < 2 || j == v->cols - 1)
                changed += !is_same(at(b->memory, i, j), around);
    ck_assert_int_eq(changed, 0);
}

static void check_equal(const fur_vectors *x, const fur_vectors *y)
{
    const fur_vectors_view *v = fur_vectors_get(x);
    int64_t different = 0;
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t j = 0; j < v->cols; j++)
            different += !is_same(at(x, i, j), at(y, i, j));
    ck_assert_int_eq(different, 0);
}

static const int64_t extents[][2] = {{0, 3}, {4, 0}, {1, 1},    {5, 3},
                                     {3, 1}, {1, 9}, {131, 70}, {2000, 33}};

/* Entries survive an upload, copies to another layout and back, and a download. Loops over value
 * types and layouts. */
START_TEST(entries_go_through_every_layout)
{
    fur_value_type value = (fur_value_type)(_i / 4);
    fur_layout from = (fur_layout)(_i & 1);
    fur_layout to = (fur_layout)(_i / 2 & 1);
    rng r = rng_stream((uint64_t)_i);
    for (int e = 0; e < COUNT_OF(extents); e++) {
        fur_context *context = context_make(NULL, 1 + (int)rng_below(&r, 4));
        int64_t rows = extents[e][0];
        int64_t cols = extents[e][1];
        void *entries = entries_random(&r, value, rows * cols);
        void *back = entries_make(value, rows * cols);
        inner x = inner_make(context, value, rows, cols, from);
        inner y = inner_make(context, value, rows, cols, to);
        inner z = inner_make(context, value, rows, cols, from);
        ck_ok(context, fur_vectors_upload(entries, x.block));
        ck_ok(context, fur_vectors_copy(x.block, y.block));
        check_equal(x.block, y.block);
        ck_ok(context, fur_vectors_copy(y.block, z.block));
        ck_ok(context, fur_vectors_download(z.block, back));
        ck_assert(first_difference(value, rows * cols, entries, back) < 0);
        check_frame(&x);
        check_frame(&y);
        check_frame(&z);
        inner_release(&z);
        inner_release(&y);
        inner_release(&x);
        free(back);
        free(entries);
        fur_context_destroy(context);
    }
}
END_TEST

/* Returns a copy of column j as a vector. */
static fur_vector *column_of(fur_vectors *x, int64_t j)
{
    const fur_vectors_view *v = fur_vectors_get(x);
    fur_context *context = fur_vectors_context(x);
    fur_vector *column = NULL;
    fur_vectors *narrow = NULL;
    fur_vectors *as_block = NULL;
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &column));
    ck_ok(context, fur_vectors_columns(x, j, 1, &narrow));
    ck_ok(context, fur_vectors_from_vector(column, &as_block));
    ck_ok(context, fur_vectors_copy(narrow, as_block));
    fur_vectors_destroy(as_block);
    fur_vectors_destroy(narrow);
    return column;
}

/* Y = alpha X + beta Y has the bits of axpby on each column. Loops over value types and layouts. */
START_TEST(sums_have_the_bits_of_axpby)
{
    fur_value_type value = (fur_value_type)(_i / 4);
    rng r = rng_stream(100 + (uint64_t)_i);
    const fur_scalar betas[] = {{0, 0}, {1, 0}, {0.3, -0.7}};
    for (int b = 0; b < COUNT_OF(betas); b++) {
        fur_context *context = context_make(NULL, 2);
        fur_scalar alpha = rng_scalar(&r, value);
        void *entries = entries_random(&r, value, 2 * 200 * 5);
        inner x = inner_make(context, value, 200, 5, (fur_layout)(_i & 1));
        inner y = inner_make(context, value, 200, 5, (fur_layout)(_i / 2 & 1));
        ck_ok(context, fur_vectors_upload(entries, x.block));
        ck_ok(context, fur_vectors_upload((char *)entries + 1000 * fur_value_size(value), y.block));
        fur_vector *expected[5];
        for (int64_t j = 0; j < 5; j++) {
            fur_vector *column = column_of(x.block, j);
            expected[j] = column_of(y.block, j);
            ck_ok(context, fur_axpby(alpha, column, betas[b], expected[j]));
            fur_vector_destroy(column);
        }
        ck_ok(context, fur_vectors_axpby(alpha, x.block, betas[b], y.block));
        for (int64_t j = 0; j < 5; j++) {
            fur_vector *column = column_of(y.block, j);
            ck_assert(first_difference(value, 200, fur_vector_const_data(column),
                                       fur_vector_const_data(expected[j])) < 0);
            fur_vector_destroy(column);
            fur_vector_destroy(expected[j]);
        }
        check_frame(&y);
        inner_release(&y);
        inner_release(&x);
        free(entries);
        fur_context_destroy(context);
    }
}
END_TEST

START_TEST(blocks_go_between_contexts)
{
    fur_context *here = context_make(NULL, 1);
    fur_context *there = context_make(NULL, 2);
    rng r = rng_stream(200);
    for (int way = 0; way < 4; way++) {
        void *entries = entries_random(&r, FUR_C64, 60);
        inner x = inner_make(here, FUR_C64, 12, 5, (fur_layout)(way & 1));
        inner y = inner_make(there, FUR_C64, 12, 5, (fur_layout)(way / 2));
        ck_ok(here, fur_vectors_upload(entries, x.block));
        ck_ok(here, fur_vectors_copy(x.block, y.block));
        check_equal(x.block, y.block);
        check_frame(&y);
        ck_fails(here, FUR_INVALID, "the blocks belong to different contexts",
                 fur_vectors_axpby(fur_real(1), x.block, fur_real(1), y.block));
        inner_release(&y);
        inner_release(&x);
        free(entries);
    }
    fur_context_destroy(there);
    fur_context_destroy(here);
}
END_TEST

START_TEST(arrays_are_copied_borrowed_or_adopted)
{
    fur_context *context = context_make(NULL, 1);
    double array[] = {1, 2, 3, 99, 4, 5, 6, 99};
    fur_vectors_view view = {.size = sizeof view,
                             .rows = 2,
                             .cols = 3,
                             .value_type = FUR_F64,
                             .stride = 4,
                             .data = array};
    fur_vectors *copied = NULL;
    fur_vectors *borrowed = NULL;
    fur_vectors *adopted = NULL;
    ck_ok(context, fur_vectors_wrap(context, &view, FUR_OWNERSHIP_COPY, &copied));
    ck_ok(context, fur_vectors_wrap(context, &view, FUR_OWNERSHIP_BORROW, &borrowed));
    check_equal(copied, borrowed);
    ck_assert_int_eq(fur_vectors_get(copied)->stride, 3);
    ck_assert_ptr_eq(fur_vectors_get(borrowed)->data, array);
    ck_ok(context, fur_vectors_fill(borrowed, fur_real(5)));
    ck_assert(array[0] == 5 && array[3] == 99 && array[6] == 5 && array[7] == 99);
    ck_assert(at(copied, 1, 2).re == 6);
    ck_ok(context, fur_context_allocate(context, sizeof array, &view.data));
    memcpy(view.data, array, sizeof array);
    ck_ok(context, fur_vectors_wrap(context, &view, FUR_OWNERSHIP_ADOPT, &adopted));
    check_equal(adopted, borrowed);
    fur_vectors_destroy(adopted);
    fur_vectors_destroy(borrowed);
    fur_vectors_destroy(copied);
    fur_context_destroy(context);
}
END_TEST

START_TEST(views_show_the_block)
{
    fur_context *context = context_make(NULL, 1);
    fur_vectors *x = NULL;
    fur_vector *column = NULL;
    ck_ok(context, fur_vectors_create(context, FUR_F32, 6, 4, FUR_LAYOUT_COLUMNS, &x));
    ck_ok(context, fur_vectors_column(x, 2, &column));
    ck_assert_int_eq(fur_vector_size(column), 6);
    ck_ok(context, fur_vector_fill(column, fur_real(3)));
    ck_assert(at(x, 5, 2).re == 3 && at(x, 5, 1).re == 0);
    fur_vector_destroy(column);
    fur_vectors_destroy(x);
    ck_ok(context, fur_vectors_create(context, FUR_F32, 6, 1, FUR_LAYOUT_ROWS, &x));
    ck_ok(context, fur_vectors_column(x, 0, &column));
    ck_assert_ptr_eq(fur_vector_data(column), fur_vectors_get(x)->data);
    fur_vector_destroy(column);
    fur_vectors_destroy(x);
    fur_context_destroy(context);
}
END_TEST

static void check_refused_array(fur_context *context, fur_vectors_view view, fur_status status,
                                const char *sentence)
{
    fur_vectors *x = NULL;
    view.size = sizeof view;
    ck_fails(context, status, sentence, fur_vectors_wrap(context, &view, FUR_OWNERSHIP_BORROW, &x));
    ck_assert_ptr_null(x);
}

START_TEST(wrong_shapes_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    double entry = 1;
    fur_vectors_view v = {.rows = 2, .cols = 3, .value_type = FUR_F64, .data = &entry};
    fur_vectors_view w = v;
    w.value_type = (fur_value_type)9;
    check_refused_array(context, w, FUR_INVALID, "9 is not a value type");
    w = v;
    w.layout = (fur_layout)2;
    check_refused_array(context, w, FUR_INVALID,
                        "2 is not a layout; use FUR_LAYOUT_ROWS or FUR_LAYOUT_COLUMNS");
    w = v;
    w.rows = -1;
    check_refused_array(context, w, FUR_INVALID, "a block of vectors cannot have -1 x 3 entries");
    w = v;
    w.stride = 2;
    check_refused_array(
        context, w, FUR_INVALID,
        "rows of 3 entries have a stride of 2; it must be 0 or at least their length");
    w = v;
    w.rows = INT64_MAX / 4;
    check_refused_array(context, w, FUR_OVERFLOW,
                        "2305843009213693951 x 3 elements of 8 bytes do not fit in memory");
    w = v;
    w.data = NULL;
    check_refused_array(context, w, FUR_INVALID,
                        "the array is NULL, but has to hold 2 x 3 entries");
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_vectors *x = NULL;
    fur_vectors *y = NULL;
    fur_vectors *complex = NULL;
    fur_vectors *left = NULL;
    fur_vectors *middle = NULL;
    fur_vectors *none = NULL;
    fur_vector *column = NULL;
    const fur_scalar one = fur_real(1);
    ck_ok(context, fur_vectors_create(context, FUR_F64, 5, 6, FUR_LAYOUT_ROWS, &x));
    ck_ok(context, fur_vectors_create(context, FUR_F64, 5, 7, FUR_LAYOUT_ROWS, &y));
    ck_ok(context, fur_vectors_create(context, FUR_C128, 5, 6, FUR_LAYOUT_ROWS, &complex));
    ck_ok(context, fur_vectors_columns(x, 0, 3, &left));
    ck_ok(context, fur_vectors_columns(x, 2, 3, &middle));
    ck_fails(context, FUR_INVALID,
             "the blocks have 5 x 6 and 5 x 7 entries; they need the same shape",
             fur_vectors_axpby(one, x, one, y));
    ck_fails(context, FUR_INVALID,
             "the blocks have entries of types f64 and c128; they need the same type: convert one",
             fur_vectors_copy(x, complex));
    ck_fails(context, FUR_INVALID, "X and Y overlap in memory; give each a separate array",
             fur_vectors_copy(left, middle));
    ck_fails(context, FUR_INVALID,
             "4 columns from columns 3 on are not within the block, which has 6",
             fur_vectors_columns(x, 3, 4, &none));
    ck_fails(context, FUR_INVALID, "1 rows from rows -1 on are not within the block, which has 5",
             fur_vectors_rows(x, -1, 1, &none));
    ck_fails(context, FUR_INVALID,
             "the entries of a column are 6 entries apart in row-major order, but a vector is "
             "contiguous; copy the column",
             fur_vectors_column(x, 0, &column));
    ck_assert(!none && !column);
    fur_vectors_destroy(middle);
    ck_ok(context, fur_vectors_columns(x, 3, 3, &middle));
    ck_ok(context, fur_vectors_fill(left, one));
    ck_ok(context, fur_vectors_copy(left, middle)); /* adjacent columns do not overlap */
    ck_ok(context, fur_vectors_copy(left, left));
    ck_assert(at(x, 4, 5).re == 1);
    fur_vectors *const made[] = {middle, left, complex, y, x};
    for (int i = 0; i < COUNT_OF(made); i++)
        fur_vectors_destroy(made[i]);
    fur_context_destroy(context);
}
END_TEST

/* Returns column j of alpha X C + beta Y. Starts from zeros and adds the columns of X one by
 * one. */
static fur_vector *expect_product(fur_vectors *x, const fur_scalar *c, int64_t m, int64_t j,
                                  fur_scalar alpha, fur_scalar beta, fur_vectors *y)
{
    const fur_vectors_view *v = fur_vectors_get(x);
    fur_context *context = fur_vectors_context(x);
    fur_vector *sum = NULL;
    fur_vector *column = NULL;
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &sum));
    for (int64_t l = 0; l < v->cols; l++) {
        column = column_of(x, l);
        const fur_vector *const list[] = {column};
        ck_ok(context, fur_axpy_many(1, &c[l * m + j], list, sum));
        fur_vector_destroy(column);
    }
    column = column_of(y, j);
    ck_ok(context, fur_axpby(alpha, sum, beta, column));
    fur_vector_destroy(sum);
    return column;
}

static void check_columns(fur_vectors *y, fur_vector *const *expected)
{
    const fur_vectors_view *v = fur_vectors_get(y);
    for (int64_t j = 0; j < v->cols; j++) {
        fur_vector *column = column_of(y, j);
        int64_t different = first_difference(v->value_type, v->rows, fur_vector_const_data(column),
                                             fur_vector_const_data(expected[j]));
        ck_assert_msg(different < 0, "column %lld, row %lld", (long long)j, (long long)different);
        fur_vector_destroy(column);
        fur_vector_destroy(expected[j]);
    }
}

/* alpha X C + beta Y has the bits of sums of columns. Loops over value types and the layouts of X
 * and Y. */
START_TEST(small_products_have_the_bits_of_sums)
{
    static const int64_t shapes_of_c[][2] = {{1, 1}, {5, 3}, {3, 5}, {17, 4}, {4, 4}};
    fur_value_type value = (fur_value_type)(_i / 4);
    rng r = rng_stream(300 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 3);
    for (int s = 0; s < COUNT_OF(shapes_of_c); s++) {
        int64_t k = shapes_of_c[s][0];
        int64_t m = shapes_of_c[s][1];
        fur_scalar c[68];
        fur_vector *expected[17];
        for (int64_t i = 0; i < k * m; i++)
            c[i] = rng_scalar(&r, value);
        void *entries = entries_random(&r, value, 77 * 34);
        inner x = inner_make(context, value, 77, k, (fur_layout)(_i & 1));
        inner y = inner_make(context, value, 77, m, (fur_layout)(_i / 2 & 1));
        fur_scalar alpha = rng_scalar(&r, value);
        fur_scalar beta = s % 2 ? rng_scalar(&r, value) : fur_real(0);
        ck_ok(context, fur_vectors_upload(entries, x.block));
        ck_ok(context, fur_vectors_upload(entries, y.block));
        for (int64_t j = 0; j < m; j++)
            expected[j] = expect_product(x.block, c, m, j, alpha, beta, y.block);
        ck_ok(context, fur_vectors_multiply(alpha, x.block, c, beta, y.block));
        check_columns(y.block, expected);
        for (int64_t j = 0; k == m && j < m; j++)
            expected[j] = expect_product(x.block, c, m, j, alpha, beta, x.block);
        if (k == m) { /* in place */
            ck_ok(context, fur_vectors_multiply(alpha, x.block, c, beta, x.block));
            check_columns(x.block, expected);
        }
        check_frame(&y);
        inner_release(&y);
        inner_release(&x);
        free(entries);
    }
    fur_context_destroy(context);
}
END_TEST

/* Returns entry (i, j) of X^H Y. */
static fur_scalar dot_of(fur_vectors *x, int64_t i, fur_vectors *y, int64_t j)
{
    fur_vector *left = column_of(x, i);
    fur_vector *right = column_of(y, j);
    fur_scalar dot = {0, 0};
    ck_ok(fur_vectors_context(x), fur_dot(left, right, &dot));
    fur_vector_destroy(right);
    fur_vector_destroy(left);
    return dot;
}

static void check_gram(fur_vectors *x, fur_vectors *y)
{
    fur_scalar gram[49];
    int64_t k = fur_vectors_get(x)->cols;
    int64_t m = fur_vectors_get(y)->cols;
    ck_ok(fur_vectors_context(x), fur_vectors_gram(x, y, gram));
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < m; j++)
            ck_assert(is_same(gram[i * m + j], dot_of(x, i, y, j)));
}

static void check_norms(fur_vectors *x)
{
    fur_context *context = fur_vectors_context(x);
    double norm[3][7];
    ck_ok(context, fur_vectors_norms(x, FUR_NORM_1, norm[0]));
    ck_ok(context, fur_vectors_norms(x, FUR_NORM_2, norm[1]));
    ck_ok(context, fur_vectors_norms(x, FUR_NORM_MAX, norm[2]));
    for (int64_t j = 0; j < fur_vectors_get(x)->cols; j++) {
        double expected[3];
        fur_vector *column = column_of(x, j);
        ck_ok(context, fur_norm1(column, &expected[0]));
        ck_ok(context, fur_norm2(column, &expected[1]));
        ck_ok(context, fur_norm_max(column, &expected[2]));
        for (int n = 0; n < 3; n++)
            ck_assert(norm[n][j] == expected[n]);
        fur_vector_destroy(column);
    }
}

START_TEST(gram_and_norms_have_the_bits_of_columns)
{
    fur_value_type value = (fur_value_type)(_i / 4);
    rng r = rng_stream(400 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    void *entries = entries_random(&r, value, 5000 * 7);
    inner x = inner_make(context, value, 5000, 7, (fur_layout)(_i & 1));
    inner y = inner_make(context, value, 5000, 3, (fur_layout)(_i / 2 & 1));
    ck_ok(context, fur_vectors_upload(entries, x.block));
    ck_ok(context, fur_vectors_upload(entries, y.block));
    check_gram(x.block, y.block);
    check_gram(x.block, x.block);
    check_norms(x.block);
    inner_release(&y);
    inner_release(&x);
    free(entries);
    fur_context_destroy(context);
}
END_TEST

START_TEST(small_products_that_do_not_fit_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_vectors *x = NULL;
    fur_vectors *y = NULL;
    fur_vectors *wide = NULL;
    fur_scalar c[4] = {{0}};
    ck_ok(context, fur_vectors_create(context, FUR_F64, 5, 2, FUR_LAYOUT_ROWS, &x));
    ck_ok(context, fur_vectors_create(context, FUR_F64, 6, 2, FUR_LAYOUT_ROWS, &y));
    ck_ok(context, fur_vectors_create(context, FUR_F64, 5, 257, FUR_LAYOUT_ROWS, &wide));
    ck_fails(context, FUR_INVALID, "the blocks have 5 and 6 rows; they need the same number",
             fur_vectors_multiply(c[0], x, c, c[0], y));
    ck_fails(context, FUR_INVALID, "the blocks have 5 and 6 rows; they need the same number",
             fur_vectors_gram(x, y, c));
    ck_fails(context, FUR_UNSUPPORTED,
             "the small matrix is 2 x 257; it can have at most 256 rows and columns",
             fur_vectors_multiply(c[0], x, c, c[0], wide));
    fur_vectors_destroy(wide);
    fur_vectors_destroy(y);
    fur_vectors_destroy(x);
    fur_context_destroy(context);
}
END_TEST

/* Makes and moves blocks. The caller lets one allocation fail. */
static fur_status make_all(fur_context *context)
{
    fur_status status = FUR_OK;
    double array[12] = {0};
    fur_vectors_view view = {
        .size = sizeof view, .rows = 3, .cols = 3, .value_type = FUR_F64, .stride = 4};
    fur_vectors *made[4] = {NULL};
    view.data = array;
    status = fur_vectors_create(context, FUR_F64, 4, 5, FUR_LAYOUT_ROWS, &made[0]);
    if (status == FUR_OK)
        status = fur_vectors_wrap(context, &view, FUR_OWNERSHIP_COPY, &made[1]);
    if (status == FUR_OK)
        status = fur_vectors_columns(made[0], 1, 3, &made[2]);
    if (status == FUR_OK)
        status = fur_vectors_rows(made[2], 0, 3, &made[3]);
    if (status == FUR_OK)
        status = fur_vectors_upload(array, made[3]);
    if (status == FUR_OK)
        status = fur_vectors_download(made[3], array);
    const fur_scalar c[9] = {{1, 0}};
    fur_scalar gram[9];
    double norm[3];
    if (status == FUR_OK)
        status = fur_vectors_multiply(c[0], made[3], c, c[1], made[3]);
    if (status == FUR_OK)
        status = fur_vectors_gram(made[3], made[1], gram);
    if (status == FUR_OK)
        status = fur_vectors_norms(made[3], FUR_NORM_2, norm);
    for (int i = 3; i >= 0; i--)
        fur_vectors_destroy(made[i]);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    fur_status status = FUR_OUT_OF_MEMORY;
    for (int64_t fail_at = 1; status != FUR_OK; fail_at++) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, 1);
        int64_t before = m.outstanding;
        m.fail_at = m.calls + fail_at;
        status = make_all(context);
        ck_assert(status == FUR_OK || status == FUR_OUT_OF_MEMORY);
        ck_assert_int_eq(m.outstanding, before);
        fur_context_destroy(context);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, entries_go_through_every_layout, 0, 4 * FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, sums_have_the_bits_of_axpby, 0, 4 * FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, small_products_have_the_bits_of_sums, 0, 4 * FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, gram_and_norms_have_the_bits_of_columns, 0, 4 * FUR_VALUE_COUNT);
    tcase_add_test(tests, small_products_that_do_not_fit_are_refused);
    tcase_add_test(tests, blocks_go_between_contexts);
    tcase_add_test(tests, arrays_are_copied_borrowed_or_adopted);
    tcase_add_test(tests, views_show_the_block);
    tcase_add_test(tests, wrong_shapes_are_refused);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    tcase_add_test(tests, every_allocation_may_fail);
}

int main(void)
{
    return run_tests("vectors", add_tests);
}
