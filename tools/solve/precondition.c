/* The preconditioner of furrow solve that is made from the matrix itself. */
#include "job.h"

/* Those that the library's choice makes by itself, from products. */
bool job_has_factors(const job_options *o)
{
    const fur_method_info *kind;
    for (int i = 0; (kind = fur_precond_at(i)); i++)
        if (job_is(o->precond, kind->name))
            return !job_is(o->precond, "jacobi");
    return false;
}

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
    fur_precond_options options = {.size = sizeof options,
                                   .kind = o->precond,
                                   .fill = o->fill,
                                   .shift = o->shift,
                                   .modified = o->modified,
                                   .coloured = o->coloured,
                                   .degree = o->degree,
                                   .drop = o->drop,
                                   .unmatched = o->unmatched,
                                   .block = o->block,
                                   .diagonal = o->diagonal,
                                   .apart = o->apart,
                                   .symmetric = o->symmetric,
                                   .narrow = o->narrow,
                                   .steps = o->steps,
                                   .grow = o->grow,
                                   .gain = o->gain,
                                   .amg = &amg};
    const fur_csr *a;
    if (!job_has_factors(o))
        return FUR_OK;
    COMMAND_TRY(take_matrix(j, &a));
    COMMAND_TRY(fur_precond_create(a, &options, &j->precond));
    return fur_operator_from_precond(j->precond, &j->preconditioner);
}
