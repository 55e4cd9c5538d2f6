/* Reads one entry of a matrix by its position. */
#ifndef FUR_TEMPLATE
#    include "csr.h"
#    include "scalar.h"
#    include "table.h"

#    define FUR_TEMPLATE "entry.c"
#    include "foreach_value.h"

bool fur_csr_read_entry(const fur_csr_view *a, int64_t row, int64_t col, void *out)
{
    static bool (*const read[FUR_VALUE_COUNT])(const fur_csr_view *, int64_t, int64_t, void *) =
        FUR_VALUE_TABLE(read_entry);
    return read[a->value_type](a, row, col, out);
}

/* Fetches entries of a matrix on a device, from `begin` on. The size of `line` is their number. */
static fur_status fetch_entries(const fur_csr *a, int64_t begin, fur_csr *line)
{
    const fur_csr_view *v = &a->view;
    int64_t count = line->view.entries;
    int64_t size = (int64_t)fur_value_size(v->value_type);
    FUR_TRY(fur_memory_copy(a->context, fur_csr_columns(line), v->columns + begin,
                            count * (int64_t)sizeof *v->columns));
    return fur_memory_copy(a->context, fur_csr_values(line), (const char *)v->values + begin * size,
                           count * size);
}

/* Fetches row `row` of a matrix on a device, as a matrix of one row on the host. */
static fur_status fetch_row(const fur_csr *a, int64_t row, fur_csr **out)
{
    const fur_csr_view *v = &a->view;
    fur_context *context = a->context;
    int64_t width = (int64_t)fur_offset_size(v->offset_type);
    char raw[2 * sizeof(int64_t)];
    fur_csr *line;
    FUR_TRY(fur_memory_copy(context, raw, (const char *)v->offsets + row * width, 2 * width));
    fur_csr_view pair = {.offset_type = v->offset_type, .offsets = raw};
    int64_t begin = fur_offset_at(&pair, 0);
    int64_t count = fur_offset_at(&pair, 1) - begin;
    FUR_TRY(fur_context_pass_on(
        context->host, context,
        fur_csr_allocate(context->host, 1, v->cols, count, v->value_type, FUR_I64, &line)));
    fur_csr_set_offsets(line, (int64_t[]){0, count});
    fur_status status = count > 0 ? fetch_entries(a, begin, line) : FUR_OK;
    if (status == FUR_OK)
        *out = line;
    else
        fur_csr_destroy(line);
    return status;
}

fur_status fur_csr_entry(const fur_csr *a, int64_t row, int64_t col, fur_scalar *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    const fur_csr_view *v = &a->view;
    fur_env *env = &a->context->env;
    fur_csr *line = NULL;
    _Alignas(fur_c128) char entry[sizeof(fur_c128)]; /* an entry of any value type */
    if (row < 0 || row >= v->rows || col < 0 || col >= v->cols)
        return fur_env_fail(env, FUR_INVALID,
                            "(%lld, %lld), counting from 1, is outside the %lld x %lld matrix; "
                            "indices in memory count from 0",
                            (long long)row + 1, (long long)col + 1, (long long)v->rows,
                            (long long)v->cols);
    if (fur_is_remote(a->context))
        FUR_TRY(fetch_row(a, row, &line));
    fur_csr_read_entry(line ? &line->view : v, line ? 0 : row, col, entry);
    *out = fur_scalar_at(v->value_type, entry, 0);
    fur_csr_destroy(line);
    return FUR_OK;
}
#else

static bool FN(read_entry)(const fur_csr_view *a, int64_t row, int64_t col, void *out)
{
    const VALUE *values = a->values;
    int64_t end = fur_offset_at(a, row + 1);
    int64_t k = fur_csr_find(a, row, col);
    bool found = k < end && a->columns[k] == col;
    VALUE sum = found ? values[k] : V(from)((fur_scalar){0, 0});
    for (k++; k < end && a->columns[k] == col; k++)
        sum = V(add)(sum, values[k]);
    *(VALUE *)out = sum;
    return found;
}

#endif
