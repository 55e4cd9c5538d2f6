/* Geometric multigrid of all ranks, by the core's multigrid on the shared vectors of a stencil. */
#include "stencil.h"

static fur_status create(const fur_ranks_stencil *s, const fur_multigrid_options *options,
                         fur_multigrid **out)
{
    fur_stencil *whole = NULL;
    fur_context *context = s->space.context;
    if (s->fields)
        return fur_context_fail(
            context, FUR_UNSUPPORTED,
            "multigrid does not support this stencil: its coefficients differ from point to point");
    FUR_TRY(fur_stencil_create(context, &s->definition, &whole));
    fur_status status = fur_multigrid_create(whole, options, out);
    fur_stencil_destroy(whole);
    return status;
}

fur_status fur_ranks_multigrid_create(const fur_ranks_stencil *stencil,
                                      const fur_multigrid_options *options, fur_multigrid **out)
{
    fur_multigrid *mg = NULL;
    if (!stencil || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_status status =
        group_finish(stencil->space.group, stencil->space.context, create(stencil, options, &mg));
    if (status == FUR_OK)
        *out = mg;
    else
        fur_multigrid_destroy(mg);
    return status;
}
