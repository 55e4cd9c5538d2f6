/* Products of stencils with blocks of vectors. Row-major blocks have a kernel. Other blocks are
 * multiplied column by column. */
#include "stencil.h"
#include "vectors.h"

static fur_status check_block(const fur_stencil *stencil, const char *name, const fur_vectors *v)
{
    const fur_stencil_view *s = &stencil->view;
    fur_env *env = &stencil->context->env;
    if (v->context != stencil->context)
        return fur_env_fail(env, FUR_INVALID, "%s belongs to another context than the stencil",
                            name);
    if (v->view.value_type != s->value_type || v->view.rows != fur_stencil_rows(s))
        return fur_env_fail(env, FUR_INVALID,
                            "%s has %lld rows of type %s, but the grid needs %lld of type %s", name,
                            (long long)v->view.rows, fur_value_name(v->view.value_type),
                            (long long)fur_stencil_rows(s), fur_value_name(s->value_type));
    return FUR_OK;
}

static fur_status check(const fur_stencil *stencil, const fur_vectors *x, const fur_vectors *y)
{
    FUR_TRY(fur_dependent_check(&stencil->context->env, &stencil->dependent));
    FUR_TRY(check_block(stencil, "X", x));
    FUR_TRY(check_block(stencil, "Y", y));
    if (x->view.cols != y->view.cols)
        return fur_context_fail(stencil->context, FUR_INVALID, "X has %lld columns, but Y has %lld",
                                (long long)x->view.cols, (long long)y->view.cols);
    return fur_vectors_check_apart(x, "X", y, "Y");
}

/* A block with the same entries in this layout. It is the block itself, or a copy, which *copy then
 * is. */
static fur_status take_in_order(const fur_vectors *x, fur_layout layout, const fur_vectors **out,
                                fur_vectors **copy)
{
    const fur_vectors_view *v = &x->view;
    *out = x;
    if (v->layout == layout)
        return FUR_OK;
    FUR_TRY(fur_vectors_allocate(x->context, v->value_type, v->rows, v->cols, layout, copy));
    *out = *copy;
    return fur_vectors_copy(x, *copy);
}

/* The kernel that multiplies single columns: the stencil's own kernel if it is exact, else the
 * reference. */
static fur_stencil_choice exact_kernel(const fur_stencil *stencil)
{
    fur_stencil_choice own = stencil->product;
    return own.kernel->info.exact
               ? own
               : (fur_stencil_choice){.kernel = stencil->context->backend->stencil[0]};
}

/* Both blocks are column-major. The reference kernels have no plan. */
static fur_status apply_columns(const fur_stencil *stencil, fur_scalar alpha, const fur_vectors *x,
                                fur_scalar beta, fur_vectors *y)
{
    const size_t size = fur_value_size(y->view.value_type);
    const fur_stencil_choice by = exact_kernel(stencil);
    for (int64_t j = 0; j < y->view.cols; j++) {
        char *to = (char *)y->view.data + (size_t)(j * y->view.stride) * size;
        fur_stencil_call call = {
            .env = &stencil->context->env,
            .s = &stencil->view,
            .state = by.state,
            .sweeps = 1,
            .alpha = alpha,
            .beta = beta,
            .x = (const char *)x->view.data + (size_t)(j * x->view.stride) * size,
            .z = to,
            .y = to,
        };
        FUR_TRY(by.kernel->apply(&call));
    }
    return FUR_OK;
}

/* Both blocks have the same layout. */
static fur_status apply_alike(const fur_stencil *stencil, fur_scalar alpha, const fur_vectors *x,
                              fur_scalar beta, fur_vectors *y)
{
    const fur_stencil_block_call call = {.env = &stencil->context->env,
                                         .s = &stencil->view,
                                         .alpha = alpha,
                                         .beta = beta,
                                         .x = &x->view,
                                         .y = &y->view};
    if (y->view.layout == FUR_LAYOUT_COLUMNS)
        return apply_columns(stencil, alpha, x, beta, y);
    return stencil->context->backend->stencil_block(&call);
}

/* Row-major blocks on a device that has no kernel for them. They are copied to column-major
 * blocks. */
static fur_status apply_by_columns(const fur_stencil *stencil, fur_scalar alpha,
                                   const fur_vectors *x, fur_scalar beta, fur_vectors *y)
{
    const fur_vectors *from;
    const fur_vectors *near_y;
    fur_vectors *x_copy = NULL;
    fur_vectors *y_copy = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(take_in_order(x, FUR_LAYOUT_COLUMNS, &from, &x_copy));
    FUR_TRY_DONE(take_in_order(y, FUR_LAYOUT_COLUMNS, &near_y, &y_copy));
    FUR_TRY_DONE(apply_columns(stencil, alpha, from, beta, y_copy));
    FUR_TRY_DONE(fur_vectors_copy(y_copy, y));
done:
    fur_vectors_destroy(y_copy);
    fur_vectors_destroy(x_copy);
    return status;
}

fur_status fur_stencil_apply_block(const fur_stencil *stencil, fur_scalar alpha,
                                   const fur_vectors *x, fur_scalar beta, fur_vectors *y)
{
    FUR_NEED(stencil ? stencil->context : NULL, stencil, x, y);
    FUR_TRY(check(stencil, x, y));
    const fur_vectors *from;
    fur_vectors *copy = NULL;
    if (y->view.cols == 0)
        return FUR_OK;
    if (y->view.layout == FUR_LAYOUT_ROWS && !stencil->context->backend->stencil_block)
        return apply_by_columns(stencil, alpha, x, beta, y);
    fur_status status = take_in_order(x, y->view.layout, &from, &copy);
    if (status == FUR_OK)
        status = apply_alike(stencil, alpha, from, beta, y);
    fur_vectors_destroy(copy);
    return status;
}
