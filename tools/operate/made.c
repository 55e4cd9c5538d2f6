/* Matrices that subcommands make from others. */
#include "made.h"

#include <furrow/author/context.h>

#include "output.h"

int64_t made_bytes(const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    return v->entries * (int64_t)(fur_value_size(v->value_type) + sizeof *v->columns) +
           (v->rows + 1) * (int64_t)fur_offset_size(v->offset_type);
}

fur_mtx_field made_field(fur_value_type value)
{
    return value == FUR_C64 || value == FUR_C128 ? FUR_MTX_COMPLEX : FUR_MTX_REAL;
}

static fur_status put_norms(output *out, const fur_csr *a)
{
    double norm_1 = 0;
    double frobenius = 0;
    double most = 0;
    FUR_TRY(fur_csr_norm(a, FUR_NORM_1, &norm_1));
    FUR_TRY(fur_csr_norm(a, FUR_NORM_FROBENIUS, &frobenius));
    FUR_TRY(fur_csr_norm(a, FUR_NORM_MAX, &most));
    output_number(out, "norm_1", "norm 1", norm_1);
    output_number(out, "norm_frobenius", "Frobenius norm", frobenius);
    output_number(out, "norm_max", "largest entry", most);
    return FUR_OK;
}

fur_status made_print(const command_common *common, const made_matrix *made,
                      const save_target *target, fur_mtx_field field)
{
    fur_context *context = fur_csr_context(made->matrix);
    const fur_csr_view *v = fur_csr_get(made->matrix);
    const fur_mtx_header origin = {.size = sizeof origin, .field = field};
    int64_t bytes = made->bytes + made_bytes(made->matrix);
    double start = fur_seconds();
    if (target->path)
        FUR_TRY(save_matrix(made->matrix, target, &origin));
    double seconds_write = fur_seconds() - start;
    output out = output_begin(common->json);
    output_count(&out, "rows", "rows", v->rows);
    output_count(&out, "cols", "columns", v->cols);
    output_count(&out, "entries", "entries", v->entries);
    output_text(&out, "value", "value type", fur_value_name(v->value_type));
    output_count(&out, "threads", "threads", fur_context_threads(context));
    output_seconds(&out, "seconds_load", "time to load", made->seconds_load);
    output_seconds(&out, "seconds_apply", "time to compute", made->seconds_apply);
    output_count(&out, "bytes", "bytes moved", bytes);
    output_rate(&out, "gbps", "throughput",
                made->seconds_apply > 0 ? 1e-9 * (double)bytes / made->seconds_apply : 0);
    if (target->path)
        output_seconds(&out, "seconds_write", "time to write", seconds_write);
    FUR_TRY(put_norms(&out, made->matrix));
    return output_end(&out, context);
}
