/* Scalars in the memory of the device, and the operations that store and use them. */
#include "core.h"

#include <furrow/author/options.h>

struct fur_scalars {
    fur_context *context;
    fur_scalars_state *state; /* where the context's kernels work */
    double *log;              /* in the same memory: `capacity` values for each of `slots` slots */
    int64_t capacity;
    int slots;
};

fur_status fur_scalars_create(fur_context *context, fur_scalars **out)
{
    FUR_NEED(context, context, out);
    fur_scalars_state initial = fur_scalars_initial();
    fur_scalars *scalars;
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *scalars, &scalars));
    scalars->context = context;
    fur_status status = fur_memory_allocate(context, 1, sizeof initial, &scalars->state);
    if (status == FUR_OK)
        status = fur_scalars_set(scalars, &initial);
    if (status == FUR_OK)
        *out = scalars;
    else
        fur_scalars_destroy(scalars);
    return status;
}

void fur_scalars_destroy(fur_scalars *scalars)
{
    if (!scalars)
        return;
    fur_memory_release(scalars->context, scalars->state);
    fur_memory_release(scalars->context, scalars->log);
    fur_env_release(&scalars->context->env, scalars);
}

fur_status fur_scalars_set(fur_scalars *scalars, const fur_scalars_state *state)
{
    FUR_NEED(scalars ? scalars->context : NULL, scalars, state);
    fur_scalars_state own;
    FUR_TAKE_OPTIONS(scalars->context, fur_scalars_state, &own, state);
    if (own.halted < -1 || own.halted >= FUR_SCALARS_MAX)
        return fur_env_fail(&scalars->context->env, FUR_INVALID,
                            "halted must be a slot below %d, or -1 for none; it is %lld",
                            FUR_SCALARS_MAX, (long long)own.halted);
    return fur_memory_copy(scalars->context, scalars->state, &own, sizeof own);
}

fur_status fur_scalars_get(const fur_scalars *scalars, fur_scalars_state *out)
{
    FUR_NEED(scalars ? scalars->context : NULL, scalars, out);
    FUR_CHECK_REPORT(scalars->context, fur_scalars_state, out);
    fur_scalars_state own;
    FUR_TRY(fur_memory_copy(scalars->context, &own, scalars->state, sizeof own));
    fur_report_fill(out, &own, sizeof own);
    return FUR_OK;
}

fur_status fur_scalars_peek(const fur_scalars *scalars)
{
    fur_context *context = scalars->context;
    const fur_remote *remote = context->backend->remote;
    fur_scalars_state *seen = &context->results->seen;
    FUR_TRY(remote->copy_async(&context->env, seen, scalars->state, sizeof *seen));
    return remote->mark(&context->env);
}

fur_status fur_scalars_seen(const fur_scalars *scalars, fur_scalars_state *out)
{
    fur_context *context = scalars->context;
    FUR_TRY(context->backend->remote->await_mark(&context->env));
    *out = context->results->seen;
    return FUR_OK;
}

fur_status fur_scalars_keep(fur_scalars *scalars, int slots, int64_t capacity)
{
    FUR_NEED(scalars ? scalars->context : NULL, scalars);
    double *log;
    if (slots < 0 || slots > FUR_SCALARS_MAX || capacity < 0)
        return fur_env_fail(
            &scalars->context->env, FUR_INVALID,
            "the number of slots must be from 0 to %d, and the number of values 0 or more",
            FUR_SCALARS_MAX);
    if (slots > 0 && capacity > INT64_MAX / slots)
        return fur_env_fail(&scalars->context->env, FUR_OVERFLOW,
                            "%lld values of %d slots do not fit in memory; keep fewer",
                            (long long)capacity, slots);
    FUR_TRY(fur_memory_allocate(scalars->context, slots * capacity, sizeof *log, &log));
    fur_memory_release(scalars->context, scalars->log);
    scalars->log = log;
    scalars->slots = slots;
    scalars->capacity = capacity;
    return FUR_OK;
}

fur_status fur_scalars_kept(const fur_scalars *scalars, int slot, int64_t count, double *out)
{
    FUR_NEED(scalars ? scalars->context : NULL, scalars, out);
    if (slot < 0 || slot >= scalars->slots || count < 0 || count > scalars->capacity)
        return fur_env_fail(&scalars->context->env, FUR_INVALID,
                            "the scalars keep only %lld values of %d slots",
                            (long long)scalars->capacity, scalars->slots);
    return fur_memory_copy(scalars->context, out, scalars->log + slot * scalars->capacity,
                           count * (int64_t)sizeof *out);
}

static fur_status check_owner(fur_context *context, const fur_scalars *scalars)
{
    if (scalars->context == context)
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_INVALID,
                        "the scalars and the vectors belong to different contexts");
}

/* least: -1 if "none" is allowed, else 0. end: number of slots, including previous values if
 * allowed. */
static fur_status check_slot(fur_context *context, const char *name, int slot, int least, int end)
{
    if (slot >= least && slot < end)
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_INVALID,
                        "%s %d is out of range; it must be from %d to %d", name, slot, least,
                        end - 1);
}

