/* The choice among a device's kernels for stencils, for products and for repeated sweeps alike. */
#ifndef FURROW_CORE_STENCIL_CHOICE_H
#define FURROW_CORE_STENCIL_CHOICE_H

#include "object.h"

/* A list of a backend's. */
typedef struct fur_stencil_registry {
    const char *noun;   /* of one of its kernels, for sentences */
    const char *always; /* names beside those of kernels */
    const fur_stencil_kernel *const *kernels;
    int count;
} fur_stencil_registry;

fur_stencil_registry fur_stencil_products(const fur_context *context);
fur_stencil_registry fur_stencil_sweeps(const fur_context *context);

/* Sets kernel and reason, by name if it is neither NULL nor "auto". "auto" takes the last kernel
 * that suits and leaves *out alone without one. FUR_UNSUPPORTED for a name that there is not, or
 * whose kernel does not suit. */
fur_status fur_stencil_choose(fur_context *context, const fur_stencil_view *s,
                              const fur_stencil_registry *from, const char *name,
                              fur_stencil_choice *out);

/* The chosen kernel's plan, if there is one, and its release. */
fur_status fur_stencil_plan(fur_env *env, const fur_stencil_view *s, fur_stencil_choice *choice);
void fur_stencil_drop(fur_env *env, const fur_stencil_choice *choice);

#endif
