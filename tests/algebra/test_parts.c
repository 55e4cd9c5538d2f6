/* Parts of matrices, and matrices made of parts: bands, submatrices by ranges and lists, blocks,
 * matrices without their small entries, diagonal matrices. Results are compared with lists of
 * entries, bit for bit. */
#include "triplets.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 8};

static void check_band(const fur_csr *a, int64_t lowest, int64_t highest)
{
    triplets all = triplets_of(a);
    triplets t = triplets_make(all.rows, all.cols, all.value);
    fur_csr *b = NULL;
    for (int64_t k = 0; k < all.count; k++) {
        int64_t diagonal = (int64_t)all.col[k] - all.row[k];
        if (lowest <= diagonal && diagonal <= highest)
            triplets_add(&t, all.row[k], all.col[k], triplets_at(&all, k));
    }
    ck_ok(fur_csr_context(a), fur_csr_band(a, lowest, highest, &b));
    triplets_expect(b, &t, "band");
    triplets_release(&all);
}

static void check_submatrix(const fur_csr *a, const int64_t rows[2], const int64_t cols[2])
{
    triplets all = triplets_of(a);
    triplets t = triplets_make(rows[1] - rows[0], cols[1] - cols[0], all.value);
    fur_csr *b = NULL;
    for (int64_t k = 0; k < all.count; k++)
        if (all.row[k] >= rows[0] && all.row[k] < rows[1] && all.col[k] >= cols[0] &&
            all.col[k] < cols[1])
            triplets_add(&t, all.row[k] - rows[0], all.col[k] - cols[0], triplets_at(&all, k));
    ck_ok(fur_csr_context(a), fur_csr_submatrix(a, rows[0], rows[1], cols[0], cols[1], &b));
    triplets_expect(b, &t, "submatrix");
    triplets_release(&all);
}

/* Draws 0 <= ends[0] <= ends[1] <= n. */
static void draw_range(rng *r, int64_t n, int64_t ends[2])
{
    int64_t p = rng_below(r, n + 1);
    int64_t q = rng_below(r, n + 1);
    ends[0] = p < q ? p : q;
    ends[1] = p < q ? q : p;
}

static void check_ranges(const fur_csr *a, rng *r)
{
    const fur_csr_view *v = fur_csr_get(a);
    const int64_t all_rows[] = {0, v->rows}, all_cols[] = {0, v->cols};
    int64_t rows[2], cols[2];
    draw_range(r, v->rows, rows);
    draw_range(r, v->cols, cols);
    check_submatrix(a, rows, cols);
    check_submatrix(a, rows, all_cols);
    check_submatrix(a, all_rows, cols);
    check_band(a, INT64_MIN, 0);
    check_band(a, INT64_MIN, -1);
    check_band(a, 0, INT64_MAX);
    check_band(a, 1, INT64_MAX);
    check_band(a, -2, 3);
    check_band(a, 2, -2);
    check_band(a, INT64_MIN, INT64_MAX);
}

/* Returns up to 100 numbers below `size`: rising, or in any order and possibly repeated. */
static int32_t *draw_list(rng *r, int64_t size, int64_t *count, bool rising)
{
    int32_t *list = calloc(101, sizeof *list);
    int64_t last = -1;
    *count = 0;
    while (*count < 100 && size > 0) {
        int64_t number = rising ? last + 1 + rng_below(r, size / 40 + 1) : rng_below(r, size);
        if (number >= size)
            break;
        list[(*count)++] = (int32_t)number;
        last = number;
    }
    return list;
}

static void check_selected(const fur_csr *a, int64_t row_count, const int32_t *rows,
                           int64_t col_count, const int32_t *cols)
{
    fur_csr *near = matrix_near(a);
    const fur_csr_view *v = fur_csr_get(near);
    row_count = rows ? row_count : v->rows;
    triplets t = triplets_make(row_count, cols ? col_count : v->cols, v->value_type);
    fur_csr *b = NULL;
    for (int64_t i = 0; i < row_count; i++) {
        int64_t row = rows ? rows[i] : i;
        for (int64_t k = offset_at(v, row); k < offset_at(v, row + 1); k++) {
            fur_scalar entry = entry_get(v->value_type, v->values, k);
            for (int64_t j = 0; cols && j < col_count; j++)
                if (cols[j] == v->columns[k])
                    triplets_add(&t, i, j, entry);
            if (!cols)
                triplets_add(&t, i, v->columns[k], entry);
        }
    }
    ck_ok(fur_csr_context(a), fur_csr_select(a, row_count, rows, col_count, cols, &b));
    triplets_expect(b, &t, "selection");
    fur_csr_destroy(near);
}

static void check_lists(const fur_csr *a, rng *r)
{
    const fur_csr_view *v = fur_csr_get(a);
    for (int rising = 0; rising < 2; rising++) {
        int64_t row_count, col_count;
        int32_t *rows = draw_list(r, v->rows, &row_count, rising);
        int32_t *cols = draw_list(r, v->cols, &col_count, rising);
        check_selected(a, row_count, rows, col_count, cols);
        check_selected(a, row_count, rows, 0, NULL);
        if (v->entries < 50000)
            check_selected(a, 0, NULL, col_count, cols);
        free(cols);
        free(rows);
    }
    check_selected(a, 0, NULL, 0, NULL);
}

