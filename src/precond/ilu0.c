/* Incomplete LU factors without fill. */
#include "factor.h"

static fur_status create(fur_precond *p, const fur_precond_options *options)
{
    fur_csr *f;
    FUR_TRY(fur_factors_pattern(p->a, false, INT64_MAX, &f));
    return fur_factors_create(p, options, FUR_FACTOR_LU, f);
}

const fur_precond_kind fur_precond_ilu0 = {
    .info = {"ilu0", "incomplete LU factors in A's pattern, for matrices of any kind",
             "Meijerink and van der Vorst 1977"},
    .create = create,
    .update = fur_factors_update,
    .apply = fur_factors_apply,
    .release = fur_factors_release,
};
