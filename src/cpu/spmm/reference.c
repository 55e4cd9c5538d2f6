/* SpMM, reference: one column after the other, one row after the other, on one thread, to be read
 * and compared with.
 *
 * Bytes a row of n entries and a column: n (entry + 4) + offset for A, two entries for X and Y. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "table.h"

#    define FUR_TEMPLATE "spmm/reference.c"
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

/* The sum of row i for a column of X whose entries lie `step` apart. */
static VALUE FN(row_sum)(const fur_csr_view *a, int64_t i, const VALUE *x, int64_t step)
{
    const OFFSET *offsets = a->offsets;
    const VALUE *values = a->values;
    VALUE sum = V(from)((fur_scalar){0, 0});
    VALUE segment = sum;
    for (OFFSET k = offsets[i]; k < offsets[i + 1]; k++) {
        segment = V(fma)(values[k], x[a->columns[k] * step], segment);
        bool full = (k - offsets[i]) % FUR_ROW_SEGMENT == FUR_ROW_SEGMENT - 1;
        if (full || k + 1 == offsets[i + 1]) {
            sum = k - offsets[i] < FUR_ROW_SEGMENT ? segment : V(add)(sum, segment);
            segment = V(from)((fur_scalar){0, 0});
        }
    }
    return sum;
}

static void FN(multiply)(const fur_spmm_call *call)
{
    const fur_vectors_view *x = call->x;
    const fur_vectors_view *y = call->y;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    for (int64_t j = 0; j < y->cols; j++)
        for (int64_t i = 0; i < y->rows; i++) {
            const VALUE *first = x->data; /* NULL: A without columns */
            const VALUE *column = first ? first + j * fur_column_step(x) : NULL;
            VALUE sum = FN(row_sum)(call->a, i, column, fur_row_step(x));
            VALUE *entry = (VALUE *)y->data + i * fur_row_step(y) + j * fur_column_step(y);
            *entry =
                V(is_zero)(beta) ? V(mul)(alpha, sum) : V(fma)(alpha, sum, V(mul)(beta, *entry));
        }
}

#endif
