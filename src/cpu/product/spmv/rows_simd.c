/* SpMV with the lanes of a vector register along each row ("rows_simd"). A row has eight partial
 * sums, which are folded in halves at its end. The order of additions, and so the last bits, differ
 * from the other kernels. They are the same on every instruction set.
 *
 * Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"

#    define FUR_TEMPLATE "product/spmv/rows_simd.c"
#    include "foreach_type.h"

static fur_status apply(const fur_spmv_call *call)
{
    static void (*const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(
        const fur_spmv_call *, int64_t, int64_t) = FUR_TYPE_TABLE(multiply);
    return fur_spmv_by_rows(call, table[call->a->value_type][call->a->offset_type]);
}

extern const fur_spmv_kernel ISA(spmv_rows_simd);
const fur_spmv_kernel ISA(spmv_rows_simd) = {
    .info.name = "rows_simd",
    .info.summary = "as rows, with eight partial sums along each row",
    .info.source = "",
    .info.exact = false,
    .apply = apply,
};
#else
#    include "finish.h"
#    include "long_row.h"

static void FN(multiply)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    const OFFSET *offsets = call->a->offsets;
    const int32_t *columns = call->a->columns;
    const VALUE *values = call->a->values;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    VALUE *y = call->y;
    bool overwrite = FN(overwrites)(call);
    for (int64_t i = begin; i < end; i++) {
        VALUE sum = FN(folded_sum)(values, columns, offsets[i], offsets[i + 1], call->x);
        FN(finish)(alpha, sum, beta, overwrite, &y[i]);
    }
}
#endif
