/* Stencils on row-major blocks of vectors. Blocks of lines advance along z, as for one vector
 * (cut.h).
 *
 * All points of a line have the same terms, except near its ends. These terms are found once for a
 * line. A coefficient is loaded once for four registers of columns, which are whole cache lines of
 * X.
 *
 * Bytes a point: two entries a column for X and Y, and one for each field. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "cut.h"
#    include "stream.h"
#    include "table.h"

/* Points that are computed before their next columns. */
#    define NEAR_POINTS 64
/* Sums of a long row that are computed side by side. */
#    define SUMS_SIDE (MAX_REGISTERS * WIDTH)

#    define FUR_TEMPLATE "stencil/block.c"
#    include "foreach_value.h"

typedef void multiply_slices(const fur_stencil_block_call *call, const fur_cut *cut, int64_t begin,
                             int64_t end);

typedef struct sliced_block {
    const fur_stencil_block_call *call;
    fur_cut cut;
    multiply_slices *multiply;
} sliced_block;

static void multiply_some(void *job, int64_t begin, int64_t end)
{
    const sliced_block *b = job;
    b->multiply(b->call, &b->cut, begin, end);
    fur_stream_end();
}

extern fur_stencil_block ISA(stencil_block);
fur_status ISA(stencil_block)(const fur_stencil_block_call *call)
{
    static multiply_slices *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(multiply);
    const fur_stencil_view *s = call->s;
    sliced_block b = {.call = call, .multiply = table[s->value_type]};
    b.cut = fur_cut_of(s, call->y->cols * (int64_t)fur_value_size(s->value_type));
    double entries = (double)fur_stencil_rows(s) * (double)call->y->cols;
    fur_parallel(call->env, (int64_t)(entries / FUR_POINT_GRAIN), b.cut.slices, multiply_some, &b);
    return FUR_OK;
}
#else
#    include "columns.h"
#    include "long_sum.h"

/* A term of the points of a line. Its row of X is `step` entries away. Its coefficient is at c, or
 * in the field that begins at c. */
typedef struct FN(point_term) {
    ptrdiff_t step;
    const VALUE *c;
} FN(point_term);

/* Points of a line that have the same terms. */
typedef struct FN(points) {
    const fur_stencil_block_call *call;
    const VALUE *x;
    VALUE *y;
    bool fields;
    FN(ending) end;
    int count;
    FN(point_term) terms[FUR_STENCIL_POINTS];
} FN(points);

/* The terms of a point in the order of the offsets. */
static void FN(list_terms)(FN(points) * of, const int64_t at[3])
{
    const fur_stencil_view *s = of->call->s;
    int64_t p = at[0] + s->extent[0] * (at[1] + s->extent[1] * at[2]);
    const VALUE *constants = s->coefficients;
    of->count = 0;
    for (int k = 0; k < s->points; k++) {
        int64_t neighbour = fur_stencil_neighbour(s, at, s->offsets[k]);
        if (neighbour >= 0)
            of->terms[of->count++] = (FN(point_term)){(neighbour - p) * of->call->x->stride,
                                                      constants ? constants + k : s->fields[k]};
    }
}

/* The sums of terms begin, begin + step, ... before `end` at point p. x is the row of X at p. */
INLINE void FN(sum_terms)(const FN(points) * of, int begin, int end, int step, int64_t p,
                          const VALUE *x, unsigned mask, int registers, bool whole, FN(wide) * sum)
{
#    pragma GCC unroll 4
    for (int r = 0; r < registers; r++)
        sum[r] = W(zero)();
    for (int k = begin; k < end; k += step) {
        const FN(point_term) term = of->terms[k];
        FN(wide) value = W(all)(term.c[of->fields ? p : 0]);
        const VALUE *row = x + term.step;
#    pragma GCC unroll 4
        for (int r = 0; r < registers; r++)
            sum[r] = W(madd)(
                value,
                FN(load_columns)(row + (ptrdiff_t)r * WIDTH, whole || r < registers - 1, mask),
                sum[r]);
    }
}

/* Stores the sums of one lane of a segment in memory. */
INLINE void FN(store_lane)(const FN(points) * of, int begin, int end, int64_t p, const VALUE *x,
                           VALUE *lane, unsigned mask, int registers, bool whole)
{
    FN(wide) sum[MAX_REGISTERS];
    FN(sum_terms)(of, begin, end, FUR_ROW_LANES, p, x, mask, registers, whole, sum);
    for (int r = 0; r < registers; r++)
        W(store)(lane + (ptrdiff_t)r * WIDTH, sum[r]);
}

/* The sums of a point with more than one segment for `count` columns. Not inlined, because it would
 * slow down the loop over ordinary points. */
