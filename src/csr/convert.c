/* A matrix in another value type and offset width. */
#include "csr.h"

#include <string.h>

static void copy_pattern(const fur_csr_view *from, fur_csr *to)
{
    int32_t *narrow = fur_csr_offsets(to);
    int64_t *wide = fur_csr_offsets(to);
    for (int64_t i = 0; i <= from->rows; i++) {
        if (to->view.offset_type == FUR_I32)
            narrow[i] = (int32_t)fur_offset_at(from, i);
        else
            wide[i] = fur_offset_at(from, i);
    }
    if (from->entries > 0)
        memcpy(fur_csr_columns(to), from->columns, (size_t)from->entries * sizeof(int32_t));
}

typedef struct target {
    fur_value_type value_type;
    fur_offset_type offset_type;
} target;

static fur_status convert(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const fur_csr_view *v = &a->view;
    const target *to = arguments;
    fur_env *env = &a->context->env;
    fur_csr *b;
    FUR_TRY(fur_csr_allocate(a->context, v->rows, v->cols, v->entries, to->value_type,
                             to->offset_type, &b));
    copy_pattern(v, b);
    int64_t lost = fur_convert_values(env, v->entries, v->value_type, v->values, to->value_type,
                                      fur_csr_values(b));
    if (lost >= 0) {
        int64_t row = 0;
        while (fur_offset_at(v, row + 1) <= lost)
            row++;
        fur_csr_destroy(b);
        return fur_env_fail(
            env, FUR_INVALID,
            "entry (%lld, %lld), counting from 1, has an imaginary part, which type %s cannot hold",
            (long long)row + 1, (long long)v->columns[lost] + 1, fur_value_name(to->value_type));
    }
    *out = b;
    return FUR_OK;
}

fur_status fur_csr_convert(const fur_csr *a, fur_value_type value, fur_offset_type offset,
                           fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    fur_env *env = &a->context->env;
    target to = {value, offset};
    if (fur_value_size(value) == 0 || fur_offset_size(offset) == 0)
        return fur_env_fail(env, FUR_INVALID, "%d is not a value type, or %d is not an offset type",
                            (int)value, (int)offset);
    if (offset == FUR_I32 && a->view.entries > INT32_MAX)
        return fur_env_fail(env, FUR_OVERFLOW,
                            "%lld entries do not fit int32 offsets; use int64 offsets",
                            (long long)a->view.entries);
    return fur_csr_on_host(a, convert, &to, out);
}
