/* Incomplete LU factors by a dual threshold, row after row (Saad 1994). In a row of the factors,
 * entries below `drop` times the norm of A's row are dropped. Then only the largest entries are
 * kept. */
#ifndef FUR_TEMPLATE
#    include "ilut.h"

#    include "growing.h"
#    include "ilut_growth.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "shift.h"
#    include "sort.h"
#    include "table.h"

#    include <math.h>
#    include <string.h>

/* Pivots below this times the norm of A's row are raised to it. */
#    define PIVOT_FLOOR 1e-4

/* Factors with a larger growth are not used. */
#    define MAX_GROWTH 1e3

/* Number of rows between two questions whether to stop. */
#    define ROWS_A_QUESTION 1024

/* Candidates: entries of the row in progress that may be kept, as items that sort by decreasing
 * modulus, and their columns. */
typedef struct candidates {
    uint64_t *items;
    int64_t count;
    int64_t most; /* entries that are kept */
} candidates;

typedef struct elimination {
    fur_env *env;
    const fur_csr_view *a;
    const fur_ilut_limits *limits;
    fur_ilut_outcome *outcome;
    fur_growing rows; /* of both factors, with their values */
    int64_t *start;
    int64_t *diagonal; /* where each row's pivot stands */
    void *inverse;     /* inverses of complex pivots */
    /* The row in progress: its entries by column, flags of stored entries, and a heap of the
     * columns left of the diagonal that are still to be eliminated. */
    void *row;
    bool *has;
    int32_t *heap;
    int64_t heap_size;
    candidates left;
    candidates right;
    bool hopeless; /* no shift helps this row */
} elimination;

static void push(elimination *e, int32_t column)
{
    int64_t place = e->heap_size++;
    for (; place > 0 && e->heap[(place - 1) / 2] > column; place = (place - 1) / 2)
        e->heap[place] = e->heap[(place - 1) / 2];
    e->heap[place] = column;
}

static int32_t take_first(elimination *e)
{
    int32_t first = e->heap[0];
    int32_t last = e->heap[--e->heap_size];
    int64_t place = 0;
    for (int64_t child; (child = 2 * place + 1) < e->heap_size; place = child) {
        child += child + 1 < e->heap_size && e->heap[child + 1] < e->heap[child];
        if (e->heap[child] >= last)
            break;
        e->heap[place] = e->heap[child];
    }
    e->heap[place] = last;
    return first;
}

/* Adds a column of the row in progress to the list for its side of the diagonal. */
static void list(elimination *e, int64_t i, int32_t column)
{
    e->has[column] = true;
    if (column < i)
        push(e, column);
    else if (column > i)
        e->right.items[e->right.count++] = fur_item(0, column);
}

/* Returns an item that sorts before smaller entries, and among equal entries by its column. */
static uint64_t candidate(double modulus, int32_t column)
{
    float rounded = fabsf((float)modulus); /* NaN may have a sign */
    int32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return fur_item(INT32_MAX - bits, column);
}

/* Keeps the `most` largest entries, in the order of their columns. */
static void choose(candidates *c)
{
    if (c->count > c->most) {
        fur_sort_in_place(c->items, c->count);
        c->count = c->most;
    }
    for (int64_t k = 0; k < c->count; k++)
        c->items[k] = fur_item(fur_item_number(c->items[k]), 0);
    fur_sort_in_place(c->items, c->count);
}

#    define FUR_TEMPLATE "modulus_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "reciprocal_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "ilut_factor.c"
#    include "foreach_value.h"

static fur_status allocate(elimination *e)
{
    fur_env *env = e->env;
    int64_t n = e->a->rows;
    size_t value = e->rows.size;
    FUR_TRY(fur_env_allocate_zeros(env, n + 1, sizeof *e->start, &e->start));
    FUR_TRY(fur_env_allocate(env, n, sizeof *e->diagonal, &e->diagonal));
    FUR_TRY(fur_env_allocate(env, n, value, &e->inverse));
    FUR_TRY(fur_env_allocate(env, n, value, &e->row));
    FUR_TRY(fur_env_allocate(env, n, sizeof *e->has, &e->has));
    FUR_TRY(fur_env_allocate(env, n, sizeof *e->heap, &e->heap));
    FUR_TRY(fur_env_allocate(env, n, sizeof *e->left.items, &e->left.items));
    return fur_env_allocate(env, n, sizeof *e->right.items, &e->right.items);
}

