/* SpMV two rows at a time. The two sums do not wait for each other. This hides the latency of the
 * additions if x and A come from the cache. If they come from memory, the two streams cost more
 * than that, because neither prefetches well.
 *
 * Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y.
 *
 * Tried: four rows at a time took 0.048 ms instead of 0.069 on bcsstk16, but `sell` takes 0.033. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "table.h"
#    include "work.h"

#    include <math.h>

#    define FUR_TEMPLATE "product/spmv/row_pairs.c"
#    include "foreach_type.h"

static fur_status apply(const fur_spmv_call *call)
{
    static void (*const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(
        const fur_spmv_call *, int64_t, int64_t) = FUR_TYPE_TABLE(multiply);
    return fur_spmv_by_rows(call, table[call->a->value_type][call->a->offset_type]);
}

/* The work, in this order: entries of pairs that are computed side by side, entries of pairs
 * without a partner, rows, turns, and entries of pairs that are longer than a segment. */
static fur_spmv_work work(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    fur_spmv_work work = fur_csr_work(a, profile);
    double paired = (double)a->entries - profile->long_pairs - profile->lone_entries;
    work.part[0] = fmax(paired, 0);
    work.part[1] = profile->lone_entries;
    work.part[4] = profile->long_pairs;
    return work;
}

extern const fur_spmv_kernel ISA(spmv_row_pairs);
const fur_spmv_kernel ISA(spmv_row_pairs) = {
    .info.name = "row_pairs",
    .info.summary = "as rows, two rows at a time",
    .info.source = "",
    .info.exact = true,
    .work = work,
    .apply = apply,
};
#else
#    include "finish.h"
#    include "row_sum.h"

/* The sums of two rows, each in order. */
static inline void FN(pair_sums)(const VALUE *values, const int32_t *columns, const VALUE *x,
                                 const OFFSET *offsets, VALUE *sum)
{
    OFFSET k = offsets[0];
    OFFSET l = offsets[1];
    OFFSET middle = offsets[1];
    OFFSET end = offsets[2];
    VALUE s = V(from)((fur_scalar){0, 0});
    VALUE t = s;
    for (; k < middle && l < end; k++, l++) {
        s = V(fma)(values[k], x[columns[k]], s);
        t = V(fma)(values[l], x[columns[l]], t);
    }
    for (; k < middle; k++)
        s = V(fma)(values[k], x[columns[k]], s);
    for (; l < end; l++)
        t = V(fma)(values[l], x[columns[l]], t);
    sum[0] = s;
    sum[1] = t;
}

static inline void FN(loop_over_pairs)(const fur_spmv_call *call, int64_t begin, int64_t end,
                                       bool overwrite)
{
    const OFFSET *offsets = call->a->offsets;
    const int32_t *columns = call->a->columns;
    const VALUE *values = call->a->values;
    const VALUE *x = call->x;
    VALUE *y = call->y;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    for (int64_t i = begin; i < end; i += 2) {
        VALUE sum[2];
        if (offsets[i + 2] - offsets[i] <= FUR_ROW_SEGMENT) {
            FN(pair_sums)(values, columns, x, offsets + i, sum);
        } else {
            sum[0] = FN(row_sum)(values, columns, x, offsets[i], offsets[i + 1]);
            sum[1] = FN(row_sum)(values, columns, x, offsets[i + 1], offsets[i + 2]);
        }
        FN(finish)(alpha, sum[0], beta, overwrite, &y[i]);
        FN(finish)(alpha, sum[1], beta, overwrite, &y[i + 1]);
    }
}

static void FN(multiply)(const fur_spmv_call *call, int64_t begin, int64_t end)
{
    int64_t even = begin + (end - begin) / 2 * 2;
    if (FN(overwrites)(call))
        FN(loop_over_pairs)(call, begin, even, true);
    else
        FN(loop_over_pairs)(call, begin, even, false);
    FN(multiply_rows)(call, even, end);
}
#endif
