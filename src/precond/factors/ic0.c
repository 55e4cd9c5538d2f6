/* Incomplete Cholesky factors without fill. */
#include "factor.h"

/* Modified factors also need the fill-in right of the diagonal, so both factors are computed. */
static fur_status find(const fur_csr *a, const fur_factor_options *options, fur_csr **out)
{
    return fur_factors_pattern(a, !options->modified, INT64_MAX, out);
}

static fur_status create(fur_precond *p, const void *options)
{
    const fur_factor_options *o = options;
    return fur_factors_create(p, o, o->modified ? FUR_FACTOR_HERMITIAN : FUR_FACTOR_CHOLESKY, find);
}

const fur_precond_kind fur_precond_ic0 = {
    .info = {"ic0", "incomplete Cholesky factors in A's pattern; for positive definite matrices",
             "Meijerink and van der Vorst 1977"},
    .place = FUR_PRECOND_FACTORED,
    .table = FUR_PRECOND_TABLE(fur_factors_table + 1, fur_factor_options, factors),
    .symmetric = true,
    .create = create,
    .update = fur_factors_update,
    .apply = fur_factors_apply,
    .release = fur_factors_release,
};
