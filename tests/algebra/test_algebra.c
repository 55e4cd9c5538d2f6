/* Sums, shifts, element-wise and Kronecker products. Results are compared bit for bit with lists of
 * entries made by their definitions, for every shape, value type and offset width and for several
 * numbers of threads. */
#include "triplets.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 8};

/* Sets where[j] to 1 + the position of entry (row, j) of B, or back to 0. */
static void mark_row(const fur_csr_view *b, int64_t row, int64_t *where, bool set)
{
    for (int64_t k = offset_at(b, row); k < offset_at(b, row + 1); k++)
        where[b->columns[k]] = set ? k + 1 : 0;
}

static fur_scalar weighted(fur_value_type value, fur_scalar weight, fur_scalar entry)
{
    return weight.re == 1 && weight.im == 0 ? entry : times(value, weight, entry);
}

static fur_scalar sum_of(fur_value_type value, fur_scalar alpha, fur_scalar a, fur_scalar beta,
                         fur_scalar b)
{
    fur_scalar right = weighted(value, beta, b);
    if (alpha.re == 1 && alpha.im == 0)
        return entry_round(value, fur_complex(a.re + right.re, a.im + right.im));
    return times_plus(value, alpha, a, right);
}

/* Returns alpha A + beta B. With `common`, returns the products of entries at positions that both
 * matrices store. */
static triplets merged(const fur_csr *x, fur_scalar alpha, const fur_csr *y, fur_scalar beta,
                       bool common)
{
    fur_csr *near_x = matrix_near(x);
    fur_csr *near_y = matrix_near(y);
    const fur_csr_view *a = fur_csr_get(near_x);
    const fur_csr_view *b = fur_csr_get(near_y);
    fur_value_type value = a->value_type;
    triplets t = triplets_make(a->rows, a->cols, value);
    int64_t *where = calloc((size_t)a->cols + 1, sizeof *where);
    for (int64_t i = 0; i < a->rows; i++) {
        mark_row(b, i, where, true);
        for (int64_t k = offset_at(a, i); k < offset_at(a, i + 1); k++) {
            fur_scalar p = entry_get(value, a->values, k);
            int64_t at = where[a->columns[k]];
            fur_scalar q = at > 0 ? entry_get(value, b->values, at - 1) : fur_real(0);
            where[a->columns[k]] = 0;
            if (common && at > 0)
                triplets_add(&t, i, a->columns[k], times(value, p, q));
            else if (!common)
                triplets_add(&t, i, a->columns[k],
                             at > 0 ? sum_of(value, alpha, p, beta, q) : weighted(value, alpha, p));
        }
        for (int64_t k = offset_at(b, i); k < offset_at(b, i + 1); k++)
            if (!common && where[b->columns[k]] > 0)
                triplets_add(&t, i, b->columns[k],
                             weighted(value, beta, entry_get(value, b->values, k)));
        mark_row(b, i, where, false);
    }
    free(where);
    fur_csr_destroy(near_y);
    fur_csr_destroy(near_x);
    return t;
}

static void check_sums(const fur_csr *a, const fur_csr *b, rng *r)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    const fur_scalar coefficients[] = {fur_real(1), rng_scalar(r, value), fur_real(0)};
    for (int n = 0; n < 9; n++) {
        fur_scalar alpha = coefficients[n / 3];
        fur_scalar beta = coefficients[n % 3];
        triplets t = merged(a, alpha, b, beta, false);
        fur_csr *c = NULL;
        ck_ok(context, fur_csr_add(a, alpha, b, beta, &c));
        triplets_expect(c, &t, "sum");
    }
}

static void check_product(const fur_csr *a, const fur_csr *b)
{
    triplets t = merged(a, fur_real(1), b, fur_real(1), true);
    fur_csr *c = NULL;
    ck_ok(fur_csr_context(a), fur_csr_multiply_elementwise(a, b, &c));
    triplets_expect(c, &t, "element-wise product");
}

static void check_shift(const fur_csr *a, rng *r)
{
    fur_csr *near = matrix_near(a);
    const fur_csr_view *v = fur_csr_get(near);
    fur_value_type value = v->value_type;
    fur_scalar shift = rng_scalar(r, value);
    triplets t = triplets_make(v->rows, v->cols, value);
    fur_csr *b = NULL;
    for (int64_t i = 0; i < v->rows; i++) {
        bool stored = false;
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
            fur_scalar entry = entry_get(value, v->values, k);
            bool diagonal = v->columns[k] == i;
            if (diagonal)
                entry = entry_round(value, fur_complex(entry.re - shift.re, entry.im - shift.im));
            triplets_add(&t, i, v->columns[k], entry);
            stored = stored || diagonal;
        }
        if (!stored)
            triplets_add(&t, i, i, fur_complex(-shift.re, -shift.im));
    }
    ck_ok(fur_csr_context(a), fur_csr_shift(a, shift, &b));
    triplets_expect(b, &t, "shift");
    fur_csr_destroy(near);
}

