/* A^H as an operator on the vectors of A: they are lent to the context of the transpose. */
#include "adjoint.h"

static fur_status apply_turned(adjoint *t, const fur_vector *x, fur_vector *y)
{
    fur_value_type value = t->a->report.value_type;
    fur_context *context = t->turned->context;
    void *from = (void *)(uintptr_t)fur_vector_const_data(x);
    void *to = fur_vector_data(y);
    fur_vector *in = NULL;
    fur_vector *out = NULL;
    fur_status status = fur_context_synchronize(t->a->context); /* streams are two on a GPU */
    if (status == FUR_OK)
        status =
            fur_vector_wrap(context, value, fur_vector_size(x), from, FUR_OWNERSHIP_BORROW, &in);
    if (status == FUR_OK)
        status =
            fur_vector_wrap(context, value, fur_vector_size(y), to, FUR_OWNERSHIP_BORROW, &out);
    if (status == FUR_OK)
        status = fur_operator_apply(t->turned->operator, in, out);
    if (status == FUR_OK)
        status = fur_context_synchronize(context);
    fur_vector_destroy(in);
    fur_vector_destroy(out);
    return status;
}

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    adjoint *t = user;
    fur_status status = apply_turned(t, x, y);
    return status == FUR_OK ? FUR_OK
                            : fur_context_fail(t->a->context, status, "%s",
                                               fur_context_error(t->turned->context));
}

fur_status adjoint_create(fur_ranks_csr *a, adjoint *out)
{
    *out = (adjoint){.a = a};
    if (a->column_bounds != a->bounds)
        return group_finish(
            a->group, a->context,
            fur_ranks_fail(a->group, FUR_UNSUPPORTED,
                           "least squares of several ranks need a square matrix; this one is %lld "
                           "x %lld",
                           (long long)a->report.rows, (long long)a->report.cols));
    RANKS_TRY(fur_ranks_csr_transpose(a, 1, &out->turned));
    int64_t own = a->bounds[a->group->rank + 1] - a->bounds[a->group->rank];
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = own,
                                          .cols = own,
                                          .value_type = a->report.value_type,
                                          .user = out,
                                          .apply = apply};
    return group_finish(a->group, a->context,
                        fur_operator_create(a->context, &definition, &out->operator));
}

void adjoint_destroy(adjoint *t)
{
    fur_operator_destroy(t->operator);
    fur_ranks_csr_destroy(t->turned);
}
