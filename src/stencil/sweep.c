/* Repeated sweeps of a stencil, in passes from x to work and back. */
#include "stencil.h"

static fur_status check(const fur_stencil *stencil, int64_t count, const fur_vector *b,
                        const fur_vector *x, const fur_vector *work)
{
    fur_env *env = &stencil->context->env;
    if (count < 0)
        return fur_env_fail(env, FUR_INVALID, "the number of sweeps is %lld; it must be 0 or more",
                            (long long)count);
    FUR_TRY(fur_dependent_check(env, &stencil->dependent));
    FUR_TRY(fur_stencil_check_vector(stencil, "x", x));
    FUR_TRY(fur_stencil_check_vector(stencil, "work", work));
    if (b)
        FUR_TRY(fur_stencil_check_vector(stencil, "b", b));
    FUR_TRY(fur_vector_check_apart(x, "x", work, "work"));
    if (!b)
        return FUR_OK;
    FUR_TRY(fur_vector_check_apart(b, "b", x, "x"));
    return fur_vector_check_apart(b, "b", work, "work");
}

/* The number of passes. An even number ends in x. One sweep, or an odd number of passes of one
 * sweep each, ends in work. */
static int64_t passes_of(int64_t count, int depth)
{
    int64_t round_trips = count / (2 * depth) + (count % (2 * depth) > 0);
    return count / 2 < round_trips ? count : 2 * round_trips;
}

/* y = x after `sweeps` sweeps. */
static fur_status pass(const fur_stencil *stencil, int sweeps, fur_scalar alpha, const void *b,
                       const void *x, void *y)
{
    const fur_stencil_choice *choice = sweeps > 1 ? &stencil->sweep : &stencil->product;
    fur_stencil_call call = {
        .env = &stencil->context->env,
        .s = &stencil->view,
        .state = choice->state,
        .sweeps = sweeps,
        .alpha = fur_real(1),
        .beta = alpha,
        .x = x,
        .z = b,
        .y = y,
    };
    return choice->kernel->apply(&call);
}

fur_status fur_stencil_sweep(const fur_stencil *stencil, int64_t count, fur_scalar alpha,
                             const fur_vector *b, fur_vector *x, fur_vector *work)
{
    FUR_NEED(stencil ? stencil->context : NULL, stencil, x, work);
    FUR_TRY(check(stencil, count, b, x, work));
    fur_context *context = stencil->context;
    int64_t bytes = x->size * (int64_t)fur_value_size(x->value_type);
    int64_t passes = passes_of(count, fur_stencil_depth(stencil));
    void *from = x->data;
    void *to = work->data;
    for (int64_t n = 0; n < passes; n++) {
        int sweeps = (int)(count / passes + (n < count % passes));
        FUR_TRY(pass(stencil, sweeps, b ? alpha : fur_real(0), b ? b->data : to, from, to));
        void *next = from;
        from = to;
        to = next;
    }
    return passes % 2 ? fur_memory_copy(context, x->data, work->data, bytes) : FUR_OK;
}
