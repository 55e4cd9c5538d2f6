/* Permutations: an order, which is checked, and its inverse. */
#include "atomic.h"
#include "core.h"
#include "team.h"

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

typedef struct inversion {
    const fur_permutation *p;
    fur_shared wrong; /* number of numbers out of range, and of places not reached */
} inversion;

static void clear_places(void *job, int64_t begin, int64_t end)
{
    const inversion *v = job;
    for (int64_t i = begin; i < end; i++)
        v->p->position[i] = -1;
}

/* Several threads may write to one place. */
static void set_places(void *job, int64_t begin, int64_t end)
{
    inversion *v = job;
    const fur_permutation *p = v->p;
    int64_t outside = 0;
    for (int64_t i = begin; i < end; i++) {
        int32_t to = p->order[i];
        if (to < 0 || to >= p->size)
            outside++;
        else
            __atomic_store_n(&p->position[to], (int32_t)i, __ATOMIC_RELAXED);
    }
    fur_shared_add(&v->wrong, outside);
}

static void count_unset(void *job, int64_t begin, int64_t end)
{
    inversion *v = job;
    int64_t unset = 0;
    for (int64_t i = begin; i < end; i++)
        unset += v->p->position[i] < 0;
    fur_shared_add(&v->wrong, unset);
}

/* position[order[i]] = i. Returns whether all places were reached. Then each was reached once: if
 * two numbers have the same place, another place is not reached. */
static bool invert(const fur_env *env, const fur_permutation *p)
{
    inversion v = {p, 0};
    int64_t worth = p->size / NUMBER_GRAIN;
    fur_parallel(env, worth, p->size, clear_places, &v);
    fur_parallel(env, worth, p->size, set_places, &v);
    fur_parallel(env, worth, p->size, count_unset, &v);
    return v.wrong == 0;
}

/* Fails with a sentence about the first invalid number. */
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

/* Makes the permutation on the host. source: a context that can read the order. */
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
    if (!invert(&context->env, p))
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
                            "a permutation of %lld numbers is too long; the limit is %d",
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

/* Copies the arrays after both contexts have finished their earlier work, as for vectors. */
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