fur_status fur_scalars_slot(fur_context *context, const fur_scalars *scalars, int slot,
                            fur_slot *out)
{
    FUR_TRY(check_owner(context, scalars));
    FUR_TRY(check_slot(context, "slot", slot, 0, FUR_SCALARS_MAX));
    *out = (fur_slot){.state = scalars->state, .index = slot};
    if (slot < scalars->slots) {
        out->capacity = scalars->capacity;
        out->log = scalars->log + slot * scalars->capacity;
    }
    return FUR_OK;
}

fur_status fur_scalars_ratio(fur_context *context, const fur_coefficient *coefficient,
                             fur_ratio *out)
{
    const fur_scalars *scalars = coefficient->scalars;
    *out = (fur_ratio){.factor = coefficient->factor};
    if (!scalars)
        return FUR_OK;
    FUR_TRY(check_owner(context, scalars));
    FUR_TRY(
        check_slot(context, "numerator", coefficient->numerator, 0, FUR_PREVIOUS(FUR_SCALARS_MAX)));
    FUR_TRY(check_slot(context, "denominator", coefficient->denominator, -1,
                       FUR_PREVIOUS(FUR_SCALARS_MAX)));
    out->state = scalars->state;
    out->numerator = coefficient->numerator;
    out->denominator = coefficient->denominator;
    return FUR_OK;
}

fur_status fur_dot_into(const fur_vector *x, const fur_vector *y, fur_scalars *scalars, int slot)
{
    FUR_NEED(fur_vector_context(x), x, y, scalars);
    fur_context *context = x->context;
    fur_slot out;
    FUR_TRY(fur_vector_match(x, y));
    FUR_TRY(fur_scalars_slot(context, scalars, slot, &out));
    return context->backend->reduction->dot[x->value_type](&context->env, x->size, x->data, y->data,
                                                           out);
}

fur_status fur_axpby_from(fur_coefficient alpha, const fur_vector *x, fur_coefficient beta,
                          fur_vector *y)
{
    FUR_NEED(fur_vector_context(x), x, y);
    fur_context *context = x->context;
    fur_ratio a;
    fur_ratio b;
    FUR_TRY(fur_vector_match_result(x, y));
    FUR_TRY(fur_scalars_ratio(context, &alpha, &a));
    FUR_TRY(fur_scalars_ratio(context, &beta, &b));
    return context->backend->elementwise->axpby[x->value_type](&context->env, x->size, &a, x->data,
                                                               &b, y->data);
}

fur_status fur_axpy_norm2_into(fur_coefficient alpha, const fur_vector *x, fur_vector *y,
                               fur_scalars *scalars, int slot)
{
    FUR_NEED(fur_vector_context(x), x, y, scalars);
    fur_context *context = x->context;
    fur_ratio a;
    fur_slot out;
    FUR_TRY(fur_vector_match_result(x, y));
    FUR_TRY(fur_scalars_ratio(context, &alpha, &a));
    FUR_TRY(fur_scalars_slot(context, scalars, slot, &out));
    return context->backend->reduction->axpy_norm2[x->value_type](&context->env, x->size, &a,
                                                                  x->data, y->data, out);
}

/* The diagonal from a vector as long as r, or from a constant. */
static fur_status find_diagonal(const fur_vector *d, fur_scalar constant, const fur_vector *r,
                                fur_diagonal *out)
{
    /* Replaces the entries of an empty vector. If vectors are shared, other ranks may have entries,
     * and all ranks must do the same operations. */
    static const char nothing[64];
    const void *entries = d && d->size == 0 ? nothing : fur_vector_const_data(d);
    *out = (fur_diagonal){entries, constant};
    return d ? fur_vector_match(d, r) : FUR_OK;
}

fur_status fur_axpy_norms_into(fur_coefficient alpha, const fur_vector *q, const fur_vector *d,
                               fur_scalar constant, fur_vector *r, fur_scalars *scalars, int norm,
                               int product)
{
    FUR_NEED(fur_vector_context(q), q, r, scalars);
    fur_context *context = q->context;
    fur_ratio a;
    fur_slot outs[2];
    fur_diagonal diagonal;
    FUR_TRY(fur_vector_match_result(q, r));
    FUR_TRY(find_diagonal(d, constant, r, &diagonal));
    FUR_TRY(fur_scalars_ratio(context, &alpha, &a));
    FUR_TRY(fur_scalars_slot(context, scalars, norm, &outs[0]));
    FUR_TRY(fur_scalars_slot(context, scalars, product, &outs[1]));
    return context->backend->reduction->axpy_norms[q->value_type](
        &context->env, q->size, &a, q->data, &diagonal, r->data, outs[0], outs[1]);
}

fur_status fur_axpy_direction(fur_coefficient alpha, fur_coefficient beta, const fur_vector *d,
                              fur_scalar constant, const fur_vector *z, fur_vector *p,
                              fur_vector *x)
{
    FUR_NEED(fur_vector_context(z), z, p, x);
    fur_context *context = z->context;
    fur_ratio a;
    fur_ratio b;
    fur_diagonal diagonal;
    FUR_TRY(fur_vector_match_result(z, p));
    FUR_TRY(fur_vector_match_result(p, x));
    FUR_TRY(find_diagonal(d, constant, z, &diagonal));
    FUR_TRY(fur_scalars_ratio(context, &alpha, &a));
    FUR_TRY(fur_scalars_ratio(context, &beta, &b));
    return context->backend->elementwise->direction[z->value_type](
        &context->env, z->size, &a, &b, &diagonal, z->data, p->data, x->data);
}
