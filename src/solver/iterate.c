/* The iterate x of an iteration, for a monitor. */
#include "solver.h"

#include "arguments.h"
#include "core.h"
#include "env.h"

fur_status fur_solver_iterate(const fur_solver_progress *progress, fur_vector *x)
{
    fur_context *context = x ? fur_vector_context(x) : NULL;
    FUR_NEED(context, progress, x);
    const fur_pass *s = progress->solve;
    if (!s)
        return fur_context_fail(
            context, FUR_INVALID,
            "progress is not the argument of a monitor; call this function within a monitor only");
    if (progress->iteration > 0 && fur_method_find(s->options->method)->behind)
        return fur_context_fail(
            context, FUR_UNSUPPORTED,
            "%s does not store the x of each iteration; read x after the solve, or use "
            "minres, bicgstab or idrs",
            s->options->method);
    FUR_TRY(fur_vector_copy(s->base ? s->base : s->x, x));
    if (s->base)
        FUR_TRY(fur_axpby(fur_real(s->unit), s->x, fur_real(1), x));
    return s->unscale ? fur_multiply_elementwise(s->unscale, x, x) : FUR_OK;
}
