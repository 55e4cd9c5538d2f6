/* Products of two blocks of vectors at the entries of a matrix, for row-major blocks.
 *
 * Threads have equal shares of the entries. Up to GROUP entries of a row are computed side by side.
 * A register of the row of X is multiplied by one register of each entry's row of Y. The lanes of
 * the sums stay in registers.
 *
 * Bytes an entry and k columns: k entries for its row of Y, column, value (two with beta). A row:
 * offset, k entries of X.
 *
 * Tried: prefetching 512 bytes of a row of Y, or whole rows, gave 0.67 and 0.9 of the plain loop's
 * speed for 7 points with 128 columns. */
#ifndef FUR_TEMPLATE
#    include "balance.h"
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "stream.h"
#    include "table.h"

_Static_assert(FUR_SDDMM_LANES == LANES, "lanes of the CPU's registers");

/* The most entries that are computed side by side. */
#    define GROUP 4
/* A row of Y is prefetched AHEAD entries before its use, but only its first AHEAD_BYTES bytes.
 * Hardware prefetches the rest of a long row. */
#    define AHEAD 16
#    define AHEAD_BYTES 256

#    define FUR_TEMPLATE "product/sddmm/sddmm.c"
#    include "foreach_type.h"

typedef void sample_entries(const fur_sddmm_call *call, int64_t begin, int64_t end);

typedef struct cut_sampling {
    const fur_sddmm_call *call;
    int parts;
    sample_entries *sample;
} cut_sampling;

static void sample_parts(void *job, int64_t begin, int64_t end)
{
    const cut_sampling *s = job;
    int64_t entries = s->call->a->entries;
    s->sample(s->call, fur_split(entries, s->parts, (int)begin),
              fur_split(entries, s->parts, (int)end));
}

extern fur_sddmm ISA(sddmm);
fur_status ISA(sddmm)(const fur_sddmm_call *call)
{
    static sample_entries *const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] = FUR_TYPE_TABLE(sample);
    const fur_csr_view *a = call->a;
    cut_sampling s = {.call = call, .sample = table[a->value_type][a->offset_type]};
    double work = (double)a->entries * (double)(call->x->cols + LANES);
    s.parts = fur_parts(call->env->threads, (int64_t)(work / (LANES * FUR_SPMV_GRAIN)));
    fur_parallel(call->env, s.parts, s.parts, sample_parts, &s);
    return FUR_OK;
}
#else
#    include "finish.h"

/* The operands of a sampling, with their types. */
typedef struct FN(sampling) {
    const OFFSET *offsets;
    const int32_t *columns;
    const VALUE *old;
    VALUE *values;
    int64_t last; /* entry */
    const VALUE *x;
    int64_t x_row;
    const VALUE *y;
    int64_t y_row;
    int64_t cols;
    VALUE alpha;
    VALUE beta;
    bool overwrite;
} FN(sampling);

static FN(sampling) FN(open)(const fur_sddmm_call *call)
{
    const fur_csr_view *a = call->a;
    VALUE beta = V(from)(call->beta);
    return (FN(sampling)){
        .offsets = a->offsets,
        .columns = a->columns,
        .old = a->values,
        .values = call->values,
        .last = a->entries - 1,
        .x = call->x->data,
        .x_row = call->x->stride,
        .y = call->y->data,
        .y_row = call->y->stride,
        .cols = call->x->cols,
        .alpha = V(from)(call->alpha),
        .beta = beta,
        .overwrite = V(is_zero)(beta),
    };
}

/* Row i of a block. The block may have no columns and no memory. */
static inline const VALUE *FN(row_at)(const VALUE *block, int64_t row, int64_t i)
{
    return block ? block + i * row : block;
}

/* Prefetches the row of Y of an entry. */
INLINE void FN(prefetch_row)(const FN(sampling) * s, int64_t entry)
{
    const VALUE *row = FN(row_at)(s->y, s->y_row, s->columns[fur_smaller(entry, s->last)]);
    const int64_t bytes = fur_smaller(s->cols * (int64_t)sizeof *row, AHEAD_BYTES);
    for (int64_t byte = 0; byte < bytes; byte += FUR_STREAM_LINE)
        __builtin_prefetch((const char *)row + byte);
}

/* Adds products to the sums' lanes, for eight columns from column t on. If the constant `whole` is
 * false, only the lanes of the mask take part. */
INLINE void FN(add_columns)(const VALUE *x, const VALUE *const *y, int count, int64_t t, bool whole,
                            unsigned mask, FUR_LANES(VALUE_NAME) * sum)
{
    FUR_LANES(VALUE_NAME) part = whole ? V(load)(x + t) : V(load_some)(x + t, mask);
#    pragma GCC unroll 4
    for (int g = 0; g < count; g++)
        sum[g] = whole ? V(madd_conj)(part, V(load)(y[g] + t), sum[g])
                       : V(madd_conj_some)(part, V(load_some)(y[g] + t, mask), sum[g], mask);
}

/* Computes `count` entries of a row, from entry e on. `count` is a constant. */
INLINE void FN(sample_group)(const FN(sampling) * s, int count, const VALUE *x, int64_t e)
{
    FUR_LANES(VALUE_NAME) sum[GROUP];
    const VALUE *y[GROUP];
    int64_t t = 0;
#    pragma GCC unroll 4
    for (int g = 0; g < count; g++) {
        sum[g] = V(zero)();
        y[g] = FN(row_at)(s->y, s->y_row, s->columns[e + g]);
        FN(prefetch_row)(s, e + g + AHEAD);
    }
    for (; t + LANES <= s->cols; t += LANES)
        FN(add_columns)(x, y, count, t, true, ALL_LANES, sum);
    if (t < s->cols)
        FN(add_columns)(x, y, count, t, false, (unsigned)fur_bits_below(s->cols - t), sum);
#    pragma GCC unroll 4
    for (int g = 0; g < count; g++)
        s->values[e + g] =
            FN(combine)(s->alpha, V(conj)(V(fold)(sum[g])), s->beta, s->overwrite, s->old + e + g);
}

/* Entries begin .. end-1 of one row. The registers limit how many are computed side by side. */
static void FN(sample_row)(const FN(sampling) * s, const VALUE *x, int64_t begin, int64_t end)
{
    const int group = sizeof(VALUE) > 8 ? GROUP / 2 : GROUP;
    int64_t e = begin;
    for (; e + group <= end; e += group)
        FN(sample_group)(s, group, x, e);
    for (; e < end; e++)
        FN(sample_group)(s, 1, x, e);
}

/* The row of an entry: the last row that begins at or before it. */
static int64_t FN(row_of)(const OFFSET *offsets, int64_t rows, int64_t entry)
{
    int64_t low = 0;
    int64_t high = rows;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (offsets[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void FN(sample)(const fur_sddmm_call *call, int64_t begin, int64_t end)
{
    const FN(sampling) s = FN(open)(call);
    int64_t row = begin < end ? FN(row_of)(s.offsets, call->a->rows, begin) : 0;
    for (; begin < end; row++) {
        int64_t stop = fur_smaller(s.offsets[row + 1], end);
        if (begin < stop)
            FN(sample_row)(&s, FN(row_at)(s.x, s.x_row, row), begin, stop);
        begin = fur_larger(begin, stop);
    }
}

#endif
