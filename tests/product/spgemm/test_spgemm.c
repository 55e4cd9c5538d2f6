/* Tests of products of two matrices: the pattern and bits of a dense reference, new values,
 * refusals. */
#include "support.h"

#include <math.h>
#include <string.h>

/* Most products of two entries in a case. The reference forms dense rows, so it is slow. */
#define PRODUCTS_MAX (TEST_SLOW ? 20000 : 100000)
/* As above, if one thread of the CPU is the reference. */
#define PRODUCTS_LARGE (TEST_SHORT ? 200000 : on_gpu() ? 20000000 : 1000000)

/* Returns s + a b, rounded in the value type as in docs/numerics.md. */
static fur_scalar add_product(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar s)
{
    bool is_single = value == FUR_F32 || value == FUR_C64;
    if (is_single) {
        float re = fmaf((float)a.re, (float)b.re, (float)s.re);
        float im = fmaf((float)a.re, (float)b.im, (float)s.im);
        return value == FUR_F32 ? fur_real(re)
                                : fur_complex(fmaf(-(float)a.im, (float)b.im, re),
                                              fmaf((float)a.im, (float)b.re, im));
    }
    double re = fma(a.re, b.re, s.re);
    double im = fma(a.re, b.im, s.im);
    return value == FUR_F64 ? fur_real(re) : fur_complex(fma(-a.im, b.im, re), fma(a.im, b.re, im));
}

/* Returns a b in the value type. Both parts begin with a rounded product. */
static fur_scalar multiply(fur_value_type value, fur_scalar a, fur_scalar b)
{
    switch (value) {
    case FUR_F32:
        return fur_real((float)a.re * (float)b.re);
    case FUR_F64:
        return fur_real(a.re * b.re);
    case FUR_C64:
        return fur_complex(fmaf(-(float)a.im, (float)b.im, (float)a.re * (float)b.re),
                           fmaf((float)a.im, (float)b.re, (float)a.re * (float)b.im));
    default:
        return fur_complex(fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im));
    }
}

/* One row of a product as a dense row. `there` marks the stored columns. */
typedef struct dense_row {
    fur_scalar *sums;
    bool *there;
} dense_row;

static void form_row(const fur_csr_view *a, const fur_csr_view *b, int64_t row, dense_row *out)
{
    for (int64_t j = 0; j < b->cols; j++) {
        out->sums[j] = fur_real(0);
        out->there[j] = false;
    }
    for (int64_t e = offset_at(a, row); e < offset_at(a, row + 1); e++) {
        fur_scalar factor = entry_get(a->value_type, a->values, e);
        int32_t k = a->columns[e];
        for (int64_t t = offset_at(b, k); t < offset_at(b, k + 1); t++) {
            fur_scalar *sum = &out->sums[b->columns[t]];
            *sum = add_product(a->value_type, factor, entry_get(b->value_type, b->values, t), *sum);
            out->there[b->columns[t]] = true;
        }
    }
}

/* Checks that row `row` of C is alpha times the dense row, with the same stored columns. */
static void check_row(const fur_csr_view *c, int64_t row, fur_scalar alpha, const dense_row *d,
                      const char *what)
{
    int64_t at = offset_at(c, row);
    int64_t end = offset_at(c, row + 1);
    for (int64_t j = 0; j < c->cols; j++) {
        if (!d->there[j])
            continue;
        if (at == end || c->columns[at] != j)
            ck_abort_msg("%s: no entry (%lld, %lld)", what, (long long)row, (long long)j);
        unsigned char expected[16];
        entry_set(c->value_type, expected, 0, multiply(c->value_type, alpha, d->sums[j]));
        const char *found = (const char *)c->values + (size_t)at * fur_value_size(c->value_type);
        if (first_difference(c->value_type, 1, expected, found) >= 0)
            ck_abort_msg("%s: (%lld, %lld) differs", what, (long long)row, (long long)j);
        at++;
    }
    if (at < end)
        ck_abort_msg("%s: row %lld is too long", what, (long long)row);
}

