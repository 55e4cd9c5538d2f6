/* Norms of matrices and comparisons within a tolerance. Results are compared with plain loops in
 * the order of docs/numerics.md. */
#include "triplets.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 8};

static double modulus_of(fur_value_type value, fur_scalar z)
{
    return value_is_complex(value) ? sqrt(fma(fabs(z.re), fabs(z.re), z.im * z.im)) : fabs(z.re);
}

/* Returns the largest sum of the moduli of a row. A row is added in segments of 128 entries. */
static double expected_norm(const fur_csr *a)
{
    fur_csr *near = matrix_near(a);
    const fur_csr_view *v = fur_csr_get(near);
    double largest = 0;
    for (int64_t i = 0; i < v->rows; i++) {
        double sum = 0;
        int64_t begin = offset_at(v, i);
        int64_t end = offset_at(v, i + 1);
        for (int64_t first = begin; first < end; first += 128) {
            double part = 0;
            for (int64_t k = first; k < end && k < first + 128; k++)
                part += modulus_of(v->value_type, entry_get(v->value_type, v->values, k));
            sum += part;
        }
        largest = sum > largest ? sum : largest;
    }
    fur_csr_destroy(near);
    return largest;
}

static void check_norms(const fur_csr *a)
{
    fur_csr *near = matrix_near(a);
    const fur_csr_view *v = fur_csr_get(near);
    fur_context *context = fur_csr_context(a);
    fur_context *host = fur_csr_context(near);
    fur_vector *values = vector_from(host, v->value_type, v->entries, v->values);
    fur_csr *t = NULL;
    double one = -1, inf = -1, most = -1, frobenius = -1, expected = -1;
    ck_ok(context, fur_csr_transpose(a, 0, &t));
    ck_ok(context, fur_csr_norm(a, FUR_NORM_1, &one));
    ck_ok(context, fur_csr_norm(a, FUR_NORM_INF, &inf));
    ck_ok(context, fur_csr_norm(a, FUR_NORM_MAX, &most));
    ck_ok(context, fur_csr_norm(a, FUR_NORM_FROBENIUS, &frobenius));
    ck_assert_double_eq(inf, expected_norm(a));
    ck_assert_double_eq(one, expected_norm(t));
    ck_ok(host, fur_norm_max(values, &expected));
    ck_assert_double_eq(most, expected);
    ck_ok(host, fur_norm2(values, &expected));
    ck_assert_double_eq(frobenius, expected);
    fur_csr_destroy(t);
    fur_vector_destroy(values);
    fur_csr_destroy(near);
}

/* Adds the difference of a row of two matrices to `d`, as the header defines it. `where` has a zero
 * for each column on entry; the function marks the columns of B's row in it. */
static void expect_row(const fur_csr_view *a, const fur_csr_view *b, int64_t row, int64_t *where,
                       double rtol, double atol, fur_csr_difference *d)
{
    fur_value_type value = a->value_type;
    for (int64_t k = offset_at(b, row); k < offset_at(b, row + 1); k++)
        where[b->columns[k]] = k + 1;
    int64_t k = offset_at(a, row);
    for (int64_t j = 0; j < a->cols; j++) {
        bool stored = k < offset_at(a, row + 1) && a->columns[k] == j;
        fur_scalar p = stored ? entry_get(value, a->values, k) : fur_real(0);
        fur_scalar q = where[j] ? entry_get(value, b->values, where[j] - 1) : fur_real(0);
        double apart = modulus_of(FUR_C128, fur_complex(p.re - q.re, p.im - q.im));
        d->beyond += apart > atol + rtol * modulus_of(FUR_C128, q);
        if (apart > d->largest) {
            d->largest = apart;
            d->row = row;
            d->col = j;
            d->a = p;
            d->b = q;
        }
        k += stored;
        where[j] = 0;
    }
}

static void check_difference(const fur_csr *x, const fur_csr *y, double rtol, double atol)
{
    fur_csr *near_x = matrix_near(x);
    fur_csr *near_y = matrix_near(y);
    const fur_csr_view *a = fur_csr_get(near_x);
    const fur_csr_view *b = fur_csr_get(near_y);
    fur_csr_difference found = FUR_DEFAULT(fur_csr_difference);
    fur_csr_difference expected = FUR_DEFAULT(fur_csr_difference);
    int64_t *where = calloc((size_t)a->cols + 1, sizeof *where);
    for (int64_t i = 0; i < a->rows; i++)
        expect_row(a, b, i, where, rtol, atol, &expected);
    ck_ok(fur_csr_context(x), fur_csr_compare_within(x, y, rtol, atol, &found));
    ck_assert_int_eq(found.beyond, expected.beyond);
    ck_assert_double_eq(found.largest, expected.largest);
    ck_assert_int_eq(found.row, expected.row);
    ck_assert_int_eq(found.col, expected.col);
    ck_assert(found.a.re == expected.a.re && found.a.im == expected.a.im);
    ck_assert(found.b.re == expected.b.re && found.b.im == expected.b.im);
    free(where);
    fur_csr_destroy(near_y);
    fur_csr_destroy(near_x);
}

