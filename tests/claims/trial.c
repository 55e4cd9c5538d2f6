/* See trial.h. */
#include "trial.h"

#include <furrow/author/operator.h>

#include "check_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool is_single(fur_value_type value)
{
    return value == FUR_F32 || value == FUR_C64;
}

bool is_complex(fur_value_type value)
{
    return value == FUR_C64 || value == FUR_C128;
}

/* `volatile` is needed: otherwise GCC 12 removes the conversion to float and back. */
double round_to(fur_value_type value, double a)
{
    double most = is_single(value) ? (double)FLT_MAX : DBL_MAX;
    double inside = a > most ? most : a < -most ? -most : a;
    volatile float rounded = is_single(value) ? (float)inside : 0;
    return is_single(value) ? (double)rounded : inside;
}

void set_entry(fur_value_type value, void *array, int64_t i, double re, double im)
{
    int64_t step = is_complex(value) ? 2 : 1;
    for (int part = 0; part < step; part++) {
        double a = round_to(value, part ? im : re);
        if (is_single(value))
            ((float *)array)[step * i + part] = (float)a;
        else
            ((double *)array)[step * i + part] = a;
    }
}

double entry_part(fur_value_type value, const void *array, int64_t i, int part)
{
    int64_t at = is_complex(value) ? 2 * i + part : i;
    if (part && !is_complex(value))
        return 0;
    return is_single(value) ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

number entry_number(fur_value_type value, const void *array, int64_t i)
{
    return (number){(real)entry_part(value, array, i, 0), (real)entry_part(value, array, i, 1)};
}

void add_term(trial *t, int64_t row, int64_t col, double re, double im)
{
    t->terms[t->count++] = (term){(int32_t)row, (int32_t)col, re, is_complex(t->value) ? im : 0};
}

void must(const trial *t, fur_status status)
{
    char text[256];
    if (status == FUR_OK)
        return;
    snprintf(text, sizeof text, "%s: %s", fur_status_name(status), fur_context_error(t->context));
    fail(t, text, 0, 0);
}

static int compare_terms(const void *a, const void *b)
{
    const term *s = a;
    const term *t = b;
    int rows = (s->row > t->row) - (s->row < t->row);
    return rows ? rows : (s->col > t->col) - (s->col < t->col);
}

/* Replaces the terms of each position by one term with their sum. */
static void merge_terms(trial *t)
{
    int64_t kept = 0;
    qsort(t->terms, (size_t)t->count, sizeof *t->terms, compare_terms);
    for (int64_t k = 0; k < t->count; k++) {
        term *e = &t->terms[k];
        if (kept > 0 && compare_terms(e, &t->terms[kept - 1]) == 0) {
            e->re += t->terms[kept - 1].re;
            e->im += t->terms[kept - 1].im;
            kept--;
        }
        t->terms[kept++] = *e;
    }
    t->count = kept;
    for (int64_t k = 0; k < kept; k++) {
        t->terms[k].re = round_to(t->value, t->terms[k].re);
        t->terms[k].im = round_to(t->value, t->terms[k].im);
    }
}

static int longest_row(const trial *t)
{
    static int length[MAX_ROWS];
    int most = 0;
    memset(length, 0, sizeof length);
    for (int64_t k = 0; k < t->count; k++)
        most = ++length[t->terms[k].row] > most ? length[t->terms[k].row] : most;
    return most;
}

static fur_status apply_plan(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_spmv_apply(user, fur_real(1), x, fur_real(0), y);
}

/* Makes the operator of the plan, or the operator of a function that hides the plan. */
static void make_operator(trial *t)
{
    fur_operator_definition d = {.size = sizeof d,
                                 .rows = t->rows,
                                 .cols = t->cols,
                                 .value_type = t->value,
                                 .user = t->plan,
                                 .apply = apply_plan};
    must(t, below(4) ? fur_operator_from_spmv(t->plan, &t->a)
                     : fur_operator_create(t->context, &d, &t->a));
}

void make_matrix(trial *t)
{
    static int32_t rows[MAX_ROWS * MAX_POINTS];
    static int32_t cols[MAX_ROWS * MAX_POINTS];
    static double values[2 * MAX_ROWS * MAX_POINTS];
    fur_spmv_options adjoint = {.size = sizeof adjoint, .op = FUR_OP_H};
    merge_terms(t);
    for (int64_t k = 0; k < t->count; k++) {
        rows[k] = t->terms[k].row;
        cols[k] = t->terms[k].col;
        set_entry(t->value, values, k, t->terms[k].re, t->terms[k].im);
    }
    t->most = longest_row(t);
    fur_coo_view coo = {sizeof coo, t->rows, t->cols, t->count, t->value, rows, cols, values};
    must(t, fur_csr_from_coo(t->context, &coo, FUR_DUPLICATES_ERROR, &t->matrix));
    must(t, fur_spmv_plan(t->matrix, NULL, &t->plan));
    must(t, fur_spmv_plan(t->matrix, &adjoint, &t->adjoint_plan));
    must(t, fur_operator_from_spmv(t->adjoint_plan, &t->adjoint));
    make_operator(t);
}

void set_vectors(trial *t, const double *b)
{
    must(t, fur_vector_create(t->context, t->value, t->rows, &t->b));
    must(t, fur_vector_upload(b, t->b));
    must(t, fur_vector_create(t->context, t->value, t->cols, &t->x));
    must(t, fur_vector_upload(t->guess, t->x));
}

void print_trial(const trial *t)
{
    static double b[2 * MAX_ROWS];
    static double x[2 * MAX_ROWS];
    printf("%s, %lld x %lld, %s, %s\n", t->kind, (long long)t->rows, (long long)t->cols,
           fur_value_name(t->value), t->solve);
    printf(
        "%s: %s, %lld iterations, residual %.17g, scaled %.17g by %s\n", fur_status_name(t->status),
        t->status == FUR_OK ? fur_outcome_name(t->report.outcome) : fur_context_error(t->context),
        (long long)t->report.iterations, t->report.residual, t->report.residual_scaled,
        t->report.scale ? t->report.scale : "none");
    if (t->rows > MAX_DENSE || t->cols > MAX_DENSE || !t->b || !t->x)
        return;
    for (int64_t k = 0; k < t->count; k++)
        printf("A %d %d %.17g %.17g\n", t->terms[k].row + 1, t->terms[k].col + 1, t->terms[k].re,
               t->terms[k].im);
    if (fur_vector_download(t->b, b) != FUR_OK || fur_vector_download(t->x, x) != FUR_OK)
        return;
    for (int64_t i = 0; i < t->rows; i++)
        printf("b %.17g %.17g\n", entry_part(t->value, b, i, 0), entry_part(t->value, b, i, 1));
    for (int64_t i = 0; i < t->cols; i++)
        printf("guess %.17g %.17g  x %.17g %.17g\n", entry_part(t->value, t->guess, i, 0),
               entry_part(t->value, t->guess, i, 1), entry_part(t->value, x, i, 0),
               entry_part(t->value, x, i, 1));
}

void release_trial(trial *t)
{
    fur_vector_destroy(t->x);
    fur_vector_destroy(t->b);
    fur_operator_destroy(t->m);
    fur_precond_destroy(t->precond);
    fur_operator_destroy(t->adjoint);
    fur_operator_destroy(t->a);
    fur_multigrid_destroy(t->multigrid);
    fur_stencil_destroy(t->stencil);
    fur_spmv_destroy(t->adjoint_plan);
    fur_spmv_destroy(t->plan);
    fur_csr_destroy(t->matrix);
}
