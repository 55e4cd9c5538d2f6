/* Rows of CSR times x, shared by the kernels that walk CSR rows. A template over VALUE and OFFSET
 * (foreach_type.h). */
#include "long_row.h"

/* sum of values[k] x[columns[k]] over begin <= k < end, in order */
static inline VALUE FN(segment_sum)(const VALUE *values, const int32_t *columns, const VALUE *x,
                                    OFFSET begin, OFFSET end)
{
    VALUE sum = V(from)((fur_scalar){0, 0});
    for (OFFSET k = begin; k < end; k++)
        sum = V(fma)(values[k], x[columns[k]], sum);
    return sum;
}

static inline VALUE FN(row_sum)(const VALUE *values, const int32_t *columns, const VALUE *x,
                                OFFSET begin, OFFSET end)
{
    return end - begin <= FUR_ROW_SEGMENT
               ? FN(segment_sum)(values, columns, x, begin, end)
               : FN(long_row_sum)(values + begin, columns + begin, end - begin, x);
}

static inline void FN(loop_over_rows)(const fur_spmv_call *call, int64_t begin, int64_t end,
                                      bool overwrite)
{
    const OFFSET *offsets = call->a->offsets;
    const int32_t *columns = call->a->columns;
    const VALUE *values = call->a->values;
    const VALUE *x = call->x;
    VALUE *y = call->y;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    for (int64_t i = begin; i < end; i++) {
        VALUE sum = FN(row_sum)(values, columns, x, offsets[i], offsets[i + 1]);
        FN(finish)(alpha, sum, beta, overwrite, &y[i]);
    }
}

/* y_i = alpha (A x)_i + beta y_i for begin <= i < end. One copy of the loop reads y, the other does
 * not. */
static void FN(multiply_rows)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    if (FN(overwrites)(call))
        FN(loop_over_rows)(call, begin, end, true);
    else
        FN(loop_over_rows)(call, begin, end, false);
}
