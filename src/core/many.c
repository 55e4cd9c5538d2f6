/* Several dot products, and several vectors added, by one call. */
#include "core.h"

#include <furrow/reduce.h>

fur_status fur_dot_many(int count, const fur_vector *const *x, const fur_vector *y, fur_scalar *out)
{
    FUR_NEED(fur_vector_context(y), x, y, out);
    for (int k = 0; k < count; k++)
        FUR_TRY(fur_dot(x[k], y, &out[k]));
    return FUR_OK;
}

fur_status fur_axpy_many(int count, const fur_scalar *alpha, const fur_vector *const *x,
                         fur_vector *y)
{
    FUR_NEED(fur_vector_context(y), alpha, x, y);
    for (int k = 0; k < count; k++)
        FUR_TRY(fur_axpby(alpha[k], x[k], fur_real(1), y));
    return FUR_OK;
}
