/* Checks of the options, and their defaults. */
#include "asked.h"

#include "core.h"

#include "value_type.h"

fur_status fur_eigs_check(const fur_operator *a, int count, fur_vector *const *vectors)
{
    fur_context *context = fur_operator_context(a);
    fur_value_type value = fur_operator_value_type(a);
    int64_t n = fur_operator_rows(a);
    FUR_TRY(fur_operator_check(a));
    if (fur_operator_cols(a) != n)
        return fur_context_fail(context, FUR_INVALID,
                                "eigenvalues need a square matrix; this one is %lld x %lld",
                                (long long)n, (long long)fur_operator_cols(a));
    for (int i = 0; vectors && i < count; i++)
        if (!vectors[i] || fur_vector_size(vectors[i]) != n ||
            fur_vector_value_type(vectors[i]) != value || fur_vector_context(vectors[i]) != context)
            return fur_context_fail(context, FUR_INVALID,
                                    "vector %d must have %lld entries of type %s in the matrix's "
                                    "context",
                                    i, (long long)n, fur_value_name(value));
    return FUR_OK;
}

double fur_eigs_tolerance(fur_value_type value)
{
    return fur_value_is_single(value) ? 1e-5 : 1e-10;
}
