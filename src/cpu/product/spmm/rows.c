/* SpMM by rows of CSR: parts of consecutive rows with equal shares of entries plus rows.
 *
 * If X is row-major, a register holds contiguous columns of a row of X, and up to four registers
 * hold the sums of a row of Y. An entry of A is then read once for 4 registers of columns, and
 * multiplies whole cache lines of X. If X is column-major, the sums of four columns are computed
 * side by side. Y may have either layout. (Yang, Buluc and Owens 2018 use the first form on GPUs.)
 *
 * Bytes a row of n entries: n (entry + 4) + offset for A, two entries a column for X and Y. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "stream.h"
#    include "table.h"

/* Rows that are computed before their next columns. In column-major order, GROUP columns are
 * computed side by side. */
#    define NEAR_ROWS 64
/* A row of X is prefetched this many entries of A before its use. Hardware follows streams, but not
 * jumps from row to row. */
#    define AHEAD 24
#    define GROUP 4
/* Sums of a long row that are computed side by side. */
#    define SUMS_SIDE (MAX_REGISTERS * WIDTH)

#    define FUR_TEMPLATE "product/spmm/rows.c"
#    include "foreach_type.h"

typedef void multiply_rows(const fur_spmm_call *call, int64_t begin, int64_t end);

typedef struct cut_product {
    const fur_spmm_call *call;
    int parts;
    multiply_rows *multiply;
} cut_product;

static void multiply_parts(void *job, int64_t begin, int64_t end)
{
    const cut_product *p = job;
    const fur_csr_view *a = p->call->a;
    for (int64_t part = begin; part < end; part++)
        p->multiply(p->call, fur_balanced_row(a, p->parts, (int)part),
                    fur_balanced_row(a, p->parts, (int)part + 1));
    fur_stream_end();
}

