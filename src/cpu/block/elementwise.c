/* Fill, copies and sums of blocks of vectors of any layout and stride.
 *
 * Rows are divided among the threads. In a thread's rows the inner loop follows the layout of Y. If
 * X has the other layout, both are traversed in tiles whose cache lines stay in the cache. Bytes an
 * entry: fill 1, copy 2, axpby 3 (2 with beta = 0) entry sizes. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "block_kernel.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    define ENTRY_GRAIN 16384
/* Rows and columns of a tile. Each takes a few cache lines. */
#    define TILE 32

#    define FUR_TEMPLATE "block/elementwise.c"
#    include "foreach_value.h"

static fur_status run(const fur_block_call *call, fur_body *body)
{
    const fur_vectors_view *y = call->y;
    fur_parallel(call->env, y->rows * y->cols / ENTRY_GRAIN, y->rows, body,
                 (void *)(uintptr_t)call);
    return FUR_OK;
}

static fur_status fill(const fur_block_call *call)
{
    static fur_body *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(fill_rows);
    return run(call, table[call->y->value_type]);
}

static fur_status copy(const fur_block_call *call)
{
    static fur_body *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(copy_rows);
    return run(call, table[call->y->value_type]);
}

static fur_status axpby(const fur_block_call *call)
{
    static fur_body *const scale[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(scale_rows);
    static fur_body *const add[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(add_rows);
    static fur_body *const axpby_table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(axpby_rows);
    fur_value_type value = call->y->value_type;
    static int (*const is_zero[FUR_VALUE_COUNT])(fur_scalar) = FUR_VALUE_TABLE(rounds_to_zero);
    bool adds = call->beta.re == 1 && call->beta.im == 0;
    return run(call, is_zero[value](call->beta) ? scale[value]
                     : adds                     ? add[value]
                                                : axpby_table[value]);
}

extern fur_block_operation ISA(block_multiply);
extern const fur_block_kernels ISA(block_kernels);
const fur_block_kernels ISA(block_kernels) = {
    .task = {[FUR_BLOCK_FILL] = fill,
             [FUR_BLOCK_COPY] = copy,
             [FUR_BLOCK_AXPBY] = axpby,
             [FUR_BLOCK_MULTIPLY] = ISA(block_multiply)},
};
#else

static int FN(rounds_to_zero)(fur_scalar beta)
{
    return V(is_zero)(V(from)(beta));
}

typedef enum FN(form) { FN(FILL), FN(COPY), FN(SCALE), FN(ADD), FN(AXPBY) } FN(form);

/* Computes one entry of Y. */
INLINE VALUE FN(entry)(FN(form) form, VALUE alpha, const VALUE *x, VALUE beta, const VALUE *y)
{
    switch (form) {
    case FN(FILL):
        return alpha;
    case FN(COPY):
        return *x;
    case FN(SCALE):
        return V(mul)(alpha, *x);
    case FN(ADD):
        return V(fma)(alpha, *x, *y);
    default:
        return V(fma)(alpha, *x, V(mul)(beta, *y));
    }
}

/* A tile of outer x inner entries. In y the entries of the inner dimension are contiguous. In x
 * they lie x_inner apart. */
INLINE void FN(tile)(FN(form) form, const fur_block_call *call, int64_t outer, int64_t inner,
                     const VALUE *x, int64_t x_outer, int64_t x_inner, VALUE *y, int64_t y_outer)
{
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++)
            y[o * y_outer + i] = FN(entry)(form, alpha, x ? x + o * x_outer + i * x_inner : x, beta,
                                           y + o * y_outer + i);
}

INLINE void FN(tiles)(FN(form) form, const fur_block_call *call, int64_t outer, int64_t inner,
                      const VALUE *x, int64_t x_outer, int64_t x_inner, VALUE *y, int64_t y_outer)
{
    for (int64_t o = 0; o < outer; o += TILE)
        for (int64_t i = 0; i < inner; i += TILE)
            FN(tile)
    (form, call, fur_smaller(TILE, outer - o), fur_smaller(TILE, inner - i),
     x + o * x_outer + i * x_inner, x_outer, x_inner, y + o * y_outer + i, y_outer);
}

/* Rows begin .. end-1. */
INLINE void FN(rows)(FN(form) form, const fur_block_call *call, int64_t begin, int64_t end)
{
    const fur_vectors_view *y = call->y;
    const fur_vectors_view *x = call->x;
    bool by_rows = y->layout == FUR_LAYOUT_ROWS;
    VALUE *to = (VALUE *)y->data + begin * fur_row_step(y);
    const VALUE *from = x ? (const VALUE *)x->data + begin * fur_row_step(x) : NULL;
    int64_t outer = by_rows ? end - begin : y->cols;
    int64_t inner = by_rows ? y->cols : end - begin;
    if (!x || x->layout == y->layout)
        FN(tile)(form, call, outer, inner, from, x ? x->stride : 0, 1, to, y->stride);
    else
        FN(tiles)(form, call, outer, inner, from, 1, x->stride, to, y->stride);
}

static void FN(fill_rows)(void *job, int64_t begin, int64_t end)
{
    FN(rows)(FN(FILL), job, begin, end);
}

static void FN(copy_rows)(void *job, int64_t begin, int64_t end)
{
    FN(rows)(FN(COPY), job, begin, end);
}

static void FN(scale_rows)(void *job, int64_t begin, int64_t end)
{
    FN(rows)(FN(SCALE), job, begin, end);
}

static void FN(add_rows)(void *job, int64_t begin, int64_t end)
{
    FN(rows)(FN(ADD), job, begin, end);
}

static void FN(axpby_rows)(void *job, int64_t begin, int64_t end)
{
    FN(rows)(FN(AXPBY), job, begin, end);
}

#endif
