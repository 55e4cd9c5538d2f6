/* Blocks of vectors: fill, copy, sums. */
#include "vectors.h"

/* Returns whether the two have no byte in common. Blocks with the same pitch, such as ranges of
 * columns of one row-major block, may interleave. */
static bool are_apart(const fur_vectors_view *x, const fur_vectors_view *y)
{
    if (!fur_overlap(x->data, (size_t)fur_vectors_bytes(x), y->data, (size_t)fur_vectors_bytes(y)))
        return true;
    if (x->layout != y->layout || x->stride != y->stride || x->value_type != y->value_type)
        return false;
    bool by_rows = x->layout == FUR_LAYOUT_ROWS;
    const size_t size = fur_value_size(x->value_type);
    const size_t pitch = (size_t)x->stride * size;
    const size_t x_run = (size_t)(by_rows ? x->cols : x->rows) * size;
    const size_t y_run = (size_t)(by_rows ? y->cols : y->rows) * size;
    uintptr_t a = (uintptr_t)x->data;
    uintptr_t b = (uintptr_t)y->data;
    size_t behind = b > a ? (b - a) % pitch : (pitch - (a - b) % pitch) % pitch;
    return behind >= x_run && behind + y_run <= pitch;
}

fur_status fur_vectors_check_apart(const fur_vectors *x, const char *x_name, const fur_vectors *y,
                                   const char *y_name)
{
    if (are_apart(&x->view, &y->view))
        return FUR_OK;
    return fur_env_fail(&x->context->env, FUR_INVALID,
                        "%s and %s overlap in memory; give each a separate array", x_name, y_name);
}

static fur_status match_shapes(const fur_vectors *x, const fur_vectors *y)
{
    const fur_vectors_view *a = &x->view;
    const fur_vectors_view *b = &y->view;
    fur_env *env = &x->context->env;
    if (a->value_type != b->value_type)
        return fur_env_fail(
            env, FUR_INVALID,
            "the blocks have entries of types %s and %s; they need the same type: convert one",
            fur_value_name(a->value_type), fur_value_name(b->value_type));
    if (a->rows != b->rows || a->cols != b->cols)
        return fur_env_fail(
            env, FUR_INVALID,
            "the blocks have %lld x %lld and %lld x %lld entries; they need the same shape",
            (long long)a->rows, (long long)a->cols, (long long)b->rows, (long long)b->cols);
    return FUR_OK;
}

/* Y may be X, but must not overlap it otherwise. */
static fur_status match_result(const fur_vectors *x, const fur_vectors *y)
{
    FUR_TRY(match_shapes(x, y));
    return fur_vectors_are_same(&x->view, &y->view) ? FUR_OK
                                                    : fur_vectors_check_apart(x, "X", y, "Y");
}

/* Runs the task in the companion, on copies. */
static fur_status run_on_host(fur_block_task task, fur_block_call call, const fur_vectors *x,
                              fur_vectors *y)
{
    fur_context *context = y->context;
    fur_vectors_view near_x = {.data = NULL};
    fur_vectors_view near_y;
    if (x)
        FUR_TRY(fur_vectors_to_host(x, &near_x));
    fur_status status = fur_vectors_to_host(y, &near_y);
    if (status == FUR_OK) {
        call.env = &context->host->env;
        call.x = x ? &near_x : NULL;
        call.y = &near_y;
        status = context->host->backend->block->task[task](&call);
        status = fur_context_pass_on(context->host, context, status);
        fur_status written =
            fur_memory_from_host(context, y->view.data, near_y.data, fur_vectors_bytes(&y->view));
        status = status == FUR_OK ? written : status;
    }
    if (x)
        fur_memory_drop(context, x->view.data, near_x.data);
    return status;
}

fur_status fur_vectors_run(fur_block_task task, fur_block_call call, const fur_vectors *x,
                           fur_vectors *y)
{
    const fur_block_kernels *kernels = y->context->backend->block;
    if (y->view.rows == 0 || y->view.cols == 0)
        return FUR_OK;
    call.env = &y->context->env;
    call.x = x ? &x->view : NULL;
    call.y = &y->view;
    return kernels ? kernels->task[task](&call) : run_on_host(task, call, x, y);
}

