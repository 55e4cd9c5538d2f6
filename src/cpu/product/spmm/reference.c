/* The reference kernel of SpMM: one column after the other, one row after the other, on one thread.
 * It is made to be read, and to be compared with.
 *
 * Bytes a row of n entries and a column: n (entry + 4) + offset for A, two entries for X and Y. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "table.h"

#    include <string.h>

#    define FUR_TEMPLATE "product/spmm/reference.c"
#    include "foreach_type.h"

static fur_status apply(const fur_spmm_call *call)
{
    static void (*const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(const fur_spmm_call *) =
        FUR_TYPE_TABLE(multiply);
    table[call->a->value_type][call->a->offset_type](call);
    return FUR_OK;
}

extern const fur_spmm_kernel ISA(spmm_reference);
const fur_spmm_kernel ISA(spmm_reference) = {
    .info.name = "reference",
    .info.summary = "column after column, row after row on one thread",
    .info.source = "",
    .info.exact = true,
    .apply = apply,
};
#else
#    include "long_sum.h"

static void FN(multiply)(const fur_spmm_call *call)
{
    const fur_vectors_view *x = call->x;
    const fur_vectors_view *y = call->y;
    const OFFSET *offsets = call->a->offsets;
    const int32_t *columns = call->a->columns;
    const VALUE *values = call->a->values;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    for (int64_t j = 0; j < y->cols; j++)
        for (int64_t i = 0; i < y->rows; i++) {
            const VALUE *first = x->data; /* NULL if A has no columns */
            const VALUE *column = first ? first + j * fur_column_step(x) : NULL;
            VALUE sum = FN(plain_row_sum)(values, columns, offsets[i], offsets[i + 1], column,
                                          fur_row_step(x));
            VALUE *entry = (VALUE *)y->data + i * fur_row_step(y) + j * fur_column_step(y);
            *entry =
                V(is_zero)(beta) ? V(mul)(alpha, sum) : V(fma)(alpha, sum, V(mul)(beta, *entry));
        }
}

#endif
