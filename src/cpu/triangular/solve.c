/* Triangular solves by rows.
 *
 * Bytes a row of n entries off the diagonal: n (entry + 4) + offset, three entries for the
 * diagonal, b and x. The entry nearest to the diagonal comes last. The chain from row to row is
 * then one fma and one division. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "table.h"
#    include "tasks.h"

#    include <string.h>

/* Rows of several right-hand sides that are read together: a few lines of each. */
#    define TILE 32

#    define FUR_TEMPLATE "triangular/solve.c"
#    include "foreach_type.h"

extern fur_trsv_solve ISA(trsv_solve);
void ISA(trsv_solve)(const fur_trsv_call *call)
{
    static fur_task_body *const one[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] = FUR_TYPE_TABLE(solve_one);
    static fur_task_body *const many[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(solve_many);
    fur_value_type value = call->t->value_type;
    fur_offset_type offset = call->t->offset_type;
    fur_tasks_run(call->env, call->t->rows, call->tasks,
                  call->count == 1 ? one[value][offset] : many[value][offset],
                  (void *)(uintptr_t)call);
}
#else

/* s - sum of values[k] x[columns[k]] over begin <= k < end, in order */
static inline VALUE FN(subtract)(const VALUE *values, const int32_t *columns, const VALUE *x,
                                 OFFSET begin, OFFSET end, VALUE s)
{
    for (OFFSET k = begin; k < end; k++)
        s = V(fma)(V(neg)(values[k]), x[columns[k]], s);
    return s;
}

/* As above, over the segments of a row after the first. Not inlined, because it would slow down the
 * loop over ordinary rows. */
static __attribute__((noinline)) VALUE FN(subtract_segments)(const VALUE *values,
                                                             const int32_t *columns, const VALUE *x,
                                                             OFFSET begin, OFFSET end, VALUE s)
{
    for (OFFSET k = begin; k < end; k += FUR_ROW_SEGMENT) {
        OFFSET stop = end - k < FUR_ROW_SEGMENT ? end : k + FUR_ROW_SEGMENT;
        s = V(add)(s, FN(subtract)(values, columns, x, k, stop, V(from)((fur_scalar){0, 0})));
    }
    return s;
}

static inline VALUE FN(divide)(VALUE s, VALUE divisor)
{
#    if COMPLEX
    return V(mul)(divisor, s);
#    else
    return s / divisor;
#    endif
}

static inline bool FN(scales)(const fur_trsv_call *call)
{
    return call->alpha.re != 1 || (COMPLEX && call->alpha.im != 0);
}

/* The end of the first segment of a row. */
static inline OFFSET FN(first_stop)(OFFSET first, OFFSET last)
{
    return last - first > FUR_ROW_SEGMENT ? first + FUR_ROW_SEGMENT : last;
}

/* Places begin .. end-1 for one right-hand side. */
static void FN(solve_one)(void *job, int64_t begin, int64_t end)
{
    const fur_trsv_call *call = job;
    const fur_triangle_view *t = call->t;
    const OFFSET *offsets = t->offsets;
    const int32_t *columns = t->columns;
    const VALUE *values = t->values;
    const VALUE *divisors = t->divisors;
    const VALUE *b = call->b[0];
    VALUE *x = call->x[0];
    VALUE alpha = V(from)(call->alpha);
    bool scales = FN(scales)(call);
    for (int64_t place = begin; place < end; place++) {
        int64_t i = fur_triangle_row(t, place);
        OFFSET first = offsets[place];
        OFFSET last = offsets[place + 1];
        OFFSET stop = FN(first_stop)(first, last);
        VALUE s = scales ? V(mul)(alpha, b[i]) : b[i];
        s = FN(subtract)(values, columns, x, first, stop, s);
        if (stop < last)
            s = FN(subtract_segments)(values, columns, x, stop, last, s);
        x[i] = divisors ? FN(divide)(s, divisors[place]) : s;
    }
}

typedef FUR_LANES(VALUE_NAME) FN(lanes);

/* s - sum of values[k] x[columns[k]] for eight x, whose entries are contiguous */
INLINE FN(lanes) FN(subtract_many)(const fur_triangle_view *t, const VALUE *x, OFFSET begin,
                                   OFFSET end, FN(lanes) s)
{
    const VALUE *values = t->values;
    for (OFFSET k = begin; k < end; k++)
        s = V(madd)(V(all)(V(neg)(values[k])), V(load)(x + (int64_t)t->columns[k] * LANES), s);
    return s;
}

/* A complex product is a madd with -0, which changes no number and no sign of a zero. */
INLINE FN(lanes) FN(divide_many)(FN(lanes) s, VALUE divisor)
{
#    if COMPLEX
    return V(madd)(V(all)(divisor), s, V(all)((VALUE){-0.0F, -0.0F}));
#    else
    return V(over)(s, V(all)(divisor));
#    endif
}

/* Solves for one place with these right-hand sides. */
INLINE FN(lanes) FN(solve_row_many)(const fur_trsv_call *call, int64_t place, FN(lanes) s)
{
    const fur_triangle_view *t = call->t;
    const OFFSET *offsets = t->offsets;
    const VALUE *divisors = t->divisors;
    OFFSET last = offsets[place + 1];
    OFFSET stop = FN(first_stop)(offsets[place], last);
    s = FN(subtract_many)(t, call->work, offsets[place], stop, s);
    for (OFFSET k = stop; k < last; k = stop) {
        stop = FN(first_stop)(k, last);
        s = V(plus)(s, FN(subtract_many)(t, call->work, k, stop, V(zero)()));
    }
    return divisors ? FN(divide_many)(s, divisors[place]) : s;
}

/* Loads the right-hand sides of places begin .. end-1. If there are fewer than eight, the others
 * are 0. */
static void FN(load_tile)(const fur_trsv_call *call, int64_t begin, int64_t end, VALUE *tile)
{
    VALUE alpha = V(from)(call->alpha);
    bool scales = FN(scales)(call);
    memset(tile, 0, (size_t)(end - begin) * LANES * sizeof *tile);
    for (int r = 0; r < call->count; r++) {
        const VALUE *b = call->b[r];
        for (int64_t place = begin; place < end; place++) {
            VALUE own = b[fur_triangle_row(call->t, place)];
            tile[(place - begin) * LANES + r] = scales ? V(mul)(alpha, own) : own;
        }
    }
}

static void FN(store_tile)(const fur_trsv_call *call, int64_t begin, int64_t end, const VALUE *tile)
{
    for (int r = 0; r < call->count; r++) {
        VALUE *x = call->x[r];
        for (int64_t place = begin; place < end; place++)
            x[fur_triangle_row(call->t, place)] = tile[(place - begin) * LANES + r];
    }
}

/* As solve_one, for several right-hand sides, a tile at a time. A vector's part of a tile is read
 * and written at once. Otherwise vectors that lie a power of two apart would evict each other's
 * lines. */
static void FN(solve_many)(void *job, int64_t begin, int64_t end)
{
    const fur_trsv_call *call = job;
    VALUE *work = call->work;
    VALUE tile[TILE * LANES];
    for (int64_t first = begin; first < end; first += TILE) {
        int64_t stop = fur_smaller(first + TILE, end);
        FN(load_tile)(call, first, stop, tile);
        for (int64_t place = first; place < stop; place++) {
            VALUE *own = tile + (place - first) * LANES;
            FN(lanes) s = FN(solve_row_many)(call, place, V(load)(own));
            V(store)(own, s);
            V(store)(work + fur_triangle_row(call->t, place) * LANES, s);
        }
        FN(store_tile)(call, first, stop, tile);
    }
}

#endif
