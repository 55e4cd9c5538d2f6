/* Entries of a vector by number, and permuted vectors. Both directions are gathers, with the order
 * or with its inverse. */
#ifndef FUR_TEMPLATE
#    include "core.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

#    define ENTRY_GRAIN 16384

/* Entries of one vector while they are moved to another. */
typedef struct moving {
    const int32_t *at; /* their numbers in the longer vector */
    const void *in;
    void *out;
} moving;

#    define FUR_TEMPLATE "vector_permute.c"
#    include "foreach_value.h"

static fur_status check(const fur_permutation *p, const fur_vector *x, const fur_vector *y)
{
    if (p->context != x->context)
        return fur_env_fail(&p->context->env, FUR_INVALID,
                            "the vectors belong to another context than the permutation");
    FUR_TRY(fur_vector_match(x, y));
    if (p->size != x->size)
        return fur_env_fail(&p->context->env, FUR_INVALID,
                            "the vectors have %lld entries, but the permutation has %lld numbers",
                            (long long)x->size, (long long)p->size);
    return fur_vector_check_apart(x, "x", y, "y");
}

static int64_t bytes_of(const fur_vector *x)
{
    return x->size * (int64_t)fur_value_size(x->value_type);
}

/* Moves n entries on the host. */
static fur_status move_on_host(fur_body *move, int64_t n, const fur_vector *x, const int32_t *at,
                               fur_vector *y)
{
    fur_context *context = x->context;
    fur_status status = FUR_OK;
    int32_t *near_at = NULL;
    void *near_x = NULL;
    void *near_y = NULL;
    FUR_TRY_DONE(fur_memory_to_host(context, at, n * (int64_t)sizeof *at, &near_at));
    FUR_TRY_DONE(fur_memory_to_host(context, x->data, bytes_of(x), &near_x));
    FUR_TRY_DONE(fur_memory_to_host(context, y->data, bytes_of(y), &near_y));
    fur_parallel(&context->env, n / ENTRY_GRAIN, n, move, &(moving){near_at, near_x, near_y});
    status = fur_memory_from_host(context, y->data, near_y, bytes_of(y));
done:
    fur_memory_drop(context, x->data, near_x);
    fur_memory_drop(context, at, near_at);
    return status;
}

fur_status fur_vector_gather(const fur_vector *x, const int32_t *from, fur_vector *y)
{
    static fur_body *const gather[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(gather);
    const fur_remote *device = fur_services(x->context);
    if (device->vector.gather)
        return device->vector.gather(&x->context->env, x->value_type, y->size, from, x->data,
                                     y->data);
    return move_on_host(gather[x->value_type], y->size, x, from, y);
}

fur_status fur_vector_scatter(const fur_vector *x, const int32_t *to, fur_vector *y)
{
    static fur_body *const scatter[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(scatter);
    const fur_remote *device = fur_services(x->context);
    if (device->vector.scatter)
        return device->vector.scatter(&x->context->env, x->value_type, x->size, to, x->data,
                                      y->data);
    return move_on_host(scatter[x->value_type], x->size, x, to, y);
}

fur_status fur_vector_permute(const fur_permutation *permutation, const fur_vector *x,
                              fur_vector *y)
{
    FUR_NEED(fur_permutation_context(permutation), permutation, x, y);
    FUR_TRY(check(permutation, x, y));
    return fur_vector_gather(x, permutation->order, y);
}

fur_status fur_vector_unpermute(const fur_permutation *permutation, const fur_vector *x,
                                fur_vector *y)
{
    FUR_NEED(fur_permutation_context(permutation), permutation, x, y);
    FUR_TRY(check(permutation, x, y));
    return fur_vector_gather(x, permutation->position, y);
}
#else

/* out_i = in_at[i] */
static void FN(gather)(void *job, int64_t begin, int64_t end)
{
    const moving *m = job;
    const int32_t *at = m->at;
    const VALUE *in = m->in;
    VALUE *out = m->out;
    for (int64_t i = begin; i < end; i++)
        out[i] = in[at[i]];
}

/* out_at[i] = in_i, for numbers that are all different */
static void FN(scatter)(void *job, int64_t begin, int64_t end)
{
    const moving *m = job;
    const int32_t *at = m->at;
    const VALUE *in = m->in;
    VALUE *out = m->out;
    for (int64_t i = begin; i < end; i++)
        out[at[i]] = in[i];
}

#endif
