/* The reference kernel of SpMV: one row after the other on one thread. It is made to be read, and
 * to be compared with.
 *
 * Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "table.h"

#    include <string.h>

#    define FUR_TEMPLATE "product/spmv/reference.c"
#    include "foreach_type.h"

static fur_status apply(const fur_spmv_call *call)
{
    static void (*const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(const fur_spmv_call *) =
        FUR_TYPE_TABLE(multiply);
    table[call->a->value_type][call->a->offset_type](call);
    return FUR_OK;
}

extern const fur_spmv_kernel ISA(spmv_reference);
const fur_spmv_kernel ISA(spmv_reference) = {
    .info.name = "reference",
    .info.summary = "row by row on one thread",
    .info.source = "",
    .info.exact = true,
    .apply = apply,
};
#else
#    include "long_sum.h"

static void FN(multiply)(const fur_spmv_call *call)
{
    const OFFSET *offsets = call->a->offsets;
    const int32_t *columns = call->a->columns;
    const VALUE *values = call->a->values;
    const VALUE *x = call->x;
    VALUE *y = call->y;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    for (int64_t i = 0; i < call->a->rows; i++) {
        VALUE sum = FN(plain_row_sum)(values, columns, offsets[i], offsets[i + 1], x, 1);
        y[i] = V(is_zero)(beta) ? V(mul)(alpha, sum) : V(fma)(alpha, sum, V(mul)(beta, y[i]));
    }
}

#endif
