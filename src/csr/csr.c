/* The CSR object: creation, views, comparison. */
#include "csr.h"

#include <furrow/author/options.h>

#include "pattern.h"

#include <string.h>

static fur_status make(fur_context *context, const fur_csr_view *view, bool owned, fur_csr **out)
{
    fur_csr *matrix;
    FUR_TRY(fur_env_allocate(&context->env, 1, sizeof *matrix, &matrix));
    *matrix =
        (fur_csr){.context = context, .view = *view, .owns_pattern = owned, .owns_values = owned};
    *out = matrix;
    return FUR_OK;
}

static void release_pattern(fur_context *context, const fur_csr_view *view)
{
    fur_memory_release(context, (void *)(uintptr_t)view->offsets);
    fur_memory_release(context, (void *)(uintptr_t)view->columns);
}

static void release_arrays(fur_context *context, const fur_csr_view *view)
{
    release_pattern(context, view);
    fur_memory_release(context, (void *)(uintptr_t)view->values);
}

fur_status fur_csr_allocate(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                            fur_value_type value, fur_offset_type offset, fur_csr **out)
{
    fur_status status = FUR_OK;
    fur_csr_view view = {sizeof view, rows, cols, entries, value, offset, NULL, NULL, NULL};
    FUR_TRY_DONE(fur_memory_allocate(context, rows + 1, fur_offset_size(offset), &view.offsets));
    FUR_TRY_DONE(fur_memory_allocate(context, entries, sizeof(int32_t), &view.columns));
    FUR_TRY_DONE(fur_memory_allocate(context, entries, fur_value_size(value), &view.values));
    FUR_TRY_DONE(make(context, &view, true, out));
    return FUR_OK;
done:
    release_arrays(context, &view);
    return status;
}

void fur_csr_set_offsets(fur_csr *a, const int64_t *starts)
{
    for (int64_t i = 0; i <= a->view.rows; i++)
        fur_offsets_set(a->view.offset_type, fur_csr_offsets(a), i, starts[i]);
}

/* Copies the arrays of `from`, which `mover` can access, into the arrays of `to`. */
static fur_status copy_arrays(fur_context *mover, const fur_csr_view *from, fur_csr *to)
{
    FUR_TRY(fur_memory_copy(mover, fur_csr_offsets(to), from->offsets,
                            (from->rows + 1) * (int64_t)fur_offset_size(from->offset_type)));
    FUR_TRY(fur_memory_copy(mover, fur_csr_columns(to), from->columns,
                            from->entries * (int64_t)sizeof(int32_t)));
    return fur_memory_copy(mover, fur_csr_values(to), from->values,
                           from->entries * (int64_t)fur_value_size(from->value_type));
}

/* Takes the profile of a matrix that has just arrived on a device. */
static fur_status take_profile(fur_csr *a)
{
    const fur_remote *device = fur_services(a->context);
    if (!device->csr.profile)
        return FUR_OK;
    FUR_TRY(device->csr.profile(&a->context->env, &a->view, &a->profile));
    a->profiled = true;
    return FUR_OK;
}

static fur_status copy(fur_context *context, fur_context *mover, const fur_csr_view *from,
                       fur_csr **out)
{
    fur_csr *a;
    FUR_TRY(fur_csr_allocate(context, from->rows, from->cols, from->entries, from->value_type,
                             from->offset_type, &a));
    fur_status status = fur_context_pass_on(mover, context, copy_arrays(mover, from, a));
    if (status == FUR_OK)
        status = take_profile(a);
    if (status == FUR_OK)
        *out = a;
    else
        fur_csr_destroy(a);
    return status;
}

static fur_status check_borrowed(fur_context *context, const fur_csr_view *arrays)
{
    FUR_TRY(
        fur_memory_check_borrowed(context, arrays->offsets, fur_offset_size(arrays->offset_type)));
    FUR_TRY(fur_memory_check_borrowed(context, arrays->columns, sizeof *arrays->columns));
    return fur_memory_check_borrowed(context, arrays->values, fur_value_size(arrays->value_type));
}

