/* The fused passes of a device, and their data. */
#include "fused.h"

#include "core.h"

struct fur_fused {
    fur_context *context;
    const fur_stencil_view *s;
    void *state; /* the device's state */
};

fur_fused *fur_fused_plan(const fur_operator *a)
{
    fur_env *env = &a->context->env;
    const fur_stencil_services *device = &fur_services(a->context)->stencil;
    fur_fused *fused;
    void *state;
    if (!device->passes_plan || !a->stencil || device->passes_plan(env, a->stencil, &state))
        return NULL;
    if (fur_env_allocate(env, 1, sizeof *fused, &fused) != FUR_OK) {
        device->passes_release(env, state);
        return NULL;
    }
    *fused = (fur_fused){a->context, a->stencil, state};
    return fused;
}

fur_fused *fur_fused_of(fur_fused *fused, const fur_operator *a)
{
    return fused && fused->s == a->stencil ? fused : NULL;
}

void fur_fused_release(fur_fused *fused)
{
    if (!fused)
        return;
    fur_context *context = fused->context;
    fur_services(context)->stencil.passes_release(&context->env, fused->state);
    fur_env_release(&context->env, fused);
}

fur_status fur_fused_turn(const fur_pass *s, fur_coefficient alpha, fur_coefficient beta,
                          fur_scalar d, const fur_vector *p, fur_vector *q, int product)
{
    fur_context *context = s->fused->context;
    fur_stencil_turn call = {.s = s->fused->s,
                             .state = s->fused->state,
                             .d = d,
                             .z = s->r->data,
                             .p = p->data,
                             .q = q->data,
                             .x = s->x->data};
    FUR_TRY(fur_scalars_ratio(context, &alpha, &call.alpha));
    FUR_TRY(fur_scalars_ratio(context, &beta, &call.beta));
    FUR_TRY(fur_scalars_slot(context, s->scalars, product, &call.product));
    return fur_services(context)->stencil.turn(&context->env, &call);
}

fur_status fur_fused_descend(const fur_pass *s, fur_coefficient alpha, fur_scalar d,
                             const fur_vector *p, int norm, int product)
{
    fur_context *context = s->fused->context;
    fur_stencil_descent call = {
        .s = s->fused->s, .state = s->fused->state, .d = d, .p = p->data, .r = s->r->data};
    FUR_TRY(fur_scalars_ratio(context, &alpha, &call.alpha));
    FUR_TRY(fur_scalars_slot(context, s->scalars, norm, &call.norm));
    FUR_TRY(fur_scalars_slot(context, s->scalars, product, &call.product));
    return fur_services(context)->stencil.descend(&context->env, &call);
}
