#include "rounded_cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rounds to single precision. `volatile` keeps gcc 12 from leaving out the two conversions in
 * vector code. */
static double round_part(double part)
{
    volatile float single = (float)part;
    return (double)single;
}

/* Rounds every real and imaginary part to single precision. */
static void round_entries(fur_value_type value, int64_t n, const void *from, void *to)
{
    for (int64_t i = 0; i < n; i++) {
        fur_scalar v = entry_get(value, from, i);
        entry_set(value, to, i, fur_complex(round_part(v.re), round_part(v.im)));
    }
}

/* Returns random values of many magnitudes. Some are below the range of single precision. */
static void *draw(rng *r, fur_value_type value, int64_t n)
{
    void *values = entries_random(r, value, n);
    for (int64_t i = 0; i < n; i++) {
        fur_scalar v = entry_get(value, values, i);
        double scale = scalbn(1, i % 11 == 0 ? -140 : (int)rng_below(r, 40) - 20);
        bool single = value == FUR_F32 || value == FUR_C64;
        scale = single && i % 11 == 0 ? 1 : scale;
        entry_set(value, values, i, fur_complex(scale * v.re, scale * v.im));
    }
    return values;
}

static fur_csr *matrix_of(fur_context *context, const fur_csr *near, const void *values)
{
    fur_csr_view view = *fur_csr_get(near);
    fur_csr *made = NULL;
    fur_csr *a = NULL;
    view.values = values;
    ck_ok(fur_csr_context(near),
          fur_csr_create(fur_csr_context(near), &view, FUR_OWNERSHIP_COPY, &made));
    ck_ok(context, fur_csr_transfer(made, context, &a));
    fur_csr_destroy(made);
    return a;
}

static fur_spmv *plan_of(const fur_csr *a, fur_op op, const char *kernel, fur_stored stored)
{
    fur_spmv_options options = {
        .size = sizeof options, .op = op, .kernel = kernel, .uses = 1000, .values = stored};
    fur_spmv *plan = NULL;
    fur_status status = fur_spmv_plan(a, &options, &plan);
    ck_assert(status == FUR_OK || status == FUR_UNSUPPORTED);
    return plan;
}

/* Sums of a row of op(A) in long double: of a x, of |a||x| and of |x|. */
typedef struct row_sums {
    long double re, im, size, x;
} row_sums;

static void add_entry(row_sums *s, fur_scalar a, fur_scalar x)
{
    s->re += (long double)a.re * x.re - (long double)a.im * x.im;
    s->im += (long double)a.re * x.im + (long double)a.im * x.re;
    s->size += (fabsl((long double)a.re) + fabsl((long double)a.im)) *
               (fabsl((long double)x.re) + fabsl((long double)x.im));
    s->x += 2 * (fabsl((long double)x.re) + fabsl((long double)x.im));
}

static row_sums *sum_rows(const fur_csr_view *a, fur_op op, const void *x)
{
    row_sums *sums = calloc((size_t)(op == FUR_OP_N ? a->rows : a->cols) + 1, sizeof *sums);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = offset_at(a, i); k < offset_at(a, i + 1); k++) {
            fur_scalar v = entry_get(a->value_type, a->values, k);
            int64_t j = a->columns[k];
            v.im = op == FUR_OP_H ? -v.im : v.im;
            add_entry(&sums[op == FUR_OP_N ? i : j], v,
                      entry_get(a->value_type, x, op == FUR_OP_N ? j : i));
        }
    return sums;
}

/* Checks that |y - A x| <= (2^-24 + (n + 2) 2^-53 (1 + 2^-24)) |A||x| + 2^-150 |x| for real values.
 * Complex values have twice the roundings, and sums of parts bound their moduli. */
