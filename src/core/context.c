/* Contexts: creation, errors, memory. */
#include "object.h"
#include "options.h"

#include <omp.h>

/* The failures of calls that have no context yet. */
static _Thread_local fur_env orphan;

static fur_status create(const fur_context_options *o, fur_context **out)
{
    bool own_allocator = o->allocator.allocate && o->allocator.release;
    if (o->threads < 0)
        return fur_env_fail(&orphan, FUR_INVALID, "%d threads were asked for; give 0 or more",
                            o->threads);
    if (!own_allocator && (o->allocator.allocate || o->allocator.release))
        return fur_env_fail(&orphan, FUR_INVALID,
                            "the allocator lacks one of its two functions; give both or none");
    const fur_backend *backend;
    FUR_TRY(fur_backend_named(&orphan, o->device, o->isa, &backend));

    orphan.allocator = own_allocator ? o->allocator : fur_default_allocator();
    fur_context *context;
    FUR_TRY(fur_env_allocate_zeros(&orphan, 1, sizeof *context, &context));
    context->env.allocator = orphan.allocator;
    context->env.threads = o->threads > 0 ? o->threads : omp_get_max_threads();
    context->backend = backend;
    *out = context;
    return FUR_OK;
}

fur_status fur_context_create(const fur_context_options *options, fur_context **out)
{
    fur_context_options o;
    fur_options_copy(&o, sizeof o, options);
    return create(&o, out);
}

void fur_context_destroy(fur_context *context)
{
    if (context) {
        fur_allocator allocator = context->env.allocator;
        allocator.release(allocator.user, context);
    }
}

const char *fur_context_error(const fur_context *context)
{
    return context ? context->env.error : orphan.error;
}

fur_status fur_context_fail(fur_context *context, fur_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fur_env_vfail(&context->env, status, format, arguments);
    va_end(arguments);
    return status;
}

fur_status fur_context_allocate(fur_context *context, size_t bytes, void **out)
{
    if (bytes > INT64_MAX)
        return fur_env_fail(&context->env, FUR_OVERFLOW, "%zu bytes do not fit in memory", bytes);
    return fur_env_allocate(&context->env, (int64_t)bytes, 1, out);
}

void fur_context_release(fur_context *context, void *memory)
{
    fur_env_release(&context->env, memory);
}

fur_status fur_ownership_check(fur_context *context, fur_ownership ownership)
{
    if ((unsigned)ownership <= FUR_ADOPT)
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_INVALID,
                        "%d is not an ownership; use FUR_COPY, FUR_BORROW or FUR_ADOPT",
                        (int)ownership);
}

const char *fur_context_device(const fur_context *context)
{
    return context->backend->device;
}

const char *fur_context_isa(const fur_context *context)
{
    return context->backend->isa;
}

int fur_context_threads(const fur_context *context)
{
    return context->env.threads;
}
