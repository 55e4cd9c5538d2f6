/* Dot products and sums of several vectors with one vector, which is read once for all. */
#include "core.h"
#include "split.h"

#include <furrow/author/fused.h>
#include <furrow/vector.h>

/* Returns FUR_INVALID unless the vectors exist and match y. If `apart`, they must not overlap y. */
static fur_status check(int count, const fur_vector *const *x, const fur_vector *y, bool apart)
{
    for (int k = 0; k < count; k++) {
        if (!x[k])
            return fur_env_fail(&y->context->env, FUR_INVALID, "vector %d of x is NULL", k);
        FUR_TRY(fur_vector_match(y, x[k]));
        if (apart)
            FUR_TRY(fur_vector_check_apart(x[k], "a vector of x", y, "y"));
    }
    return FUR_OK;
}

/* The first vectors of a list, at most FUR_MANY_MAX. If alpha is NULL, coefficients are not set. */
static fur_many take(int count, const fur_scalar *alpha, const fur_vector *const *x)
{
    fur_many m = {.count = (int)fur_smaller(count, FUR_MANY_MAX)};
    for (int k = 0; k < m.count; k++) {
        m.x[k] = x[k]->data;
        if (alpha)
            m.alpha[k] = alpha[k];
    }
    return m;
}

static fur_status fetch(const fur_vector *y, int count, fur_scalar *out)
{
    FUR_TRY(fur_context_synchronize(y->context));
    memcpy(out, y->context->results->many, (size_t)count * sizeof *out);
    return FUR_OK;
}

/* Adds without checks. */
static fur_status add(int count, const fur_scalar *alpha, const fur_vector *const *x, fur_vector *y)
{
    const fur_elementwise_kernels *kernels = y->context->backend->elementwise;
    for (int k = 0; k < count; k += FUR_MANY_MAX) {
        fur_many m = take(count - k, alpha + k, x + k);
        FUR_TRY(kernels->axpy_many[y->value_type](&y->context->env, y->size, &m, y->data));
    }
    return FUR_OK;
}

/* Computes the dot products without checks. */
static fur_status dot(int count, const fur_vector *const *x, const fur_vector *y, fur_scalar *out)
{
    fur_context *context = y->context;
    const fur_reduction_kernels *kernels = context->backend->reduction;
    for (int k = 0; k < count; k += FUR_MANY_MAX) {
        fur_many m = take(count - k, NULL, x + k);
        FUR_TRY(kernels->dot_many[y->value_type](&context->env, y->size, &m, y->data,
                                                 context->results->many));
        FUR_TRY(fetch(y, m.count, out + k));
    }
    return FUR_OK;
}

fur_status fur_dot_many(int count, const fur_vector *const *x, const fur_vector *y, fur_scalar *out)
{
    FUR_NEED(fur_vector_context(y), y);
    FUR_NEED_IF(count > 0, y->context, x, out);
    FUR_TRY(check(count, x, y, false));
    return dot(count, x, y, out);
}

fur_status fur_dot_pairs(int count, const fur_vector *const *x, const fur_vector *const *y,
                         fur_scalar *out)
{
    const fur_vector *first = y[0];
    fur_context *context = first->context;
    const fur_reduction_kernels *kernels = context->backend->reduction;
    fur_many left = take(count, NULL, x);
    fur_many right = take(count, NULL, y);
    if (!kernels->dot_pairs[first->value_type]) {
        for (int k = 0; k < count; k++)
            FUR_TRY(fur_dot(x[k], y[k], &out[k]));
        return FUR_OK;
    }
    FUR_TRY(check(count, x, first, false));
    FUR_TRY(check(count, y, first, false));
    FUR_TRY(kernels->dot_pairs[first->value_type](&context->env, first->size, &left, &right,
                                                  context->results->many));
    return fetch(first, count, out);
}

fur_status fur_axpy_many(int count, const fur_scalar *alpha, const fur_vector *const *x,
                         fur_vector *y)
{
    FUR_NEED(fur_vector_context(y), y);
    FUR_NEED_IF(count > 0, y->context, alpha, x);
    FUR_TRY(check(count, x, y, true));
    return add(count, alpha, x, y);
}

fur_status fur_axpy_many_norm2(int count, const fur_scalar *alpha, const fur_vector *const *x,
                               fur_vector *y, double *norm)
{
    FUR_NEED(fur_vector_context(y), y, norm);
    FUR_NEED_IF(count > 0, y->context, alpha, x);
    FUR_TRY(check(count, x, y, true));
    if (count <= 0)
        return fur_norm2(y, norm);
    fur_context *context = y->context;
    int before = (count - 1) / FUR_MANY_MAX * FUR_MANY_MAX;
    fur_many m = take(count - before, alpha + before, x + before);
    FUR_TRY(add(before, alpha, x, y));
    FUR_TRY(context->backend->reduction->axpy_many_norm2[y->value_type](
        &context->env, y->size, &m, y->data, (fur_slot){.state = &context->results->scalars}));
    FUR_TRY(fur_context_synchronize(context));
    *norm = context->results->scalars.value[0].re;
    return FUR_OK;
}

fur_status fur_axpy_many_dots(int count, const fur_scalar *alpha, const fur_vector *const *x,
                              fur_vector *y, fur_scalar *out)
{
    FUR_NEED(fur_vector_context(y), y);
    FUR_NEED_IF(count > 0, y->context, alpha, x, out);
    FUR_TRY(check(count, x, y, true));
    fur_context *context = y->context;
    const fur_reduction_kernels *kernels = context->backend->reduction;
    int near = kernels->axpy_many_dots[y->value_type] ? (int)fur_smaller(count, FUR_MANY_MAX) : 0;
    int before = count - near;
    FUR_TRY(add(before, alpha, x, y));
    if (near > 0) {
        fur_many m = take(near, alpha + before, x + before);
        FUR_TRY(kernels->axpy_many_dots[y->value_type](&context->env, y->size, &m, y->data,
                                                       context->results->many));
        FUR_TRY(fetch(y, near, out + before));
    }
    return dot(before, x, y, out);
}
