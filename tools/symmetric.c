/* Checks matrices that must be symmetric, and reports a failure. */
#include "symmetric.h"

#include <furrow/author/context.h>

fur_status symmetric_check(const fur_csr *a, fur_symmetry symmetry, const char *who)
{
    const char *kind = symmetry == FUR_SYMMETRY_HERMITIAN ? "Hermitian" : "symmetric";
    fur_csr_asymmetry pair = FUR_DEFAULT(fur_csr_asymmetry);
    FUR_TRY(fur_csr_find_asymmetry(a, symmetry, &pair));
    if (!pair.found)
        return FUR_OK;
    return fur_context_fail(fur_csr_context(a), FUR_INVALID,
                            pair.missing ? "%s needs a %s matrix: there is an entry (%lld, %lld), "
                                           "but no entry (%lld, %lld), counting from 1"
                                         : "%s needs a %s matrix: entries (%lld, %lld) and "
                                           "(%lld, %lld), counting from 1, do not match",
                            who, kind, (long long)pair.row + 1, (long long)pair.col + 1,
                            (long long)pair.col + 1, (long long)pair.row + 1);
}
