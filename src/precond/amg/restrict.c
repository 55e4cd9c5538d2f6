/* The restriction R of a step: P^H, or Q^H for a nonsymmetric matrix. Q = (I - omega D^-H A'^H) T
 * is the prolongation of A^H (Sala and Tuminaro 2008). Aggregates and T are the same. */
#include "hierarchy.h"

/* Makes Q's pattern: the prolongation of the same step for A^H. */
static fur_status plan_adjoint(const fur_csr *a, int block, int modes, fur_amg_step *step)
{
    fur_amg_step other = *step;
    FUR_TRY(fur_csr_transpose(a, 1, &step->adjoint));
    FUR_TRY(fur_amg_plan_prolongation(step->adjoint, block, modes, &other));
    step->q = other.p;
    return FUR_OK;
}

static fur_status fill_adjoint(int block, int modes, double omega, const fur_amg_step *step)
{
    fur_amg_step other = *step;
    other.p = step->q;
    return fur_amg_fill_prolongation(step->adjoint, block, modes, omega, &other);
}

fur_status fur_amg_plan_restriction(const fur_csr *a, bool adjoint, int block, int modes,
                                    double omega, fur_amg_step *step)
{
    if (!adjoint)
        return fur_csr_transpose(step->p, 1, &step->r);
    FUR_TRY(plan_adjoint(a, block, modes, step));
    FUR_TRY(fill_adjoint(block, modes, omega, step));
    return fur_csr_transpose(step->q, 1, &step->r);
}

fur_status fur_amg_fill_restriction(const fur_csr *a, int block, int modes, double omega,
                                    const fur_amg_step *step)
{
    if (!step->q)
        return fur_csr_transpose_values(step->p, true, step->r);
    FUR_TRY(fur_csr_transpose_values(a, true, step->adjoint));
    FUR_TRY(fill_adjoint(block, modes, omega, step));
    return fur_csr_transpose_values(step->q, true, step->r);
}
