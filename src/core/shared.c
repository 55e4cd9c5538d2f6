/* Contexts whose vectors are parts of longer vectors: the data for their reductions. */
#include "core.h"

#include <furrow/author/options.h>

#include "shared.h"

static fur_status check(fur_env *env, const fur_sharing *s)
{
    bool sound = s->gather && s->send && s->receive && s->bounds && s->ranks > 0 && s->rank >= 0 &&
                 s->rank < s->ranks && s->bounds[0] == 0;
    for (int i = 0; sound && i < s->ranks; i++)
        sound = s->bounds[i] <= s->bounds[i + 1];
    if (!sound)
        return fur_env_fail(env, FUR_INVALID,
                            "a sharing needs its three functions, a rank below the number of "
                            "ranks, and bounds that begin with 0 and do not decrease");
    return FUR_OK;
}

static fur_status fill(fur_env *env, fur_shared *s)
{
    int ranks = s->with.ranks;
    FUR_TRY(fur_env_allocate(env, ranks + 1, sizeof *s->bounds, &s->bounds));
    memcpy(s->bounds, s->with.bounds, ((size_t)ranks + 1) * sizeof *s->bounds);
    s->with.bounds = s->bounds;
    int64_t doubles = (int64_t)2 * FUR_MANY_MAX * fur_shared_most(s, FUR_LEAF_LEAST);
    FUR_TRY(fur_env_allocate(env, (int64_t)2 * FUR_MANY_MAX * FUR_LEAF_LANES, sizeof(double),
                             &s->lanes));
    FUR_TRY(fur_env_allocate(env, doubles, sizeof(double), &s->mine));
    return fur_env_allocate(env, doubles * ranks, sizeof(double), &s->all);
}

fur_status fur_shared_open(fur_context *context, const fur_sharing *sharing)
{
    fur_env *env = &context->env;
    fur_sharing own;
    if (!sharing)
        return FUR_OK;
    FUR_TAKE_OPTIONS(context, fur_sharing, &own, sharing);
    FUR_TRY(check(env, &own));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *env->shared, &env->shared));
    env->shared->with = own;
    FUR_TRY(fill(env, env->shared));
    const fur_remote *remote = context->backend->remote;
    return remote ? remote->share(env) : FUR_OK;
}

void fur_shared_close(fur_env *env)
{
    fur_shared *s = env->shared;
    if (!s)
        return;
    fur_env_release(env, s->bounds);
    fur_env_release(env, s->lanes);
    fur_env_release(env, s->mine);
    fur_env_release(env, s->all);
    fur_env_release(env, s);
}

size_t fur_sharing_box_bytes(const fur_sharing *sharing)
{
    fur_sharing own;
    if (!sharing || !fur_options_copy(&own, sizeof own, sharing) || !own.bounds)
        return 0;
    fur_shared s = {.with = own, .bounds = (int64_t *)own.bounds};
    return (size_t)fur_box_words(&s) * FUR_MAIL_BYTES;
}

int64_t fur_shared_size(const fur_context *context, int64_t size)
{
    const fur_shared *s = context->env.shared;
    return s ? s->bounds[s->with.ranks] : size;
}

int64_t fur_shared_begin(const fur_context *context)
{
    const fur_shared *s = context->env.shared;
    return s ? s->bounds[s->with.rank] : 0;
}
