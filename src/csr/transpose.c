/* A^T and A^H: the entries are bucketed by column. Rows are visited in order, so that the result's
 * rows are sorted. */
#ifndef FUR_TEMPLATE
#    include "bucket.h"
#    include "csr.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    include <string.h>

#    define ROW_GRAIN 4096

/* Entries while they are moved into the transpose. */
typedef struct scattering {
    const fur_csr_view *a;
    bool conjugate;
    fur_bucketing by_column;
    int32_t *columns;
    void *values;
} scattering;

#    define FUR_TEMPLATE "transpose.c"
#    include "foreach_type.h"

static fur_status transpose_remote(const fur_csr *a, bool conjugate, fur_csr **out)
{
    const fur_csr_view *v = &a->view;
    fur_csr *t;
    FUR_TRY(fur_csr_allocate(a->context, v->cols, v->rows, v->entries, v->value_type,
                             v->offset_type, &t));
    fur_status status =
        fur_services(a->context)->csr.transpose(&a->context->env, v, conjugate, &t->view);
    if (status == FUR_OK)
        *out = t;
    else
        fur_csr_destroy(t);
    return status;
}

/* conjugate: points to a bool */
static fur_status transpose_here(const fur_csr *a, const void *conjugate, fur_csr **out)
{
    static fur_body *const place_chunks[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(place_chunks);
    const fur_csr_view *v = &a->view;
    fur_env *env = &a->context->env;
    fur_status status = FUR_OK;
    fur_csr *t = NULL;
    int64_t *starts = NULL;
    scattering s = {.a = v, .conjugate = *(const bool *)conjugate};

    FUR_TRY_DONE(fur_csr_allocate(a->context, v->cols, v->rows, v->entries, v->value_type,
                                  v->offset_type, &t));
    FUR_TRY_DONE(fur_env_allocate(env, v->cols + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(fur_bucket_count(env, v->entries, v->columns, v->cols, starts, &s.by_column));
    fur_csr_set_offsets(t, starts);
    s.columns = fur_csr_columns(t);
    s.values = fur_csr_values(t);
    fur_parallel(env, s.by_column.chunks, s.by_column.chunks,
                 place_chunks[v->value_type][v->offset_type], &s);
    *out = t;
    t = NULL;
done:
    fur_env_release(env, s.by_column.next);
    fur_env_release(env, starts);
    fur_csr_destroy(t);
    return status;
}

/* Sets the values of rows begin .. end-1 of T. */
typedef void refill_rows(const fur_csr_view *a, bool conjugate, int64_t begin, int64_t end,
                         void *places, void *values);
typedef struct refilling {
    const fur_csr_view *a;
    bool conjugate;
    fur_csr *t;
    int parts;
    refill_rows *refill;
} refilling;

static void refill_parts(void *job, int64_t begin, int64_t end)
{
    const refilling *r = job;
    int64_t rows = r->t->view.rows;
    for (int64_t part = begin; part < end; part++)
        r->refill(r->a, r->conjugate, fur_split(rows, r->parts, (int)part),
                  fur_split(rows, r->parts, (int)part + 1), fur_csr_offsets(r->t),
                  fur_csr_values(r->t));
}

/* Sets the values of T. Rows of A are visited in order, so that each entry goes to the next place
 * of its row of T. Meanwhile T's offsets are these places. At the end they move up by one, and are
 * offsets again. */
static void refill_here(const fur_csr *from, const void *conjugate, fur_csr *t)
{
    static refill_rows *const refill[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] = FUR_TYPE_TABLE(refill);
    const fur_env *env = &from->context->env;
    const fur_csr_view *a = &from->view;
    int64_t rows = t->view.rows;
    size_t size = fur_offset_size(t->view.offset_type);
    char *offsets = fur_csr_offsets(t);
    int parts = fur_lanes(env->threads, fur_smaller(rows, a->entries) / ROW_GRAIN);
    refilling r = {a, *(const bool *)conjugate, t, parts, refill[a->value_type][a->offset_type]};
    fur_parallel(env, parts, parts, refill_parts, &r);
    memmove(offsets + size, offsets, (size_t)rows * size);
    memset(offsets, 0, size);
}

fur_status fur_csr_transpose_values(const fur_csr *a, bool conjugate, fur_csr *t)
{
    const fur_remote *device = fur_services(a->context);
    if (device->csr.transpose_values)
        return device->csr.transpose_values(&a->context->env, &a->view, conjugate, &t->view);
    return fur_csr_fill_on_host(a, refill_here, &conjugate, t);
}

fur_status fur_csr_transpose(const fur_csr *a, int conjugate, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    bool conjugated = conjugate != 0;
    return fur_services(a->context)->csr.transpose
               ? transpose_remote(a, conjugated, out)
               : fur_csr_on_host(a, transpose_here, &conjugated, out);
}
#else

/* The row of entry e, by bisection. */
static int64_t FN(row_of)(const fur_csr_view *a, int64_t e)
{
    const OFFSET *offsets = a->offsets;
    int64_t low = 0;
    int64_t high = a->rows;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        *(offsets[middle] <= e ? &low : &high) = middle;
    }
    return low;
}

/* Moves entries begin .. end-1 of A to their places. next[j] is the next place for column j. */
static void FN(place)(const scattering *s, int64_t begin, int64_t end, int64_t *next)
{
    const OFFSET *offsets = s->a->offsets;
    const VALUE *from = s->a->values;
    VALUE *to = s->values;
    int64_t e = begin;
    for (int64_t i = FN(row_of)(s->a, begin); e < end; i++) {
        for (; e < fur_smaller(offsets[i + 1], end); e++) {
            int64_t place = next[s->a->columns[e]]++;
            s->columns[place] = (int32_t)i;
            to[place] = s->conjugate ? V(conj)(from[e]) : from[e];
        }
    }
}

static void FN(place_chunks)(void *job, int64_t begin, int64_t end)
{
    const scattering *s = job;
    const fur_bucketing *b = &s->by_column;
    for (int64_t chunk = begin; chunk < end; chunk++)
        FN(place)
    (s, fur_split(b->count, b->chunks, (int)chunk), fur_split(b->count, b->chunks, (int)chunk + 1),
     b->next + chunk * b->keys_end);
}

/* Sets the values of rows begin .. end-1 of the transpose. */
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
