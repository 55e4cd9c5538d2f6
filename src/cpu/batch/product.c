/* Products of systems side by side. A thread has consecutive rows. In each row the sums of up to
 * four registers of systems stay in registers while all entries of the row are added. Each entry is
 * one stream through memory.
 *
 * Bytes a row of n entries and system: n entries of A, two of x and y. Columns and offsets are read
 * once for all systems. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "table.h"

#    define MAX_REGISTERS 4
/* Sums of a long row side by side. */
#    define SUMS_SIDE (MAX_REGISTERS * WIDTH)

#    define FUR_TEMPLATE "batch/product.c"
#    include "foreach_value.h"

typedef void multiply_rows(const fur_batch_call *call, int64_t begin, int64_t end);

typedef struct cut_product {
    const fur_batch_call *call;
    int parts;
    multiply_rows *multiply;
} cut_product;

static void multiply_parts(void *job, int64_t begin, int64_t end)
{
    const cut_product *p = job;
    const fur_csr_view *a = p->call->a.pattern;
    for (int64_t part = begin; part < end; part++)
        p->multiply(p->call, fur_balanced_row(a, p->parts, (int)part),
                    fur_balanced_row(a, p->parts, (int)part + 1));
}

extern fur_status ISA(batch_apply)(const fur_batch_call *call);
fur_status ISA(batch_apply)(const fur_batch_call *call)
{
    static multiply_rows *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(multiply);
    const fur_csr_view *a = call->a.pattern;
    double work = (double)(a->entries + a->rows) * (double)call->y->cols;
    cut_product p = {.call = call, .multiply = table[call->a.values->value_type]};
    p.parts = fur_parts(call->env->threads, (int64_t)(work / FUR_SPMV_GRAIN));
    fur_parallel(call->env, p.parts, p.parts, multiply_parts, &p);
    return FUR_OK;
}
#else
#    include "finish.h"
#    include "long_sum.h"

typedef FUR_WIDE_LANES(VALUE_NAME) FN(wide);

INLINE FN(wide) FN(load)(const VALUE *p, bool whole, unsigned mask)
{
    return whole ? W(load)(p) : W(load_some)(p, mask);
}

/* The sums of entries begin, begin + step, ... before `end`, for some registers of systems from
 * `first` on. `registers` and `whole` are constants. If not `whole`, the last register has only the
 * systems of the mask. */
INLINE void FN(sum_entries)(const fur_batch_call *call, int registers, bool whole, unsigned mask,
                            int64_t begin, int64_t end, int step, int64_t first, FN(wide) * sum)
{
    const int32_t *columns = call->a.pattern->columns;
    for (int r = 0; r < registers; r++)
        sum[r] = W(zero)();
    for (int64_t k = begin; k < end; k += step) {
        const VALUE *value =
            (const VALUE *)call->a.values->data + k * call->a.values->stride + first;
        const VALUE *entry = (const VALUE *)call->x->data + columns[k] * call->x->stride + first;
        for (int r = 0; r < registers; r++) {
            bool all = whole || r < registers - 1;
            sum[r] = W(madd)(FN(load)(value + (ptrdiff_t)r * WIDTH, all, mask),
                             FN(load)(entry + (ptrdiff_t)r * WIDTH, all, mask), sum[r]);
        }
    }
}

/* Stores the sums of one lane of a segment in memory. */
INLINE void FN(store_lane)(const fur_batch_call *call, int registers, bool whole, unsigned mask,
                           int64_t begin, int64_t end, int64_t first, VALUE *lane)
{
    FN(wide) sum[MAX_REGISTERS];
    FN(sum_entries)(call, registers, whole, mask, begin, end, FUR_ROW_LANES, first, sum);
    for (int r = 0; r < registers; r++)
        W(store)(lane + (ptrdiff_t)r * WIDTH, sum[r]);
}

/* The sums of a row of more than one segment, for MAX_REGISTERS registers of systems, for one
 * register, or for one partial register. Not inlined, because it would slow down the loop over
 * ordinary rows. */
static __attribute__((noinline)) void FN(sum_long_row)(const fur_batch_call *call, int registers,
                                                       bool whole, unsigned mask, int64_t begin,
                                                       int64_t end, int64_t first, VALUE *sums)
{
    FN(long_sum) s;
    FN(abreast) lane[FUR_ROW_LANES];
    FN(long_start)(&s, registers * WIDTH);
    for (; begin < end; begin += FUR_ROW_SEGMENT) {
        int64_t stop = fur_smaller(end, begin + FUR_ROW_SEGMENT);
        for (int l = 0; l < FUR_ROW_LANES; l++)
            if (registers > 1)
                FN(store_lane)(call, MAX_REGISTERS, true, 0, begin + l, stop, first, lane[l]);
            else if (whole)
                FN(store_lane)(call, 1, true, 0, begin + l, stop, first, lane[l]);
            else
                FN(store_lane)(call, 1, false, mask, begin + l, stop, first, lane[l]);
        FN(add_segment)(&s, lane);
    }
    FN(long_total)(&s, sums);
}

/* Row i for some registers of systems from the first on. */
INLINE void FN(multiply_some)(const fur_batch_call *call, int registers, bool whole, unsigned mask,
                              int64_t i, int64_t first)
{
    VALUE lane[MAX_REGISTERS * WIDTH];
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    bool overwrite = V(is_zero)(beta);
    int count = whole ? registers * WIDTH : (registers - 1) * WIDTH + __builtin_popcount(mask);
    VALUE *y = (VALUE *)call->y->data + i * call->y->stride + first;
    int64_t begin = fur_offset_at(call->a.pattern, i);
    int64_t end = fur_offset_at(call->a.pattern, i + 1);
    if (end - begin > FUR_ROW_SEGMENT) {
        FN(sum_long_row)(call, registers, whole, mask, begin, end, first, lane);
    } else {
        FN(wide) sum[MAX_REGISTERS];
        FN(sum_entries)(call, registers, whole, mask, begin, end, 1, first, sum);
        for (int r = 0; r < registers; r++)
            W(store)(lane + (ptrdiff_t)r * WIDTH, sum[r]);
    }
    for (int s = 0; s < count; s++)
        FN(finish)(alpha, lane[s], beta, overwrite, y + s);
}

/* Rows begin .. end-1. */
static void FN(multiply)(const fur_batch_call *call, int64_t begin, int64_t end)
{
    const int64_t tile = MAX_REGISTERS * WIDTH;
    const int64_t count = call->y->cols;
    const unsigned mask = (1U << count % WIDTH) - 1;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = 0;
        for (; count - first >= tile; first += tile)
            FN(multiply_some)(call, MAX_REGISTERS, true, 0, i, first);
        for (; count - first >= WIDTH; first += WIDTH)
            FN(multiply_some)(call, 1, true, 0, i, first);
        if (first < count)
            FN(multiply_some)(call, 1, false, mask, i, first);
    }
}

#endif
