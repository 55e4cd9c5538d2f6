/* The CSR object: creation, views, comparison. */
#include "object.h"

#include <string.h>

static fur_status make(fur_context *context, const fur_csr_view *view, bool owned, fur_csr **out)
{
    fur_csr *matrix;
    FUR_TRY(fur_env_allocate(&context->env, 1, sizeof *matrix, &matrix));
    *matrix = (fur_csr){context, *view, owned};
    *out = matrix;
    return FUR_OK;
}

static void release_arrays(fur_env *env, const fur_csr_view *view)
{
    fur_env_release(env, (void *)(uintptr_t)view->offsets);
    fur_env_release(env, (void *)(uintptr_t)view->columns);
    fur_env_release(env, (void *)(uintptr_t)view->values);
}

fur_status fur_csr_allocate(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                            fur_value value, fur_offset offset, fur_csr **out)
{
    fur_env *env = &context->env;
    fur_status status = FUR_OK;
    fur_csr_view view = {rows, cols, entries, value, offset, NULL, NULL, NULL};
    FUR_TRY_DONE(fur_env_allocate(env, rows + 1, fur_offset_size(offset), &view.offsets));
    FUR_TRY_DONE(fur_env_allocate(env, entries, sizeof(int32_t), &view.columns));
    FUR_TRY_DONE(fur_env_allocate(env, entries, fur_value_size(value), &view.values));
    FUR_TRY_DONE(make(context, &view, true, out));
    return FUR_OK;
done:
    release_arrays(env, &view);
    return status;
}

void fur_csr_set_offsets(fur_csr *a, const int64_t *starts)
{
    int32_t *narrow = fur_csr_offsets(a);
    int64_t *wide = fur_csr_offsets(a);
    for (int64_t i = 0; i <= a->view.rows; i++) {
        if (a->view.offset == FUR_I32)
            narrow[i] = (int32_t)starts[i];
        else
            wide[i] = starts[i];
    }
}

static fur_status copy(fur_context *context, const fur_csr_view *from, fur_csr **out)
{
    fur_csr *a;
    FUR_TRY(fur_csr_allocate(context, from->rows, from->cols, from->entries, from->value,
                             from->offset, &a));
    size_t entries = (size_t)from->entries;
    memcpy(fur_csr_offsets(a), from->offsets,
           ((size_t)from->rows + 1) * fur_offset_size(from->offset));
    if (entries > 0) {
        memcpy(fur_csr_columns(a), from->columns, entries * sizeof(int32_t));
        memcpy(fur_csr_values(a), from->values, entries * fur_value_size(from->value));
    }
    *out = a;
    return FUR_OK;
}

fur_status fur_csr_create(fur_context *context, const fur_csr_view *arrays, fur_ownership ownership,
                          fur_csr **out)
{
    FUR_TRY(fur_ownership_check(context, ownership));
    FUR_TRY(fur_csr_check(context, arrays));
    if (ownership == FUR_COPY)
        return copy(context, arrays, out);
    return make(context, arrays, ownership == FUR_ADOPT, out);
}

void fur_csr_destroy(fur_csr *matrix)
{
    if (!matrix)
        return;
    fur_env *env = &matrix->context->env;
    if (matrix->owned)
        release_arrays(env, &matrix->view);
    fur_env_release(env, matrix);
}

fur_context *fur_csr_context(const fur_csr *matrix)
{
    return matrix->context;
}

fur_csr_view fur_csr_get(const fur_csr *matrix)
{
    return matrix->view;
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

fur_status fur_csr_compare(const fur_csr *a, const fur_csr *b, int *equal)
{
    const fur_csr_view *p = &a->view;
    const fur_csr_view *q = &b->view;
    *equal = p->rows == q->rows && p->cols == q->cols && p->entries == q->entries &&
             p->value == q->value && same_offsets(p, q) &&
             same_bytes(p->columns, q->columns, p->entries, sizeof(int32_t)) &&
             same_bytes(p->values, q->values, p->entries, fur_value_size(p->value));
    return FUR_OK;
}
