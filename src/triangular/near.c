/* Triangular solves for a device that has no kernels for them: on copies in the companion. */
#include "triangular.h"

#include <string.h>

fur_status fur_trsv_plan_near(fur_trsv *plan, const fur_trsv_wish *wish)
{
    fur_context *host = plan->context->host;
    fur_trsv_options options = {.size = sizeof options, .schedule = wish->schedule};
    FUR_TRY(fur_csr_transfer(plan->a, host, &plan->near_a));
    fur_status status =
        fur_vector_create(host, plan->a->view.value_type, plan->a->view.rows, &plan->near_x);
    if (status == FUR_OK)
        status = fur_trsv_plan(plan->near_a, wish->triangle, plan->op, wish->diagonal, &options,
                               &plan->near);
    FUR_TRY(fur_context_pass_on(host, plan->context, status));
    plan->report = plan->near->report;
    memcpy(plan->reason, plan->near->reason, sizeof plan->reason);
    return FUR_OK;
}

fur_status fur_trsv_update_near(fur_trsv *plan)
{
    fur_csr *near = plan->near_a;
    fur_env *host = &near->context->env;
    int64_t bytes = near->view.entries * (int64_t)fur_value_size(near->view.value_type);
    FUR_TRY(fur_memory_copy(plan->context, fur_csr_values(near), plan->a->view.values, bytes));
    fur_csr_values_changed(near);
    return fur_context_pass_on(near->context, plan->context,
                               fur_dependent_check(host, &plan->near->dependent));
}

fur_status fur_trsv_apply_near(const fur_trsv *plan, fur_scalar alpha, const fur_vector *b,
                               fur_vector *x)
{
    fur_context *host = plan->context->host;
    FUR_TRY(fur_vector_copy(b, plan->near_x));
    FUR_TRY(fur_context_pass_on(host, plan->context,
                                fur_trsv_apply(plan->near, alpha, plan->near_x, plan->near_x)));
    return fur_vector_copy(plan->near_x, x);
}
