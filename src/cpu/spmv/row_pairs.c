/* SpMV two rows at a time: their sums do not wait for each other, which hides the latency of the
 * additions where x and A come from the cache. Where they do not, the two streams cost more than
 * that, as neither prefetches well.
 *
 * Bytes a row of n entries: n (entry + 4) + offset for A, two entries for x and y. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "cost.h"
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "table.h"

#    define FUR_TEMPLATE "spmv/row_pairs.c"
#    include "foreach_type.h"

static fur_status apply(const fur_spmv_call *call)
{
    static void (*const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT])(
        const fur_spmv_call *, int64_t, int64_t) = FUR_TYPE_TABLE(multiply);
    return fur_spmv_by_rows(call, table[call->a->value_type][call->a->offset_type]);
}

/* Pairs looked at for the estimate. */
#    define SAMPLES 256

/* Share of the entries that stand alone, as the other row of the pair has ended. */
static double unpaired_share(const fur_csr_view *a)
{
    int64_t pairs = a->rows / 2;
    int samples = pairs < SAMPLES ? (int)pairs : SAMPLES;
    int64_t unpaired = 0;
    int64_t entries = 0;
    for (int i = 0; i < samples; i++) {
        int64_t row = 2 * fur_split(pairs, samples, i);
        int64_t middle = fur_offset_at(a, row + 1);
        int64_t first = middle - fur_offset_at(a, row);
        int64_t second = fur_offset_at(a, row + 2) - middle;
        unpaired += first > second ? first - second : second - first;
        entries += first + second;
    }
    return entries > 0 ? (double)unpaired / (double)entries : 0;
}

static fur_spmv_cost cost(const fur_csr_view *a, const fur_spmv_profile *profile)
{
    return fur_csr_cost(a, profile, 0.43 + 0.2 * unpaired_share(a), 0.8, 2.0);
}

extern const fur_spmv_kernel ISA(spmv_row_pairs);
const fur_spmv_kernel ISA(spmv_row_pairs) = {
    .info.name = "row_pairs",
    .info.summary = "as rows, two rows at a time",
    .info.source = "",
    .info.exact = true,
    .cost = cost,
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
