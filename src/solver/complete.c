/* Complete factors of A as the preconditioner of a solver that has made them. */
#include "complete.h"

#include <furrow/precond.h>

#include "core.h"

/* A has new values: the next solve makes factors of them. */
static fur_status outdate(void *object)
{
    fur_solver *s = object;
    s->complete.outdated = true;
    return FUR_OK;
}

fur_status fur_complete_make(fur_solver *s)
{
    const fur_precond_options options = {.size = sizeof options, .kind = "direct"};
    const fur_csr *matrix = s->options.matrix ? s->options.matrix : s->a->csr;
    if (!s->method->complete || s->options.preconditioner)
        return FUR_OK;
    if (!matrix)
        return fur_context_fail(s->context, FUR_INVALID,
                                "%s needs the entries of A: set options.matrix, or give complete "
                                "factors as the preconditioner",
                                s->method->info.name);
    s->source[FUR_OF_A].update = s->source[FUR_OF_MATRIX].update = outdate;
    FUR_TRY(fur_precond_create(matrix, &options, &s->complete.factors));
    FUR_TRY(fur_operator_from_precond(s->complete.factors, &s->complete.inverse));
    s->options.preconditioner = s->complete.inverse;
    return FUR_OK;
}

fur_status fur_complete_renew(fur_solver *s)
{
    if (!s->complete.outdated)
        return FUR_OK;
    FUR_TRY(fur_precond_update(s->complete.factors));
    s->complete.outdated = false;
    return FUR_OK;
}

void fur_complete_release(fur_solver *s)
{
    fur_operator_destroy(s->complete.inverse);
    fur_precond_destroy(s->complete.factors);
}