static fur_status adopt(fur_context *context, const fur_csr_view *arrays, fur_csr **out)
{
    if (!fur_is_remote(context))
        return make(context, arrays, true, out);
    FUR_TRY(copy(context, context, arrays, out));
    FUR_TRY(fur_context_synchronize(context));
    release_arrays(context->host, arrays);
    return FUR_OK;
}

static fur_status borrow(fur_context *context, const fur_csr_view *arrays, fur_csr **out)
{
    fur_csr *a;
    FUR_TRY(make(context, arrays, false, &a));
    fur_status status = take_profile(a);
    if (status == FUR_OK)
        *out = a;
    else
        fur_csr_destroy(a);
    return status;
}

fur_status fur_csr_create(fur_context *context, const fur_csr_view *arrays, fur_ownership ownership,
                          fur_csr **out)
{
    FUR_NEED(context, context, arrays, out);
    fur_csr_view a;
    FUR_TAKE_OPTIONS(context, fur_csr_view, &a, arrays);
    FUR_TRY(fur_ownership_check(context, ownership));
    FUR_TRY(fur_csr_check_shape(&context->env, &a));
    if (ownership == FUR_OWNERSHIP_BORROW)
        FUR_TRY(check_borrowed(context, &a));
    FUR_TRY(fur_csr_check(context, &a));
    if (ownership == FUR_OWNERSHIP_COPY)
        return copy(context, context, &a, out);
    return ownership == FUR_OWNERSHIP_ADOPT ? adopt(context, &a, out) : borrow(context, &a, out);
}

/* As for vectors: one of the two contexts moves the bytes after both have finished their earlier
 * work. */
fur_status fur_csr_transfer(const fur_csr *a, fur_context *context, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, context, out);
    fur_context *mover = fur_is_remote(context) ? context : a->context;
    FUR_TRY(fur_context_synchronize(a->context));
    fur_csr *b;
    fur_status status = copy(context, mover, &a->view, &b);
    if (status == FUR_OK) {
        status = fur_context_pass_on(mover, context, fur_context_synchronize(mover));
        if (status == FUR_OK)
            *out = b;
        else
            fur_csr_destroy(b);
    }
    return fur_context_pass_on(context, a->context, status);
}

fur_status fur_csr_to_host(const fur_csr *a, const fur_csr **view, fur_csr **copy_of_it)
{
    *copy_of_it = NULL;
    if (fur_is_remote(a->context))
        FUR_TRY(fur_csr_transfer(a, a->context->host, copy_of_it));
    *view = *copy_of_it ? *copy_of_it : a;
    return FUR_OK;
}

fur_status fur_csr_on_host(const fur_csr *a, fur_csr_algorithm *algorithm, const void *arguments,
                           fur_csr **out)
{
    fur_context *host = a->context->host;
    fur_csr *near = NULL;
    fur_csr *result = NULL;
    if (!fur_is_remote(a->context))
        return algorithm(a, arguments, out);
    FUR_TRY(fur_csr_transfer(a, host, &near));
    fur_status status = algorithm(near, arguments, &result);
    if (status == FUR_OK)
        status = fur_csr_transfer(result, a->context, out);
    fur_csr_destroy(result);
    fur_csr_destroy(near);
    return fur_context_pass_on(host, a->context, status);
}

fur_status fur_csr_fill_on_host(const fur_csr *a, fur_csr_filling *fill, const void *arguments,
                                fur_csr *to)
{
    fur_status status = FUR_OK;
    fur_csr *copy_a = NULL;
    fur_csr *copy_to = NULL;
    const fur_csr *near;
    FUR_TRY_DONE(fur_csr_to_host(a, &a, &copy_a));
    FUR_TRY_DONE(fur_csr_to_host(to, &near, &copy_to));
    fill(a, arguments, copy_to ? copy_to : to);
    if (copy_to)
        status = fur_memory_copy(to->context, fur_csr_values(to), near->view.values,
                                 to->view.entries * (int64_t)fur_value_size(to->view.value_type));
done:
    fur_csr_destroy(copy_to);
    fur_csr_destroy(copy_a);
    return status;
}

