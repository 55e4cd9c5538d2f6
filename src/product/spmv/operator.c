/* An SpMV plan as an operator. */
#include "spmv.h"

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_spmv_apply(user, fur_real(1), x, fur_real(0), y);
}

static fur_status diagonal(void *user, fur_vector *d)
{
    const fur_spmv *plan = user;
    return fur_csr_read_diagonal(plan->operand, d);
}

fur_status fur_operator_from_spmv(const fur_spmv *plan, fur_operator **out)
{
    FUR_NEED(plan ? plan->context : NULL, plan, out);
    FUR_TRY(fur_dependent_check(&plan->context->env, &plan->dependent));
    const fur_csr_view *a = &plan->operand->view;
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = a->rows,
        .cols = a->cols,
        .value_type = a->value_type,
        .user = (void *)(uintptr_t)plan,
        .apply = apply,
        .recordable = 1,
        .diagonal = diagonal,
    };
    fur_dependent dependent = {"the operator of a plan", NULL, NULL, .reads = true};
    FUR_TRY(
        fur_operator_derive(plan->context, &definition, &dependent, &plan->dependent.made, out));
    bool in_order = plan->kernel->info.exact && !plan->half;
    (*out)->matrix = in_order ? a : NULL;
    (*out)->csr = in_order && plan->operand == plan->a ? plan->a : NULL;
    return FUR_OK;
}
