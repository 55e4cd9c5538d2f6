/* Applies an operator on permuted vectors to vectors in the original numbering. */
#include "core.h"

typedef struct permuted {
    fur_context *context;
    const fur_operator *b;
    const fur_permutation *p;
    fur_vector *x; /* permuted */
    fur_vector *y;
} permuted;

/* y = P^T B P x */
static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    permuted *a = user;
    FUR_TRY(fur_vector_permute(a->p, x, a->x));
    FUR_TRY(fur_operator_apply(a->b, a->x, a->y));
    return fur_vector_unpermute(a->p, a->y, y);
}

static fur_status diagonal(void *user, fur_vector *d)
{
    permuted *a = user;
    FUR_TRY(fur_operator_diagonal(a->b, a->y));
    return fur_vector_unpermute(a->p, a->y, d);
}

static void release(void *user)
{
    permuted *a = user;
    fur_vector_destroy(a->y);
    fur_vector_destroy(a->x);
    fur_env_release(&a->context->env, a);
}

static fur_status check(const fur_operator *b, const fur_permutation *p)
{
    fur_context *context = fur_operator_context(b);
    int64_t rows = fur_operator_rows(b);
    int64_t cols = fur_operator_cols(b);
    FUR_TRY(fur_operator_check(b));
    if (p->context != context)
        return fur_context_fail(context, FUR_INVALID,
                                "the permutation belongs to another context than the operator");
    if (rows != p->size || cols != p->size)
        return fur_context_fail(context, FUR_INVALID,
                                "the operator is %lld x %lld, but the permutation has %lld numbers",
                                (long long)rows, (long long)cols, (long long)p->size);
    return FUR_OK;
}

fur_status fur_operator_permute(const fur_operator *b, const fur_permutation *p, fur_operator **out)
{
    FUR_NEED(fur_operator_context(b), b, p, out);
    fur_context *context = fur_operator_context(b);
    fur_status status = FUR_OK;
    permuted *a = NULL;
    FUR_TRY(check(b, p));
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *a, &a));
    a->context = context;
    a->b = b;
    a->p = p;
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = p->size,
        .cols = p->size,
        .value_type = fur_operator_value_type(b),
        .user = a,
        .apply = apply,
        .recordable = fur_operator_recordable(b),
        .diagonal = diagonal,
        .release = release,
    };
    FUR_TRY_DONE(fur_vector_create(context, definition.value_type, p->size, &a->x));
    FUR_TRY_DONE(fur_vector_create(context, definition.value_type, p->size, &a->y));
    fur_dependent dependent = {"the operator in the original numbering", NULL, NULL, .reads = true};
    FUR_TRY_DONE(fur_operator_derive(context, &definition, &dependent, &b->dependent.made, out));
    return FUR_OK;
done:
    release(a);
    return status;
}