static void check_bound(const fur_csr_view *a, fur_op op, const void *x, const void *y)
{
    int64_t rows = op == FUR_OP_N ? a->rows : a->cols;
    int64_t longest = op == FUR_OP_N ? a->cols : a->rows;
    bool complex_values = value_is_complex(a->value_type);
    bool single = a->value_type == FUR_F32 || a->value_type == FUR_C64;
    double u = value_epsilon(a->value_type) / 2;
    row_sums *sums = sum_rows(a, op, x);
    for (int64_t i = 0; i < rows; i++) {
        fur_scalar is = entry_get(a->value_type, y, i);
        double roundings = (double)(complex_values ? 2 * longest + 4 : longest + 2);
        long double share = roundings * u * (1 + 0x1p-24) + (single ? 0 : 0x1p-24);
        long double bound = share * sums[i].size + 0x1p-150L * sums[i].x +
                            (long double)longest * value_tiny(a->value_type);
        ck_assert_msg(fabsl(is.re - sums[i].re) <= bound && fabsl(is.im - sums[i].im) <= bound,
                      "row %lld is %g + %gi, must be %Lg + %Lgi up to %Lg", (long long)i, is.re,
                      is.im, sums[i].re, sums[i].im, bound);
    }
    free(sums);
}

/* Checks that y = op(A) x by the plan has the bits of the rounded values and is within the
 * bound. */
static void check_product(const fur_spmv *plan, const fur_csr *near, const void *values, rng *r)
{
    fur_context *context = fur_csr_context(fur_spmv_matrix(plan));
    fur_csr_view view = *fur_csr_get(near);
    fur_value_type value = view.value_type;
    fur_op op = fur_spmv_op(plan);
    int64_t rows = op == FUR_OP_N ? view.rows : view.cols;
    int64_t cols = op == FUR_OP_N ? view.cols : view.rows;
    void *rounded = entries_make(value, view.entries + 1);
    round_entries(value, view.entries, values, rounded);
    fur_csr *a = matrix_of(context, near, rounded);
    fur_spmv *reference = plan_of(a, op, "reference", FUR_STORED_EXACT);
    fur_vector *x = vector_random(context, r, value, cols);
    fur_vector *y = vector_random(context, r, value, rows);
    fur_vector *z = vector_random(context, r, value, rows);
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    ck_ok(context, fur_spmv_apply(reference, fur_real(1), x, fur_real(0), z));
    void *given = vector_entries(x);
    void *found = vector_entries(y);
    void *expected = vector_entries(z);
    int64_t at = first_difference(value, rows, found, expected);
    ck_assert_msg(at < 0, "%s, %s, op %d: row %lld of %lld x %lld is %a, of the rounded matrix %a",
                  fur_spmv_describe(plan)->kernel, fur_value_name(value), (int)op, (long long)at,
                  (long long)view.rows, (long long)view.cols,
                  at < 0 ? 0 : entry_get(value, found, at).re,
                  at < 0 ? 0 : entry_get(value, expected, at).re);
    view.values = values;
    check_bound(&view, op, given, found);
    free(expected);
    free(found);
    free(given);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_spmv_destroy(reference);
    fur_csr_destroy(a);
    free(rounded);
}

void rounded_check(fur_context *context, rng *r, const shape *s, fur_value_type value, fur_op op,
                   const char *kernel)
{
    fur_context *host = fur_context_host(context);
    fur_csr *near = matrix_random(host, r, s, value, (fur_offset_type)rng_below(r, 2));
    int64_t entries = fur_csr_get(near)->entries;
    void *values = draw(r, value, entries);
    fur_csr *a = matrix_of(context, near, values);
    fur_spmv *plan = plan_of(a, op, kernel, FUR_STORED_F32);
    if (plan) {
        check_product(plan, near, values, r);
        void *others = draw(r, value, entries);
        ck_ok(context, fur_csr_set_values(a, others, FUR_OWNERSHIP_COPY));
        check_product(plan, near, others, r);
        free(others);
    }
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
    free(values);
    fur_csr_destroy(near);
}
