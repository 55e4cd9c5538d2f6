/* Memory where the context's kernels work. */
#include "core.h"

#include <string.h>

fur_status fur_memory_allocate(fur_context *context, int64_t count, size_t size, void *out)
{
    const fur_remote *remote = context->backend->remote;
    if (!remote)
        return fur_env_allocate(&context->env, count, size, out);
    FUR_TRY(fur_env_pause(&context->env));
    return remote->allocate(&context->env, count, size, out);
}

void fur_memory_release(fur_context *context, void *memory)
{
    const fur_remote *remote = context->backend->remote;
    if (!remote)
        fur_env_release(&context->env, memory);
    else if (memory)
        remote->release(&context->env, memory);
}

fur_status fur_memory_copy(fur_context *context, void *to, const void *from, int64_t bytes)
{
    const fur_remote *remote = context->backend->remote;
    if (bytes == 0)
        return FUR_OK;
    if (remote)
        return remote->copy(&context->env, to, from, bytes);
    memmove(to, from, (size_t)bytes);
    return FUR_OK;
}

const fur_remote *fur_services(const fur_context *context)
{
    static const fur_remote none;
    return context->backend->remote ? context->backend->remote : &none;
}

fur_status fur_memory_to_host(fur_context *context, const void *memory, int64_t bytes, void *out)
{
    void *near = (void *)(uintptr_t)memory;
    if (memory && fur_is_remote(context)) {
        FUR_TRY(fur_env_allocate(&context->env, bytes, 1, &near));
        fur_status status = fur_memory_copy(context, near, memory, bytes);
        if (status != FUR_OK) {
            fur_env_release(&context->env, near);
            return status;
        }
    }
    memcpy(out, &near, sizeof near);
    return FUR_OK;
}

fur_status fur_memory_from_host(fur_context *context, void *memory, void *near, int64_t bytes)
{
    fur_status status = near == memory ? FUR_OK : fur_memory_copy(context, memory, near, bytes);
    fur_memory_drop(context, memory, near);
    return status;
}

void fur_memory_drop(fur_context *context, const void *memory, void *near)
{
    if (near != memory)
        fur_env_release(&context->env, near);
}

fur_status fur_memory_check_borrowed(fur_context *context, const void *memory, size_t size)
{
    const fur_remote *remote = context->backend->remote;
    if (remote && memory && !remote->reaches(&context->env, memory))
        return fur_env_fail(
            &context->env, FUR_INVALID,
            "this memory cannot be borrowed, because device %s cannot access it; copy it",
            context->backend->device);
    if (remote && (uintptr_t)memory % size != 0)
        return fur_env_fail(&context->env, FUR_INVALID,
                            "this memory cannot be borrowed, because its elements of %zu bytes are "
                            "not aligned to their size; copy it",
                            size);
    return FUR_OK;
}
