/* See exact.h. */
#include "exact.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SWEEPS 60

real square_root(real a)
{
    real root = (real)sqrtl((long double)a);
    return root > 0 && is_finite(root) ? (root + a / root) / 2 : root;
}

real modulus(number a)
{
    return square_root(square(a));
}

real norm_of(const number *v, int n)
{
    real sum = 0;
    for (int i = 0; i < n; i++)
        sum += square(v[i]);
    return square_root(sum);
}

exact exact_make(int rows, int cols)
{
    exact a = {rows, cols, calloc((size_t)rows * (size_t)cols + 1, sizeof(number))};
    if (!a.at)
        abort();
    return a;
}

void exact_release(exact *a)
{
    free(a->at);
    a->at = NULL;
}

exact exact_copy(const exact *a)
{
    exact copy = exact_make(a->rows, a->cols);
    memcpy(copy.at, a->at, (size_t)a->rows * (size_t)a->cols * sizeof *a->at);
    return copy;
}

exact exact_adjoint(const exact *a)
{
    exact out = exact_make(a->cols, a->rows);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->cols; j++)
            out.at[j * a->rows + i] = conjugate(a->at[i * a->cols + j]);
    return out;
}

exact exact_product(const exact *a, const exact *b)
{
    exact out = exact_make(a->rows, b->cols);
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < a->cols; k++)
            for (int j = 0; j < b->cols; j++) {
                number *sum = &out.at[i * b->cols + j];
                *sum = add(*sum, multiply(a->at[i * a->cols + k], b->at[k * b->cols + j]));
            }
    return out;
}

real exact_norm(const exact *a)
{
    return norm_of(a->at, a->rows * a->cols);
}

bool exact_cholesky(const exact *a, real shift, exact *l)
{
    int n = a->rows;
    *l = exact_make(n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            number sum = times((real)0.5, add(a->at[i * n + j], conjugate(a->at[j * n + i])));
            sum.re += i == j ? shift : 0;
            for (int k = 0; k < j; k++)
                sum = subtract(sum, multiply(l->at[i * n + k], conjugate(l->at[j * n + k])));
            if (i == j && !(sum.re > 0))
                return false;
            l->at[i * n + j] =
                i == j ? (number){square_root(sum.re), 0} : times(1 / l->at[j * n + j].re, sum);
        }
    return true;
}

static void exchange_rows(exact *a, int i, int k)
{
    for (int j = 0; j < a->cols; j++) {
        number swap = a->at[i * a->cols + j];
        a->at[i * a->cols + j] = a->at[k * a->cols + j];
        a->at[k * a->cols + j] = swap;
    }
}

/* Moves the largest entry of rows and columns k .. to (k, k). Returns false if all are 0. */
static bool take_pivot(exact *a, exact *b, int k, int *order)
{
    int n = a->rows;
    int row = k;
    int col = k;
    for (int i = k; i < n; i++)
        for (int j = k; j < n; j++)
            if (square(a->at[i * n + j]) > square(a->at[row * n + col])) {
                row = i;
                col = j;
            }
    exchange_rows(a, k, row);
    exchange_rows(b, k, row);
    for (int i = 0; i < n; i++) {
        number swap = a->at[i * n + k];
        a->at[i * n + k] = a->at[i * n + col];
        a->at[i * n + col] = swap;
    }
    int swap = order[k];
    order[k] = order[col];
    order[col] = swap;
    return square(a->at[k * n + k]) > 0;
}

static number divide(number a, number b)
{
    return times(1 / square(b), multiply(a, conjugate(b)));
}

/* Subtracts factor times row k from row i, in columns from `from` on. */
static void eliminate(exact *a, int i, int k, int from, number factor)
{
    for (int j = from; j < a->cols; j++) {
        number *entry = &a->at[i * a->cols + j];
        *entry = subtract(*entry, multiply(factor, a->at[k * a->cols + j]));
    }
}

static void substitute(const exact *a, exact *b)
{
    for (int k = a->rows - 1; k >= 0; k--) {
        for (int j = 0; j < b->cols; j++) {
            number *entry = &b->at[k * b->cols + j];
            *entry = divide(*entry, a->at[k * a->rows + k]);
        }
        for (int i = 0; i < k; i++)
            eliminate(b, i, k, 0, a->at[i * a->rows + k]);
    }
}

