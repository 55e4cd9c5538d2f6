/* Dot product and norms. They run where the vectors are, and the host waits for the result. */
#include <furrow/author/fused.h>
#include <furrow/vector.h>

#include "core.h"

static const fur_reduction_kernels *kernels(const fur_vector *x)
{
    return x->context->backend->reduction;
}

static fur_slot result(const fur_vector *x)
{
    return (fur_slot){.state = &x->context->results->scalars};
}

/* Waits for the result and returns it. */
static fur_status fetch(const fur_vector *x, fur_scalar *out)
{
    FUR_TRY(fur_context_synchronize(x->context));
    *out = x->context->results->scalars.value[0];
    return FUR_OK;
}

static fur_status fetch_real(const fur_vector *x, double *out)
{
    fur_scalar value;
    FUR_TRY(fetch(x, &value));
    *out = value.re;
    return FUR_OK;
}

fur_status fur_dot(const fur_vector *x, const fur_vector *y, fur_scalar *out)
{
    FUR_NEED(fur_vector_context(x), x, y, out);
    FUR_TRY(fur_vector_match(x, y));
    FUR_TRY(kernels(x)->dot[x->value_type](&x->context->env, x->size, x->data, y->data, result(x)));
    return fetch(x, out);
}

fur_status fur_norm1(const fur_vector *x, double *out)
{
    FUR_NEED(fur_vector_context(x), x, out);
    FUR_TRY(kernels(x)->norm1[x->value_type](&x->context->env, x->size, x->data, result(x)));
    return fetch_real(x, out);
}

fur_status fur_norm_max(const fur_vector *x, double *out)
{
    FUR_NEED(fur_vector_context(x), x, out);
    FUR_TRY(kernels(x)->norm_max[x->value_type](&x->context->env, x->size, x->data, result(x)));
    return fetch_real(x, out);
}

fur_status fur_norm2(const fur_vector *x, double *out)
{
    FUR_NEED(fur_vector_context(x), x, out);
    FUR_TRY(kernels(x)->norm2[x->value_type](&x->context->env, x->size, x->data, result(x)));
    return fetch_real(x, out);
}

fur_status fur_axpy_norm2(fur_scalar alpha, const fur_vector *x, fur_vector *y, double *norm)
{
    FUR_NEED(fur_vector_context(x), x, y, norm);
    fur_ratio a = {.factor = alpha};
    FUR_TRY(fur_vector_match_result(x, y));
    FUR_TRY(kernels(x)->axpy_norm2[x->value_type](&x->context->env, x->size, &a, x->data, y->data,
                                                  result(x)));
    return fetch_real(x, norm);
}
