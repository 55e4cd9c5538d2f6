/* A^T and A^H: the entries bucketed by column. Rows come in order, so the result's rows are sorted.
 */
#ifndef FUR_TEMPLATE
#    include "bucket.h"
#    include "object.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 4096

/* Entries on their way into the transpose. */
typedef struct scattering {
    const fur_csr_view *a;
    bool conjugate;
    const int64_t *place; /* of each entry */
    int32_t *columns;
    void *values;
} scattering;

#    define FUR_TEMPLATE "csr_transpose.c"
#    include "foreach_type.h"

static fur_status transpose_remote(const fur_csr *a, bool conjugate, fur_csr **out)
{
    const fur_csr_view *v = &a->view;
    fur_csr *t;
    FUR_TRY(fur_csr_allocate(a->context, v->cols, v->rows, v->entries, v->value, v->offset, &t));
    fur_status status =
        a->context->backend->remote->transpose(&a->context->env, v, conjugate, &t->view);
    if (status == FUR_OK)
        *out = t;
    else
        fur_csr_destroy(t);
    return status;
}

static fur_status transpose_here(const fur_csr *a, bool conjugate, fur_csr **out)
{
    static fur_body *const scatter_rows[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(scatter_rows);
    const fur_csr_view *v = &a->view;
    fur_env *env = &a->context->env;
    fur_status status = FUR_OK;
    fur_csr *t = NULL;
    int64_t *starts = NULL;
    int64_t *place = NULL;

    FUR_TRY_DONE(
        fur_csr_allocate(a->context, v->cols, v->rows, v->entries, v->value, v->offset, &t));
    FUR_TRY_DONE(fur_env_allocate(env, v->cols + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(fur_env_allocate(env, v->entries, sizeof *place, &place));
    FUR_TRY_DONE(fur_bucket_sort(env, v->entries, v->columns, v->cols, starts, place));
    fur_csr_set_offsets(t, starts);
    scattering s = {v, conjugate, place, fur_csr_columns(t), fur_csr_values(t)};
    fur_parallel(env, v->rows / ROW_GRAIN, v->rows, scatter_rows[v->value][v->offset], &s);
    *out = t;
    t = NULL;
done:
    fur_env_release(env, place);
    fur_env_release(env, starts);
    fur_csr_destroy(t);
    return status;
}

fur_status fur_csr_transpose(const fur_csr *a, int conjugate, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    return fur_is_remote(a->context) ? transpose_remote(a, conjugate != 0, out)
                                     : transpose_here(a, conjugate != 0, out);
}
#else

static void FN(scatter_rows)(void *job, int64_t begin, int64_t end)
{
    const scattering s = *(scattering *)job;
    const OFFSET *offsets = s.a->offsets;
    const VALUE *from = s.a->values;
    VALUE *to = s.values;
    for (int64_t i = begin; i < end; i++) {
        for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {
            s.columns[s.place[k]] = (int32_t)i;
            to[s.place[k]] = s.conjugate ? V(conj)(from[k]) : from[k];
        }
    }
}

#endif
