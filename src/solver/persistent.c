/* Iterations on the device: the device's service, and its data. */
#include "persistent.h"

#include "core.h"

struct fur_persistent {
    fur_context *context;
    const fur_csr_view *a;
    void *state; /* the device's state */
};

fur_persistent *fur_persistent_plan(const fur_operator *a)
{
    fur_env *env = &a->context->env;
    const fur_solver_services *device = &fur_services(a->context)->solver;
    fur_persistent *persistent;
    void *state;
    if (!device->cg_plan || !a->matrix || device->cg_plan(env, a->matrix, &state) != FUR_OK)
        return NULL;
    if (fur_env_allocate(env, 1, sizeof *persistent, &persistent) != FUR_OK) {
        device->cg_release(env, state);
        return NULL;
    }
    *persistent = (fur_persistent){a->context, a->matrix, state};
    return persistent;
}

fur_status fur_persistent_refresh(fur_persistent *persistent)
{
    fur_context *context = persistent->context;
    return fur_services(context)->solver.cg_refresh(&context->env, persistent->state,
                                                    persistent->a);
}

void fur_persistent_release(fur_persistent *persistent)
{
    if (!persistent)
        return;
    fur_context *context = persistent->context;
    fur_services(context)->solver.cg_release(&context->env, persistent->state);
    fur_env_release(&context->env, persistent);
}

fur_status fur_persistent_advance(fur_persistent *persistent, fur_pass *s, fur_diagonal d,
                                  fur_vector *p, fur_vector *q, fur_cg_slots slots, int64_t count)
{
    fur_context *context = persistent->context;
    fur_cg_call call = {
        .d = d, .r = s->r->data, .p = p->data, .q = q->data, .x = s->x->data, .count = count};
    FUR_TRY(fur_scalars_slot(context, s->scalars, slots.rz, &call.rz));
    FUR_TRY(fur_scalars_slot(context, s->scalars, slots.pq, &call.pq));
    FUR_TRY(fur_scalars_slot(context, s->scalars, slots.rr, &call.rr));
    return fur_services(context)->solver.cg_advance(&context->env, persistent->state, &call);
}
