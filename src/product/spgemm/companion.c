/* Products on a device without kernels for them. Copies of A and B in the companion are multiplied,
 * and the result is moved back. */
#include "spgemm.h"

static fur_status plan_near(fur_spgemm *plan, const fur_spgemm_options *options)
{
    fur_spgemm_companion *near = &plan->near;
    fur_context *host = plan->context->host;
    FUR_TRY(fur_csr_transfer(plan->a, host, &near->a));
    near->b = near->a;
    if (plan->b != plan->a)
        FUR_TRY(fur_csr_transfer(plan->b, host, &near->b));
    return fur_context_pass_on(host, plan->context,
                               fur_spgemm_plan(near->a, near->b, options, &near->plan));
}

fur_status fur_spgemm_plan_near(fur_spgemm *plan, const fur_spgemm_options *options)
{
    fur_context *context = plan->context;
    FUR_TRY(plan_near(plan, options));
    const fur_csr_view *c = &plan->near.plan->pattern->view;
    plan->report = plan->near.plan->report;
    FUR_TRY(fur_csr_pattern_create(context, c->rows, c->cols, c->entries, c->value_type,
                                   &plan->pattern));
    const fur_csr_view *to = &plan->pattern->view;
    FUR_TRY(fur_memory_copy(context, (void *)(uintptr_t)to->offsets, c->offsets,
                            (c->rows + 1) * (int64_t)fur_offset_size(c->offset_type)));
    return fur_memory_copy(context, (void *)(uintptr_t)to->columns, c->columns,
                           c->entries * (int64_t)sizeof *c->columns);
}

/* Copies the current values of a matrix to its copy in the companion. */
static fur_status fetch_values(const fur_csr *from, fur_csr *to)
{
    return fur_memory_copy(from->context, fur_csr_values(to), from->view.values,
                           to->view.entries * (int64_t)fur_value_size(to->view.value_type));
}

fur_status fur_spgemm_apply_near(const fur_spgemm *plan, fur_scalar alpha, void *values)
{
    const fur_spgemm_companion *near = &plan->near;
    fur_context *host = plan->context->host;
    fur_csr *c;
    FUR_TRY(fetch_values(plan->a, near->a));
    if (plan->b != plan->a)
        FUR_TRY(fetch_values(plan->b, near->b));
    FUR_TRY(fur_context_pass_on(host, plan->context, fur_spgemm_multiply(near->plan, alpha, &c)));
    fur_status status =
        fur_memory_copy(plan->context, values, c->view.values,
                        c->view.entries * (int64_t)fur_value_size(c->view.value_type));
    fur_csr_destroy(c);
    return status;
}

void fur_spgemm_release_near(fur_spgemm *plan)
{
    fur_spgemm_companion *near = &plan->near;
    fur_spgemm_destroy(near->plan);
    if (near->b != near->a)
        fur_csr_destroy(near->b);
    fur_csr_destroy(near->a);
}