/* Sums, shifts and element-wise products have the expected entries. Loops over the shapes. */
START_TEST(rows_of_two_matrices_are_merged)
{
    FOR_TURNS (type, TYPES, 5, _i) {
        if (test_small() && type % 3)
            continue;
        memory m = {0};
        rng r = rng_stream((uint64_t)(100 * _i + type));
        fur_context *context =
            context_counting(&m, NULL, thread_counts[(_i + type) % COUNT_OF(thread_counts)]);
        fur_csr *a = matrix_of(context, &r, &shapes[_i], type);
        fur_csr *b = matrix_like(a, &r);
        check_sums(a, b, &r);
        check_product(a, b);
        check_product(a, a);
        if (shapes[_i].rows == shapes[_i].cols)
            check_shift(a, &r);
        fur_csr_destroy(b);
        fur_csr_destroy(a);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
}
END_TEST

static void check_kron(const fur_csr *x, const fur_csr *y)
{
    triplets a = triplets_of(x);
    triplets b = triplets_of(y);
    triplets t = triplets_make(a.rows * b.rows, a.cols * b.cols, a.value);
    fur_csr *c = NULL;
    for (int64_t k = 0; k < a.count; k++)
        for (int64_t l = 0; l < b.count; l++)
            triplets_add(&t, a.row[k] * b.rows + b.row[l], a.col[k] * b.cols + b.col[l],
                         times(a.value, triplets_at(&a, k), triplets_at(&b, l)));
    ck_ok(fur_csr_context(x), fur_csr_kron(x, y, &c));
    triplets_expect(c, &t, "kron");
    triplets_release(&b);
    triplets_release(&a);
}

/* A Kronecker product has the products of all pairs of entries. Loops over types. */
START_TEST(kronecker_products_have_all_products)
{
    static const char *const names[] = {"0 x 7", "7 x 0", "1 x 1", "diagonal", "full", "band"};
    memory m = {0};
    rng r = rng_stream((uint64_t)(5000 + _i));
    fur_context *context = context_counting(&m, NULL, thread_counts[_i % COUNT_OF(thread_counts)]);
    for (int n = 0; n < COUNT_OF(names); n++) {
        fur_csr *a = matrix_of(context, &r, &shapes[shape_find(names[n])], _i);
        fur_csr *b = matrix_of(context, &r, &shapes[shape_find(names[rng_below(&r, 4)])], _i ^ 1);
        check_kron(a, b);
        check_kron(b, a);
        fur_csr_destroy(b);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* A coefficient of 1 is not multiplied, so infinities do not change. */
START_TEST(plain_sums_keep_infinities)
{
    static const int32_t offsets[] = {0, 2}, columns[] = {0, 1};
    const double entries[] = {INFINITY, 0, 1, NAN};
    const fur_csr_view view = {sizeof view, 1, 2, 2, FUR_C128, FUR_I32, offsets, columns, entries};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = matrix_lent(context, &view);
    fur_csr *c = NULL;
    ck_ok(context, fur_csr_add(a, fur_real(1), a, fur_real(1), &c));
    fur_csr *near = matrix_near(c);
    const double *sums = fur_csr_get(near)->values;
    ck_assert(sums[0] == INFINITY && sums[1] == 0 && sums[2] == 2 && isnan(sums[3]));
    fur_csr_destroy(near);
    fur_csr_destroy(c);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    static const int32_t offsets[] = {0, 0};
    rng r = rng_stream(9000);
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    fur_csr *a = matrix_of(context, &r, &shapes[shape_find("full")], 3);
    fur_csr *b = matrix_of(context, &r, &shapes[shape_find("diagonal")], 3);
    fur_csr *single = matrix_of(context, &r, &shapes[shape_find("full")], 1);
    fur_csr *foreign = matrix_of(other, &r, &shapes[shape_find("full")], 3);
    const fur_csr_view wide_view = {.size = sizeof wide_view,
                                    .rows = 1,
                                    .cols = INT32_MAX,
                                    .value_type = FUR_F64,
                                    .offsets = offsets};
    fur_csr *wide = NULL;
    fur_csr *c = NULL;
    const fur_scalar one = fur_real(1);
    ck_ok(context, fur_csr_create(context, &wide_view, FUR_OWNERSHIP_COPY, &wide));
    ck_fails(context, FUR_INVALID, "the matrices are 23 x 29 and 37 x 37; they need the same shape",
             fur_csr_add(a, one, b, one, &c));
    ck_fails(context, FUR_INVALID,
             "the matrices have entries of types f64 and f32; they need the same type: convert one",
             fur_csr_multiply_elementwise(a, single, &c));
    ck_fails(context, FUR_INVALID,
             "the matrices belong to different contexts; they need the same context: transfer one",
             fur_csr_kron(a, foreign, &c));
    ck_fails(context, FUR_INVALID, "the matrix is 23 x 29; only a square matrix can be shifted",
             fur_csr_shift(a, one, &c));
    ck_fails(context, FUR_OVERFLOW,
             "the result would be 23 x 62277025763; a matrix has at most 2147483647 rows and "
             "columns",
             fur_csr_kron(a, wide, &c));
    ck_assert_ptr_null(c);
    fur_csr_destroy(wide);
    fur_csr_destroy(foreign);
    fur_csr_destroy(single);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, rows_of_two_matrices_are_merged, 0, shape_count);
    tcase_add_loop_test(tests, kronecker_products_have_all_products, 0, TYPES);
    tcase_add_test(tests, plain_sums_keep_infinities);
    tcase_add_test(tests, what_does_not_fit_is_refused);
}

int main(void)
{
    return run_tests("algebra", add_tests);
}
