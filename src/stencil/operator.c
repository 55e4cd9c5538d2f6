/* A stencil as an operator. */
#ifndef FUR_TEMPLATE
#    include "stencil.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 1024

typedef struct diagonal_job {
    const fur_stencil_view *s;
    void *out;
} diagonal_job;

#    define FUR_TEMPLATE "operator.c"
#    include "foreach_value.h"

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_stencil_apply(user, fur_real(1), x, fur_real(0), y);
}

fur_status fur_stencil_read_diagonal(const fur_stencil *stencil, fur_vector *d)
{
    static fur_body *const set[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(set_diagonal);
    const fur_stencil_view *s = &stencil->view;
    FUR_TRY(fur_dependent_check(&stencil->context->env, &stencil->dependent));
    if (fur_is_remote(d->context))
        return d->context->backend->remote->stencil.diagonal(&d->context->env, s, d->data);
    diagonal_job job = {s, d->data};
    fur_parallel(&d->context->env, d->size / ROW_GRAIN, d->size, set[s->value_type], &job);
    return FUR_OK;
}

static fur_status diagonal(void *user, fur_vector *d)
{
    return fur_stencil_read_diagonal(user, d);
}

fur_status fur_operator_from_stencil(const fur_stencil *stencil, fur_operator **out)
{
    FUR_NEED(stencil ? stencil->context : NULL, stencil, out);
    int64_t rows = fur_stencil_rows(&stencil->view);
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = rows,
        .cols = rows,
        .value_type = stencil->view.value_type,
        .user = (void *)(uintptr_t)stencil,
        .apply = apply,
        .diagonal = diagonal,
    };
    fur_dependent dependent = {"the operator of a stencil", NULL, NULL, .reads = true};
    return fur_operator_derive(stencil->context, &definition, &dependent, &stencil->dependent.made,
                               out);
}
#else
#    include "stencil_value.h"

/* What of row p stands in column p: at boundaries several terms may. */
static VALUE FN(diagonal_entry)(const fur_stencil_view *s, int64_t p)
{
    fur_stencil_term terms[FUR_STENCIL_POINTS];
    int count = fur_stencil_row(s, p, terms);
    bool found = false;
    VALUE sum = V(from)((fur_scalar){0, 0});
    for (int t = 0; t < count; t++) {
        if (terms[t].column != p)
            continue;
        VALUE c = FN(stencil_value)(s, terms[t].k, p);
        sum = found ? V(add)(sum, c) : c;
        found = true;
    }
    return sum;
}

static void FN(set_diagonal)(void *job, int64_t begin, int64_t end)
{
    const diagonal_job *d = job;
    VALUE *out = d->out;
    for (int64_t i = begin; i < end; i++)
        out[i] = FN(diagonal_entry)(d->s, i);
}

#endif
