/* Blocks of vectors: creation, views, and copies of entries to and from arrays. */
#include "vectors.h"

#include <furrow/author/options.h>

static fur_status check_shape(fur_context *context, const fur_vectors_view *v)
{
    fur_env *env = &context->env;
    size_t size = fur_value_size(v->value_type);
    if (size == 0)
        return fur_env_fail(env, FUR_INVALID, "%d is not a value type", (int)v->value_type);
    if ((unsigned)v->layout > FUR_LAYOUT_COLUMNS)
        return fur_env_fail(env, FUR_INVALID,
                            "%d is not a layout; use FUR_LAYOUT_ROWS or FUR_LAYOUT_COLUMNS",
                            (int)v->layout);
    if (v->rows < 0 || v->cols < 0)
        return fur_env_fail(env, FUR_INVALID, "a block of vectors cannot have %lld x %lld entries",
                            (long long)v->rows, (long long)v->cols);
    bool by_rows = v->layout == FUR_LAYOUT_ROWS;
    if (v->stride != 0 && v->stride < (by_rows ? v->cols : v->rows))
        return fur_env_fail(
            env, FUR_INVALID,
            "%s of %lld entries have a stride of %lld; it must be 0 or at least their length",
            by_rows ? "rows" : "columns", (long long)(by_rows ? v->cols : v->rows),
            (long long)v->stride);
    int64_t outer = by_rows ? v->rows : v->cols;
    int64_t inner = v->stride != 0 ? v->stride : by_rows ? v->cols : v->rows;
    if (outer > 0 && (uint64_t)inner > SIZE_MAX / 2 / size / (uint64_t)outer)
        return fur_env_fail(env, FUR_OVERFLOW,
                            "%lld x %lld elements of %zu bytes do not fit in memory",
                            (long long)outer, (long long)inner, size);
    return FUR_OK;
}

/* The view with its default stride replaced by a number. */
static fur_vectors_view with_stride(fur_vectors_view v)
{
    v.size = sizeof v;
    if (v.stride == 0)
        v.stride = v.layout == FUR_LAYOUT_ROWS ? v.cols : v.rows;
    return v;
}

int64_t fur_vectors_span(const fur_vectors_view *x)
{
    if (x->rows == 0 || x->cols == 0)
        return 0;
    return x->layout == FUR_LAYOUT_ROWS ? (x->rows - 1) * x->stride + x->cols
                                        : (x->cols - 1) * x->stride + x->rows;
}

static fur_status make(fur_context *context, const fur_vectors_view *view, bool owned,
                       fur_vectors **out)
{
    fur_vectors *x;
    FUR_TRY(fur_env_allocate(&context->env, 1, sizeof *x, &x));
    *x = (fur_vectors){context, with_stride(*view), owned};
    *out = x;
    return FUR_OK;
}

fur_status fur_vectors_allocate(fur_context *context, fur_value_type value, int64_t rows,
                                int64_t cols, fur_layout layout, fur_vectors **out)
{
    fur_vectors_view view = {.rows = rows, .cols = cols, .value_type = value, .layout = layout};
    FUR_TRY(check_shape(context, &view));
    FUR_TRY(fur_memory_allocate(context, rows * cols, fur_value_size(value), &view.data));
    fur_status status = make(context, &view, true, out);
    if (status != FUR_OK)
        fur_memory_release(context, view.data);
    return status;
}

fur_status fur_vectors_create(fur_context *context, fur_value_type value, int64_t rows,
                              int64_t cols, fur_layout layout, fur_vectors **out)
{
    FUR_NEED(context, context, out);
    fur_vectors *x;
    FUR_TRY(fur_vectors_allocate(context, value, rows, cols, layout, &x));
    fur_status status = fur_vectors_fill(x, fur_real(0));
    if (status == FUR_OK)
        *out = x;
    else
        fur_vectors_destroy(x);
    return status;
}

/* Copies an array with gaps, in memory of the host or the device, to a block. */
static fur_status upload_array(const fur_vectors_view *array, fur_vectors *x)
{
    fur_context *context = x->context;
    const fur_remote *remote = context->backend->remote;
    fur_vectors near = {remote ? context->host : context, *array, false};
    if (fur_vectors_are_dense(array))
        return fur_vectors_upload(array->data, x);
    if (remote && remote->reaches(&context->env, array->data))
        near.context = context;
    return fur_context_pass_on(near.context, context, fur_vectors_copy(&near, x));
}

static fur_status make_copy(fur_context *context, const fur_vectors_view *array, fur_vectors **out)
{
    fur_vectors *x;
    fur_vectors_view from = with_stride(*array);
    FUR_TRY(fur_vectors_allocate(context, from.value_type, from.rows, from.cols, from.layout, &x));
    fur_status status = upload_array(&from, x);
    /* the source may be on the device, and the caller may release it at once */
    if (status == FUR_OK)
        status = fur_context_synchronize(context);
    if (status == FUR_OK)
        *out = x;
    else
        fur_vectors_destroy(x);
    return status;
}

fur_status fur_vectors_wrap(fur_context *context, const fur_vectors_view *array,
                            fur_ownership ownership, fur_vectors **out)
{
    FUR_NEED(context, context, array, out);
    fur_vectors_view view;
    FUR_TAKE_OPTIONS(context, fur_vectors_view, &view, array);
    FUR_TRY(fur_ownership_check(context, ownership));
    FUR_TRY(check_shape(context, &view));
    if (view.rows > 0 && view.cols > 0 && !view.data)
        return fur_env_fail(&context->env, FUR_INVALID,
                            "the array is NULL, but has to hold %lld x %lld entries",
                            (long long)view.rows, (long long)view.cols);
    if (ownership == FUR_OWNERSHIP_COPY)
        return make_copy(context, &view, out);
    if (ownership == FUR_OWNERSHIP_ADOPT && fur_is_remote(context)) {
        FUR_TRY(make_copy(context, &view, out));
        fur_env_release(&context->env, view.data);
        return FUR_OK;
    }
    FUR_TRY(fur_memory_check_borrowed(context, view.data, fur_value_size(view.value_type)));
    return make(context, &view, ownership == FUR_OWNERSHIP_ADOPT, out);
}