void fur_csr_destroy(fur_csr *matrix)
{
    if (!matrix)
        return;
    fur_dependents_forget(&matrix->made);
    fur_csr_pattern_release(matrix->pattern);
    if (matrix->owns_pattern)
        release_pattern(matrix->context, &matrix->view);
    if (matrix->owns_values)
        fur_memory_release(matrix->context, fur_csr_values(matrix));
    if (matrix->release) {
        fur_context_synchronize(matrix->context);
        matrix->release(matrix->user);
    }
    fur_env_release(&matrix->context->env, matrix);
}

fur_status fur_csr_on_destroy(fur_csr *matrix, void (*release)(void *user), void *user)
{
    FUR_NEED(NULL, matrix);
    fur_env *env = &matrix->context->env;
    if (!release)
        return fur_env_fail(env, FUR_INVALID, "fur_csr_on_destroy was given NULL for release");
    if (matrix->release)
        return fur_env_fail(
            env, FUR_INVALID,
            "the matrix has a release function already; let that function release both objects");
    matrix->release = release;
    matrix->user = user;
    return FUR_OK;
}

fur_status fur_csr_check_vector(const fur_csr *a, const char *name, const fur_vector *v,
                                int64_t size)
{
    fur_env *env = &a->context->env;
    if (v->context != a->context)
        return fur_env_fail(env, FUR_INVALID, "%s belongs to another context than the matrix",
                            name);
    if (v->value_type != a->view.value_type)
        return fur_env_fail(
            env, FUR_INVALID, "%s has entries of type %s, but the matrix has type %s; convert one",
            name, fur_value_name(v->value_type), fur_value_name(a->view.value_type));
    if (v->size != size)
        return fur_env_fail(
            env, FUR_INVALID, "%s has %lld entries, but the %lld x %lld matrix needs %lld", name,
            (long long)v->size, (long long)a->view.rows, (long long)a->view.cols, (long long)size);
    return FUR_OK;
}

fur_context *fur_csr_context(const fur_csr *matrix)
{
    return matrix ? matrix->context : NULL;
}

const fur_csr_view *fur_csr_get(const fur_csr *matrix)
{
    static const fur_csr_view none = {.size = sizeof none};
    return matrix ? &matrix->view : &none;
}

static bool same_offsets(const fur_csr_view *a, const fur_csr_view *b)
{
    for (int64_t i = 0; i <= a->rows; i++)
        if (fur_offset_at(a, i) != fur_offset_at(b, i))
            return false;
    return true;
}

static bool same_bytes(const void *a, const void *b, int64_t count, size_t size)
{
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static bool same(const fur_csr_view *p, const fur_csr_view *q)
{
    return p->rows == q->rows && p->cols == q->cols && p->entries == q->entries &&
           p->value_type == q->value_type && same_offsets(p, q) &&
           same_bytes(p->columns, q->columns, p->entries, sizeof(int32_t)) &&
           same_bytes(p->values, q->values, p->entries, fur_value_size(p->value_type));
}

fur_status fur_csr_compare(const fur_csr *a, const fur_csr *b, int *equal)
{
    FUR_NEED(fur_csr_context(a), a, b, equal);
    fur_status status = FUR_OK;
    fur_csr *copy_a = NULL;
    fur_csr *copy_b = NULL;
    FUR_TRY_DONE(fur_csr_to_host(a, &a, &copy_a));
    FUR_TRY_DONE(fur_csr_to_host(b, &b, &copy_b));
    *equal = same(&a->view, &b->view);
done:
    fur_csr_destroy(copy_b);
    fur_csr_destroy(copy_a);
    return status;
}
