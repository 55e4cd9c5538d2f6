/* Vectors and element-wise operations. */
#include "core.h"

static fur_status check_shape(fur_context *context, fur_value_type value, int64_t size)
{
    if (fur_value_size(value) == 0)
        return fur_env_fail(&context->env, FUR_INVALID, "%d is not a value type", (int)value);
    if (size < 0)
        return fur_env_fail(&context->env, FUR_INVALID, "a vector cannot have %lld entries",
                            (long long)size);
    if ((uint64_t)size > SIZE_MAX / 2 / fur_value_size(value))
        return fur_env_fail(&context->env, FUR_OVERFLOW,
                            "%lld elements of %zu bytes do not fit in memory", (long long)size,
                            fur_value_size(value));
    return FUR_OK;
}

static fur_status make(fur_context *context, fur_value_type value, int64_t size, void *data,
                       bool owned, fur_vector **out)
{
    fur_vector *vector;
    FUR_TRY(fur_env_allocate(&context->env, 1, sizeof *vector, &vector));
    *vector = (fur_vector){context, value, size, data, owned};
    *out = vector;
    return FUR_OK;
}

/* Makes a vector whose entries are not set. */
static fur_status make_unset(fur_context *context, fur_value_type value, int64_t size,
                             fur_vector **out)
{
    void *data;
    FUR_TRY(fur_memory_allocate(context, size, fur_value_size(value), &data));
    fur_status status = make(context, value, size, data, true, out);
    if (status != FUR_OK)
        fur_memory_release(context, data);
    return status;
}

static int64_t bytes_of(const fur_vector *vector)
{
    return vector->size * (int64_t)fur_value_size(vector->value_type);
}

static fur_status make_copy(fur_context *context, fur_value_type value, int64_t size,
                            const void *data, fur_vector **out)
{
    fur_vector *vector;
    FUR_TRY(make_unset(context, value, size, &vector));
    fur_status status = fur_vector_upload(data, vector);
    /* the source may be on the device, and the caller may release it at once */
    if (status == FUR_OK)
        status = fur_context_synchronize(context);
    if (status == FUR_OK)
        *out = vector;
    else
        fur_vector_destroy(vector);
    return status;
}

fur_status fur_vector_create(fur_context *context, fur_value_type value, int64_t size,
                             fur_vector **out)
{
    FUR_NEED(context, context, out);
    fur_vector *vector;
    FUR_TRY(check_shape(context, value, size));
    FUR_TRY(make_unset(context, value, size, &vector));
    fur_status status = fur_vector_fill(vector, fur_real(0));
    if (status == FUR_OK)
        *out = vector;
    else
        fur_vector_destroy(vector);
    return status;
}

fur_status fur_vector_wrap(fur_context *context, fur_value_type value, int64_t size, void *data,
                           fur_ownership ownership, fur_vector **out)
{
    FUR_NEED(context, context, out);
    FUR_TRY(fur_ownership_check(context, ownership));
    FUR_TRY(check_shape(context, value, size));
    if (size > 0 && !data)
        return fur_env_fail(&context->env, FUR_INVALID,
                            "the array is NULL, but has to hold %lld entries", (long long)size);
    if (ownership == FUR_OWNERSHIP_COPY)
        return make_copy(context, value, size, data, out);
    if (ownership == FUR_OWNERSHIP_ADOPT && fur_is_remote(context)) {
        FUR_TRY(make_copy(context, value, size, data, out));
        fur_env_release(&context->env, data);
        return FUR_OK;
    }
    if (size > 0)
        FUR_TRY(fur_memory_check_borrowed(context, data, fur_value_size(value)));
    return make(context, value, size, data, ownership == FUR_OWNERSHIP_ADOPT, out);
}

void fur_vector_destroy(fur_vector *vector)
{
    if (!vector)
        return;
    if (vector->owned)
        fur_memory_release(vector->context, vector->data);
    fur_env_release(&vector->context->env, vector);
}