void fur_vectors_destroy(fur_vectors *x)
{
    if (!x)
        return;
    if (x->owned)
        fur_memory_release(x->context, x->view.data);
    fur_env_release(&x->context->env, x);
}

fur_context *fur_vectors_context(const fur_vectors *x)
{
    return x ? x->context : NULL;
}

const fur_vectors_view *fur_vectors_get(const fur_vectors *x)
{
    static const fur_vectors_view none;
    return x ? &x->view : &none;
}

/* The address of entry (i, j). */
static void *entry_at(const fur_vectors_view *x, int64_t i, int64_t j)
{
    int64_t entry = i * fur_row_step(x) + j * fur_column_step(x);
    return x->data ? (char *)x->data + (size_t)entry * fur_value_size(x->value_type) : NULL;
}

static fur_status check_range(fur_vectors *x, const char *what, int64_t first, int64_t count,
                              int64_t most)
{
    if (first >= 0 && count >= 0 && first <= most && count <= most - first)
        return FUR_OK;
    return fur_env_fail(&x->context->env, FUR_INVALID,
                        "%lld %s from %s %lld on are not within the block, which has %lld",
                        (long long)count, what, what, (long long)first, (long long)most);
}

fur_status fur_vectors_columns(fur_vectors *x, int64_t first, int64_t count, fur_vectors **out)
{
    FUR_NEED(fur_vectors_context(x), x, out);
    FUR_TRY(check_range(x, "columns", first, count, x->view.cols));
    fur_vectors_view view = x->view;
    view.cols = count;
    view.data = entry_at(&x->view, 0, first);
    return make(x->context, &view, false, out);
}

fur_status fur_vectors_rows(fur_vectors *x, int64_t first, int64_t count, fur_vectors **out)
{
    FUR_NEED(fur_vectors_context(x), x, out);
    FUR_TRY(check_range(x, "rows", first, count, x->view.rows));
    fur_vectors_view view = x->view;
    view.rows = count;
    view.data = entry_at(&x->view, first, 0);
    return make(x->context, &view, false, out);
}

fur_status fur_vectors_column(fur_vectors *x, int64_t j, fur_vector **out)
{
    FUR_NEED(fur_vectors_context(x), x, out);
    FUR_TRY(check_range(x, "columns", j, 1, x->view.cols));
    if (fur_row_step(&x->view) > 1 && x->view.rows > 1)
        return fur_env_fail(&x->context->env, FUR_INVALID,
                            "the entries of a column are %lld entries apart in row-major order, "
                            "but a vector is contiguous; copy the column",
                            (long long)x->view.stride);
    return fur_vector_wrap(x->context, x->view.value_type, x->view.rows, entry_at(&x->view, 0, j),
                           FUR_OWNERSHIP_BORROW, out);
}

fur_status fur_vectors_from_vector(fur_vector *x, fur_vectors **out)
{
    FUR_NEED(fur_vector_context(x), x, out);
    fur_vectors_view view = {.rows = x->size,
                             .cols = 1,
                             .value_type = x->value_type,
                             .layout = FUR_LAYOUT_COLUMNS,
                             .data = x->data};
    return make(x->context, &view, false, out);
}

/* Makes a block with x's shape and layout and without gaps, for copies between x and an array. */
static fur_status make_dense(const fur_vectors *x, fur_vectors **out)
{
    const fur_vectors_view *v = &x->view;
    return fur_vectors_allocate(x->context, v->value_type, v->rows, v->cols, v->layout, out);
}

static bool is_empty(const fur_vectors *x)
{
    return x->view.rows == 0 || x->view.cols == 0;
}

fur_status fur_vectors_upload(const void *entries, fur_vectors *x)
{
    FUR_NEED(NULL, x);
    if (is_empty(x))
        return FUR_OK;
    FUR_NEED(x->context, entries);
    if (fur_vectors_are_dense(&x->view))
        return fur_memory_copy(x->context, x->view.data, entries, fur_vectors_bytes(&x->view));
    fur_vectors *dense;
    FUR_TRY(make_dense(x, &dense));
    fur_status status =
        fur_memory_copy(x->context, dense->view.data, entries, fur_vectors_bytes(&dense->view));
    if (status == FUR_OK)
        status = fur_vectors_copy(dense, x);
    fur_vectors_destroy(dense);
    return status;
}

fur_status fur_vectors_download(const fur_vectors *x, void *entries)
{
    FUR_NEED(NULL, x);
    if (is_empty(x))
        return FUR_OK;
    FUR_NEED(x->context, entries);
    if (fur_vectors_are_dense(&x->view))
        return fur_memory_copy(x->context, entries, x->view.data, fur_vectors_bytes(&x->view));
    fur_vectors *dense;
    FUR_TRY(make_dense(x, &dense));
    fur_status status = fur_vectors_copy(x, dense);
    if (status == FUR_OK)
        status =
            fur_memory_copy(x->context, entries, dense->view.data, fur_vectors_bytes(&dense->view));
    fur_vectors_destroy(dense);
    return status;
}

fur_status fur_vectors_to_host(const fur_vectors *x, fur_vectors_view *near)
{
    *near = x->view;
    return fur_memory_to_host(x->context, x->view.data, fur_vectors_bytes(&x->view), &near->data);
}
