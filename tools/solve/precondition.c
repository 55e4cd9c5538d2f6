/* The preconditioner of furrow solve that is made from the matrix itself. */
#include "job.h"

fur_status job_precondition(job *j)
{
    const job_options *o = j->options;
    const fur_amg_options amg = {.size = sizeof amg, .nonsymmetric = !j->traits.hermitian};
    fur_precond_options options = request_precond(&o->solver);
    options.amg = &amg;
    if (!request_has_factors(&o->solver))
        return FUR_OK;
    FUR_TRY(fur_precond_create(fur_product_matrix(j->product), &options, &j->precond));
    return fur_operator_from_precond(j->precond, &j->preconditioner);
}