static void check_product(const fur_csr *a, const fur_csr *b, fur_scalar alpha, const fur_csr *c,
                          const char *what)
{
    const fur_csr_view *v = fur_csr_get(c);
    dense_row d = {calloc((size_t)v->cols + 1, sizeof *d.sums),
                   calloc((size_t)v->cols + 1, sizeof *d.there)};
    ck_assert_int_eq(v->rows, fur_csr_get(a)->rows);
    ck_assert_int_eq(v->cols, fur_csr_get(b)->cols);
    ck_ok(fur_csr_context(c), fur_csr_check(fur_csr_context(c), v));
    for (int64_t i = 0; i < v->rows; i++) {
        form_row(fur_csr_get(a), fur_csr_get(b), i, &d);
        check_row(v, i, alpha, &d, what);
    }
    free(d.there);
    free(d.sums);
}

static int64_t count_products(const fur_csr_view *a, const fur_csr_view *b)
{
    int64_t count = 0;
    for (int64_t e = 0; e < a->entries; e++)
        count += offset_at(b, a->columns[e] + 1) - offset_at(b, a->columns[e]);
    return count;
}

/* Checks A B, the report, and the same product written into an existing matrix. */
static void check_operands(const fur_csr *a, const fur_csr *b, const char *what)
{
    fur_context *context = fur_csr_context(a);
    int64_t products = count_products(fur_csr_get(a), fur_csr_get(b));
    int64_t dense = fur_csr_get(a)->rows * fur_csr_get(b)->cols;
    if (products > PRODUCTS_MAX || dense > 20 * (int64_t)PRODUCTS_MAX)
        return;
    fur_spgemm *plan = NULL;
    fur_csr *c = NULL;
    fur_scalar alpha = entry_round(fur_csr_get(a)->value_type, fur_complex(0.3, -1.7));
    ck_ok(context, fur_spgemm_plan(a, b, NULL, &plan));
    ck_ok(context, fur_spgemm_multiply(plan, alpha, &c));
    check_product(a, b, alpha, c, what);
    const fur_spgemm_report *report = fur_spgemm_describe(plan);
    ck_assert_int_eq(report->products, products);
    ck_assert_int_eq(report->entries, fur_csr_get(c)->entries);
    ck_assert(report->rows == fur_csr_get(c)->rows && report->cols == fur_csr_get(c)->cols);
    ck_ok(context, fur_spgemm_apply(plan, fur_real(1), c));
    fur_csr *once = NULL;
    int equal = 0;
    ck_ok(context, fur_csr_multiply(a, b, &once));
    ck_ok(context, fur_csr_compare(c, once, &equal));
    ck_assert_msg(equal, "%s: again differs", what);
    fur_csr_destroy(once);
    fur_csr_destroy(c);
    fur_spgemm_destroy(plan);
}

static void check_shape(fur_context *context, rng *r, const shape *s, fur_value_type value)
{
    fur_csr *a = matrix_random(context, r, s, value, (fur_offset_type)rng_below(r, 2));
    fur_csr *b = NULL;
    ck_ok(context, fur_csr_transpose(a, (int)rng_below(r, 2), &b));
    check_operands(a, b, s->name);
    check_operands(b, a, s->name);
    if (s->rows == s->cols)
        check_operands(a, a, s->name);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
}

/* Loops over shapes. Each shape is tested with all types, instruction sets and numbers of
 * threads. */
START_TEST(products_have_the_bits_of_the_reference)
{
    rng r = rng_stream(1800 + (uint64_t)_i);
    for (int i = 0; isa_name(i); i++)
        for (int value = 0; value < FUR_VALUE_COUNT; value++) {
            fur_context *context = context_make(isa_name(i), (int)(1 + rng_below(&r, 8)));
            check_shape(context, &r, &shapes[_i], (fur_value_type)value);
            fur_context_destroy(context);
        }
}
END_TEST

