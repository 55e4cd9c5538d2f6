/* Jacobi's preconditioner: division by the diagonal, kept as its reciprocal. */
#include "object.h"
#include "scalar.h"
#include "table.h"

#include <math.h>

#define FUR_TEMPLATE "reciprocal_template.h"
#include "foreach_value.h"
#undef FUR_TEMPLATE

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_multiply(user, x, y);
}

static fur_status diagonal(void *user, fur_vector *d)
{
    return fur_vector_copy(user, d);
}

static void release(void *user)
{
    fur_vector_destroy(user);
}

/* d_i = 1 / d_i where the host reaches d; *bad: the first that has no finite reciprocal, or -1. */
static void invert_here(fur_vector *d, int64_t *bad)
{
    static int64_t (*const invert[FUR_VALUE_COUNT])(int64_t, void *) = FUR_VALUE_TABLE(reciprocals);
    *bad = invert[d->value](d->size, d->data);
}

static fur_status invert_on_host(fur_vector *d, int64_t *bad)
{
    fur_vector *near;
    FUR_TRY(fur_context_pass_on(d->context->host, d->context,
                                fur_vector_create(d->context->host, d->value, d->size, &near)));
    fur_status status = fur_vector_copy(d, near);
    if (status == FUR_OK) {
        invert_here(near, bad);
        status = fur_context_pass_on(near->context, d->context, fur_vector_copy(near, d));
    }
    fur_vector_destroy(near);
    return status;
}

/* d_i = 1 / A(i, i) */
static fur_status invert_diagonal(const fur_operator *a, fur_vector *d)
{
    int64_t bad;
    FUR_TRY(fur_operator_diagonal(a, d));
    if (fur_is_remote(d->context))
        FUR_TRY(invert_on_host(d, &bad));
    else
        invert_here(d, &bad);
    if (bad >= 0)
        return fur_context_fail(d->context, FUR_INVALID,
                                "the diagonal has no finite reciprocal in row %lld, counting from "
                                "1; Jacobi's preconditioner needs one in every row",
                                (long long)bad + 1);
    return FUR_OK;
}

fur_status fur_operator_jacobi(const fur_operator *a, fur_operator **out)
{
    FUR_NEED(fur_operator_context(a), a, out);
    fur_context *context = fur_operator_context(a);
    int64_t n = fur_operator_rows(a);
    fur_vector *d;
    if (n != fur_operator_cols(a))
        return fur_context_fail(context, FUR_INVALID,
                                "Jacobi's preconditioner needs a square operator, this one is "
                                "%lld x %lld",
                                (long long)n, (long long)fur_operator_cols(a));
    FUR_TRY(fur_vector_create(context, fur_operator_value(a), n, &d));
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = n,
        .cols = n,
        .value = d->value,
        .user = d,
        .apply = apply,
        .diagonal = diagonal,
        .release = release,
    };
    fur_status status = invert_diagonal(a, d);
    if (status == FUR_OK)
        status = fur_operator_create(context, &definition, out);
    if (status != FUR_OK)
        fur_vector_destroy(d);
    return status;
}
