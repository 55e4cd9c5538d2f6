/* Converts a stencil into a matrix: entries are counted by row, then set. */
#ifndef FUR_TEMPLATE
#    include "stencil.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

#    define ROW_GRAIN 1024

typedef struct assembly {
    const fur_stencil_view *s;
    int64_t *starts; /* beginnings of the rows */
    int32_t *columns;
    void *values;
} assembly;

#    define FUR_TEMPLATE "assemble.c"
#    include "foreach_value.h"

static int64_t count_columns(const fur_stencil_view *s, int64_t row)
{
    fur_stencil_term terms[FUR_STENCIL_POINTS];
    if (fur_stencil_is_inner(s, row))
        return s->points;
    int count = fur_stencil_row(s, row, terms);
    int64_t columns = count > 0;
    for (int t = 1; t < count; t++)
        columns += terms[t].column != terms[t - 1].column;
    return columns;
}

static void count_rows(void *job, int64_t begin, int64_t end)
{
    const assembly *m = job;
    for (int64_t i = begin; i < end; i++)
        m->starts[i + 1] = count_columns(m->s, i);
}

static void find_starts(const fur_env *env, assembly *m)
{
    int64_t rows = fur_stencil_rows(m->s);
    fur_parallel(env, rows / ROW_GRAIN, rows, count_rows, m);
    m->starts[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        m->starts[i + 1] += m->starts[i];
}

static fur_status assemble_remote(const fur_stencil *stencil, fur_csr **out)
{
    fur_context *context = stencil->context;
    const fur_stencil_services *device = &fur_services(context)->stencil;
    const fur_stencil_view *s = &stencil->view;
    int64_t rows = fur_stencil_rows(s);
    int64_t entries = 0;
    fur_status status = FUR_OK;
    int64_t *starts = NULL;
    fur_csr *a = NULL;

    FUR_TRY_DONE(fur_memory_allocate(context, rows + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(device->starts(&context->env, s, starts));
    FUR_TRY_DONE(fur_memory_copy(context, &entries, starts + rows, sizeof entries));
    FUR_TRY_DONE(
        fur_csr_allocate(context, rows, rows, entries, s->value_type, fur_offset_for(entries), &a));
    FUR_TRY_DONE(device->fill(&context->env, s, starts, &a->view));
    *out = a;
    a = NULL;
done:
    fur_csr_destroy(a);
    fur_memory_release(context, starts);
    return status;
}

static fur_status assemble_here(fur_context *context, const fur_stencil_view *s, fur_csr **out)
{
    static fur_body *const set_rows[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(set_rows);
    fur_env *env = &context->env;
    int64_t rows = fur_stencil_rows(s);
    fur_status status = FUR_OK;
    assembly m = {.s = s};
    fur_csr *a = NULL;

    FUR_TRY_DONE(fur_env_allocate(env, rows + 1, sizeof *m.starts, &m.starts));
    find_starts(env, &m);
    FUR_TRY_DONE(fur_csr_allocate(context, rows, rows, m.starts[rows], s->value_type,
                                  fur_offset_for(m.starts[rows]), &a));
    fur_csr_set_offsets(a, m.starts);
    m.columns = fur_csr_columns(a);
    m.values = fur_csr_values(a);
    if (m.starts[rows] > 0)
        fur_parallel(env, rows / ROW_GRAIN, rows, set_rows[s->value_type], &m);
    *out = a;
done:
    fur_env_release(env, m.starts);
    return status;
}

/* If fields are on a device, the matrix is made from copies in the companion. */
static fur_status assemble_on_host(const fur_stencil *stencil, fur_csr **out)
{
    fur_context *context = stencil->context;
    fur_stencil_on_host near;
    fur_csr *a = NULL;
    if (!fur_is_remote(context))
        return assemble_here(context, &stencil->view, out);
    FUR_TRY(fur_stencil_to_host(context, &stencil->view, &near));
    fur_status status = assemble_here(context->host, &near.view, &a);
    fur_stencil_drop_copies(context, &stencil->view, &near);
    if (status == FUR_OK)
        status = fur_csr_transfer(a, context, out);
    fur_csr_destroy(a);
    return fur_context_pass_on(context->host, context, status);
}

fur_status fur_stencil_assemble(const fur_stencil *stencil, fur_csr **out)
{
    FUR_NEED(stencil ? stencil->context : NULL, stencil, out);
    int64_t rows = fur_stencil_rows(&stencil->view);
    FUR_TRY(fur_dependent_check(&stencil->context->env, &stencil->dependent));
    if (rows > INT32_MAX)
        return fur_env_fail(
            &stencil->context->env, FUR_OVERFLOW,
            "a grid of %lld points is too large for a matrix, which has at most %d rows",
            (long long)rows, INT32_MAX);
    return fur_services(stencil->context)->stencil.fill ? assemble_remote(stencil, out)
                                                        : assemble_on_host(stencil, out);
}
#else
#    include "stencil_value.h"

static void FN(set_row)(const fur_stencil_view *s, int64_t row, int32_t *columns, VALUE *values)
{
    fur_stencil_term terms[FUR_STENCIL_POINTS];
    int count = fur_stencil_row(s, row, terms);
    int at = -1;
    for (int t = 0; t < count; t++) {
        VALUE c = FN(stencil_value)(s, terms[t].k, row);
        bool repeated = t > 0 && terms[t].column == terms[t - 1].column;
        at += !repeated;
        columns[at] = (int32_t)terms[t].column;
        values[at] = repeated ? V(add)(values[at], c) : c;
    }
}

static void FN(set_rows)(void *job, int64_t begin, int64_t end)
{
    const assembly *m = job;
    VALUE *to = m->values;
    for (int64_t i = begin; i < end; i++)
        FN(set_row)(m->s, i, m->columns + m->starts[i], to + m->starts[i]);
}

#endif