static fur_csr *grid_of(fur_context *context, int points, int64_t extent)
{
    fur_stencil_definition d = {
        .size = sizeof d, .value_type = FUR_F64, .extent = {extent, extent, extent}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_assert(fur_stencil_named(points, &d));
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    fur_stencil_destroy(s);
    return a;
}

/* Makes a 27-point matrix with enough rows for several blocks in several threads. */
static fur_csr *grid(fur_context *context, int64_t points, double seed)
{
    fur_csr *a = grid_of(context, 27, points);
    double *values = (double *)(uintptr_t)fur_csr_get(a)->values;
    for (int64_t k = 0; k < fur_csr_get(a)->entries; k++)
        values[k] = sin(seed + (double)k);
    return a;
}

/* Makes the prolongation of aggregates of 2 x 2 x 2 points. */
static fur_csr *aggregate(fur_context *context, int64_t points)
{
    int64_t half = (points + 1) / 2;
    int64_t n = points * points * points;
    int32_t *offsets = malloc((size_t)(n + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)n * sizeof *columns);
    double *values = malloc((size_t)n * sizeof *values);
    for (int64_t i = 0; i < n; i++) {
        int64_t x = i % points / 2;
        int64_t y = i / points % points / 2;
        int64_t z = i / points / points / 2;
        offsets[i] = (int32_t)i;
        columns[i] = (int32_t)((z * half + y) * half + x);
        values[i] = 1 + 1e-3 * (double)i;
    }
    offsets[n] = (int32_t)n;
    fur_csr_view view = {sizeof view, n,     half * half * half, n, FUR_F64, FUR_I32, offsets,
                         columns,     values};
    fur_csr *p = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &p));
    free(values);
    free(columns);
    free(offsets);
    return p;
}

