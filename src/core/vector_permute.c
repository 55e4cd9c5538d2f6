/* Vectors in another order. Forth and back are both gathered: by the order, and by its inverse. */
#ifndef FUR_TEMPLATE
#    include "object.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"

/* Entries below which a further thread costs more than it brings. */
#    define ENTRY_GRAIN 16384

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
    static void (*const gather[FUR_VALUE_COUNT])(int, int64_t, const int32_t *, const void *,
                                                 void *) = FUR_VALUE_TABLE(gather);
    fur_env *env = &x->context->env;
    if (fur_is_remote(x->context))
        return x->context->backend->remote->gather(env, x->value, x->size, from, x->data, y->data);
    gather[x->value](fur_team(env->threads, x->size, ENTRY_GRAIN), x->size, from, x->data, y->data);
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

static void FN(gather)(int team, int64_t n, const int32_t *from, const void *x, void *y)
{
    const VALUE *in = x;
    VALUE *out = y;
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++)
        out[i] = in[from[i]];
}

#endif
