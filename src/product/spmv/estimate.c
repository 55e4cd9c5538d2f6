/* The expected costs of kernels: from their own model of a device, or from trials of a CPU. */
#include "machine.h"

#include <furrow/author/kernels.h>
#include <furrow/author/options.h>

#include "arguments.h"

const char *fur_spmv_refusal(const fur_spmv_kernel *kernel, const fur_csr_view *a,
                             const fur_spmv_profile *profile)
{
    return kernel->cost   ? kernel->cost(a, profile).refusal
           : kernel->work ? kernel->work(a, profile).refusal
                          : NULL;
}

fur_status fur_spmv_estimate_cost(const fur_csr *a, int index, const fur_spmv_profile *profile,
                                  fur_spmv_cost *out)
{
    const fur_spmv_kernel *kernel = a->context->backend->spmv[index];
    fur_machine *machine;
    if (kernel->cost) {
        *out = kernel->cost(&a->view, profile);
        return FUR_OK;
    }
    FUR_TRY(fur_machine_of(a->context, a->view.value_type, &machine));
    *out = fur_machine_cost(machine, a->context, index, &a->view, profile);
    return FUR_OK;
}

fur_status fur_spmv_estimate_at(const fur_csr *a, int index, fur_spmv_estimate *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    FUR_CHECK_REPORT(a->context, fur_spmv_estimate, out);
    const fur_backend *backend = a->context->backend;
    fur_spmv_profile profile;
    fur_spmv_cost cost = {0};
    if (index < 0 || index >= backend->spmv_count)
        return fur_context_fail(
            a->context, FUR_INVALID,
            "there is no SpMV kernel %d on device %s; fur_spmv_kernel_at lists the kernels", index,
            backend->device);
    const fur_spmv_kernel *kernel = backend->spmv[index];
    FUR_TRY(fur_spmv_measure(a, &profile));
    if (kernel->cost || kernel->work)
        FUR_TRY(fur_spmv_estimate_cost(a, index, &profile, &cost));
    fur_spmv_estimate own = {.seconds_product = 1e-9 * cost.product_ns,
                             .seconds_plan = 1e-9 * cost.plan_ns,
                             .refusal = cost.refusal};
    fur_report_fill(out, &own, sizeof own);
    return FUR_OK;
}
