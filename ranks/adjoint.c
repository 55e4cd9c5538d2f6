/* A^H as an operator on the vectors of A, which are lent to the contexts of the transpose. */
#include "adjoint.h"

static fur_status lend(fur_context *context, const fur_vector *x, fur_vector **out)
{
    return fur_vector_wrap(context, fur_vector_value_type(x), fur_vector_size(x),
                           (void *)(uintptr_t)fur_vector_const_data(x), FUR_OWNERSHIP_BORROW, out);
}

/* On failure, the message is in the context of the transpose. */
static fur_status multiply(const fur_ranks_csr *turned, const fur_vector *x, fur_vector *y)
{
    fur_vector *in;
    fur_vector *out = NULL;
    fur_status status = lend(turned->domain, x, &in);
    if (status != FUR_OK)
        return fur_context_fail(turned->context, status, "%s", fur_context_error(turned->domain));
    status = lend(turned->context, y, &out);
    if (status == FUR_OK)
        status = fur_operator_apply(turned->operator, in, out);
    if (status == FUR_OK)
        status = fur_context_synchronize(turned->context);
    fur_vector_destroy(in);
    fur_vector_destroy(out);
    return status;
}

/* On a GPU, the vectors of A and the vectors of its transpose have different streams. */
static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    const adjoint *t = user;
    FUR_TRY(fur_context_synchronize(t->a->context));
    if (t->a->domain != t->a->context)
        FUR_TRY(fur_context_synchronize(t->a->domain));
    fur_status status = multiply(t->turned, x, y);
    return status == FUR_OK ? FUR_OK
                            : fur_context_fail(t->a->domain, status, "%s",
                                               fur_context_error(t->turned->context));
}

fur_status adjoint_create(fur_ranks_csr *a, adjoint *out)
{
    int rank = a->group->rank;
    *out = (adjoint){.a = a};
    FUR_TRY(fur_ranks_csr_transpose(a, 1, &out->turned));
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows =
                                              a->column_bounds[rank + 1] - a->column_bounds[rank],
                                          .cols = a->bounds[rank + 1] - a->bounds[rank],
                                          .value_type = a->report.value_type,
                                          .user = out,
                                          .apply = apply,
                                          .domain = a->context};
    return group_finish(a->group, a->domain,
                        fur_operator_create(a->domain, &definition, &out->operator));
}

void adjoint_destroy(adjoint *t)
{
    fur_operator_destroy(t->operator);
    fur_ranks_csr_destroy(t->turned);
}