static fur_status apply(const fur_spmm_call *call)
{
    static multiply_rows *const by_rows[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(multiply_row_major);
    static multiply_rows *const by_columns[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(multiply_column_major);
    const fur_csr_view *a = call->a;
    cut_product p = {.call = call};
    p.parts = fur_parts(call->env->threads, (int64_t)((double)(a->entries + a->rows) *
                                                      (double)call->y->cols / FUR_SPMV_GRAIN));
    p.multiply =
        (call->x->layout == FUR_LAYOUT_ROWS ? by_rows : by_columns)[a->value_type][a->offset_type];
    fur_parallel(call->env, p.parts, p.parts, multiply_parts, &p);
    return FUR_OK;
}

extern const fur_spmm_kernel ISA(spmm_rows);
const fur_spmm_kernel ISA(spmm_rows) = {
    .info.name = "rows",
    .info.summary = "parts of consecutive rows, columns in registers",
    .info.source = "after Yang, Buluc, Owens 2018",
    .info.exact = true,
    .apply = apply,
};
#else
#    include "finish.h"
#    include "columns.h"
#    include "long_row.h"

/* The operands of a product, with their types. */
typedef struct FN(product) {
    const OFFSET *offsets;
    const int32_t *columns;
    const VALUE *values;
    int64_t last; /* entry */
    const VALUE *x;
    int64_t x_row;
    int64_t x_column;
    VALUE *y;
    int64_t y_row;
    int64_t y_column;
    int64_t cols;
    FN(ending) end;
} FN(product);

static FN(product) FN(open)(const fur_spmm_call *call)
{
    const fur_vectors_view *x = call->x;
    const fur_vectors_view *y = call->y;
    return (FN(product)){
        .offsets = call->a->offsets,
        .columns = call->a->columns,
        .values = call->a->values,
        .last = call->a->entries - 1,
        .x = x->data,
        .x_row = fur_row_step(x),
        .x_column = fur_column_step(x),
        .y = y->data,
        .y_row = fur_row_step(y),
        .y_column = fur_column_step(y),
        .cols = y->cols,
        .end = FN(ending_of)(call->alpha, call->beta, y),
    };
}

/* Prefetches all cache lines of some registers of columns: one more if rows do not begin with a
 * line. */
INLINE void FN(prefetch_columns)(const VALUE *row, int registers)
{
    const int bytes = registers * WIDTH * (int)sizeof *row;
#    pragma GCC unroll 8
    for (int byte = 0; byte < bytes; byte += FUR_STREAM_LINE)
        __builtin_prefetch((const char *)row + byte);
    __builtin_prefetch((const char *)row + bytes - 1);
}

/* The sums of the entries begin, begin + step, ... before `end` of a row, for some registers of
 * columns. */
INLINE void FN(sum_entries)(const FN(product) * p, int registers, bool whole, unsigned mask,
                            int64_t begin, int64_t end, int step, const VALUE *x, FN(wide) * sum)
{
#    pragma GCC unroll 4
    for (int r = 0; r < registers; r++)
        sum[r] = W(zero)();
    for (int64_t k = begin; k < end; k += step) {
        FN(wide) value = W(all)(p->values[k]);
        const VALUE *row = x + p->columns[k] * p->x_row;
        FN(prefetch_columns)
        (x + p->columns[fur_smaller(k + AHEAD * step, p->last)] * p->x_row, registers);
#    pragma GCC unroll 4
        for (int r = 0; r < registers; r++)
            sum[r] = W(madd)(
                value,
                FN(load_columns)(row + (ptrdiff_t)r * WIDTH, whole || r < registers - 1, mask),
                sum[r]);
    }
}

/* Stores the sums of one lane of a segment in memory. */
INLINE void FN(store_lane)(const FN(product) * p, int64_t begin, int64_t end, const VALUE *x,
                           VALUE *lane, unsigned mask, int registers, bool whole)
{
    FN(wide) sum[MAX_REGISTERS];
    FN(sum_entries)(p, registers, whole, mask, begin, end, FUR_ROW_LANES, x, sum);
    for (int r = 0; r < registers; r++)
        W(store)(lane + (ptrdiff_t)r * WIDTH, sum[r]);
}

/* The sums of a row of more than one segment for `count` columns. Not inlined, because it would
 * slow down the loop over ordinary rows. */
static __attribute__((noinline)) void FN(sum_long_row)(const FN(product) * p, int count,
                                                       OFFSET begin, OFFSET end, const VALUE *x,
                                                       VALUE *sums)
{
    FN(long_sum) s;
    FN(abreast) lane[FUR_ROW_LANES];
    FN(long_start)(&s, (count + WIDTH - 1) / WIDTH * WIDTH);
    for (OFFSET stop = begin; begin < end; begin = stop) {
        stop = end - begin > FUR_ROW_SEGMENT ? begin + FUR_ROW_SEGMENT : end;
        for (int l = 0; l < FUR_ROW_LANES; l++)
            FUR_WITH_REGISTERS(count, FN(store_lane), p, begin + l, stop, x, lane[l]);
        FN(add_segment)(&s, lane);
    }
    FN(long_total)(&s, sums);
}

/* The end of a product for columns of a row of Y that are not contiguous. */
static void FN(scatter_columns)(const FN(product) * p, int count, const VALUE *sum, VALUE *y)
{
    for (int j = 0; j < count; j++)
        FN(finish)(p->end.alpha, sum[j], p->end.beta, p->end.overwrite, y + j * p->y_column);
}

/* Rows begin .. end-1 for some registers of columns from `first` on. `registers` and `whole` are
 * constants. If not `whole`, the last register has only the columns of the mask. */
INLINE void FN(multiply_columns)(const FN(product) * p, int64_t begin, int64_t end, int64_t first,
                                 unsigned mask, int registers, bool whole)
{
    if (begin == end)
        return;
    const VALUE *x = p->x ? p->x + first : NULL; /* NULL if A has no columns */
    VALUE *y = p->y + begin * p->y_row + first * p->y_column;
    const int count =
        whole ? registers * WIDTH : (registers - 1) * WIDTH + __builtin_popcount(mask);
    for (int64_t i = begin; i < end; i++, y += p->y_row) {
        FN(wide) sum[MAX_REGISTERS];
        VALUE lane[MAX_REGISTERS * WIDTH];
        OFFSET from = p->offsets[i];
        OFFSET stop = p->offsets[i + 1];
        if (stop - from > FUR_ROW_SEGMENT) {
            FN(sum_long_row)(p, count, from, stop, x, lane);
#    pragma GCC unroll 4
            for (int r = 0; r < registers; r++)
                sum[r] = W(load)(lane + (ptrdiff_t)r * WIDTH);
        } else {
            FN(sum_entries)(p, registers, whole, mask, from, stop, 1, x, sum);
        }
        if (p->y_column == 1) {
#    pragma GCC unroll 4
            for (int r = 0; r < registers; r++)
                FN(finish_columns)
            (&p->end, whole || r < registers - 1, mask, sum[r], y + (ptrdiff_t)r * WIDTH);
        } else {
#    pragma GCC unroll 4
            for (int r = 0; r < registers; r++)
                W(store)(lane + (ptrdiff_t)r * WIDTH, sum[r]);
            FN(scatter_columns)(p, count, lane, y);
        }
    }
}

static void FN(multiply_some_columns)(const FN(product) * p, int count, int64_t begin, int64_t end,
                                      int64_t first)
{
    FUR_WITH_REGISTERS(count, FN(multiply_columns), p, begin, end, first);
}

/* Computes NEAR_ROWS rows at a time, so that they are in a cache for the next columns. */
static void FN(multiply_row_major)(const fur_spmm_call *call, int64_t begin, int64_t end)
{
    const FN(product) p = FN(open)(call);
    const int64_t block = MAX_REGISTERS * WIDTH;
    for (int64_t i = begin; i < end; i += NEAR_ROWS)
        for (int64_t first = 0; first < p.cols; first += block)
            FN(multiply_some_columns)
    (&p, (int)fur_smaller(block, p.cols - first), i, fur_smaller(end, i + NEAR_ROWS), first);
}

/* Adds entries to the sums of `count` columns. `count` is a constant. */
INLINE void FN(add_entries_of)(const FN(product) * p, int count, OFFSET begin, OFFSET end,
                               const VALUE *x, VALUE *sum)
{
    for (OFFSET k = begin; k < end; k++) {
        VALUE value = p->values[k];
        const VALUE *entry = x + p->columns[k] * p->x_row;
#    pragma GCC unroll 4
        for (int g = 0; g < count; g++)
            sum[g] = V(fma)(value, entry[g * p->x_column], sum[g]);
    }
}

/* `count` columns from `first` on, of rows begin .. end-1. */
INLINE void FN(multiply_group)(const FN(product) * p, int count, int64_t begin, int64_t end,
                               int64_t first)
{
    const VALUE *x = p->x ? p->x + first * p->x_column : NULL; /* NULL if A has no columns */
    for (int64_t i = begin; i < end; i++) {
        VALUE sum[GROUP];
        OFFSET from = p->offsets[i];
        OFFSET last = p->offsets[i + 1];
#    pragma GCC unroll 4
        for (int g = 0; g < count; g++)
            sum[g] = V(from)((fur_scalar){0, 0});
        if (last - from <= FUR_ROW_SEGMENT)
            FN(add_entries_of)(p, count, from, last, x, sum);
        else
            for (int g = 0; g < count; g++)
                sum[g] = FN(long_row_sum)(p->values + from, p->columns + from, last - from,
                                          x + g * p->x_column);
        FN(scatter_columns)(p, count, sum, p->y + i * p->y_row + first * p->y_column);
    }
}

static void FN(multiply_column_major)(const fur_spmm_call *call, int64_t begin, int64_t end)
{
    const FN(product) p = FN(open)(call);
    int64_t first = 0;
    for (; p.cols - first >= GROUP; first += GROUP)
        FN(multiply_group)(&p, GROUP, begin, end, first);
    for (; first < p.cols; first++)
        FN(multiply_group)(&p, 1, begin, end, first);
}

#endif
