/* Vectors in another order. Forth and back are both gathered: by the order, and by its inverse. */
#ifndef FUR_TEMPLATE
#    include "core.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

/* Entries below which a further thread costs more than it brings. */
#    define ENTRY_GRAIN 16384

/* out_i = in_from[i] */
typedef struct gathering {
    const int32_t *from;
    const void *in;
    void *out;
} gathering;

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
                            "the vectors have %lld entries, the permutation has %lld numbers",
                            (long long)x->size, (long long)p->size);
    return fur_vector_check_apart(x, "x", y, "y");
}

/* y_i = x_from[i] */
static fur_status gather_entries(const fur_vector *x, const int32_t *from, fur_vector *y)
{
    static fur_body *const gather[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(gather);
    fur_env *env = &x->context->env;
    if (fur_is_remote(x->context))
        return x->context->backend->remote->vector.gather(env, x->value_type, x->size, from,
                                                          x->data, y->data);
    gathering g = {from, x->data, y->data};
    fur_parallel(env, x->size / ENTRY_GRAIN, x->size, gather[x->value_type], &g);
    return FUR_OK;
}

fur_status fur_vector_permute(const fur_permutation *permutation, const fur_vector *x,
                              fur_vector *y)
{
    FUR_NEED(fur_permutation_context(permutation), permutation, x, y);
    FUR_TRY(check(permutation, x, y));
    return gather_entries(x, permutation->order, y);
}

fur_status fur_vector_unpermute(const fur_permutation *permutation, const fur_vector *x,
                                fur_vector *y)
{
    FUR_NEED(fur_permutation_context(permutation), permutation, x, y);
    FUR_TRY(check(permutation, x, y));
    return gather_entries(x, permutation->position, y);
}
#else

static void FN(gather)(void *job, int64_t begin, int64_t end)
{
    const gathering *g = job;
    const int32_t *from = g->from;
    const VALUE *in = g->in;
    VALUE *out = g->out;
    for (int64_t i = begin; i < end; i++)
        out[i] = in[from[i]];
}

#endif
