/* A triangular solve as an operator. */
#include "triangular.h"

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_trsv_apply(user, fur_real(1), x, y);
}

fur_status fur_operator_from_trsv(const fur_trsv *plan, fur_operator **out)
{
    FUR_NEED(plan ? plan->context : NULL, plan, out);
    FUR_TRY(fur_dependent_check(&plan->context->env, &plan->dependent));
    const fur_csr_view *a = &plan->a->view;
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = a->rows,
        .cols = a->cols,
        .value_type = a->value_type,
        .user = (void *)(uintptr_t)plan,
        .apply = apply,
        .recordable = plan->near == NULL,
    };
    fur_dependent dependent = {"the operator of a triangular solve", NULL, NULL, .reads = true};
    return fur_operator_derive(plan->context, &definition, &dependent, &plan->dependent.made, out);
}
