/* A stencil as an operator. */
#ifndef FUR_TEMPLATE
#    include "stencil.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

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

static fur_status set_on_host(const fur_stencil_view *s, fur_vector *d)
{
    static fur_body *const set[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(set_diagonal);
    fur_context *context = d->context;
    int64_t bytes = d->size * (int64_t)fur_value_size(d->value_type);
    fur_stencil_on_host near;
    void *out;
    FUR_TRY(fur_stencil_to_host(context, s, &near));
    fur_status status = fur_memory_to_host(context, d->data, bytes, &out);
    if (status == FUR_OK) {
        fur_parallel(&context->env, d->size / ROW_GRAIN, d->size, set[s->value_type],
                     &(diagonal_job){&near.view, out});
        status = fur_memory_from_host(context, d->data, out, bytes);
    }
    fur_stencil_drop_copies(context, s, &near);
    return status;
}

fur_status fur_stencil_read_diagonal(const fur_stencil *stencil, fur_vector *d)
{
    const fur_stencil_view *s = &stencil->view;
    const fur_remote *device = fur_services(d->context);
    FUR_TRY(fur_dependent_check(&stencil->context->env, &stencil->dependent));
    return device->stencil.diagonal ? device->stencil.diagonal(&d->context->env, s, d->data)
                                    : set_on_host(s, d);
}

static fur_status diagonal(void *user, fur_vector *d)
{
    return fur_stencil_read_diagonal(user, d);
}

fur_status fur_operator_from_stencil(const fur_stencil *stencil, fur_operator **out)
{
    FUR_NEED(stencil ? stencil->context : NULL, stencil, out);
    FUR_TRY(fur_dependent_check(&stencil->context->env, &stencil->dependent));
    int64_t rows = fur_stencil_rows(&stencil->view);
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = rows,
        .cols = rows,
        .value_type = stencil->view.value_type,
        .user = (void *)(uintptr_t)stencil,
        .apply = apply,
        .recordable = 1,
        .diagonal = diagonal,
    };
    fur_dependent dependent = {"the operator of a stencil", NULL, NULL, .reads = true};
    FUR_TRY(fur_operator_derive(stencil->context, &definition, &dependent, &stencil->dependent.made,
                                out));
    (*out)->stencil = stencil->product.kernel->info.exact ? &stencil->view : NULL;
    return FUR_OK;
}
#else
#    include "stencil_value.h"

/* The diagonal entry of row p. At boundaries it is the sum of several terms. */
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
