/* A stencil as an operator. */
#ifndef FUR_TEMPLATE
#    include "object.h"
#    include "scalar.h"
#    include "split.h"
#    include "stencil_row.h"
#    include "table.h"

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 1024

#    define FUR_TEMPLATE "operator_stencil.c"
#    include "foreach_value.h"

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_stencil_apply(user, fur_real(1), x, fur_real(0), y);
}

fur_status fur_stencil_read_diagonal(const fur_stencil *stencil, fur_vector *d)
{
    static void (*const set[FUR_VALUE_COUNT])(const fur_stencil_view *, int, void *) =
        FUR_VALUE_TABLE(set_diagonal);
    const fur_stencil_view *s = &stencil->view;
    FUR_TRY(fur_dependent_check(&stencil->context->env, &stencil->dependent));
    if (fur_is_remote(d->context))
        return d->context->backend->remote->stencil_diagonal(&d->context->env, s, d->data);
    set[s->value](s, fur_team(d->context->env.threads, d->size, ROW_GRAIN), d->data);
    return FUR_OK;
}

static fur_status diagonal(void *user, fur_vector *d)
{
    return fur_stencil_read_diagonal(user, d);
}

fur_status fur_operator_from_stencil(const fur_stencil *stencil, fur_operator **out)
{
    int64_t rows = fur_stencil_rows(&stencil->view);
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = rows,
        .cols = rows,
        .value = stencil->view.value,
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

static void FN(set_diagonal)(const fur_stencil_view *s, int team, void *d)
{
    VALUE *out = d;
    int64_t rows = fur_stencil_rows(s);
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < rows; i++)
        out[i] = FN(diagonal_entry)(s, i);
}

#endif
