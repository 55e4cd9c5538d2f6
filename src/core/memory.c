/* Memory where the context's kernels work. */
#include "object.h"

#include <string.h>

fur_status fur_memory_allocate(fur_context *context, int64_t count, size_t size, void *out)
{
    const fur_remote *remote = context->backend->remote;
    return remote ? remote->allocate(&context->env, count, size, out)
                  : fur_env_allocate(&context->env, count, size, out);
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

fur_status fur_memory_check_reach(fur_context *context, const void *memory)
{
    const fur_remote *remote = context->backend->remote;
    if (!remote || !memory || remote->reaches(&context->env, memory))
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_INVALID,
                        "memory of the host cannot be borrowed by device %s; copy it",
                        context->backend->device);
}
