/* A^T and A^H: the entries bucketed by column. Rows come in order, so the result's rows are sorted.
 */
#ifndef FUR_TEMPLATE
#    include "bucket.h"
#    include "object.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"

#    include <string.h>

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 4096

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
    static void (*const scatter[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(
        const fur_csr_view *, int, bool, const int64_t *, int32_t *, void *) =
        FUR_TYPE_TABLE(scatter);
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
    scatter[v->value][v->offset](v, fur_team(env->threads, v->rows, ROW_GRAIN), conjugate, place,
                                 fur_csr_columns(t), fur_csr_values(t));
    *out = t;
    t = NULL;
done:
    fur_env_release(env, place);
    fur_env_release(env, starts);
    fur_csr_destroy(t);
    return status;
}

/* A's rows come in order, so that entries go to the next place of their row of T each time: T's
 * offsets are these places meanwhile, and then move up by one to be themselves again. */
static void refill_here(const fur_csr_view *a, int threads, bool conjugate, fur_csr *t)
{
    static void (*const refill[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(
        const fur_csr_view *, bool, int64_t, int64_t, void *, void *) = FUR_TYPE_TABLE(refill);
    int64_t rows = t->view.rows;
    size_t size = fur_offset_size(t->view.offset);
    char *offsets = fur_csr_offsets(t);
    int parts = fur_team(threads, fur_smaller(rows, a->entries), ROW_GRAIN);
#    pragma omp parallel for schedule(static, 1) num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; part++)
        refill[a->value][a->offset](a, conjugate, fur_split(rows, parts, part),
                                    fur_split(rows, parts, part + 1), offsets, fur_csr_values(t));
    memmove(offsets + size, offsets, (size_t)rows * size);
    memset(offsets, 0, size);
}

fur_status fur_csr_transpose_values(const fur_csr *a, bool conjugate, fur_csr *t)
{
    fur_env *env = &a->context->env;
    if (fur_is_remote(a->context))
        return a->context->backend->remote->transpose_values(env, &a->view, conjugate, &t->view);
    refill_here(&a->view, env->threads, conjugate, t);
    return FUR_OK;
}

fur_status fur_csr_transpose(const fur_csr *a, int conjugate, fur_csr **out)
{
    return fur_is_remote(a->context) ? transpose_remote(a, conjugate != 0, out)
                                     : transpose_here(a, conjugate != 0, out);
}
#else

static void FN(scatter)(const fur_csr_view *a, int team, bool conjugate, const int64_t *place,
                        int32_t *columns, void *values)
{
    const OFFSET *offsets = a->offsets;
    const VALUE *from = a->values;
    VALUE *to = values;
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < a->rows; i++) {
        for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {
            columns[place[k]] = (int32_t)i;
            to[place[k]] = conjugate ? V(conj)(from[k]) : from[k];
        }
    }
}

/* Rows begin .. end-1 of the transpose. */
static void FN(refill)(const fur_csr_view *a, bool conjugate, int64_t begin, int64_t end,
                       void *places, void *values)
{
    const VALUE *from = a->values;
    OFFSET *next = places;
    VALUE *to = values;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t row_end = fur_offset_at(a, i + 1);
        int64_t k = begin > 0 ? fur_csr_find(a, i, begin) : fur_offset_at(a, i);
        for (; k < row_end && a->columns[k] < end; k++)
            to[next[a->columns[k]]++] = conjugate ? V(conj)(from[k]) : from[k];
    }
}

#endif