START_TEST(grids_and_aggregations_are_multiplied)
{
    int64_t points = TEST_SLOW ? 9 : 13;
    for (int threads = 1; threads <= 8; threads += TEST_SLOW ? 3 : 1) {
        fur_context *context = context_make(NULL, threads);
        fur_csr *a = grid(context, points, threads);
        fur_csr *p = aggregate(context, points);
        fur_csr *ap = NULL;
        fur_csr *aa = NULL;
        ck_ok(context, fur_csr_multiply(a, p, &ap));
        ck_ok(context, fur_csr_multiply(a, a, &aa));
        check_product(a, p, fur_real(1), ap, "aggregation");
        check_product(a, a, fur_real(1), aa, "grid");
        fur_csr_destroy(aa);
        fur_csr_destroy(ap);
        fur_csr_destroy(p);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
}
END_TEST

static fur_csr *from_coo(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                         const int32_t *i, const int32_t *j, const double *values)
{
    fur_coo_view coo = {sizeof coo, rows, cols, entries, FUR_F64, i, j, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    return a;
}

/* Duplicates are added, and entries that cancel stay stored. The product is [1 1; 2 -2] [1 5; 1 5],
 * where -2 is given as -3 and 1, and the last 5 as 4 and 1. Its second row cancels. */
START_TEST(duplicates_count_and_what_cancels_stays)
{
    const int32_t rows[] = {0, 0, 1, 1, 1};
    const int32_t cols[] = {0, 1, 0, 1, 1};
    const double values[] = {1, 1, 2, -3, 1};
    const int32_t b_rows[] = {0, 0, 1, 1, 1};
    const int32_t b_cols[] = {0, 1, 0, 1, 1};
    const double b_values[] = {1, 5, 1, 4, 1};
    const double expected[] = {2, 10, 0, 0};
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = from_coo(context, 2, 2, 5, rows, cols, values);
    fur_csr *b = from_coo(context, 2, 2, 5, b_rows, b_cols, b_values);
    fur_csr *c = NULL;
    ck_ok(context, fur_csr_multiply(a, b, &c));
    ck_assert_int_eq(fur_csr_get(c)->entries, 4);
    ck_assert_int_eq(first_difference(FUR_F64, 4, fur_csr_get(c)->values, expected), -1);
    fur_csr_destroy(c);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Checks that A B in the context equals A B on the host, where A and B are. Then repeats the check
 * with new values of A. */
static void compare_operands(fur_context *context, rng *r, fur_csr *a, fur_csr *b, const char *what)
{
    fur_context *host = fur_csr_context(a);
    fur_csr *far_a = matrix_in(context, a);
    fur_csr *far_b = b == a ? far_a : matrix_in(context, b);
    fur_spgemm *plan = NULL;
    fur_csr *c = NULL;
    fur_csr *expected = NULL;
    fur_value_type value = fur_csr_get(a)->value_type;
    ck_ok(context, fur_spgemm_plan(far_a, far_b, NULL, &plan));
    ck_ok(context, fur_spgemm_multiply(plan, fur_real(1), &c));
    ck_ok(host, fur_csr_multiply(a, b, &expected));
    ck_same_matrix(c, expected, what);
    ck_assert_int_eq(fur_spgemm_describe(plan)->products,
                     count_products(fur_csr_get(a), fur_csr_get(b)));
    fur_csr_destroy(expected);
    void *values = entries_random(r, value, fur_csr_get(a)->entries);
    ck_ok(host, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_csr_set_values(far_a, values, FUR_OWNERSHIP_COPY));
    free(values);
    fur_spgemm *near = NULL;
    ck_ok(host, fur_spgemm_plan(a, b, NULL, &near));
    ck_ok(host, fur_spgemm_multiply(near, fur_complex(0.7, -2), &expected));
    ck_ok(context, fur_spgemm_apply(plan, fur_complex(0.7, -2), c));
    ck_same_matrix(c, expected, what);
    fur_spgemm_destroy(near);
    fur_csr_destroy(expected);
    fur_csr_destroy(c);
    fur_spgemm_destroy(plan);
    if (far_b != far_a)
        fur_csr_destroy(far_b);
    fur_csr_destroy(far_a);
}

/* Loops over the shapes. */
START_TEST(large_products_have_the_bits_of_one_thread)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    fur_context *host = context_cpu("portable", 1);
    rng r = rng_stream(1900 + (uint64_t)_i);
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        fur_csr *a = matrix_random(host, &r, &shapes[_i], (fur_value_type)value,
                                   (fur_offset_type)rng_below(&r, 2));
        fur_csr *b = NULL;
        ck_ok(host, fur_csr_transpose(a, 0, &b));
        if (count_products(fur_csr_get(a), fur_csr_get(b)) <= PRODUCTS_LARGE)
            compare_operands(context, &r, a, b, shapes[_i].name);
        if (count_products(fur_csr_get(b), fur_csr_get(a)) <= PRODUCTS_LARGE)
            compare_operands(context, &r, b, a, shapes[_i].name);
        if (shapes[_i].rows == shapes[_i].cols &&
            count_products(fur_csr_get(a), fur_csr_get(a)) <= PRODUCTS_LARGE)
            compare_operands(context, &r, a, a, shapes[_i].name);
        fur_csr_destroy(b);
        fur_csr_destroy(a);
    }
    fur_context_destroy(host);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

START_TEST(grids_have_the_bits_of_one_thread)
{
    static const int points[] = {7, 27};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    fur_context *host = context_cpu("portable", 1);
    rng r = rng_stream(1930);
    for (int i = 0; i < COUNT_OF(points); i++) {
        fur_csr *a = grid_of(host, points[i], TEST_SHORT ? 9 : on_gpu() ? 33 : 15);
        compare_operands(context, &r, a, a, "grid");
        fur_csr_destroy(a);
    }
    fur_context_destroy(host);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Makes a random matrix of which some rows have `longest` entries. The widths of B below need each
 * way of forming a row of C. */
static fur_csr *scattered(fur_context *context, rng *r, int64_t rows, int64_t cols, int64_t mean,
                          int64_t longest)
{
    int64_t room = rows * (mean + 1) + longest * 4;
    int32_t *i = malloc((size_t)room * sizeof *i);
    int32_t *j = malloc((size_t)room * sizeof *j);
    int64_t count = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t length = row % (rows / 3 + 1) == 1 ? longest : rng_below(r, 2 * mean);
        for (int64_t k = 0; k < length; k++) {
            i[count] = (int32_t)row;
            j[count++] = (int32_t)rng_below(r, cols);
        }
    }
    double *values = entries_random(r, FUR_F64, count);
    fur_coo_view coo = {sizeof coo, rows, cols, count, FUR_F64, i, j, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    free(values);
    free(j);
    free(i);
    return a;
}

START_TEST(wide_and_long_rows_are_multiplied)
{
    const int64_t widths[] = {1000, 30000, 200000, 700000, 3000000};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    fur_context *host = context_cpu("portable", 1);
    rng r = rng_stream(1831);
    for (int i = 0; i < COUNT_OF(widths); i++) {
        fur_csr *a = scattered(host, &r, 400, 500, 6, 450);
        int longest = TEST_SHORT ? 300 : widths[i] > 100000 ? 70000 : 30000;
        fur_csr *b = scattered(host, &r, 500, widths[i], 40, longest);
        compare_operands(context, &r, a, b, "wide rows");
        fur_csr_destroy(b);
        fur_csr_destroy(a);
    }
    fur_context_destroy(host);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Kept duplicates are multiplied like their sum. The test squares A = [3 0; 3 4]. Its first 3 is
 * given as 1 and 2. On a GPU the host computes this product. */
START_TEST(kept_duplicates_are_multiplied)
{
    const int32_t rows[] = {0, 0, 1, 1};
    const int32_t cols[] = {0, 0, 0, 1};
    const double values[] = {1, 2, 3, 4};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    fur_context *host = context_cpu("portable", 1);
    rng r = rng_stream(1832);
    fur_csr *a = from_coo(host, 2, 2, 4, rows, cols, values);
    compare_operands(context, &r, a, a, "duplicates");
    fur_csr_destroy(a);
    fur_context_destroy(host);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void set_random(rng *r, fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    void *values = entries_random(r, v->value_type, v->entries);
    ck_ok(fur_csr_context(a), fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
    free(values);
}

/* Loops over value types. The plan uses new values and allocates nothing. Objects made from C use
 * its new values. */
START_TEST(new_values_are_multiplied)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    rng r = rng_stream(1840 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)_i;
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find(TEST_SLOW ? "band" : "runs")], value,
                               FUR_I32);
    fur_csr *b = NULL;
    fur_csr *c = NULL;
    fur_csr *other = NULL;
    fur_spgemm *plan = NULL;
    fur_spmv *follower = NULL;
    ck_ok(context, fur_csr_transpose(a, 0, &b));
    ck_ok(context, fur_spgemm_plan(a, b, NULL, &plan));
    ck_ok(context, fur_spgemm_multiply(plan, fur_real(1), &c));
    ck_ok(context, fur_spgemm_multiply(plan, fur_real(2), &other));
    ck_ok(context,
          fur_spmv_plan(c, &(fur_spmv_options){.size = sizeof(fur_spmv_options), .kernel = "sell"},
                        &follower));
    set_random(&r, a);
    set_random(&r, b);
    int64_t calls = m.calls;
    ck_ok(context, fur_spgemm_apply(plan, fur_real(1), c));
    ck_assert_int_eq(m.calls, calls);
    check_product(a, b, fur_real(1), c, "new values");
    const fur_csr_view *v = fur_csr_get(c);
    fur_vector *x = vector_random(context, &r, value, v->cols);
    fur_vector *y = vector_random(context, &r, value, v->rows);
    fur_vector *z = vector_random(context, &r, value, v->rows);
    fur_spmv *fresh = NULL;
    ck_ok(context, fur_spmv_plan(c, NULL, &fresh));
    ck_ok(context, fur_spmv_apply(follower, fur_real(1), x, fur_real(0), y));
    ck_ok(context, fur_spmv_apply(fresh, fur_real(1), x, fur_real(0), z));
    ck_assert_int_eq(first_difference(value, v->rows, fur_vector_data(y), fur_vector_data(z)), -1);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_spmv_destroy(fresh);
    fur_spmv_destroy(follower);
    /* The matrices outlive the plan. A matrix that borrows its values gets a new array. */
    ck_ok(context, fur_csr_set_values(c, fur_csr_get(other)->values, FUR_OWNERSHIP_BORROW));
    ck_ok(context, fur_spgemm_apply(plan, fur_real(1), c));
    ck_assert_ptr_ne(fur_csr_get(c)->values, fur_csr_get(other)->values);
    fur_spgemm_destroy(plan);
    fur_csr_destroy(other);
    check_product(a, b, fur_real(1), c, "after the plan");
    fur_csr_destroy(c);
    fur_csr_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* R (A P) of an aggregation equals the product of R and the product A P, with old and new
 * values. */
START_TEST(three_matrices_are_multiplied)
{
    fur_context *context = context_make(NULL, 3);
    rng r = rng_stream(1845);
    fur_csr *a = grid(context, 9, 1);
    fur_csr *p = aggregate(context, 9);
    fur_csr *pt = NULL;
    fur_csr *c = NULL;
    fur_triple *plan = NULL;
    ck_ok(context, fur_csr_transpose(p, 0, &pt));
    ck_ok(context, fur_triple_plan(pt, a, p, NULL, &plan));
    ck_ok(context, fur_triple_multiply(plan, fur_real(1), &c));
    for (int turn = 0; turn < 3; turn++) {
        fur_csr *ap = NULL;
        fur_csr *once = NULL;
        int equal = 0;
        ck_ok(context, fur_csr_multiply(a, p, &ap));
        check_product(pt, ap, fur_real(1), c, "three");
        ck_ok(context, fur_csr_triple(pt, a, p, &once));
        ck_ok(context, fur_csr_compare(c, once, &equal));
        ck_assert_int_eq(equal, 1);
        fur_csr_destroy(once);
        fur_csr_destroy(ap);
        set_random(&r, turn == 0 ? a : turn == 1 ? p : pt);
        ck_ok(context, fur_triple_apply(plan, fur_real(1), c));
    }
    ck_fails(context, FUR_INVALID,
             "a is 125 x 729 and b is 125 x 125; the columns of a must equal the rows of b",
             fur_csr_triple(pt, c, c, &c));
    fur_triple_destroy(plan);
    fur_csr_destroy(c);
    fur_csr_destroy(pt);
    fur_csr_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *elsewhere = context_make(NULL, 1);
    rng r = rng_stream(1850);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("full")], FUR_F64, FUR_I32);
    fur_csr *b = matrix_random(context, &r, &shapes[shape_find("diagonal")], FUR_F64, FUR_I32);
    fur_csr *single = NULL;
    fur_csr *far = NULL;
    fur_csr *c = NULL;
    fur_spgemm *plan = NULL;
    ck_ok(context, fur_csr_convert(b, FUR_F32, FUR_I32, &single));
    ck_ok(context, fur_csr_transfer(b, elsewhere, &far));
    ck_fails(context, FUR_INVALID,
             "a is 23 x 29 and b is 37 x 37; the columns of a must equal the rows of b",
             fur_spgemm_plan(a, b, NULL, &plan));
    ck_fails(context, FUR_INVALID,
             "a has entries of type f64, but b has type f32; they need the same type: convert one",
             fur_spgemm_plan(b, single, NULL, &plan));
    ck_fails(context, FUR_INVALID,
             "a and b belong to different contexts; they need the same context: transfer one",
             fur_spgemm_plan(b, far, NULL, &plan));
    fur_spgemm_options options = {.size = sizeof options, .max_entries = 36};
    ck_fails(context, FUR_OVERFLOW,
             "the product has 37 entries, more than the 36 of options.max_entries",
             fur_spgemm_plan(b, b, &options, &plan));
    options.max_entries = 37;
    ck_ok(context, fur_spgemm_plan(b, b, &options, &plan));
    ck_fails(context, FUR_INVALID, "c was not made by this plan; make it by fur_spgemm_multiply",
             fur_spgemm_apply(plan, fur_real(1), b));
    fur_csr_destroy(b);
    ck_fails(context, FUR_INVALID,
             "the product cannot be used any more, because an object that it was created from "
             "has been destroyed",
             fur_spgemm_multiply(plan, fur_real(1), &c));
    ck_assert_ptr_null(c);
    fur_spgemm_destroy(plan);
    fur_csr_destroy(far);
    fur_csr_destroy(single);
    fur_csr_destroy(a);
    fur_context_destroy(elsewhere);
    fur_context_destroy(context);
}
END_TEST

/* A product with 2^40 entries is refused. */
START_TEST(more_entries_than_memory_are_refused)
{
    enum { N = 1 << 20 };
    static int32_t offsets[N + 1];
    static int32_t columns[N];
    static double values[N];
    fur_context *context = context_make(NULL, 2);
    fur_csr *column = NULL;
    fur_csr *row = NULL;
    fur_csr *c = NULL;
    for (int32_t i = 0; i <= N; i++)
        offsets[i] = i;
    fur_csr_view view = {sizeof view, N, 1, N, FUR_F64, FUR_I32, offsets, columns, values};
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_BORROW, &column));
    ck_ok(context, fur_csr_transpose(column, 0, &row));
    ck_assert_int_eq(fur_csr_multiply(column, row, &c), FUR_OUT_OF_MEMORY);
    const char *begin =
        "the product has 1099511627776 entries, which take 13194.1 GB; this machine "
        "has ";
    ck_assert_msg(strncmp(fur_context_error(context), begin, strlen(begin)) == 0, "%s",
                  fur_context_error(context));
    fur_csr_destroy(row);
    fur_csr_destroy(column);
    fur_context_destroy(context);
}
END_TEST

