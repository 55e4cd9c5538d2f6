/* Blocks of vectors and small matrices: X C, X^H Y, norms of columns. */
#include "vectors.h"

#include <furrow/author/fused.h>
#include <furrow/vector.h>

/* Rounds c to the value type, in memory that the caller releases. */
static fur_status round_small(fur_context *context, fur_value_type value, int64_t count,
                              const fur_scalar *c, void **out)
{
    FUR_TRY(fur_env_allocate(&context->env, count, fur_value_size(value), out));
    fur_convert_values(&context->env, count, FUR_C128, c, value, *out);
    return FUR_OK;
}

static fur_status check_small(const fur_vectors *x, const fur_vectors *y)
{
    fur_env *env = &x->context->env;
    if (x->context != y->context)
        return fur_env_fail(env, FUR_INVALID, "the blocks belong to different contexts");
    if (x->view.value_type != y->view.value_type)
        return fur_env_fail(
            env, FUR_INVALID,
            "the blocks have entries of types %s and %s; they need the same type: convert one",
            fur_value_name(x->view.value_type), fur_value_name(y->view.value_type));
    if (x->view.rows != y->view.rows)
        return fur_env_fail(env, FUR_INVALID,
                            "the blocks have %lld and %lld rows; they need the same number",
                            (long long)x->view.rows, (long long)y->view.rows);
    return FUR_OK;
}

static fur_status check_product(const fur_vectors *x, const fur_vectors *y)
{
    FUR_TRY(check_small(x, y));
    int64_t k = x->view.cols;
    int64_t m = y->view.cols;
    if (k > FUR_SMALL_MAX || m > FUR_SMALL_MAX)
        return fur_env_fail(
            &x->context->env, FUR_UNSUPPORTED,
            "the small matrix is %lld x %lld; it can have at most %d rows and columns",
            (long long)k, (long long)m, FUR_SMALL_MAX);
    return k == m && fur_vectors_are_same(&x->view, &y->view)
               ? FUR_OK
               : fur_vectors_check_apart(x, "X", y, "Y");
}

fur_status fur_vectors_multiply(fur_scalar alpha, const fur_vectors *x, const fur_scalar *c,
                                fur_scalar beta, fur_vectors *y)
{
    FUR_NEED(fur_vectors_context(x), x, c, y);
    FUR_TRY(check_product(x, y));
    void *small;
    FUR_TRY(round_small(x->context, x->view.value_type, x->view.cols * y->view.cols, c, &small));
    fur_block_call call = {.alpha = alpha, .beta = beta, .c = small};
    fur_status status = fur_vectors_run(FUR_BLOCK_MULTIPLY, call, x, y);
    fur_env_release(&x->context->env, small);
    return status;
}

/* The columns of a block as vectors. */
typedef struct columns {
    fur_context *context;
    fur_vectors *copy; /* copy of a row-major block; else NULL */
    fur_vector *vectors;
    const fur_vector **list; /* pointers to them */
} columns;

static void close_columns(columns *c)
{
    fur_env_release(&c->context->env, (void *)c->list);
    fur_env_release(&c->context->env, c->vectors);
    fur_vectors_destroy(c->copy);
}

static fur_status copy_into_columns(const fur_vectors *x, fur_vectors **out)
{
    const fur_vectors_view *v = &x->view;
    FUR_TRY(
        fur_vectors_allocate(x->context, v->value_type, v->rows, v->cols, FUR_LAYOUT_COLUMNS, out));
    return fur_vectors_copy(x, *out);
}

/* The columns must be closed in any case. */
static fur_status open_columns(const fur_vectors *x, columns *c)
{
    fur_env *env = &x->context->env;
    *c = (columns){.context = x->context};
    if (x->view.layout == FUR_LAYOUT_ROWS)
        FUR_TRY(copy_into_columns(x, &c->copy));
    const fur_vectors *block = c->copy ? c->copy : x;
    int64_t cols = block->view.cols;
    FUR_TRY(fur_env_allocate(env, cols, sizeof *c->vectors, &c->vectors));
    FUR_TRY(fur_env_allocate(env, cols, sizeof *c->list, &c->list));
    for (int64_t j = 0; j < cols; j++) {
        c->vectors[j] = fur_vectors_at(block, j);
        c->list[j] = &c->vectors[j];
    }
    return FUR_OK;
}

/* X^H Y, column by column of Y. If the result is Hermitian bit by bit, only half of it is
 * computed. */
static fur_status multiply_columns(const columns *x, int64_t k, const columns *y, int64_t m,
                                   bool symmetric, fur_scalar *out)
{
    fur_scalar *column;
    FUR_TRY(fur_env_allocate(&x->context->env, k, sizeof *column, &column));
    fur_status status = FUR_OK;
    for (int64_t j = 0; status == FUR_OK && j < m; j++) {
        int64_t count = symmetric ? j + 1 : k;
        status = fur_dot_many((int)count, x->list, y->list[j], column);
        for (int64_t i = 0; status == FUR_OK && i < count; i++) {
            out[i * m + j] = column[i];
            if (symmetric)
                out[j * m + i] = column[i];
        }
    }
    fur_env_release(&x->context->env, column);
    return status;
}

fur_status fur_vectors_gram(const fur_vectors *x, const fur_vectors *y, fur_scalar *out)
{
    FUR_NEED(fur_vectors_context(x), x, y, out);
    FUR_TRY(check_small(x, y));
    const fur_vectors_view *a = &x->view;
    const fur_vectors_view *b = &y->view;
    bool same = fur_vectors_are_same(a, b) && a->cols == b->cols;
    bool is_real = a->value_type == FUR_F32 || a->value_type == FUR_F64;
    columns of_x;
    columns of_y = {.context = x->context};
    if (a->cols == 0 || b->cols == 0)
        return FUR_OK;
    fur_status status = open_columns(x, &of_x);
    if (status == FUR_OK && !same)
        status = open_columns(y, &of_y);
    if (status == FUR_OK)
        status =
            multiply_columns(&of_x, a->cols, same ? &of_x : &of_y, b->cols, same && is_real, out);
    close_columns(&of_y);
    close_columns(&of_x);
    return status;
}

fur_status fur_vectors_norms(const fur_vectors *x, fur_norm norm, double *out)
{
    FUR_NEED(fur_vectors_context(x), x, out);
    fur_status (*of)(const fur_vector *, double *) = norm == FUR_NORM_1     ? fur_norm1
                                                     : norm == FUR_NORM_2   ? fur_norm2
                                                     : norm == FUR_NORM_MAX ? fur_norm_max
                                                                            : NULL;
    columns c;
    if (!of)
        return fur_context_fail(
            x->context, FUR_UNSUPPORTED,
            "%d is not a norm of vectors; use FUR_NORM_1, FUR_NORM_2 or FUR_NORM_MAX", (int)norm);
    fur_status status = open_columns(x, &c);
    for (int64_t j = 0; status == FUR_OK && j < x->view.cols; j++)
        status = of(c.list[j], &out[j]);
    close_columns(&c);
    return status;
}
