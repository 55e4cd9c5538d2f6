/* SpMV with the lanes of a vector register along each row ("rows_simd"): eight partial sums, folded
 * in halves at the end of the row. The order of additions, hence the last bits, differ from the
 * other kernels; they are the same on every instruction set.
 *
 * Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "table.h"

#    define FUR_TEMPLATE "spmv/rows_simd.c"
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

static inline VALUE FN(folded_row)(const VALUE *values, const int32_t *columns, const VALUE *x,
                                   OFFSET begin, OFFSET end)
{
    FUR_LANES(VALUE_NAME) sum = V(zero)();
    OFFSET k = begin;
    for (; k + LANES <= end; k += LANES)
        sum = V(madd)(V(load)(values + k), V(gather)(x, columns + k), sum);
    if (k < end) {
        unsigned mask = (1u << (end - k)) - 1;
        sum = V(madd_some)(V(load_some)(values + k, mask), V(gather_some)(x, columns + k, mask),
                           sum, mask);
    }
    return V(fold)(sum);
}

static void FN(multiply)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    const OFFSET *offsets = call->a->offsets;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    VALUE *y = call->y;
    bool overwrite = FN(overwrites)(call);
    for (int64_t i = begin; i < end; i++) {
        VALUE sum =
            FN(folded_row)(call->a->values, call->a->columns, call->x, offsets[i], offsets[i + 1]);
        FN(finish)(alpha, sum, beta, overwrite, &y[i]);
    }
}
#endif