fur_context *fur_vector_context(const fur_vector *vector)
{
    return vector ? vector->context : NULL;
}

fur_value_type fur_vector_value_type(const fur_vector *vector)
{
    return vector ? vector->value_type : FUR_F32;
}

int64_t fur_vector_size(const fur_vector *vector)
{
    return vector ? vector->size : 0;
}

void *fur_vector_data(fur_vector *vector)
{
    return vector ? vector->data : NULL;
}

const void *fur_vector_const_data(const fur_vector *vector)
{
    return vector ? vector->data : NULL;
}

fur_status fur_vector_upload(const void *entries, fur_vector *x)
{
    FUR_NEED(NULL, x);
    FUR_NEED_IF(x->size > 0, x->context, entries);
    return fur_memory_copy(x->context, x->data, entries, bytes_of(x));
}

fur_status fur_vector_download(const fur_vector *x, void *entries)
{
    FUR_NEED(NULL, x);
    FUR_NEED_IF(x->size > 0, x->context, entries);
    return fur_memory_copy(x->context, entries, x->data, bytes_of(x));
}

static fur_status match_shapes(const fur_vector *x, const fur_vector *y)
{
    fur_env *env = &x->context->env;
    if (x->value_type != y->value_type)
        return fur_env_fail(
            env, FUR_INVALID,
            "the vectors have entries of types %s and %s; they need the same type: convert one",
            fur_value_name(x->value_type), fur_value_name(y->value_type));
    if (x->size != y->size)
        return fur_env_fail(env, FUR_INVALID,
                            "the vectors have %lld and %lld entries; they need the same number",
                            (long long)x->size, (long long)y->size);
    return FUR_OK;
}

fur_status fur_vector_match(const fur_vector *x, const fur_vector *y)
{
    if (x->context != y->context)
        return fur_env_fail(&x->context->env, FUR_INVALID,
                            "the vectors belong to different contexts");
    return match_shapes(x, y);
}

bool fur_vector_overlap(const fur_vector *x, const fur_vector *y)
{
    return fur_overlap(x->data, (size_t)bytes_of(x), y->data, (size_t)bytes_of(y));
}

fur_status fur_vector_check_apart(const fur_vector *x, const char *x_name, const fur_vector *y,
                                  const char *y_name)
{
    if (!fur_vector_overlap(x, y))
        return FUR_OK;
    return fur_env_fail(&x->context->env, FUR_INVALID,
                        "%s and %s overlap in memory; give each a separate array", x_name, y_name);
}

fur_status fur_vector_match_result(const fur_vector *x, const fur_vector *y)
{
    FUR_TRY(fur_vector_match(x, y));
    if (x->data == y->data || !fur_vector_overlap(x, y))
        return FUR_OK;
    return fur_env_fail(&x->context->env, FUR_INVALID,
                        "the vectors overlap in part; the result must be one of the operands, or "
                        "have separate memory");
}

static const fur_elementwise_kernels *kernels(const fur_vector *x)
{
    return x->context->backend->elementwise;
}

fur_status fur_vector_fill(fur_vector *x, fur_scalar value)
{
    FUR_NEED(NULL, x);
    return kernels(x)->fill[x->value_type](&x->context->env, x->size, value, x->data);
}

/* Copies between two contexts. The context that can access both vectors copies. Both contexts must
 * have finished their earlier work before the copy, and the copy must be finished before either
 * goes on. */
static fur_status copy_across(const fur_vector *x, fur_vector *y)
{
    fur_context *mover = fur_is_remote(y->context) ? y->context : x->context;
    FUR_TRY(fur_context_synchronize(x->context));
    FUR_TRY(fur_context_pass_on(y->context, x->context, fur_context_synchronize(y->context)));
    fur_status status = fur_memory_copy(mover, y->data, x->data, bytes_of(x));
    if (status == FUR_OK)
        status = fur_context_synchronize(mover);
    return fur_context_pass_on(mover, x->context, status);
}