/* Checks that small entries are dropped. Some callers pass the modulus of an entry as the
 * tolerance. */
static void check_dropped(const fur_csr *a, double tolerance)
{
    triplets all = triplets_of(a);
    triplets t = triplets_make(all.rows, all.cols, all.value);
    fur_csr *b = NULL;
    for (int64_t k = 0; k < all.count; k++) {
        fur_scalar entry = triplets_at(&all, k);
        if (!(sqrt(fma(fabs(entry.re), fabs(entry.re), entry.im * entry.im)) <= tolerance))
            triplets_add(&t, all.row[k], all.col[k], entry);
    }
    ck_ok(fur_csr_context(a), fur_csr_drop(a, tolerance, &b));
    triplets_expect(b, &t, "drop");
    triplets_release(&all);
}

/* Every part of a matrix has the expected entries. Loops over the shapes. */
START_TEST(parts_have_their_entries)
{
    FOR_TURNS (type, TYPES, 5, _i) {
        if (test_small() && type % 3)
            continue;
        memory m = {0};
        rng r = rng_stream((uint64_t)(100 * _i + type));
        fur_context *context =
            context_counting(&m, NULL, thread_counts[(_i + type) % COUNT_OF(thread_counts)]);
        fur_csr *a = matrix_of(context, &r, &shapes[_i], type);
        check_ranges(a, &r);
        check_lists(a, &r);
        check_dropped(a, 0);
        check_dropped(a, 0.5);
        fur_csr *near = matrix_near(a);
        const fur_csr_view *v = fur_csr_get(near);
        if (v->entries > 0 && !value_is_complex(v->value_type))
            check_dropped(a, fabs(entry_get(v->value_type, v->values, 0).re));
        fur_csr_destroy(near);
        fur_csr_destroy(a);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
}
END_TEST

START_TEST(what_is_not_a_number_is_not_dropped)
{
    static const int32_t offsets[] = {0, 3}, columns[] = {0, 1, 2};
    const double entries[] = {NAN, 3, INFINITY};
    const fur_csr_view view = {sizeof view, 1, 3, 3, FUR_F64, FUR_I32, offsets, columns, entries};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_csr *b = NULL;
    ck_ok(context, fur_csr_create(context, &view, LENT, &a));
    ck_ok(context, fur_csr_drop(a, INFINITY, &b));
    fur_csr *near = matrix_near(b);
    ck_assert_int_eq(fur_csr_get(near)->entries, 1);
    ck_assert_int_eq(fur_csr_get(near)->columns[0], 0);
    fur_csr_destroy(near);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A column with duplicates is selected twice. The entries of the result are still sorted. */
START_TEST(duplicates_of_a_repeated_column_are_sorted)
{
    static const int32_t rows[] = {0, 0, 0}, columns[] = {1, 1, 2}, list[] = {1, 1, 2};
    static const int32_t expected[] = {0, 0, 1, 1, 2};
    const double entries[] = {1, 2, 3};
    const double sorted[] = {1, 2, 1, 2, 3};
    const fur_coo_view coo = {sizeof coo, 1, 3, 3, FUR_F64, rows, columns, entries};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    fur_csr *b = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    ck_ok(context, fur_csr_select(a, 0, NULL, 3, list, &b));
    fur_csr *near = matrix_near(b);
    ck_assert_int_eq(fur_csr_get(near)->entries, 5);
    ck_assert(memcmp(fur_csr_get(near)->columns, expected, sizeof expected) == 0);
    ck_assert(memcmp(fur_csr_get(near)->values, sorted, sizeof sorted) == 0);
    fur_csr_destroy(near);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Checks a matrix made of a grid of rows x cols blocks of random sizes. Some blocks are missing. */
static void check_blocks(fur_context *context, rng *r, int type, int rows, int cols)
{
    const fur_csr *blocks[12] = {NULL};
    int64_t heights[4], widths[4], row_starts[5] = {0}, col_starts[5] = {0};
    fur_csr *whole = NULL;
    for (int i = 0; i < rows; i++)
        row_starts[i + 1] = row_starts[i] + (heights[i] = rng_below(r, 700));
    for (int j = 0; j < cols; j++)
        col_starts[j + 1] = col_starts[j] + (widths[j] = rng_below(r, 50));
    triplets t = triplets_make(row_starts[rows], col_starts[cols],
                               (fur_value_type)(type / FUR_OFFSET_COUNT));
    for (int n = 0; n < rows * cols; n++) {
        int i = n / cols;
        int j = n % cols;
        if (i != j % rows && j != i % cols && rng_below(r, 2))
            continue;
        const shape s = {"block", heights[i], widths[j], shapes[shape_find("full")].fill, 0};
        blocks[n] = matrix_of(context, r, &s, type);
        triplets own = triplets_of(blocks[n]);
        for (int64_t k = 0; k < own.count; k++)
            triplets_add(&t, row_starts[i] + own.row[k], col_starts[j] + own.col[k],
                         triplets_at(&own, k));
        triplets_release(&own);
    }
    ck_ok(context, fur_csr_from_blocks(rows, cols, blocks, &whole));
    triplets_expect(whole, &t, "blocks");
    for (int n = 0; n < rows * cols; n++)
        fur_csr_destroy((fur_csr *)(uintptr_t)blocks[n]);
}

/* Every block is at its place in the result. Loops over types. */
START_TEST(blocks_stand_in_their_places)
{
    memory m = {0};
    rng r = rng_stream((uint64_t)(7000 + _i));
    fur_context *context = context_counting(&m, NULL, thread_counts[_i % COUNT_OF(thread_counts)]);
    check_blocks(context, &r, _i, 1, 1);
    check_blocks(context, &r, _i, 1, 3);
    check_blocks(context, &r, _i, 3, 1);
    check_blocks(context, &r, _i, 4, 3);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* A diagonal matrix made from a vector has this vector as its diagonal. Loops over value types. */
START_TEST(diagonal_matrices_have_their_vector)
{
    static const int64_t sizes[] = {0, 1, 1000, 100001};
    fur_value_type type = (fur_value_type)_i;
    memory m = {0};
    rng r = rng_stream((uint64_t)(8000 + _i));
    fur_context *context = context_counting(&m, NULL, thread_counts[_i]);
    for (int n = 0; n < COUNT_OF(sizes); n++) {
        fur_vector *d = vector_random(context, &r, type, sizes[n]);
        fur_vector *back = NULL;
        fur_csr *a = NULL;
        ck_ok(context, fur_csr_from_diagonal(d, &a));
        ck_ok(context, fur_csr_check(context, fur_csr_get(a)));
        ck_assert_int_eq(fur_csr_get(a)->entries, sizes[n]);
        ck_ok(context, fur_csr_diagonal(a, &back));
        ck_same_bits(d, back);
        fur_csr_destroy(a);
        fur_vector_destroy(back);
        fur_vector_destroy(d);
    }
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(parts_that_cannot_be_are_refused)
{
    static const int32_t list[] = {0, 3, 23, -1};
    rng r = rng_stream(9000);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = matrix_of(context, &r, &shapes[shape_find("full")], 3);
    fur_csr *b = matrix_of(context, &r, &shapes[shape_find("diagonal")], 3);
    const fur_csr *const uneven[] = {a, b}, *const alone[] = {a, NULL, NULL, NULL};
    const fur_csr *const none[] = {NULL};
    fur_csr *c = NULL;
    ck_fails(context, FUR_INVALID,
             "rows 3 to 24 (end excluded) are outside the matrix, which has 23; they count from 0",
             fur_csr_submatrix(a, 3, 24, 0, 29, &c));
    ck_fails(
        context, FUR_INVALID,
        "columns 5 to 4 (end excluded) are outside the matrix, which has 29; they count from 0",
        fur_csr_submatrix(a, 3, 4, 5, 4, &c));
    ck_fails(context, FUR_INVALID, "rows[2] is 23, but the matrix has 23; numbers count from 0",
             fur_csr_select(a, 4, list, 0, NULL, &c));
    ck_fails(context, FUR_INVALID, "cols[3] is -1, but the matrix has 29; numbers count from 0",
             fur_csr_select(a, 0, NULL, 4, list, &c));
    ck_fails(context, FUR_INVALID, "there cannot be -2 cols",
             fur_csr_select(a, 0, NULL, -2, list, &c));
    ck_fails(context, FUR_INVALID, "the tolerance is -1; it must be 0 or more",
             fur_csr_drop(a, -1, &c));
    ck_fails(
        context, FUR_INVALID,
        "block row 1, counting from 1, has blocks of 23 and of 37 rows; they need the same number",
        fur_csr_from_blocks(1, 2, uneven, &c));
    ck_fails(context, FUR_INVALID,
             "block column 1, counting from 1, has blocks of 29 and of 37 columns; they need the "
             "same number",
             fur_csr_from_blocks(2, 1, uneven, &c));
    ck_fails(context, FUR_INVALID,
             "block row 2, counting from 1, has only NULL, so its size is unknown; put a matrix "
             "without entries there",
             fur_csr_from_blocks(2, 2, alone, &c));
    ck_fails(NULL, FUR_INVALID, "all blocks of the grid are NULL; at least one must be a matrix",
             fur_csr_from_blocks(1, 1, none, &c));
    ck_fails(NULL, FUR_INVALID, "a grid cannot have 0 x 1 blocks; it needs from 1 to 2^31-1 blocks",
             fur_csr_from_blocks(0, 1, none, &c));
    ck_assert_ptr_null(c);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, parts_have_their_entries, 0, shape_count);
    tcase_add_test(tests, what_is_not_a_number_is_not_dropped);
    tcase_add_test(tests, duplicates_of_a_repeated_column_are_sorted);
    tcase_add_loop_test(tests, blocks_stand_in_their_places, 0, TYPES);
    tcase_add_loop_test(tests, diagonal_matrices_have_their_vector, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, parts_that_cannot_be_are_refused);
}

int main(void)
{
    return run_tests("parts", add_tests);
}
