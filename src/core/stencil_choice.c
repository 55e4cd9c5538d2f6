/* The choice among a device's kernels for stencils, and their lists. */
#include "stencil_choice.h"

#include <stdio.h>
#include <string.h>

fur_stencil_registry fur_stencil_products(const fur_context *context)
{
    const fur_backend *backend = context->backend;
    return (fur_stencil_registry){"stencil kernel", "auto", backend->stencil,
                                  backend->stencil_count};
}

fur_stencil_registry fur_stencil_sweeps(const fur_context *context)
{
    const fur_backend *backend = context->backend;
    return (fur_stencil_registry){"sweep kernel", "auto, single", backend->sweep,
                                  backend->sweep_count};
}

static fur_status fail_unknown(fur_context *context, const fur_stencil_registry *from,
                               const char *name)
{
    char names[512] = "";
    size_t length = 0;
    for (int i = 0; i < from->count; i++)
        length +=
            (size_t)snprintf(names + length, sizeof names - length, ", %s", from->kernels[i]->name);
    return fur_context_fail(context, FUR_UNSUPPORTED,
                            "there is no %s \"%s\" on device %s; it has %s%s", from->noun, name,
                            context->backend->device, from->always, names);
}

static fur_status choose_named(fur_context *context, const fur_stencil_view *s,
                               const fur_stencil_registry *from, const char *name,
                               fur_stencil_choice *out)
{
    for (int i = 0; i < from->count; i++) {
        const fur_stencil_kernel *kernel = from->kernels[i];
        if (strcmp(kernel->name, name) != 0)
            continue;
        const char *refusal = kernel->refusal ? kernel->refusal(s) : NULL;
        if (refusal)
            return fur_context_fail(context, FUR_UNSUPPORTED,
                                    "kernel \"%s\" does not suit this stencil: %s", name, refusal);
        *out = (fur_stencil_choice){.kernel = kernel, .reason = "asked for by name"};
        return FUR_OK;
    }
    return fail_unknown(context, from, name);
}

/* The last that suits: the registry goes from slow to fast. Only exact ones, so that the choice
 * does not show in the result. */
static void choose_last(const fur_stencil_view *s, const fur_stencil_registry *from,
                        fur_stencil_choice *out)
{
    for (int i = from->count - 1; i >= 0; i--) {
        const fur_stencil_kernel *kernel = from->kernels[i];
        if (!kernel->exact || kernel->by_name || (kernel->refusal && kernel->refusal(s)))
            continue;
        *out = (fur_stencil_choice){.kernel = kernel,
                                    .reason = "the fastest of those that suit the stencil"};
        return;
    }
}

fur_status fur_stencil_choose(fur_context *context, const fur_stencil_view *s,
                              const fur_stencil_registry *from, const char *name,
                              fur_stencil_choice *out)
{
    if (name && strcmp(name, "auto") != 0)
        return choose_named(context, s, from, name, out);
    choose_last(s, from, out);
    return FUR_OK;
}

fur_status fur_stencil_plan(fur_env *env, const fur_stencil_view *s, fur_stencil_choice *choice)
{
    const fur_stencil_kernel *kernel = choice->kernel;
    return kernel && kernel->plan ? kernel->plan(env, s, &choice->state) : FUR_OK;
}

void fur_stencil_drop(fur_env *env, const fur_stencil_choice *choice)
{
    if (choice->kernel && choice->kernel->release)
        choice->kernel->release(env, choice->state);
}

static fur_status get(fur_context *context, const fur_stencil_registry *from, int index,
                      fur_stencil_kernel_info *out)
{
    if (index < 0 || index >= from->count)
        return fur_context_fail(context, FUR_INVALID, "there is no %s %d; there are %d", from->noun,
                                index, from->count);
    const fur_stencil_kernel *kernel = from->kernels[index];
    *out = (fur_stencil_kernel_info){kernel->name, kernel->summary, kernel->source, kernel->exact,
                                     kernel->depth};
    return FUR_OK;
}

int fur_stencil_kernel_count(const fur_context *context)
{
    return context ? fur_stencil_products(context).count : 0;
}

fur_status fur_stencil_kernel_get(fur_context *context, int index, fur_stencil_kernel_info *out)
{
    FUR_NEED(context, context, out);
    fur_stencil_registry from = fur_stencil_products(context);
    return get(context, &from, index, out);
}

int fur_stencil_sweep_kernel_count(const fur_context *context)
{
    return context ? fur_stencil_sweeps(context).count : 0;
}

fur_status fur_stencil_sweep_kernel_get(fur_context *context, int index,
                                        fur_stencil_kernel_info *out)
{
    FUR_NEED(context, context, out);
    fur_stencil_registry from = fur_stencil_sweeps(context);
    return get(context, &from, index, out);
}
