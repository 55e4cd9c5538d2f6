#include "spmm_trial.h"

#include "placed_block.h"

#include <math.h>
#include <string.h>

/* Copies one column into a row-major block of n x k entries. take_column copies it back. */
static void put_column(fur_value_type value, int64_t n, int64_t k, int64_t j, const void *column,
                       void *block)
{
    for (int64_t i = 0; i < n; i++)
        entry_set(value, block, i * k + j, entry_get(value, column, i));
}

static void *take_column(fur_value_type value, int64_t n, int64_t k, int64_t j, const void *block)
{
    void *column = entries_make(value, n);
    for (int64_t i = 0; i < n; i++)
        entry_set(value, column, i, entry_get(value, block, i * k + j));
    return column;
}

/* Stores alpha op(A) x + beta y of column j as the expected column, by the reference. */
static void expect_column(const fur_spmv *plan, spmm_trial *t, int64_t j)
{
    fur_context *context = fur_csr_context(fur_spmv_matrix(plan));
    void *x_entries = take_column(t->value, t->x_rows, t->cols, j, t->x);
    void *y_entries = take_column(t->value, t->y_rows, t->cols, j, t->y);
    fur_vector *x = vector_from(context, t->value, t->x_rows, x_entries);
    fur_vector *y = vector_from(context, t->value, t->y_rows, y_entries);
    ck_ok(context, fur_spmv_apply(plan, t->alpha, x, t->beta, y));
    put_column(t->value, t->y_rows, t->cols, j, fur_vector_const_data(y), t->expected);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    free(y_entries);
    free(x_entries);
}

static void set_coefficients(spmm_trial *t, rng *r)
{
    t->alpha = rng_below(r, 3) ? rng_scalar(r, t->value) : fur_real(1);
    t->beta = rng_below(r, 2) ? rng_scalar(r, t->value) : fur_real((double)rng_below(r, 2));
}

spmm_trial spmm_random(const fur_csr *a, fur_op op, int64_t cols, rng *r)
{
    const fur_csr_view *v = fur_csr_get(a);
    spmm_trial t = {.value = v->value_type, .op = op, .cols = cols};
    t.x_rows = op == FUR_OP_N ? v->cols : v->rows;
    t.y_rows = op == FUR_OP_N ? v->rows : v->cols;
    set_coefficients(&t, r);
    t.x = entries_random(r, t.value, t.x_rows * cols);
    t.y = entries_random(r, t.value, t.y_rows * cols);
    t.expected = entries_make(t.value, t.y_rows * cols);
    for (int64_t i = 0; t.beta.re == 0 && t.beta.im == 0 && i < t.y_rows * cols; i++)
        entry_set(t.value, t.y, i, fur_complex(NAN, NAN));
    fur_spmv_options options = {.size = sizeof options, .op = op, .kernel = "reference"};
    fur_spmv *plan = NULL;
    ck_ok(fur_csr_context(a), fur_spmv_plan(a, &options, &plan));
    for (int64_t j = 0; j < cols; j++)
        expect_column(plan, &t, j);
    fur_spmv_destroy(plan);
    return t;
}

void spmm_release(spmm_trial *t)
{
    free(t->x);
    free(t->y);
    free(t->expected);
}

void spmm_check(fur_context *context, const fur_spmm *plan, const spmm_trial *t, int way,
                const char *what)
{
    fur_layout x_layout = way & 1 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS;
    fur_layout y_layout = way & 2 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS;
    placed_block x = block_place(context, t->value, t->x_rows, t->cols, x_layout, way & 4, t->x);
    placed_block y = block_place(context, t->value, t->y_rows, t->cols, y_layout, way & 4, t->y);
    ck_ok(context, fur_spmm_apply(plan, t->alpha, x.block, t->beta, y.block));
    void *after = block_take_back(&x);
    void *result = block_take_back(&y);
    ck_assert(first_difference(t->value, t->x_rows * t->cols, after, t->x) < 0);
    int64_t at = first_difference(t->value, t->y_rows * t->cols, result, t->expected);
    ck_assert_msg(at < 0,
                  "%s, %s, op %d, %s, %lld columns, way %d, isa %s, %d threads: (%lld, %lld)", what,
                  fur_spmm_describe(plan)->kernel, (int)t->op, fur_value_name(t->value),
                  (long long)t->cols, way, fur_context_isa(context), fur_context_threads(context),
                  (long long)(at / t->cols), (long long)(at % t->cols));
    free(result);
    free(after);
}
