/* Incomplete Cholesky factors without fill. */
#include "factor.h"

/* Modified factors need what falls right of the diagonal, too: then both are computed. */
static fur_status create(fur_precond *p, const fur_precond_options *options)
{
    bool both = options->modified != 0;
    fur_csr *f;
    FUR_TRY(fur_factors_pattern(p->a, !both, INT64_MAX, &f));
    return fur_factors_create(p, options, both ? FUR_FACTOR_HERMITIAN : FUR_FACTOR_CHOLESKY, f);
}

const fur_precond_kind fur_precond_ic0 = {
    .info = {"ic0", "incomplete Cholesky factors in A's pattern, for positive definite matrices",
             "Meijerink and van der Vorst 1977"},
    .symmetric = true,
    .create = create,
    .update = fur_factors_update,
    .apply = fur_factors_apply,
    .release = fur_factors_release,
};
