/* Recordings: the handle for work that a device records. */
#include "core.h"

#include <furrow/author/recording.h>

struct fur_recording {
    fur_context *context;
    void *state; /* the device's state */
};

static const fur_recording_services *services_of(const fur_context *context)
{
    return &fur_services(context)->recording;
}

fur_status fur_recording_create(fur_context *context, fur_recording **out)
{
    FUR_NEED(context, context, out);
    fur_recording *recording;
    if (!services_of(context)->create)
        return fur_context_fail(context, FUR_UNSUPPORTED,
                                "device \"%s\" cannot record work; use a context on a GPU",
                                context->backend->device);
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *recording, &recording));
    recording->context = context;
    fur_status status = services_of(context)->create(&context->env, &recording->state);
    if (status == FUR_OK)
        *out = recording;
    else
        fur_env_release(&context->env, recording);
    return status;
}

fur_status fur_recording_begin(fur_recording *recording)
{
    FUR_NEED(NULL, recording);
    fur_context *context = recording->context;
    return services_of(context)->begin(&context->env, recording->state);
}

fur_status fur_recording_end(fur_recording *recording)
{
    FUR_NEED(NULL, recording);
    fur_context *context = recording->context;
    return services_of(context)->end(&context->env, recording->state);
}

fur_status fur_recording_replay(fur_recording *recording, int64_t times)
{
    FUR_NEED(NULL, recording);
    fur_context *context = recording->context;
    return services_of(context)->replay(&context->env, recording->state, times);
}

void fur_recording_destroy(fur_recording *recording)
{
    if (!recording)
        return;
    fur_context *context = recording->context;
    services_of(context)->release(&context->env, recording->state);
    fur_env_release(&context->env, recording);
}