/* Moves row k of B to row order[k]. */
static void restore_order(exact *b, const int *order)
{
    exact sorted = exact_make(b->rows, b->cols);
    size_t row = (size_t)b->cols * sizeof *b->at;
    for (int k = 0; k < b->rows; k++)
        memcpy(&sorted.at[order[k] * b->cols], &b->at[k * b->cols], row);
    memcpy(b->at, sorted.at, (size_t)b->rows * row);
    exact_release(&sorted);
}

bool exact_solve(const exact *a, exact *b)
{
    int n = a->rows;
    exact lu = exact_copy(a);
    int *order = calloc((size_t)n + 1, sizeof *order);
    bool regular = order != NULL;
    for (int k = 0; k < n && regular; k++)
        order[k] = k;
    for (int k = 0; k < n && regular; k++) {
        regular = take_pivot(&lu, b, k, order);
        for (int i = k + 1; i < n && regular; i++) {
            number factor = divide(lu.at[i * n + k], lu.at[k * n + k]);
            eliminate(&lu, i, k, k, factor);
            eliminate(b, i, k, 0, factor);
        }
    }
    if (regular) {
        substitute(&lu, b);
        restore_order(b, order);
    }
    free(order);
    exact_release(&lu);
    return regular;
}

real exact_least(const exact *a)
{
    exact inverse = exact_make(a->rows, a->rows);
    for (int i = 0; i < a->rows; i++)
        inverse.at[i * a->rows + i].re = 1;
    bool regular = exact_solve(a, &inverse);
    real norm = exact_norm(&inverse);
    exact_release(&inverse);
    return regular && norm > 0 && is_finite(norm) ? 1 / norm : 0;
}

/* Makes columns i and j orthogonal. Returns false if they already are. */
static bool rotate(exact *a, int i, int j)
{
    real ii = 0;
    real jj = 0;
    number ij = {0, 0};
    for (int k = 0; k < a->rows; k++) {
        number x = a->at[k * a->cols + i];
        number y = a->at[k * a->cols + j];
        ii += square(x);
        jj += square(y);
        ij = add(ij, multiply(conjugate(x), y));
    }
    real size = modulus(ij);
    if (!(size > 8 * REAL_EPSILON * square_root(ii) * square_root(jj)))
        return false;
    real zeta = (jj - ii) / (2 * size);
    real t = 1 / (magnitude(zeta) + square_root(1 + zeta * zeta));
    t = zeta < 0 ? -t : t;
    real c = 1 / square_root(1 + t * t);
    number s = times(c * t / size, ij);
    for (int k = 0; k < a->rows; k++) {
        number x = a->at[k * a->cols + i];
        number y = a->at[k * a->cols + j];
        a->at[k * a->cols + i] = subtract(times(c, x), multiply(conjugate(s), y));
        a->at[k * a->cols + j] = add(multiply(s, x), times(c, y));
    }
    return true;
}

static real column_norm(const exact *a, int j)
{
    real sum = 0;
    for (int i = 0; i < a->rows; i++)
        sum += square(a->at[i * a->cols + j]);
    return square_root(sum);
}

static void exchange_columns(exact *a, int i, int j)
{
    for (int k = 0; k < a->rows; k++) {
        number swap = a->at[k * a->cols + i];
        a->at[k * a->cols + i] = a->at[k * a->cols + j];
        a->at[k * a->cols + j] = swap;
    }
}

void exact_values(exact *a, real *values)
{
    bool turned = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && turned; sweep++) {
        turned = false;
        for (int i = 0; i < a->cols; i++)
            for (int j = i + 1; j < a->cols; j++)
                turned = rotate(a, i, j) || turned;
    }
    for (int j = 0; j < a->cols; j++) {
        values[j] = column_norm(a, j);
        for (int i = j; i > 0 && values[i] > values[i - 1]; i--) {
            real swap = values[i];
            values[i] = values[i - 1];
            values[i - 1] = swap;
            exchange_columns(a, i, i - 1);
        }
    }
}