static __attribute__((noinline)) void FN(sum_long_row)(const FN(points) * of, int count, int64_t p,
                                                       const VALUE *x, VALUE *sums)
{
    FN(long_sum) s;
    FN(abreast) lane[FUR_ROW_LANES];
    FN(long_start)(&s, (count + WIDTH - 1) / WIDTH * WIDTH);
    for (int begin = 0; begin < of->count; begin += FUR_ROW_SEGMENT) {
        int end = (int)fur_smaller(of->count, begin + FUR_ROW_SEGMENT);
        for (int l = 0; l < FUR_ROW_LANES; l++)
            FUR_WITH_REGISTERS(count, FN(store_lane), of, begin + l, end, p, x, lane[l]);
        FN(add_segment)(&s, lane);
    }
    FN(long_total)(&s, sums);
}

/* Points begin .. end-1 and some registers of columns from `first` on. */
INLINE void FN(multiply_columns)(const FN(points) * of, int64_t begin, int64_t end, int64_t first,
                                 unsigned mask, int registers, bool whole)
{
    const VALUE *x = of->x + begin * of->call->x->stride + first;
    VALUE *y = of->y + begin * of->call->y->stride + first;
    const int count =
        whole ? registers * WIDTH : (registers - 1) * WIDTH + __builtin_popcount(mask);
    for (int64_t p = begin; p < end; p++, x += of->call->x->stride, y += of->call->y->stride) {
        FN(wide) sum[MAX_REGISTERS];
        if (of->count > FUR_ROW_SEGMENT) {
            VALUE total[MAX_REGISTERS * WIDTH];
            FN(sum_long_row)(of, count, p, x, total);
#    pragma GCC unroll 4
            for (int r = 0; r < registers; r++)
                sum[r] = W(load)(total + (ptrdiff_t)r * WIDTH);
        } else {
            FN(sum_terms)(of, 0, of->count, 1, p, x, mask, registers, whole, sum);
        }
#    pragma GCC unroll 4
        for (int r = 0; r < registers; r++)
            FN(finish_columns)
        (&of->end, whole || r < registers - 1, mask, sum[r], y + (ptrdiff_t)r * WIDTH);
    }
}

static void FN(multiply_some_columns)(const FN(points) * of, int64_t begin, int64_t end,
                                      int64_t first, int count)
{
    FUR_WITH_REGISTERS(count, FN(multiply_columns), of, begin, end, first);
}

/* All columns of points begin .. end-1. NEAR_POINTS points at a time get all their columns, so that
 * the rows are still in the cache. */
static void FN(multiply_rows)(const FN(points) * of, int64_t begin, int64_t end, int64_t cols)
{
    const int64_t block = MAX_REGISTERS * WIDTH;
    for (int64_t p = begin; p < end; p += NEAR_POINTS)
        for (int64_t first = 0; first < cols; first += block)
            FN(multiply_some_columns)
    (of, p, fur_smaller(end, p + NEAR_POINTS), first, (int)fur_smaller(block, cols - first));
}

/* Points begin .. end-1 of the grid, which have the same terms as the point `at`. If the rows have
 * no gaps and the coefficients are constant, these rows are computed as one long row. */
static void FN(multiply_points)(FN(points) * of, const int64_t at[3], int64_t begin, int64_t end)
{
    const int64_t cols = of->call->y->cols;
    FN(list_terms)(of, at);
    if (!of->fields && of->call->x->stride == cols && of->call->y->stride == cols)
        FN(multiply_rows)(of, begin, begin + 1, (end - begin) * cols);
    else
        FN(multiply_rows)(of, begin, end, cols);
}

/* Points from <= i < to of line j of plane k. Points near the ends of the line are done one by
 * one. */
static void FN(multiply_line)(FN(points) * of, int64_t from, int64_t to, int64_t j, int64_t k)
{
    const fur_stencil_view *s = of->call->s;
    const int64_t line = s->extent[0] * (j + s->extent[1] * k);
    const int64_t low = fur_smaller(s->radius[0], s->extent[0]);
    const int64_t high = fur_larger(low, s->extent[0] - s->radius[0]);
    for (int64_t i = from, next; i < to; i = next) {
        bool inner = i >= low && i < high;
        next = inner ? fur_smaller(high, to) : i + 1;
        FN(multiply_points)(of, (const int64_t[3]){i, j, k}, line + i, line + next);
    }
}

static void FN(multiply)(const fur_stencil_block_call *call, const fur_cut *cut, int64_t begin,
                         int64_t end)
{
    FN(points)
    of = {
        .call = call,
        .x = call->x->data,
        .y = call->y->data,
        .fields = call->s->fields,
        .end = FN(ending_of)(call->alpha, call->beta, call->y),
    };
    for (int64_t slice = begin; slice < end; slice++) {
        const fur_slice at = fur_slice_of(call->s, cut, slice);
        for (int64_t j = at.first; j < at.last; j++)
            FN(multiply_line)(&of, at.from, at.to, j, at.plane);
    }
}

#endif
