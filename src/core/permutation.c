/* Permutations: an order, checked, and its inverse. */
#include "object.h"
#include "split.h"

/* Numbers below which a further thread costs more than it brings. */
#define NUMBER_GRAIN 32768

static int64_t bytes_of(const fur_permutation *p)
{
    return p->size * (int64_t)sizeof *p->order;
}

fur_status fur_permutation_allocate(fur_context *context, int64_t size, fur_permutation **out)
{
    fur_status status = FUR_OK;
    fur_permutation *p;
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *p, &p));
    p->context = context;
    p->size = size;
    FUR_TRY_DONE(fur_memory_allocate(context, size, sizeof *p->order, &p->order));
    FUR_TRY_DONE(fur_memory_allocate(context, size, sizeof *p->position, &p->position));
    *out = p;
    p = NULL;
done:
    fur_permutation_destroy(p);
    return status;
}

/* position[order[i]] = i. Whether that reached every place, and so every place once. Several
 * threads may meet at one place, but then another is left out. */
static bool invert(const fur_permutation *p, int threads)
{
    int64_t n = p->size;
    int64_t wrong = 0;
    int team = fur_team(threads, n, NUMBER_GRAIN);
#pragma omp parallel num_threads(team) reduction(+ : wrong) if (team > 1)
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++)
            p->position[i] = -1;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            int32_t to = p->order[i];
            if (to < 0 || to >= n) {
                wrong++;
                continue;
            }
#pragma omp atomic write
            p->position[to] = (int32_t)i;
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++)
            wrong += p->position[i] < 0;
    }
    return wrong == 0;
}

/* The sentence about the first number that is at fault. */
static fur_status describe_fault(fur_env *env, const fur_permutation *p)
{
    for (int64_t i = 0; i < p->size; i++)
        p->position[i] = -1;
    for (int64_t i = 0; i < p->size; i++) {
        int32_t number = p->order[i];
        if (number < 0 || number >= p->size)
            return fur_env_fail(env, FUR_INVALID,
                                "the order has %d at position %lld; it must be a permutation of "
                                "0 .. %lld",
                                number, (long long)i, (long long)p->size - 1);
        if (p->position[number] >= 0)
            return fur_env_fail(env, FUR_INVALID,
                                "the order has %d at positions %d and %lld; it must be a "
                                "permutation",
                                number, p->position[number], (long long)i);
        p->position[number] = (int32_t)i;
    }
    return FUR_OK;
}

/* The permutation on the host; source: a context that reaches the order. */
static fur_status create_here(fur_context *context, fur_context *source, int64_t size,
                              const int32_t *order, fur_permutation **out)
{
    fur_status status = FUR_OK;
    fur_permutation *p;
    FUR_TRY(fur_permutation_allocate(context, size, &p));
    for (int64_t i = 0; !order && i < size; i++)
        p->order[i] = (int32_t)i;
    if (order)
        FUR_TRY_DONE(fur_context_pass_on(source, context,
                                         fur_memory_copy(source, p->order, order, bytes_of(p))));
    if (!invert(p, context->env.threads))
        FUR_TRY_DONE(describe_fault(&context->env, p));
    *out = p;
    p = NULL;
done:
    fur_permutation_destroy(p);
    return status;
}

static fur_status create_remote(fur_context *context, int64_t size, const int32_t *order,
                                fur_permutation **out)
{
    fur_context *host = context->host;
    fur_permutation *near = NULL;
    fur_status status = create_here(host, context, size, order, &near);
    if (status == FUR_OK)
        status = fur_permutation_transfer(near, context, out);
    fur_permutation_destroy(near);
    return fur_context_pass_on(host, context, status);
}

fur_status fur_permutation_create(fur_context *context, int64_t size, const int32_t *order,
                                  fur_permutation **out)
{
    FUR_NEED(context, context, out);
    if (size < 0)
        return fur_env_fail(&context->env, FUR_INVALID, "a permutation cannot have %lld numbers",
                            (long long)size);
    if (size > INT32_MAX)
        return fur_env_fail(&context->env, FUR_OVERFLOW,
                            "a permutation of %lld numbers: there must be at most %d",
                            (long long)size, INT32_MAX);
    return fur_is_remote(context) ? create_remote(context, size, order, out)
                                  : create_here(context, context, size, order, out);
}

void fur_permutation_destroy(fur_permutation *permutation)
{
    if (!permutation)
        return;
    fur_memory_release(permutation->context, permutation->position);
    fur_memory_release(permutation->context, permutation->order);
    fur_env_release(&permutation->context->env, permutation);
}

/* Moved when both sides have done what they had to, as vectors are. */
static fur_status copy_arrays(fur_context *mover, const fur_permutation *from, fur_permutation *to)
{
    FUR_TRY(fur_memory_copy(mover, to->order, from->order, bytes_of(from)));
    FUR_TRY(fur_memory_copy(mover, to->position, from->position, bytes_of(from)));
    return fur_context_synchronize(mover);
}

fur_status fur_permutation_transfer(const fur_permutation *permutation, fur_context *context,
                                    fur_permutation **out)
{
    FUR_NEED(fur_permutation_context(permutation), permutation, context, out);
    fur_context *own = permutation->context;
    fur_context *mover = fur_is_remote(context) ? context : own;
    fur_permutation *copy;
    FUR_TRY(fur_context_synchronize(own));
    FUR_TRY(fur_context_pass_on(context, own,
                                fur_permutation_allocate(context, permutation->size, &copy)));
    fur_status status = copy_arrays(mover, permutation, copy);
    if (status == FUR_OK)
        *out = copy;
    else
        fur_permutation_destroy(copy);
    return fur_context_pass_on(mover, own, status);
}

fur_context *fur_permutation_context(const fur_permutation *permutation)
{
    return permutation ? permutation->context : NULL;
}

int64_t fur_permutation_size(const fur_permutation *permutation)
{
    return permutation ? permutation->size : 0;
}

const int32_t *fur_permutation_order(const fur_permutation *permutation)
{
    return permutation ? permutation->order : NULL;
}

const int32_t *fur_permutation_position(const fur_permutation *permutation)
{
    return permutation ? permutation->position : NULL;
}
