/* Systems with a banded matrix, and the expected result of each. Elimination works on dense
 * rows. */
#include "batch_trial.h"

#include <math.h>

fur_csr *batch_band_pattern(fur_context *context, rng *r, int64_t rows, int64_t lower,
                            int64_t upper)
{
    int64_t most = rows * (lower + upper + 1);
    int32_t *row = malloc(((size_t)most + 1) * sizeof *row);
    int32_t *col = malloc(((size_t)most + 1) * sizeof *col);
    double *values = calloc((size_t)most + 1, sizeof *values);
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = i > lower ? i - lower : 0; j < rows && j <= i + upper; j++)
            if (i == j || i < 2 * lower + 2 || rng_below(r, 10) > 0) {
                row[count] = (int32_t)i;
                col[count++] = (int32_t)j;
            }
    fur_coo_view coo = {sizeof coo, rows, rows, count, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    free(values);
    free(col);
    free(row);
    return a;
}

/* Returns a b + c, computed in the value type. */
static double fma_part(bool single, double a, double b, double c)
{
    return single ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static fur_scalar add_product(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c)
{
    bool single = value == FUR_F32 || value == FUR_C64;
    double re = fma_part(single, a.re, b.re, c.re);
    if (!value_is_complex(value))
        return fur_real(re);
    double im = fma_part(single, a.re, b.im, c.im);
    return fur_complex(fma_part(single, -a.im, b.im, re), fma_part(single, a.im, b.re, im));
}

static fur_scalar negative(fur_scalar a)
{
    return fur_complex(-a.re, -a.im);
}

/* Returns a / b. A complex a is multiplied by the rounded reciprocal of b. */
static fur_scalar over(fur_value_type value, fur_scalar a, fur_scalar b)
{
    if (value == FUR_F32)
        return fur_real((double)((float)a.re / (float)b.re));
    if (value == FUR_F64)
        return fur_real(a.re / b.re);
    double large = fmax(fabs(b.re), fabs(b.im));
    double scale = large > 0 && isfinite(large) ? scalbn(1, -ilogb(large)) : 1;
    double re = b.re * scale;
    double im = b.im * scale;
    double square = fma(re, re, im * im);
    fur_scalar r = entry_round(value, fur_complex(re / square * scale, -im / square * scale));
    fur_scalar product = entry_round(value, fur_complex(a.re * r.re, a.re * r.im));
    bool single = value == FUR_C64;
    return fur_complex(fma_part(single, -a.im, r.im, product.re),
                       fma_part(single, a.im, r.re, product.im));
}

/* Returns the size of an entry in the choice of the pivot. */
static double size_of(fur_value_type value, fur_scalar a)
{
    double size = fabs(a.re) + fabs(a.im);
    return value == FUR_C64 ? (double)(float)size : size;
}

static void exchange(fur_scalar *a, fur_scalar *b)
{
    fur_scalar swap = *a;
    *a = *b;
    *b = swap;
}

/* Replaces b by x, by elimination on dense rows. Returns whether the matrix is singular. Entries of
 * U outside of the band are 0 and change nothing. */
static bool eliminate(fur_value_type value, int64_t n, int64_t lower, int64_t upper, fur_scalar *a,
                      fur_scalar *b)
{
    bool singular = false;
    for (int64_t j = 0; j < n; j++) {
        int64_t pivot = j;
        for (int64_t i = j; i < n && i <= j + lower; i++)
            pivot = size_of(value, a[i * n + j]) > size_of(value, a[pivot * n + j]) ? i : pivot;
        singular = singular || size_of(value, a[pivot * n + j]) == 0;
        for (int64_t k = 0; pivot != j && k < n; k++)
            exchange(&a[j * n + k], &a[pivot * n + k]);
        exchange(&b[j], &b[pivot]);
        for (int64_t i = j + 1; i < n && i <= j + lower; i++) {
            fur_scalar factor = negative(over(value, a[i * n + j], a[j * n + j]));
            for (int64_t k = j + 1; k < n && k <= j + lower + upper; k++)
                a[i * n + k] = add_product(value, factor, a[j * n + k], a[i * n + k]);
            b[i] = add_product(value, factor, b[j], b[i]);
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        int64_t last = i + lower + upper < n ? i + lower + upper : n - 1;
        for (int64_t k = last; k > i; k--)
            b[i] = add_product(value, negative(a[i * n + k]), b[k], b[i]);
        b[i] = over(value, b[i], a[i * n + i]);
    }
    return singular;
}

static void solve_band(batch_trial *t, int64_t lower, int64_t upper, int64_t s)
{
    const fur_csr_view *v = fur_csr_get(t->matrix);
    int64_t n = v->rows;
    fur_scalar *a = calloc((size_t)(n * n) + 1, sizeof *a);
    fur_scalar *b = calloc((size_t)n + 1, sizeof *b);
    fur_outcome outcome = FUR_OUTCOME_CONVERGED;
    for (int64_t i = 0; i < n; i++) {
        b[i] = entry_get(t->value, t->b, i * t->count + s);
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            a[i * n + v->columns[k]] = entry_get(t->value, t->values, k * t->count + s);
    }
    bool singular = eliminate(t->value, n, lower, upper, a, b);
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(b[i].re) || !isfinite(b[i].im))
            outcome = FUR_OUTCOME_BREAKDOWN;
        entry_set(t->value, t->expected, i * t->count + s, singular ? fur_complex(NAN, NAN) : b[i]);
    }
    t->results[s] = (fur_batch_result){singular ? FUR_OUTCOME_SINGULAR : outcome, 0, NAN};
    free(b);
    free(a);
}

/* Sets all entries of a row to zero, or to NaN for every second system. No rounding hides that the
 * matrix is singular. */
static void spoil(batch_trial *t, int64_t s, rng *r)
{
    const fur_csr_view *a = fur_csr_get(t->matrix);
    int64_t row = rng_below(r, a->rows);
    for (int64_t k = offset_at(a, row); k < offset_at(a, row + 1); k++)
        entry_set(t->value, t->values, k * t->count + s, fur_real(s % 2 ? NAN : 0));
}

/* Scales system s so that squares of its entries overflow in the value type. */
static void enlarge(batch_trial *t, int64_t s)
{
    double factor = t->value == FUR_F64 || t->value == FUR_C128 ? 0x1p600 : 0x1p100;
    for (int64_t k = 0; k < fur_csr_get(t->matrix)->entries; k++) {
        fur_scalar a = entry_get(t->value, t->values, k * t->count + s);
        entry_set(t->value, t->values, k * t->count + s, fur_complex(factor * a.re, factor * a.im));
    }
}

batch_trial batch_banded(const fur_csr *matrix, fur_value_type value, int64_t count, int64_t lower,
                         int64_t upper, rng *r)
{
    batch_trial t = batch_make(matrix, value, count, fur_csr_get(matrix)->rows, r);
    for (int64_t s = 0; s < count; s++) {
        if (s % 5 == 3)
            spoil(&t, s, r);
        if (s % 5 == 1)
            enlarge(&t, s);
        solve_band(&t, lower, upper, s);
    }
    return t;
}
