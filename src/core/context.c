/* Contexts: creation, errors, memory. */
#include "core.h"

#include <furrow/author/options.h>

#include "split.h"
#include "team.h"

#include <string.h>

/* Receives the failures of calls that have no context yet. */
static _Thread_local fur_env orphan;

static fur_status check_allocator(const char *name, const fur_allocator *allocator)
{
    if (!allocator->allocate == !allocator->release)
        return FUR_OK;
    return fur_env_fail(&orphan, FUR_INVALID,
                        "the %s has only one of its two functions; set both or neither", name);
}

static fur_status check_options(const fur_context_options *o)
{
    if (o->threads < 0)
        return fur_env_fail(&orphan, FUR_INVALID,
                            "the number of threads is %d; it must be 0 or more", o->threads);
    FUR_TRY(check_allocator("allocator", &o->allocator));
    return check_allocator("device allocator", &o->device_allocator);
}

/* Closes one context without its companion. On a device, its threads are the companion's. */
static void close_one(fur_context *context)
{
    fur_allocator allocator = context->env.allocator;
    for (int i = 0; i < FUR_VALUE_COUNT; i++)
        fur_env_release(&context->env, context->machine[i]);
    fur_shared_close(&context->env);
    if (context->env.device)
        context->backend->remote->close(&context->env);
    else
        fur_team_close(&context->env);
    allocator.release(allocator.user, context);
}

/* Opens one context without a companion. */
static fur_status open_one(const fur_context_options *o, fur_context **out)
{
    orphan.allocator = o->allocator.allocate ? o->allocator : fur_default_allocator();
    fur_context *context;
    FUR_TRY(fur_env_allocate_zeros(&orphan, 1, sizeof *context, &context));
    context->env.allocator = orphan.allocator;
    context->env.interrupted = o->interrupted;
    context->env.interrupted_user = o->interrupted_user;
    context->watcher = o->watcher;
    context->env.threads = fur_team_size(o->threads);
    fur_status status = fur_backend_find(&context->env, o, &context->backend);
    if (status == FUR_OK)
        status = fur_shared_open(context, o->sharing);
    if (status == FUR_OK && !context->backend->remote)
        status = fur_team_open(&context->env);
    if (status != FUR_OK) {
        memcpy(orphan.error, context->env.error, sizeof orphan.error);
        close_one(context);
        return status;
    }
    const fur_remote *remote = context->backend->remote;
    context->results = remote ? remote->results(&context->env) : &context->own_results;
    context->results->scalars = fur_scalars_initial();
    context->host = remote ? NULL : context;
    context->env.holds = 0; /* its own allocations so far do not count */
    *out = context;
    return FUR_OK;
}

/* Closes a context and its companion. */
static void close(fur_env *env)
{
    fur_context *context = (fur_context *)env;
    env->end = NULL;
    if (context->host && context->host != context)
        close_one(context->host);
    close_one(context);
}

/* Opens the companion on the CPU. */
static fur_status open_companion(fur_context *context, const fur_context_options *o)
{
    fur_context_options host = {.size = sizeof host,
                                .threads = context->env.threads,
                                .isa = o->isa,
                                .allocator = o->allocator,
                                .watcher = o->watcher,
                                .interrupted = o->interrupted,
                                .interrupted_user = o->interrupted_user};
    FUR_TRY(open_one(&host, &context->host));
    context->env.team = context->host->env.team;
    context->host->env.counted = &context->env;
    return FUR_OK;
}

static fur_status create(const fur_context_options *o, fur_context **out)
{
    fur_context *context;
    FUR_TRY(check_options(o));
    FUR_TRY(open_one(o, &context));
    fur_status status = context->host ? FUR_OK : open_companion(context, o);
    if (status != FUR_OK) {
        close(&context->env);
        return status;
    }
    context->env.end = close;
    fur_env_hold(&context->env); /* for the caller, until fur_context_destroy */
    *out = context;
    return FUR_OK;
}

fur_status fur_context_create(const fur_context_options *options, fur_context **out)
{
    FUR_NEED(NULL, out);
    fur_context_options o;
    FUR_TAKE_OPTIONS(NULL, fur_context_options, &o, options);
    return create(&o, out);
}

void fur_context_destroy(fur_context *context)
{
    if (context)
        fur_env_let_go(&context->env);
}

fur_status fur_context_synchronize(fur_context *context)
{
    FUR_NEED(NULL, context);
    const fur_remote *remote = context->backend->remote;
    return remote ? remote->synchronize(&context->env) : FUR_OK;
}

fur_context *fur_context_host(fur_context *context)
{
    return context ? context->host : NULL;
}

const char *fur_context_error(const fur_context *context)
{
    return context ? context->env.error : orphan.error;
}

fur_status fur_context_fail(fur_context *context, fur_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fur_env_vfail(context ? &context->env : &orphan, status, format ? format : "", arguments);
    va_end(arguments);
    return status;
}

fur_status fur_context_allocate(fur_context *context, size_t bytes, void **out)
{
    FUR_NEED(context, context, out);
    if (bytes > INT64_MAX)
        return fur_env_fail(&context->env, FUR_OVERFLOW, "%zu bytes do not fit in memory", bytes);
    return fur_env_allocate(&context->env, (int64_t)bytes, 1, out);
}

void fur_context_release(fur_context *context, void *memory)
{
    if (context)
        fur_env_release(&context->env, memory);
}

fur_status fur_ownership_check(fur_context *context, fur_ownership ownership)
{
    if ((unsigned)ownership <= FUR_OWNERSHIP_ADOPT)
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_INVALID,
                        "%d is not an ownership; use FUR_OWNERSHIP_COPY, FUR_OWNERSHIP_BORROW or "
                        "FUR_OWNERSHIP_ADOPT",
                        (int)ownership);
}

const char *fur_context_device(const fur_context *context)
{
    return context ? context->backend->device : "";
}

const char *fur_context_isa(const fur_context *context)
{
    return context ? context->backend->isa : "";
}

fur_file_watcher fur_context_watcher(const fur_context *context)
{
    return context ? context->watcher : (fur_file_watcher){0};
}

int fur_context_threads(const fur_context *context)
{
    const char *refusal;
    return context ? fur_team_threads(&context->env, &refusal) : 0;
}

const char *fur_context_notice(const fur_context *context)
{
    const char *refusal = "";
    if (context)
        fur_team_threads(&context->env, &refusal);
    return refusal;
}

/* A loop over blocks of `grain` indices. The last block takes the rest. */
typedef struct stretches {
    void (*work)(void *user, int64_t begin, int64_t end);
    void *user;
    int64_t count;
    int64_t grain;
    int64_t stretches;
} stretches;

static void run_stretches(void *job, int64_t begin, int64_t end)
{
    const stretches *s = job;
    s->work(s->user, begin * s->grain, end == s->stretches ? s->count : end * s->grain);
}

fur_status fur_context_parallel(fur_context *context, int64_t count, int64_t grain,
                                void (*work)(void *user, int64_t begin, int64_t end), void *user)
{
    FUR_NEED(NULL, context);
    if (!work)
        return fur_context_fail(context, FUR_INVALID, "%s was given NULL for work", __func__);
    if (count <= 0)
        return FUR_OK;
    stretches s = {.work = work, .user = user, .count = count, .grain = fur_larger(grain, 1)};
    s.stretches = fur_larger(count / s.grain, 1);
    fur_parallel(&context->env, s.stretches, s.stretches, run_stretches, &s);
    return FUR_OK;
}