fur_status fur_vector_copy(const fur_vector *x, fur_vector *y)
{
    FUR_NEED(fur_vector_context(x), x, y);
    FUR_TRY(match_shapes(x, y));
    return x->context == y->context ? fur_memory_copy(x->context, y->data, x->data, bytes_of(x))
                                    : copy_across(x, y);
}

fur_status fur_axpby(fur_scalar alpha, const fur_vector *x, fur_scalar beta, fur_vector *y)
{
    FUR_NEED(fur_vector_context(x), x, y);
    fur_ratio a = {.factor = alpha};
    fur_ratio b = {.factor = beta};
    FUR_TRY(fur_vector_match_result(x, y));
    return kernels(x)->axpby[x->value_type](&x->context->env, x->size, &a, x->data, &b, y->data);
}

fur_status fur_vector_scale(fur_vector *x, fur_scalar alpha)
{
    FUR_NEED(NULL, x);
    return fur_axpby(alpha, x, fur_real(0), x);
}

fur_status fur_multiply_elementwise(const fur_vector *x, const fur_vector *y, fur_vector *z)
{
    FUR_NEED(fur_vector_context(x), x, y, z);
    FUR_TRY(fur_vector_match(x, y));
    FUR_TRY(fur_vector_match_result(x, z));
    FUR_TRY(fur_vector_match_result(y, z));
    return kernels(x)->multiply[x->value_type](&x->context->env, x->size, x->data, y->data,
                                               z->data);
}

static fur_status convert_on_host(const fur_vector *x, fur_value_type value, fur_vector **out)
{
    fur_vector *converted;
    FUR_TRY(make_unset(x->context, value, x->size, &converted));
    int64_t lost = fur_convert_values(&x->context->env, x->size, x->value_type, x->data, value,
                                      converted->data);
    if (lost >= 0) {
        fur_vector_destroy(converted);
        return fur_env_fail(
            &x->context->env, FUR_INVALID,
            "entry %lld, counting from 1, has an imaginary part, which type %s cannot hold",
            (long long)lost + 1, fur_value_name(value));
    }
    *out = converted;
    return FUR_OK;
}

/* Makes a vector with x's entries in another context. */
static fur_status transfer(const fur_vector *x, fur_context *context, fur_vector **out)
{
    fur_vector *copy = NULL;
    FUR_TRY(fur_context_pass_on(context, x->context,
                                make_unset(context, x->value_type, x->size, &copy)));
    fur_status status = fur_vector_copy(x, copy);
    if (status == FUR_OK)
        *out = copy;
    else
        fur_vector_destroy(copy);
    return status;
}

fur_status fur_vector_to_host(const fur_vector *x, const fur_vector **view, fur_vector **copy)
{
    *copy = NULL;
    if (fur_is_remote(x->context))
        FUR_TRY(transfer(x, x->context->host, copy));
    *view = *copy ? *copy : x;
    return FUR_OK;
}

/* Converts in the companion. */
static fur_status convert_remote(const fur_vector *x, fur_value_type value, fur_vector **out)
{
    fur_context *host = x->context->host;
    fur_vector *near;
    fur_vector *converted = NULL;
    FUR_TRY(transfer(x, host, &near));
    fur_status status = convert_on_host(near, value, &converted);
    fur_vector_destroy(near);
    if (converted)
        status = transfer(converted, x->context, out);
    fur_vector_destroy(converted);
    return fur_context_pass_on(host, x->context, status);
}

fur_status fur_vector_convert(const fur_vector *x, fur_value_type value, fur_vector **out)
{
    FUR_NEED(fur_vector_context(x), x, out);
    FUR_TRY(check_shape(x->context, value, x->size));
    return fur_is_remote(x->context) ? convert_remote(x, value, out)
                                     : convert_on_host(x, value, out);
}
