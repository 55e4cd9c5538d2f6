/* The preconditioner of furrow solve that is made from the matrix itself. */
#include "job.h"

/* A in the order of the products. */
static fur_status take_matrix(job *j, const fur_csr **out)
{
    const fur_permutation *order = fur_product_order(j->product);
    if (order)
        COMMAND_TRY(fur_csr_permute(j->a.matrix, order, order, &j->permuted));
    *out = order ? j->permuted : j->a.matrix;
    return FUR_OK;
}

fur_status job_precondition(job *j)
{
    const job_options *o = j->options;
    const fur_amg_options amg = {.size = sizeof amg, .nonsymmetric = !j->traits.hermitian};
    fur_precond_options options = request_precond(&o->solver);
    const fur_csr *a;
    options.amg = &amg;
    if (!request_has_factors(&o->solver))
        return FUR_OK;
    COMMAND_TRY(take_matrix(j, &a));
    COMMAND_TRY(fur_precond_create(a, &options, &j->precond));
    return fur_operator_from_precond(j->precond, &j->preconditioner);
}
