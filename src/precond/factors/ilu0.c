/* Incomplete LU factors without fill. */
#include "factor.h"

static fur_status find(const fur_csr *a, const fur_factor_options *options, fur_csr **out)
{
    (void)options;
    return fur_factors_pattern(a, false, INT64_MAX, out);
}

static fur_status create(fur_precond *p, const void *options)
{
    return fur_factors_create(p, options, FUR_FACTOR_LU, find);
}

const fur_precond_kind fur_precond_ilu0 = {
    .info = {"ilu0", "incomplete LU factors in A's pattern; for all matrices",
             "Meijerink and van der Vorst 1977"},
    .place = FUR_PRECOND_FACTORED,
    .table = FUR_PRECOND_TABLE(fur_factors_table + 1, fur_factor_options, factors),
    .create = create,
    .update = fur_factors_update,
    .apply = fur_factors_apply,
    .release = fur_factors_release,
};
