/* Vectors and element-wise operations. */
#include "object.h"

#include <string.h>

static fur_status check_shape(fur_context *context, fur_value value, int64_t size)
{
    if (fur_value_size(value) == 0)
        return fur_env_fail(&context->env, FUR_INVALID, "%d is not a value type", (int)value);
    if (size < 0)
        return fur_env_fail(&context->env, FUR_INVALID, "a vector cannot have %lld entries",
                            (long long)size);
    return FUR_OK;
}

static fur_status make(fur_context *context, fur_value value, int64_t size, void *data, bool owned,
                       fur_vector **out)
{
    fur_vector *vector;
    FUR_TRY(fur_env_allocate(&context->env, 1, sizeof *vector, &vector));
    *vector = (fur_vector){context, value, size, data, owned};
    *out = vector;
    return FUR_OK;
}

/* A vector whose entries are not set yet. */
static fur_status make_unset(fur_context *context, fur_value value, int64_t size, fur_vector **out)
{
    void *data;
    FUR_TRY(fur_env_allocate(&context->env, size, fur_value_size(value), &data));
    fur_status status = make(context, value, size, data, true, out);
    if (status != FUR_OK)
        fur_env_release(&context->env, data);
    return status;
}

fur_status fur_vector_create(fur_context *context, fur_value value, int64_t size, fur_vector **out)
{
    fur_vector *vector;
    FUR_TRY(check_shape(context, value, size));
    FUR_TRY(make_unset(context, value, size, &vector));
    *out = vector;
    return fur_vector_fill(vector, fur_real(0));
}

fur_status fur_vector_wrap(fur_context *context, fur_value value, int64_t size, void *data,
                           fur_ownership ownership, fur_vector **out)
{
    FUR_TRY(fur_ownership_check(context, ownership));
    FUR_TRY(check_shape(context, value, size));
    if (size > 0 && !data)
        return fur_env_fail(&context->env, FUR_INVALID, "%lld entries were announced, none given",
                            (long long)size);
    if (ownership != FUR_COPY)
        return make(context, value, size, data, ownership == FUR_ADOPT, out);
    FUR_TRY(make_unset(context, value, size, out));
    if (size > 0)
        memcpy((*out)->data, data, (size_t)size * fur_value_size(value));
    return FUR_OK;
}

void fur_vector_destroy(fur_vector *vector)
{
    if (!vector)
        return;
    if (vector->owned)
        fur_env_release(&vector->context->env, vector->data);
    fur_env_release(&vector->context->env, vector);
}

fur_context *fur_vector_context(const fur_vector *vector)
{
    return vector->context;
}

fur_value fur_vector_value(const fur_vector *vector)
{
    return vector->value;
}

int64_t fur_vector_size(const fur_vector *vector)
{
    return vector->size;
}

void *fur_vector_data(fur_vector *vector)
{
    return vector->data;
}

const void *fur_vector_const_data(const fur_vector *vector)
{
    return vector->data;
}

fur_status fur_vector_match(const fur_vector *x, const fur_vector *y)
{
    fur_env *env = &x->context->env;
    if (x->context != y->context)
        return fur_env_fail(env, FUR_INVALID, "the vectors belong to different contexts");
    if (x->value != y->value)
        return fur_env_fail(env, FUR_INVALID,
                            "the vectors have entries of types %s and %s; convert one of them",
                            fur_value_name(x->value), fur_value_name(y->value));
    if (x->size != y->size)
        return fur_env_fail(env, FUR_INVALID, "the vectors have %lld and %lld entries",
                            (long long)x->size, (long long)y->size);
    return FUR_OK;
}

static const fur_elementwise_kernels *kernels(const fur_vector *x)
{
    return x->context->backend->elementwise;
}

static int threads(const fur_vector *x)
{
    return x->context->env.threads;
}

fur_status fur_vector_fill(fur_vector *x, fur_scalar value)
{
    kernels(x)->fill[x->value](threads(x), x->size, value, x->data);
    return FUR_OK;
}

fur_status fur_vector_copy(const fur_vector *x, fur_vector *y)
{
    FUR_TRY(fur_vector_match(x, y));
    if (x->size > 0)
        memmove(y->data, x->data, (size_t)x->size * fur_value_size(x->value));
    return FUR_OK;
}

fur_status fur_axpby(fur_scalar alpha, const fur_vector *x, fur_scalar beta, fur_vector *y)
{
    FUR_TRY(fur_vector_match(x, y));
    kernels(x)->axpby[x->value](threads(x), x->size, alpha, x->data, beta, y->data);
    return FUR_OK;
}

fur_status fur_multiply(const fur_vector *x, const fur_vector *y, fur_vector *z)
{
    FUR_TRY(fur_vector_match(x, y));
    FUR_TRY(fur_vector_match(x, z));
    kernels(x)->multiply[x->value](threads(x), x->size, x->data, y->data, z->data);
    return FUR_OK;
}

fur_status fur_vector_convert(const fur_vector *x, fur_value value, fur_vector **out)
{
    fur_vector *converted;
    FUR_TRY(check_shape(x->context, value, x->size));
    FUR_TRY(make_unset(x->context, value, x->size, &converted));
    int64_t lost =
        fur_convert_values(threads(x), x->size, x->value, x->data, value, converted->data);
    if (lost >= 0) {
        fur_vector_destroy(converted);
        return fur_env_fail(&x->context->env, FUR_INVALID,
                            "entry %lld has an imaginary part, which %s cannot hold",
                            (long long)lost, fur_value_name(value));
    }
    *out = converted;
    return FUR_OK;
}
