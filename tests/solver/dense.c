#include "dense.h"

#include <math.h>

static long double complex number(fur_scalar s)
{
    return (long double)s.re + (long double)s.im * I;
}

dense dense_make(fur_value_type value, int64_t n)
{
    dense d = {.value = value, .n = n};
    d.a = calloc((size_t)(n * n) + 1, sizeof *d.a);
    d.b = calloc((size_t)n + 1, sizeof *d.b);
    ck_assert(d.a && d.b);
    return d;
}

void dense_release(dense *d)
{
    free(d->a);
    free(d->b);
}

void dense_set(dense *d, int64_t row, int64_t col, fur_scalar entry)
{
    d->a[row * d->n + col] = entry_round(d->value, entry);
}

void dense_draw_b(dense *d, rng *r)
{
    for (int64_t i = 0; i < d->n; i++)
        d->b[i] = entry_round(d->value, rng_scalar(r, d->value));
}

dense dense_dominant(rng *r, fur_value_type value, int64_t n, bool hermitian, bool positive)
{
    dense d = dense_make(value, n);
    for (int64_t k = 0; k < 4 * n; k++) {
        int64_t i = rng_below(r, n);
        int64_t j = rng_below(r, n);
        fur_scalar entry = rng_scalar(r, value);
        dense_set(&d, i, j, entry);
        if (hermitian)
            dense_set(&d, j, i, fur_complex(entry.re, -entry.im));
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 1.01;
        for (int64_t j = 0; j < n; j++)
            sum += j == i ? 0 : hypot(d.a[i * n + j].re, d.a[i * n + j].im);
        dense_set(&d, i, i, fur_real(positive || rng_below(r, 2) ? sum : -sum));
    }
    dense_draw_b(&d, r);
    return d;
}

dense_problem dense_open(const dense *d, fur_context *context)
{
    dense_problem p = {.context = context};
    fur_spmv_options options = {.size = sizeof options, .kernel = "reference"};
    int64_t entries = 0;
    int32_t *rows = malloc((size_t)(d->n * d->n + 1) * sizeof *rows);
    int32_t *cols = malloc((size_t)(d->n * d->n + 1) * sizeof *cols);
    void *values = entries_make(d->value, d->n * d->n + 1);
    void *b = entries_make(d->value, d->n + 1);
    for (int64_t k = 0; k < d->n * d->n; k++)
        if (d->a[k].re != 0 || d->a[k].im != 0) {
            rows[entries] = (int32_t)(k / d->n);
            cols[entries] = (int32_t)(k % d->n);
            entry_set(d->value, values, entries++, d->a[k]);
        }
    for (int64_t i = 0; i < d->n; i++)
        entry_set(d->value, b, i, d->b[i]);
    fur_coo_view coo = {sizeof coo, d->n, d->n, entries, d->value, rows, cols, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &p.matrix));
    ck_ok(context, fur_spmv_plan(p.matrix, &options, &p.plan));
    ck_ok(context, fur_operator_from_spmv(p.plan, &p.a));
    options.op = FUR_OP_H;
    ck_ok(context, fur_spmv_plan(p.matrix, &options, &p.adjoint_plan));
    ck_ok(context, fur_operator_from_spmv(p.adjoint_plan, &p.adjoint));
    ck_ok(context, fur_vector_create(context, d->value, d->n, &p.x));
    p.b = vector_from(context, d->value, d->n, b);
    free(rows);
    free(cols);
    free(values);
    free(b);
    return p;
}

void dense_close(dense_problem *p)
{
    fur_vector_destroy(p->x);
    fur_vector_destroy(p->b);
    fur_operator_destroy(p->adjoint);
    fur_operator_destroy(p->a);
    fur_spmv_destroy(p->adjoint_plan);
    fur_spmv_destroy(p->plan);
    fur_csr_destroy(p->matrix);
}

/* Exchanges row k with the row below it, or itself, that has the largest entry in column k. */
static void exchange(long double complex *a, int64_t n, int64_t width, int64_t k)
{
    int64_t best = k;
    for (int64_t i = k + 1; i < n; i++)
        if (cabsl(a[i * width + k]) > cabsl(a[best * width + k]))
            best = i;
    for (int64_t j = k; j < width; j++) {
        long double complex swap = a[k * width + j];
        a[k * width + j] = a[best * width + j];
        a[best * width + j] = swap;
    }
}

long double complex *dense_solution(const dense *d)
{
    int64_t n = d->n;
    int64_t width = n + 1;
    long double complex *a = malloc((size_t)(n * width + 1) * sizeof *a);
    long double complex *x = malloc((size_t)(n + 1) * sizeof *x);
    for (int64_t k = 0; k < n * n; k++)
        a[k / n * width + k % n] = number(d->a[k]);
    for (int64_t i = 0; i < n; i++)
        a[i * width + n] = number(d->b[i]);
    for (int64_t k = 0; k < n; k++) {
        exchange(a, n, width, k);
        for (int64_t i = k + 1; i < n; i++) {
            long double complex factor = a[i * width + k] / a[k * width + k];
            for (int64_t j = k; factor != 0 && j < width; j++)
                a[i * width + j] -= factor * a[k * width + j];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] = a[i * width + n];
        for (int64_t j = i + 1; j < n; j++)
            x[i] -= a[i * width + j] * x[j];
        x[i] /= a[i * width + i];
    }
    free(a);
    return x;
}

long double dense_residual(const dense *d, const void *x)
{
    long double squares = 0;
    for (int64_t i = 0; i < d->n; i++) {
        long double complex sum = number(d->b[i]);
        for (int64_t j = 0; j < d->n; j++)
            sum -= number(d->a[i * d->n + j]) * number(entry_get(d->value, x, j));
        squares += creall(sum) * creall(sum) + cimagl(sum) * cimagl(sum);
    }
    return sqrtl(squares);
}

/* Each of the n + 2 operations of a row errs by at most half an epsilon of |A||x| + |b|. Complex
 * operations err by at most four times that. */
long double dense_rounding(const dense *d, const void *x)
{
    long double squares = 0;
    for (int64_t i = 0; i < d->n; i++) {
        long double sum = cabsl(number(d->b[i]));
        for (int64_t j = 0; j < d->n; j++)
            sum += cabsl(number(d->a[i * d->n + j])) * cabsl(number(entry_get(d->value, x, j)));
        squares += sum * sum;
    }
    return sqrtl(squares) * (long double)(d->n + 2) * 2 * value_epsilon(d->value);
}

long double dense_b_norm(const dense *d)
{
    long double squares = 0;
    for (int64_t i = 0; i < d->n; i++)
        squares += (long double)d->b[i].re * d->b[i].re + (long double)d->b[i].im * d->b[i].im;
    return sqrtl(squares);
}
