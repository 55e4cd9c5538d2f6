/* Chooses among a device's kernels for stencils, and lists them. */
#include "stencil.h"

#include <furrow/author/kernels.h>

#include "names.h"

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
    fur_names_add(names, sizeof names, from->always);
    for (int i = 0; i < from->count; i++)
        fur_names_add(names, sizeof names, from->kernels[i]->info.name);
    return fur_context_fail(context, FUR_UNSUPPORTED,
                            "there is no %s \"%s\" on device %s; it has %s", from->noun, name,
                            context->backend->device, names);
}

static fur_status choose_named(fur_context *context, const fur_stencil_view *s,
                               const fur_stencil_registry *from, const char *name,
                               fur_stencil_choice *out)
{
    for (int i = 0; i < from->count; i++) {
        const fur_stencil_kernel *kernel = from->kernels[i];
        if (strcmp(kernel->info.name, name) != 0)
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

/* Only exact kernels are candidates, so that the choice does not change the result. */
static bool is_candidate(const fur_stencil_kernel *kernel, const fur_stencil_view *s)
{
    return kernel->info.exact && !kernel->by_name && !(kernel->refusal && kernel->refusal(s));
}

/* Chooses the last kernel that suits, because the registry goes from slow to fast. If the kernel
 * before it is faster for this stencil, that kernel is chosen. */
static void choose_last(const fur_stencil_view *s, const fur_stencil_registry *from,
                        fur_stencil_choice *out)
{
    for (int i = from->count - 1; i >= 0; i--) {
        const fur_stencil_kernel *kernel = from->kernels[i];
        if (!is_candidate(kernel, s) ||
            (kernel->yields && kernel->yields(s) && is_candidate(from->kernels[i - 1], s)))
            continue;
        *out = (fur_stencil_choice){
            .kernel = kernel,
            .reason = s->fields
                          ? "the fastest kernel that supports the stencil; its matrix may be "
                            "faster if its values compress well: fur_product_create times both"
                          : "the fastest kernel that supports the stencil"};
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

static const fur_kernel_info *info_at(fur_stencil_registry from, int index)
{
    return index >= 0 && index < from.count ? &from.kernels[index]->info : NULL;
}

const fur_kernel_info *fur_stencil_kernel_at(const fur_context *context, int index)
{
    return context ? info_at(fur_stencil_products(context), index) : NULL;
}

const fur_kernel_info *fur_stencil_sweep_kernel_at(const fur_context *context, int index)
{
    return context ? info_at(fur_stencil_sweeps(context), index) : NULL;
}
