/* A stencil as a matrix: entries counted by row, then set. */
#ifndef FUR_TEMPLATE
#    include "object.h"
#    include "scalar.h"
#    include "split.h"
#    include "stencil_row.h"
#    include "table.h"

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 1024

#    define FUR_TEMPLATE "stencil_assemble.c"
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

/* starts[i] = offset of row i */
static void count_rows(const fur_stencil_view *s, int threads, int64_t *starts)
{
    int64_t rows = fur_stencil_rows(s);
    int team = fur_team(threads, rows, ROW_GRAIN);
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < rows; i++)
        starts[i + 1] = count_columns(s, i);
    starts[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        starts[i + 1] += starts[i];
}

static fur_status assemble_remote(const fur_stencil *stencil, fur_csr **out)
{
    fur_context *context = stencil->context;
    const fur_remote *remote = context->backend->remote;
    const fur_stencil_view *s = &stencil->view;
    int64_t rows = fur_stencil_rows(s);
    int64_t entries = 0;
    fur_status status = FUR_OK;
    int64_t *starts = NULL;
    fur_csr *a = NULL;

    FUR_TRY_DONE(fur_memory_allocate(context, rows + 1, sizeof *starts, &starts));
    FUR_TRY_DONE(remote->stencil_starts(&context->env, s, starts));
    FUR_TRY_DONE(fur_memory_copy(context, &entries, starts + rows, sizeof entries));
    FUR_TRY_DONE(
        fur_csr_allocate(context, rows, rows, entries, s->value, fur_offset_for(entries), &a));
    FUR_TRY_DONE(remote->stencil_fill(&context->env, s, starts, &a->view));
    *out = a;
    a = NULL;
done:
    fur_csr_destroy(a);
    fur_memory_release(context, starts);
    return status;
}

static fur_status assemble_here(const fur_stencil *stencil, fur_csr **out)
{
    static void (*const set_rows[FUR_VALUE_COUNT])(const fur_stencil_view *, int, const int64_t *,
                                                   int32_t *, void *) = FUR_VALUE_TABLE(set_rows);
    const fur_stencil_view *s = &stencil->view;
    fur_env *env = &stencil->context->env;
    int64_t rows = fur_stencil_rows(s);
    fur_status status = FUR_OK;
    int64_t *starts = NULL;
    fur_csr *a = NULL;

    FUR_TRY_DONE(fur_env_allocate(env, rows + 1, sizeof *starts, &starts));
    count_rows(s, env->threads, starts);
    FUR_TRY_DONE(fur_csr_allocate(stencil->context, rows, rows, starts[rows], s->value,
                                  fur_offset_for(starts[rows]), &a));
    fur_csr_set_offsets(a, starts);
    if (starts[rows] > 0)
        set_rows[s->value](s, fur_team(env->threads, rows, ROW_GRAIN), starts, fur_csr_columns(a),
                           fur_csr_values(a));
    *out = a;
done:
    fur_env_release(env, starts);
    return status;
}

fur_status fur_stencil_assemble(const fur_stencil *stencil, fur_csr **out)
{
    int64_t rows = fur_stencil_rows(&stencil->view);
    FUR_TRY(fur_dependent_check(&stencil->context->env, &stencil->dependent));
    if (rows > INT32_MAX)
        return fur_env_fail(&stencil->context->env, FUR_OVERFLOW,
                            "a grid of %lld points has too many for a matrix: at most %d rows",
                            (long long)rows, INT32_MAX);
    return fur_is_remote(stencil->context) ? assemble_remote(stencil, out)
                                           : assemble_here(stencil, out);
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

static void FN(set_rows)(const fur_stencil_view *s, int team, const int64_t *starts,
                         int32_t *columns, void *values)
{
    VALUE *to = values;
    int64_t rows = fur_stencil_rows(s);
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < rows; i++)
        FN(set_row)(s, i, columns + starts[i], to + starts[i]);
}

#endif