/* Norms and differences are equal to the results of plain loops. Loops over the shapes. */
START_TEST(norms_and_differences_are_those_of_plain_loops)
{
    for (int type = 0; type < TYPES; type += test_small() ? 3 : 1) {
        memory m = {0};
        rng r = rng_stream((uint64_t)(100 * _i + type));
        fur_context *context =
            context_counting(&m, NULL, thread_counts[(_i + type) % COUNT_OF(thread_counts)]);
        fur_csr *a = matrix_of(context, &r, &shapes[_i], type);
        check_norms(a);
        if (shapes[_i].rows * shapes[_i].cols < 3000000) {
            fur_csr *b = matrix_like(a, &r);
            check_difference(a, b, 0.25, 0.125);
            check_difference(a, a, 0, 0);
            check_difference(b, a, 0, 0);
            fur_csr_destroy(b);
        }
        fur_csr_destroy(a);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
}
END_TEST

/* Returns a matrix of one row. */
static fur_csr *line(fur_context *context, int64_t count, const double *entries)
{
    static const int32_t columns[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int32_t offsets[] = {0, (int32_t)count};
    const fur_csr_view view = {sizeof view, 1,       8,       count,  FUR_F64,
                               FUR_I32,     offsets, columns, entries};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    return a;
}

START_TEST(infinities_and_nans_agree_with_themselves_alone)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = line(context, 5, (const double[]){NAN, INFINITY, -INFINITY, INFINITY, 1});
    fur_csr *b = line(context, 6, (const double[]){NAN, INFINITY, INFINITY, 7, NAN, 2});
    fur_csr_difference d = FUR_DEFAULT(fur_csr_difference);
    double norm = 0;
    ck_ok(context, fur_csr_compare_within(a, b, 0.5, INFINITY, &d));
    ck_assert_int_eq(d.beyond, 3);
    ck_assert(isnan(d.largest) && isnan(d.b.re));
    ck_assert_int_eq(d.col, 4);
    ck_ok(context, fur_csr_norm(a, FUR_NORM_1, &norm));
    ck_assert(isnan(norm));
    ck_ok(context, fur_csr_norm(b, FUR_NORM_INF, &norm));
    ck_assert(isnan(norm));
    ck_fails(context, FUR_INVALID, "rtol is nan; it must be 0 or more",
             fur_csr_compare_within(a, b, fabs((double)NAN), 0, &d));
    ck_fails(context, FUR_INVALID, "atol is -0.5; it must be 0 or more",
             fur_csr_compare_within(a, b, 0, -0.5, &d));
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Norms are correct if the squares of moduli overflow or underflow. */
START_TEST(moduli_neither_overflow_nor_vanish)
{
    static const int32_t offsets[] = {0, 1}, column = 0;
    static const double scales[] = {0x1p1000, 0x1p-1000};
    fur_context *context = context_make(NULL, 1);
    for (int n = 0; n < COUNT_OF(scales); n++) {
        const double entry[] = {3 * scales[n], 4 * scales[n]};
        const fur_csr_view view = {sizeof view, 1,       1,       1,    FUR_C128,
                                   FUR_I32,     offsets, &column, entry};
        fur_csr *a = NULL;
        double norm = 0;
        ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
        ck_ok(context, fur_csr_norm(a, FUR_NORM_1, &norm));
        ck_assert_double_eq(norm, 5 * scales[n]);
        ck_ok(context, fur_csr_norm(a, FUR_NORM_INF, &norm));
        ck_assert_double_eq(norm, 5 * scales[n]);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, norms_and_differences_are_those_of_plain_loops, 0, shape_count);
    tcase_add_test(tests, infinities_and_nans_agree_with_themselves_alone);
    tcase_add_test(tests, moduli_neither_overflow_nor_vanish);
}

int main(void)
{
    return run_tests("norms", add_tests);
}