/* Counts the questions whether to stop. */
typedef struct stop {
    int asked;
    int at; /* number of the question to which the answer is yes; 0: none */
} stop;

static int is_to_stop(void *user)
{
    stop *s = user;
    return ++s->asked == s->at;
}

/* A product of some millions of terms can be stopped. The calling thread computes well over 40
 * blocks and asks after each. The library never asks while it writes values that are in use. */
START_TEST(a_long_product_can_be_stopped)
{
    stop s = {0, 0};
    fur_context *context = NULL;
    fur_context_options options = {.size = sizeof options,
                                   .threads = 1 + _i,
                                   .interrupted = is_to_stop,
                                   .interrupted_user = &s};
    ck_ok(NULL, fur_context_create(&options, &context));
    fur_csr *a = grid(context, TEST_SLOW ? 12 : 40, 1);
    fur_csr *c = NULL;
    fur_csr *d = NULL;
    fur_spgemm *plan = NULL;
    ck_ok(context, fur_csr_multiply(a, a, &c));
    int questions = s.asked;
    if (!TEST_SLOW)
        ck_assert_int_gt(questions, 40);
    for (s.at = 1; s.at <= questions; s.at += 1 + s.at / 4) {
        s.asked = 0;
        fur_status status = fur_csr_multiply(a, a, &d);
        ck_assert_int_eq(status, s.asked < s.at ? FUR_OK : FUR_CANCELLED);
        fur_csr_destroy(d);
        d = NULL;
    }
    s.at = 0;
    ck_ok(context, fur_spgemm_plan(a, a, NULL, &plan));
    fur_csr_destroy(c);
    ck_ok(context, fur_spgemm_multiply(plan, fur_real(1), &c));
    s = (stop){0, 1};
    ck_ok(context, fur_spgemm_apply(plan, fur_real(2), c));
    ck_assert_int_eq(s.asked, 0);
    s.at = 0;
    fur_spgemm_destroy(plan);
    fur_csr_destroy(c);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, large_products_have_the_bits_of_one_thread, 0, shape_count);
    tcase_add_test(tests, grids_have_the_bits_of_one_thread);
    tcase_add_test(tests, wide_and_long_rows_are_multiplied);
    tcase_add_test(tests, kept_duplicates_are_multiplied);
    if (on_gpu())
        return;
    tcase_add_loop_test(tests, products_have_the_bits_of_the_reference, 0, shape_count);
    tcase_add_test(tests, grids_and_aggregations_are_multiplied);
    tcase_add_test(tests, duplicates_count_and_what_cancels_stays);
    tcase_add_loop_test(tests, new_values_are_multiplied, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, three_matrices_are_multiplied);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    tcase_add_test(tests, more_entries_than_memory_are_refused);
    tcase_add_loop_test(tests, a_long_product_can_be_stopped, 0, 3);
}

int main(void)
{
    return run_tests("spgemm", add_tests);
}
