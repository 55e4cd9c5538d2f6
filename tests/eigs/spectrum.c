/* The spectrum of a dense matrix, by Jacobi's method in long double. Also manages the results of
 * methods. */
#include "spectrum.h"

#include <float.h>
#include <math.h>

double spectrum_residual(const dense *d, const fur_vector *v, double lambda)
{
    long double sum = 0;
    void *x = vector_entries(v);
    for (int64_t i = 0; i < d->n; i++) {
        fur_scalar own = entry_get(d->value, x, i);
        long double re = -(long double)lambda * own.re;
        long double im = -(long double)lambda * own.im;
        for (int64_t j = 0; j < d->n; j++) {
            fur_scalar a = d->a[i * d->n + j];
            fur_scalar b = entry_get(d->value, x, j);
            re += (long double)a.re * b.re - (long double)a.im * b.im;
            im += (long double)a.re * b.im + (long double)a.im * b.re;
        }
        sum += re * re + im * im;
    }
    free(x);
    return (double)sqrtl(sum);
}

/* Rotates rows and columns p and q so that entry (p, q) becomes zero. */
static void rotate(long double *a, int64_t n, int64_t p, int64_t q)
{
    long double angle = atan2l(2 * a[p * n + q], a[q * n + q] - a[p * n + p]) / 2;
    long double c = cosl(angle);
    long double s = sinl(angle);
    for (int64_t k = 0; k < n; k++) {
        long double x = a[p * n + k];
        a[p * n + k] = c * x - s * a[q * n + k];
        a[q * n + k] = s * x + c * a[q * n + k];
    }
    for (int64_t k = 0; k < n; k++) {
        long double x = a[k * n + p];
        a[k * n + p] = c * x - s * a[k * n + q];
        a[k * n + q] = s * x + c * a[k * n + q];
    }
}

/* Rotates all entries above `small` to zero. Returns whether there was such an entry. */
static bool sweep(long double *a, int64_t n, long double small)
{
    bool some = false;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++)
            if (fabsl(a[p * n + q]) > small) {
                rotate(a, n, p, q);
                some = true;
            }
    return some;
}

/* Stores the n diagonal entries in rising order. */
static void sort_diagonal(const long double *a, int64_t n, long double *values)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i;
        for (; k > 0 && values[k - 1] > a[i * n + i]; k--)
            values[k] = values[k - 1];
        values[k] = a[i * n + i];
    }
}

/* Uses Jacobi's method. A complex matrix is replaced by a real one with twice the rows, which has
 * each eigenvalue twice. The entries that remain off the diagonal move no eigenvalue by more than a
 * rounding of ||A||. */
long double *spectrum_of(const dense *d)
{
    int64_t times = value_is_complex(d->value) ? 2 : 1;
    int64_t n = times * d->n;
    long double *a = calloc((size_t)(n * n), sizeof *a);
    long double *values = calloc((size_t)n, sizeof *values);
    long double squares = 0;
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t j = 0; j < d->n; j++) {
            fur_scalar entry = d->a[i * d->n + j];
            a[i * n + j] = entry.re;
            if (times == 2) {
                a[(i + d->n) * n + j + d->n] = entry.re;
                a[(i + d->n) * n + j] = entry.im;
                a[i * n + j + d->n] = -entry.im;
            }
            squares += (long double)entry.re * entry.re + (long double)entry.im * entry.im;
        }
    long double small = LDBL_EPSILON * sqrtl(squares) / (long double)n;
    for (int i = 0; i < 30 && sweep(a, n, small); i++)
        ;
    sort_diagonal(a, n, values);
    for (int64_t i = 0; i < d->n; i++)
        values[i] = values[times * i];
    free(a);
    return values;
}

found found_open(const fur_operator *a, int count)
{
    found f = {.report = FUR_DEFAULT(fur_eigs_report)};
    fur_context *context = fur_operator_context(a);
    for (int i = 0; i < count; i++)
        ck_ok(context, fur_vector_create(context, fur_operator_value_type(a), fur_operator_rows(a),
                                         &f.vectors[i]));
    return f;
}

void found_release(found *f)
{
    for (int i = 0; i < FOUND_MAX; i++)
        fur_vector_destroy(f->vectors[i]);
}

void check_asymmetric(rng *r, found (*find_two)(const fur_operator *a))
{
    fur_context *context = context_make(NULL, 1);
    for (int value = 0; value < FUR_VALUE_COUNT; value++) {
        dense d = dense_dominant(r, (fur_value_type)value, 50, false, true);
        dense_set(&d, 0, 49, fur_real(20));
        dense_problem p = dense_open(&d, context);
        found f = find_two(p.a);
        ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_ASYMMETRIC);
        ck_assert_int_eq(f.report.converged, 0);
        ck_assert(isnan(f.values[0]) && isnan(f.residuals[1]));
        found_release(&f);
        dense_close(&p);
        dense_release(&d);
    }
    fur_context_destroy(context);
}

nearly_equal nearly_equal_open(fur_context *context)
{
    enum { COPIES = 800, POINTS = 10, N = COPIES * POINTS };
    static int32_t rows[3 * N];
    static int32_t cols[3 * N];
    static double entries[3 * N];
    rng r = rng_stream(70);
    nearly_equal p = {.a = NULL};
    int64_t count = 0;
    for (int k = 0; k < COPIES; k++) {
        double scale = 1 + 1e-4 * fabs(rng_unit(&r));
        for (int i = 0; i < POINTS; i++)
            for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < POINTS; j++) {
                rows[count] = k * POINTS + i;
                cols[count] = k * POINTS + j;
                entries[count++] = i == j ? 2 * scale : -scale;
            }
    }
    fur_coo_view coo = {sizeof coo, N, N, count, FUR_F64, rows, cols, entries};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &p.a));
    ck_ok(context, fur_spmv_plan(p.a, NULL, &p.plan));
    ck_ok(context, fur_operator_from_spmv(p.plan, &p.op));
    return p;
}

void nearly_equal_close(nearly_equal *p)
{
    fur_operator_destroy(p->op);
    fur_spmv_destroy(p->plan);
    fur_csr_destroy(p->a);
}
