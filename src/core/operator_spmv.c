/* An SpMV plan as an operator. */
#include "object.h"
#include "spmv_choice.h"

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_spmv_apply(user, fur_real(1), x, fur_real(0), y);
}

static fur_status diagonal(void *user, fur_vector *d)
{
    const fur_spmv *plan = user;
    fur_vector *own;
    FUR_TRY(fur_csr_diagonal(plan->operand, &own));
    fur_status status = fur_vector_copy(own, d);
    fur_vector_destroy(own);
    return status;
}

fur_status fur_operator_from_spmv(const fur_spmv *plan, fur_operator **out)
{
    FUR_NEED(plan ? plan->context : NULL, plan, out);
    const fur_csr_view *a = &plan->operand->view;
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = a->rows,
        .cols = a->cols,
        .value = a->value,
        .user = (void *)(uintptr_t)plan,
        .apply = apply,
        .diagonal = diagonal,
    };
    return fur_operator_create(plan->context, &definition, out);
}
