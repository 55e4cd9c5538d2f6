/* The copy of a triangle that belongs to a plan. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"
#    include "triangular.h"

#    define ROW_GRAIN 4096

/* The copy while it is made, or while it takes new values. */
typedef struct packing {
    const fur_strict *t;
    fur_packed *p;
    fur_shared missing; /* first rows whose diagonal entry is missing, or is useless */
    fur_shared useless;
} packing;

#    define FUR_TEMPLATE "reciprocal_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "packed.c"
#    include "foreach_type.h"

/* Sets the beginning of each place. */
static void set_offsets(const fur_workload *w, const int32_t *order, fur_packed *p)
{
    int64_t n = w->t.a->rows;
    fur_offset_type type = p->view.offset_type;
    int64_t next = 0;
    fur_offsets_set(type, p->offsets, 0, 0);
    for (int64_t place = 0; place < n; place++) {
        int64_t own = order ? fur_strict_row(&w->t, order[place]) : place;
        next += w->start[own + 1] - w->start[own];
        fur_offsets_set(type, p->offsets, place + 1, next);
    }
}

/* Copies the columns of places. The column nearest to the diagonal comes last. */
static void copy_columns(void *job, int64_t begin, int64_t end)
{
    const packing *c = job;
    const fur_strict *t = c->t;
    for (int64_t place = begin; place < end; place++) {
        int64_t row = fur_triangle_row(&c->p->view, place);
        int64_t to = fur_offsets_get(c->p->view.offset_type, c->p->offsets, place);
        int64_t count = fur_offsets_get(c->p->view.offset_type, c->p->offsets, place + 1) - to;
        int64_t from = t->upper ? fur_offset_at(t->a, row + 1) - 1 : fur_offset_at(t->a, row);
        for (int64_t k = 0; k < count; k++)
            c->p->columns[to + k] = t->a->columns[t->upper ? from - k : from + k];
    }
}

fur_status fur_packed_create(fur_env *env, const fur_workload *w, const int32_t *order,
                             bool unit_diagonal, fur_packed *out)
{
    const fur_csr_view *a = w->t.a;
    int64_t n = a->rows;
    fur_packed p = {.view = {.rows = n,
                             .value_type = a->value_type,
                             .offset_type = a->offset_type,
                             .order = order,
                             .falls = w->t.upper}};
    fur_status status = FUR_OK;
    size_t size = fur_value_size(a->value_type);
    packing c = {.t = &w->t, .p = &p};
    FUR_TRY_DONE(fur_env_allocate(env, n + 1, fur_offset_size(a->offset_type), &p.offsets));
    FUR_TRY_DONE(fur_env_allocate(env, w->start[n], sizeof *p.columns, &p.columns));
    FUR_TRY_DONE(fur_env_allocate(env, w->start[n], size, &p.values));
    if (!unit_diagonal)
        FUR_TRY_DONE(fur_env_allocate(env, n, size, &p.divisors));
    p.view.offsets = p.offsets;
    p.view.columns = p.columns;
    p.view.values = p.values;
    p.view.divisors = p.divisors;
    set_offsets(w, order, &p);
    fur_parallel(env, n / ROW_GRAIN, n, copy_columns, &c);
    *out = p;
    return FUR_OK;
done:
    fur_packed_release(env, &p);
    return status;
}

void fur_packed_release(fur_env *env, fur_packed *packed)
{
    fur_env_release(env, packed->divisors);
    fur_env_release(env, packed->values);
    fur_env_release(env, packed->columns);
    fur_env_release(env, packed->offsets);
}

fur_status fur_trsv_check_diagonal(fur_env *env, fur_value_type value, int64_t missing,
                                   int64_t useless)
{
    bool real = value == FUR_F32 || value == FUR_F64;
    if (missing >= 0)
        return fur_env_fail(env, FUR_INVALID,
                            "row %lld, counting from 1, has no entry on the diagonal; store one, "
                            "or use FUR_DIAGONAL_UNIT",
                            (long long)missing + 1);
    if (useless < 0)
        return FUR_OK;
    return fur_env_fail(env, FUR_INVALID, "row %lld, counting from 1, has %s on the diagonal: %s",
                        (long long)useless + 1,
                        real ? "a zero" : "an entry without a finite reciprocal",
                        "a triangular solve cannot divide by it");
}

fur_status fur_packed_refresh(fur_env *env, const fur_strict *t, fur_packed *packed)
{
    static fur_body *const copy_values[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(copy_values);
    const fur_triangle_view *v = &packed->view;
    packing c = {.t = t, .p = packed, .missing = INT64_MAX, .useless = INT64_MAX};
    fur_parallel(env, v->rows / ROW_GRAIN, v->rows, copy_values[v->value_type][v->offset_type], &c);
    return fur_trsv_check_diagonal(env, v->value_type, c.missing == INT64_MAX ? -1 : c.missing,
                                   c.useless == INT64_MAX ? -1 : c.useless);
}
#else

/* Sets the divisor of a row. */
static void FN(copy_diagonal)(packing *c, int64_t row, VALUE *divisor)
{
    if (!fur_csr_read_entry(c->t->a, row, row, divisor))
        fur_shared_least(&c->missing, row);
#    if COMPLEX
    else if (FUR_JOIN(reciprocals, VALUE_NAME)(1, divisor) == 0)
        fur_shared_least(&c->useless, row);
#    else
    else if (*divisor == 0)
        fur_shared_least(&c->useless, row);
#    endif
}

static void FN(copy_values)(void *job, int64_t begin, int64_t end)
{
    packing *c = job;
    const fur_strict *t = c->t;
    const OFFSET *source = t->a->offsets;
    const OFFSET *offsets = c->p->offsets;
    const VALUE *from = t->a->values;
    VALUE *to = c->p->values;
    VALUE *divisors = c->p->divisors;
    for (int64_t place = begin; place < end; place++) {
        int64_t row = fur_triangle_row(&c->p->view, place);
        OFFSET next = t->upper ? source[row + 1] - 1 : source[row];
        for (OFFSET k = offsets[place]; k < offsets[place + 1]; k++) {
            to[k] = from[next];
            next += t->upper ? -1 : 1;
        }
        if (divisors)
            FN(copy_diagonal)(c, row, &divisors[place]);
    }
}

#endif
