/* Incomplete factors in a given pattern, row after row. Cholesky factors take dot products of rows
 * of the lower triangle. Other factors eliminate within a row (the IKJ order: Saad, Iterative
 * Methods for Sparse Linear Systems, 2003, section 10.3). Subtractions from an entry follow the
 * order of columns, whichever thread computes its row (docs/numerics.md). A row waits for the rows
 * that it needs, as in triangular solves. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "table.h"
#    include "tasks.h"

typedef struct factoring {
    const fur_factor_call *call;
    fur_shared failed; /* the first row without a usable pivot */
} factoring;

#    define FUR_TEMPLATE "reciprocal_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "triangular/factor.c"
#    include "foreach_type.h"

extern fur_factor ISA(factor);
int64_t ISA(factor)(const fur_factor_call *call)
{
    static fur_task_body *const table[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] =
        FUR_TYPE_TABLE(factor_places);
    factoring job = {.call = call, .failed = INT64_MAX};
    fur_tasks_run(call->env, call->f->rows, call->tasks,
                  table[call->f->value_type][call->f->offset_type], &job);
    return job.failed == INT64_MAX ? -1 : job.failed;
}
#else
#    include "triangular/real_template.h"

/* Loads a row of A. Positions that only the pattern has become 0. For Cholesky, entries right of
 * the diagonal are skipped. */
static inline void FN(load_row)(const fur_factor_call *c, int64_t i)
{
    const OFFSET *offsets = c->f->offsets;
    const int32_t *columns = c->f->columns;
    const VALUE *from = c->a->values;
    VALUE *values = c->values;
    OFFSET to = offsets[i];
    OFFSET end = offsets[i + 1];
    int64_t stop = fur_offset_at(c->a, i + 1);
    for (OFFSET k = to; k < end; k++)
        values[k] = V(from)((fur_scalar){0, 0});
    for (int64_t k = fur_offset_at(c->a, i); k < stop; k++) {
        while (to < end && columns[to] < c->a->columns[k])
            to++;
        if (to == end)
            return;
        values[to] = V(add)(values[to], from[k]);
    }
}

/* s divided by the pivot of a row. */
static inline VALUE FN(over_pivot)(const fur_factor_call *c, VALUE s, int32_t row)
{
    const VALUE *values = c->values;
#    if COMPLEX
    (void)values;
    return V(mul)(((const VALUE *)c->inverse)[row], s);
#    else
    return s / values[c->diagonal[row]];
#    endif
}

/* Returns whether a pivot can be a divisor. A Hermitian factor's pivot becomes real, and complex
 * pivots are inverted. */
static inline bool FN(finish_pivot)(const fur_factor_call *c, int64_t i)
{
    VALUE *pivot = (VALUE *)c->values + c->diagonal[i];
    double real = (double)FN(real)(*pivot);
    if (c->form == FUR_FACTOR_HERMITIAN) {
        *pivot = V(from)((fur_scalar){real, 0});
        if (!(real > 0))
            return false;
    }
#    if COMPLEX
    VALUE *inverse = (VALUE *)c->inverse + i;
    *inverse = *pivot;
    return FUR_JOIN(reciprocals, VALUE_NAME)(1, inverse) < 0;
#    else
    return isfinite(real) && real != 0;
#    endif
}

/* Computes row i of L and U. */
static inline bool FN(eliminate)(const fur_factor_call *c, int64_t i)
{
    const OFFSET *offsets = c->f->offsets;
    const int32_t *columns = c->f->columns;
    VALUE *values = c->values;
    OFFSET own = (OFFSET)c->diagonal[i];
    OFFSET end = offsets[i + 1];
    for (OFFSET k = offsets[i]; k < own; k++) {
        int32_t row = columns[k];
        VALUE minus = V(neg)(values[k] = FN(over_pivot)(c, values[k], row));
        OFFSET to = k + 1;
        for (OFFSET q = (OFFSET)c->diagonal[row] + 1; q < offsets[row + 1]; q++) {
            while (to < end && columns[to] < columns[q])
                to++;
            if (to < end && columns[to] == columns[q])
                values[to] = V(fma)(minus, values[q], values[to]);
            else if (c->modified)
                values[own] = V(fma)(minus, values[q], values[own]);
        }
    }
    return FN(finish_pivot)(c, i);
}

/* Computes row i of L in A ~ L L^H. */
static inline bool FN(cholesky)(const fur_factor_call *c, int64_t i)
{
    const OFFSET *offsets = c->f->offsets;
    const int32_t *columns = c->f->columns;
    VALUE *values = c->values;
    OFFSET begin = offsets[i];
    OFFSET own = offsets[i + 1] - 1;
    VALUE d = values[own];
    for (OFFSET k = begin; k < own; k++) {
        OFFSET q = offsets[columns[k]];
        OFFSET last = offsets[columns[k] + 1] - 1;
        VALUE s = values[k];
        for (OFFSET p = begin; p < k && q < last; p++) {
            while (q < last && columns[q] < columns[p])
                q++;
            if (q < last && columns[q] == columns[p])
                s = V(fma)(V(neg)(values[p]), V(conj)(values[q]), s);
        }
        values[k] = FN(divide)(s, FN(real)(values[last]));
        d = V(fma)(V(neg)(values[k]), V(conj)(values[k]), d);
    }
    double pivot = sqrt((double)FN(real)(d));
    values[own] = V(from)((fur_scalar){pivot, 0});
    return pivot > 0 && isfinite(pivot);
}

static void FN(factor_places)(void *job, int64_t begin, int64_t end)
{
    factoring *f = job;
    const fur_factor_call *c = f->call;
    VALUE *values = c->values;
    VALUE factor = V(from)((fur_scalar){1 + c->shift, 0});
    for (int64_t place = begin; place < end; place++) {
        int64_t i = c->order ? c->order[place] : place;
        FN(load_row)(c, i);
        if (c->shift > 0)
            values[c->diagonal[i]] = V(mul)(factor, values[c->diagonal[i]]);
        if (!(c->form == FUR_FACTOR_CHOLESKY ? FN(cholesky)(c, i) : FN(eliminate)(c, i)))
            fur_shared_least(&f->failed, i);
    }
}

#endif
