/* Timing of products. */
#include "product.h"

#include "command.h"

fur_status product_time(const fur_spmv *plan, const fur_vector *x, fur_vector *y, int64_t count,
                        double *seconds)
{
    const double start = command_seconds();
    for (int64_t i = 0; i < count; i++) {
        COMMAND_TRY(fur_spmv_apply(plan, fur_real(1.0), x, fur_real(0.0), y));
    }
    COMMAND_TRY(fur_context_synchronize(fur_vector_context(y)));
    *seconds = (command_seconds() - start) / (double)count;
    return FUR_OK;
}