static void release(elimination *e)
{
    fur_env_release(e->env, e->right.items);
    fur_env_release(e->env, e->left.items);
    fur_env_release(e->env, e->heap);
    fur_env_release(e->env, e->has);
    fur_env_release(e->env, e->row);
    fur_env_release(e->env, e->inverse);
    fur_env_release(e->env, e->diagonal);
    fur_env_release(e->env, e->start);
    fur_growing_release(e->env, &e->rows);
}

/* Makes a matrix from the rows. */
static fur_status collect(const elimination *e, fur_context *context, fur_csr **out)
{
    const fur_growing *rows = &e->rows;
    int64_t n = e->a->rows;
    FUR_TRY(fur_csr_allocate(context, n, n, rows->count, e->a->value_type,
                             fur_offset_for(rows->count), out));
    fur_csr_set_offsets(*out, e->start);
    if (rows->count > 0) {
        memcpy(fur_csr_columns(*out), rows->columns, (size_t)rows->count * sizeof *rows->columns);
        memcpy(fur_csr_values(*out), rows->items, (size_t)rows->count * rows->size);
    }
    return FUR_OK;
}

/* Factors all rows with one shift. FUR_INVALID if a row has no usable pivot. */
static fur_status factor_rows(elimination *e)
{
    typedef fur_status row_factor(elimination *, int64_t);
    static row_factor *const factor_row[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(factor_row);
    fur_value_type type = e->a->value_type;
    e->rows.count = 0;
    e->heap_size = 0;
    e->outcome->raised = 0;
    for (int64_t j = 0; j < e->a->rows; j++)
        e->has[j] = false;
    for (int64_t i = 0; i < e->a->rows; i++) {
        if (i % ROWS_A_QUESTION == ROWS_A_QUESTION - 1)
            FUR_TRY(fur_env_pause(e->env));
        e->outcome->failed = i;
        FUR_TRY(factor_row[type](e, i));
    }
    e->outcome->failed = -1;
    return FUR_OK;
}

/* Measures the growth of the factors. FUR_INVALID if it is too large. */
static fur_status check_growth(elimination *e)
{
    const fur_ilut_rows rows = {e->start, e->diagonal, e->rows.columns, e->rows.items};
    double *z;
    FUR_TRY(fur_env_allocate(e->env, 2 * e->a->rows, sizeof *z, &z));
    e->outcome->growth = fur_ilut_growth(e->a, &rows, z);
    fur_env_release(e->env, z);
    return e->outcome->growth <= MAX_GROWTH ? FUR_OK : FUR_INVALID;
}

/* Factors with the smallest tried shift for which all pivots can be used and the factors do not
 * grow. */
static fur_status factor_shifted(elimination *e)
{
    double *shift = &e->outcome->shift;
    *shift = e->limits->shift;
    for (;;) {
        fur_status status = factor_rows(e);
        if (status == FUR_OK)
            status = check_growth(e);
        double next = fur_shift_next(*shift);
        if (status != FUR_INVALID || next > FUR_SHIFT_MAX || e->hopeless)
            return status;
        *shift = next;
    }
}

fur_status fur_ilut_factor(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const fur_ilut_call *call = arguments;
    elimination e = {.env = &a->context->env,
                     .a = &a->view,
                     .limits = call->limits,
                     .outcome = call->outcome,
                     .rows.size = fur_value_size(a->view.value_type)};
    fur_status status = FUR_OK;
    e.outcome->failed = -1;
    FUR_TRY_DONE(allocate(&e));
    FUR_TRY_DONE(factor_shifted(&e));
    FUR_TRY_DONE(collect(&e, a->context, out));
done:
    release(&e);
    return status;
}
#else

/* Loads row i of A and returns its norm. */
static double FN(load_row)(elimination *e, int64_t i)
{
    const fur_csr_view *a = e->a;
    const VALUE *values = a->values;
    VALUE *row = e->row;
    int64_t begin = fur_offset_at(a, i);
    int64_t end = fur_offset_at(a, i + 1);
    double sum = 0;
    e->left.count = e->right.count = 0;
    e->left.most = e->right.most = e->limits->fill;
    row[i] = V(from)((fur_scalar){0, 0});
    for (int64_t k = begin; k < end; k++) {
        int32_t column = a->columns[k];
        double modulus = FN(modulus)(values[k]);
        sum = fma(modulus, modulus, sum);
        e->left.most += column < i;
        e->right.most += column > i;
        if (e->has[column] || column == i) {
            row[column] = V(add)(row[column], values[k]);
        } else {
            row[column] = values[k];
            list(e, i, column);
        }
    }
    if (e->outcome->shift > 0)
        row[i] = V(mul)(V(from)((fur_scalar){1 + e->outcome->shift, 0}), row[i]);
    return sqrt(sum);
}

/* Returns the entry divided by the pivot of row k. */
static VALUE FN(over_pivot)(const elimination *e, VALUE s, int32_t k)
{
#    if COMPLEX
    return V(mul)(((const VALUE *)e->inverse)[k], s);
#    else
    return s / ((const VALUE *)e->rows.items)[e->diagonal[k]];
#    endif
}

/* Subtracts l times the part of row k of U right of its diagonal. */
static void FN(subtract)(elimination *e, int64_t i, int32_t k, VALUE l)
{
    const VALUE *values = e->rows.items;
    VALUE *row = e->row;
    VALUE minus = V(neg)(l);
    for (int64_t q = e->diagonal[k] + 1; q < e->start[k + 1]; q++) {
        int32_t column = e->rows.columns[q];
        if (!e->has[column] && column != i) {
            row[column] = V(from)((fur_scalar){0, 0});
            list(e, i, column);
        }
        row[column] = V(fma)(minus, values[q], row[column]);
    }
}

/* Computes row i of L. Its entries that are large enough become candidates. */
static void FN(eliminate)(elimination *e, int64_t i, double norm)
{
    VALUE *row = e->row;
    while (e->heap_size > 0) {
        int32_t k = take_first(e);
        row[k] = FN(over_pivot)(e, row[k], k);
        double modulus = FN(modulus)(row[k]) / norm;
        e->has[k] = false;
        if (modulus < e->limits->drop)
            continue;
        e->left.items[e->left.count++] = candidate(modulus, k);
        FN(subtract)(e, i, k, row[k]);
    }
}

/* Keeps the entries right of the diagonal that are large enough. */
static void FN(drop_small)(elimination *e, double norm)
{
    const VALUE *row = e->row;
    int64_t kept = 0;
    for (int64_t k = 0; k < e->right.count; k++) {
        int32_t column = fur_item_number(e->right.items[k]);
        double modulus = FN(modulus)(row[column]) / norm;
        e->has[column] = false;
        if (!(modulus < e->limits->drop))
            e->right.items[kept++] = candidate(modulus, column);
    }
    e->right.count = kept;
}

/* Raises a pivot that is too small. Returns false if it cannot be divided by. */
static bool FN(finish_pivot)(elimination *e, int64_t i, double norm)
{
    VALUE *pivot = (VALUE *)e->row + i;
    double modulus = FN(modulus)(*pivot);
    double least = PIVOT_FLOOR * norm;
    if (modulus < least) {
        e->outcome->raised++;
        *pivot = modulus > 0 ? V(mul)(V(from)((fur_scalar){least / modulus, 0}), *pivot)
                             : V(from)((fur_scalar){least, 0});
    }
    VALUE *inverse = (VALUE *)e->inverse + i;
    *inverse = *pivot;
    return FUR_JOIN(reciprocals, VALUE_NAME)(1, inverse) < 0;
}

static void FN(append)(elimination *e, const candidates *c)
{
    const VALUE *row = e->row;
    VALUE *values = e->rows.items;
    for (int64_t k = 0; k < c->count; k++) {
        int32_t column = fur_item_key(c->items[k]);
        e->rows.columns[e->rows.count] = column;
        values[e->rows.count++] = row[column];
    }
}

static fur_status FN(factor_row)(elimination *e, int64_t i)
{
    double norm = FN(load_row)(e, i);
    e->hopeless = !(norm > 0 && isfinite(norm));
    if (e->hopeless)
        return FUR_INVALID;
    FN(eliminate)(e, i, norm);
    FN(drop_small)(e, norm);
    if (!FN(finish_pivot)(e, i, norm))
        return FUR_INVALID;
    choose(&e->left);
    choose(&e->right);
    FUR_TRY(fur_growing_reserve(e->env, &e->rows, e->left.count + 1 + e->right.count));
    FN(append)(e, &e->left);
    e->diagonal[i] = e->rows.count;
    e->rows.columns[e->rows.count] = (int32_t)i;
    ((VALUE *)e->rows.items)[e->rows.count++] = ((const VALUE *)e->row)[i];
    FN(append)(e, &e->right);
    e->start[i + 1] = e->rows.count;
    return FUR_OK;
}

#endif