fur_status fur_vectors_fill(fur_vectors *x, fur_scalar value)
{
    FUR_NEED(NULL, x);
    const fur_vectors_view *v = &x->view;
    if (fur_vectors_are_dense(v))
        return x->context->backend->elementwise->fill[v->value_type](
            &x->context->env, v->rows * v->cols, value, v->data);
    return fur_vectors_run(FUR_BLOCK_FILL, (fur_block_call){.alpha = value}, NULL, x);
}

static bool are_alike(const fur_vectors_view *x, const fur_vectors_view *y)
{
    return x->layout == y->layout && fur_vectors_are_dense(x) && fur_vectors_are_dense(y);
}

static fur_status copy_here(const fur_vectors *x, fur_vectors *y)
{
    if (are_alike(&x->view, &y->view))
        return fur_memory_copy(x->context, y->view.data, x->view.data, fur_vectors_bytes(&x->view));
    return fur_vectors_run(FUR_BLOCK_COPY, (fur_block_call){.x = NULL}, x, y);
}

/* Between contexts, all entries are copied as one vector. */
static fur_status move(const fur_vectors *x, fur_vectors *y)
{
    int64_t n = x->view.rows * x->view.cols;
    fur_value_type value = x->view.value_type;
    const fur_vector from = {x->context, value, n, x->view.data, false};
    fur_vector to = {y->context, value, n, y->view.data, false};
    return fur_vector_copy(&from, &to);
}

/* Sets *dense to the block itself if it has x's layout and no gaps. Otherwise makes such a block in
 * the same context, which *made then is. */
static fur_status find_dense(fur_vectors *block, fur_layout layout, fur_vectors **dense,
                             fur_vectors **made)
{
    const fur_vectors_view *v = &block->view;
    if (v->layout != layout || !fur_vectors_are_dense(v))
        FUR_TRY(
            fur_vectors_allocate(block->context, v->value_type, v->rows, v->cols, layout, made));
    *dense = *made ? *made : block;
    return FUR_OK;
}

/* Copies between contexts through blocks without gaps. */
static fur_status copy_across(const fur_vectors *x, fur_vectors *y)
{
    fur_vectors source = *x;
    fur_vectors *from;
    fur_vectors *to;
    fur_vectors *made_from = NULL;
    fur_vectors *made_to = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(find_dense(&source, x->view.layout, &from, &made_from));
    FUR_TRY_DONE(
        fur_context_pass_on(y->context, x->context, find_dense(y, x->view.layout, &to, &made_to)));
    if (made_from)
        FUR_TRY_DONE(copy_here(x, from));
    FUR_TRY_DONE(move(from, to));
    if (made_to)
        FUR_TRY_DONE(fur_context_pass_on(y->context, x->context, copy_here(to, y)));
done:
    fur_vectors_destroy(made_to);
    fur_vectors_destroy(made_from);
    return status;
}

fur_status fur_vectors_copy(const fur_vectors *x, fur_vectors *y)
{
    FUR_NEED(fur_vectors_context(x), x, y);
    if (x->context != y->context) {
        FUR_TRY(match_shapes(x, y));
        return copy_across(x, y);
    }
    FUR_TRY(match_result(x, y));
    return fur_vectors_are_same(&x->view, &y->view) ? FUR_OK : copy_here(x, y);
}

fur_status fur_vectors_axpby(fur_scalar alpha, const fur_vectors *x, fur_scalar beta,
                             fur_vectors *y)
{
    FUR_NEED(fur_vectors_context(x), x, y);
    if (x->context != y->context)
        return fur_env_fail(&x->context->env, FUR_INVALID,
                            "the blocks belong to different contexts");
    FUR_TRY(match_result(x, y));
    fur_ratio a = {.factor = alpha};
    fur_ratio b = {.factor = beta};
    const fur_vectors_view *v = &y->view;
    if (are_alike(&x->view, v))
        return y->context->backend->elementwise->axpby[v->value_type](
            &y->context->env, v->rows * v->cols, &a, x->view.data, &b, v->data);
    return fur_vectors_run(FUR_BLOCK_AXPBY, (fur_block_call){.alpha = alpha, .beta = beta}, x, y);
}
