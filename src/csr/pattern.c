/* Patterns that matrices share, with a reference count. */
#include "pattern.h"

fur_status fur_csr_pattern_create(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                                  fur_value_type value, fur_csr_pattern **out)
{
    fur_status status = FUR_OK;
    fur_offset_type offset = fur_offset_for(entries);
    fur_csr_pattern *p;
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *p, &p));
    *p = (fur_csr_pattern){
        context, 1, {sizeof p->view, rows, cols, entries, value, offset, NULL, NULL, NULL}};
    FUR_TRY_DONE(fur_memory_allocate(context, rows + 1, fur_offset_size(offset), &p->view.offsets));
    FUR_TRY_DONE(fur_memory_allocate(context, entries, sizeof(int32_t), &p->view.columns));
    *out = p;
    return FUR_OK;
done:
    fur_csr_pattern_release(p);
    return status;
}

void fur_csr_pattern_release(fur_csr_pattern *pattern)
{
    if (!pattern || --pattern->holders > 0)
        return;
    fur_memory_release(pattern->context, (void *)(uintptr_t)pattern->view.offsets);
    fur_memory_release(pattern->context, (void *)(uintptr_t)pattern->view.columns);
    fur_env_release(&pattern->context->env, pattern);
}

fur_status fur_csr_of_pattern(fur_csr_pattern *pattern, fur_csr **out)
{
    fur_context *context = pattern->context;
    fur_csr *matrix;
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *matrix, &matrix));
    fur_csr_view view = pattern->view;
    fur_status status =
        fur_memory_allocate(context, view.entries, fur_value_size(view.value_type), &view.values);
    if (status != FUR_OK) {
        fur_env_release(&context->env, matrix);
        return status;
    }
    pattern->holders++;
    *matrix = (fur_csr){.context = context, .view = view, .pattern = pattern, .owns_values = true};
    *out = matrix;
    return FUR_OK;
}
