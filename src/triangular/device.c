/* Triangular solves by a device's own kernels. */
#include "triangular.h"

#include <stdio.h>

fur_status fur_trsv_plan_device(fur_trsv *plan, const fur_trsv_wish *wish)
{
    fur_env *env = &plan->context->env;
    const fur_csr_view *a = &plan->operand->view;
    const fur_trsv_form form = {plan->strict.upper, plan->unit, wish->many};
    fur_trsv_figures figures;
    FUR_TRY(fur_services(plan->context)->trsv.plan(env, a, &form, &figures, &plan->state));
    if (!plan->unit)
        FUR_TRY(fur_trsv_check_diagonal(env, a->value_type, figures.missing, -1));
    plan->report.schedule = "flags";
    plan->report.levels = figures.levels;
    plan->report.entries = figures.entries + (plan->unit ? 0 : a->rows);
    snprintf(plan->reason, sizeof plan->reason,
             "rows by level; each row waits only for the rows that it needs");
    return fur_trsv_update_device(plan);
}

fur_status fur_trsv_update_device(fur_trsv *plan)
{
    fur_env *env = &plan->context->env;
    const fur_csr_view *a = &plan->operand->view;
    int64_t useless;
    FUR_TRY(fur_services(plan->context)->trsv.refresh(env, a, plan->state, &useless));
    return fur_trsv_check_diagonal(env, a->value_type, -1, useless);
}
