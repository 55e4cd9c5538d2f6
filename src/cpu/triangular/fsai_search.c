/* The positions of a factorised approximate inverse, found row by row with the gradient of the
 * Kaporin number (Janna and Ferronato 2011). Rows are independent. The factors of a row's matrix
 * grow with its positions. A step costs the square of their number, and the rows of A that it
 * adds. */
#ifndef FUR_TEMPLATE
#    include "fsai_kernel.h"
#    include "isa.h"
#    include "kernel.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

/* Columns that are not among the positions. */
#    define UNSEEN (-1)
#    define SEEN (-2)

#    define ROW_GRAIN 4096

/* The best columns so far, in decreasing order of weight. */
typedef struct ranking {
    int64_t most;
    int64_t count;
    int32_t *columns;
    double *weights;
} ranking;

/* Inserts a column by its weight. If weights are equal, the lower column comes first. */
static void rank(ranking *r, int32_t column, double weight)
{
    int64_t at = r->count < r->most ? r->count++ : r->most;
    for (; at > 0 && (r->weights[at - 1] < weight ||
                      (r->weights[at - 1] == weight && r->columns[at - 1] > column));
         at--)
        if (at < r->most) {
            r->weights[at] = r->weights[at - 1];
            r->columns[at] = r->columns[at - 1];
        }
    if (at < r->most) {
        r->weights[at] = weight;
        r->columns[at] = column;
    }
}

static void sort(int32_t *columns, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        int32_t column = columns[k];
        int64_t at = k;
        for (; at > 0 && columns[at - 1] > column; at--)
            columns[at] = columns[at - 1];
        columns[at] = column;
    }
}

#    define FUR_TEMPLATE "triangular/fsai_search.c"
#    include "foreach_type.h"

extern fur_fsai_search ISA(fsai_search);
void ISA(fsai_search)(const fur_fsai_search_call *call)
{
    static fur_body *const find[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] = FUR_TYPE_TABLE(find_scales);
    static fur_body *const search[FUR_VALUE_COUNT][FUR_OFFSET_COUNT] = FUR_TYPE_TABLE(search_lanes);
    const fur_csr_view *a = call->a;
    fur_fsai_search_call job = *call;
    fur_parallel(call->env, a->rows / ROW_GRAIN, a->rows, find[a->value_type][a->offset_type],
                 &job);
    fur_parallel(call->env, call->lanes, call->lanes, search[a->value_type][a->offset_type], &job);
}
#else
#    include "triangular/cholesky_template.h"

/* A row under construction. */
typedef struct FN(row) {
    const fur_fsai_search_call *call;
    int64_t i;
    int64_t most;
    int64_t count;      /* number of positions, in the order in which they were found */
    int64_t seen_count; /* number of columns in the rows of A that were added */
    int32_t *columns;
    int32_t *seen;
    int32_t *places;
    VALUE *sums; /* g A */
    VALUE *l;    /* A(J, J) = L L^H for the positions J */
    VALUE *z;    /* L z = -A(J, i) */
    VALUE *y;    /* L^H y = z: conj(g) */
    double form; /* g A g^H */
} FN(row);

static double FN(modulus)(VALUE s)
{
#    if COMPLEX
    return fur_magnitude((double)s.re, (double)s.im);
#    else
    return fabs((double)s);
#    endif
}

/* The sum of the entries of row i on the diagonal. */
static double FN(diagonal)(const fur_csr_view *a, int64_t i)
{
    const OFFSET *offsets = a->offsets;
    const VALUE *values = a->values;
    VALUE sum = V(from)((fur_scalar){0, 0});
    for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
        if (a->columns[k] == i)
            sum = V(add)(sum, values[k]);
    return (double)FN(real)(sum);
}

static void FN(find_scales)(void *job, int64_t begin, int64_t end)
{
    const fur_fsai_search_call *call = job;
    for (int64_t j = begin; j < end; j++) {
        double root = sqrt(FN(diagonal)(call->a, j));
        call->scale[j] = root > 0 && isfinite(root) ? 1 / root : 0;
    }
}

/* Adds f times the part of row p of A that lies left of column i. */
static void FN(add_row)(FN(row) * r, VALUE f, int64_t p)
{
    const fur_csr_view *a = r->call->a;
    const OFFSET *offsets = a->offsets;
    const VALUE *values = a->values;
    for (int64_t k = offsets[p]; k < offsets[p + 1] && a->columns[k] < r->i; k++) {
        int32_t j = a->columns[k];
        if (r->places[j] == UNSEEN) {
            r->places[j] = SEEN;
            r->seen[r->seen_count++] = j;
        }
        r->sums[j] = V(fma)(f, values[k], r->sums[j]);
    }
}

/* g A left of column i, for the best g at the positions so far. */
static void FN(find_gradient)(FN(row) * r)
{
    for (int64_t k = 0; k < r->count; k++)
        r->y[k] = r->z[k];
    FN(solve_adjoint)(r->l, r->most, r->count, r->y);
    for (int64_t k = 0; k < r->seen_count; k++)
        r->sums[r->seen[k]] = V(from)((fur_scalar){0, 0});
    FN(add_row)(r, V(from)((fur_scalar){1, 0}), r->i);
    for (int64_t k = 0; k < r->count; k++)
        FN(add_row)(r, V(conj)(r->y[k]), r->columns[k]);
}

/* Chooses the columns that a step adds. */
static void FN(choose)(const FN(row) * r, ranking *best)
{
    best->count = 0;
    for (int64_t k = 0; k < r->seen_count; k++) {
        int32_t j = r->seen[k];
        double weight = FN(modulus)(r->sums[j]) * r->call->scale[j];
        if (r->places[j] == SEEN && weight > 0 && isfinite(weight))
            rank(best, j, weight);
    }
}

/* Gathers row j of A at the positions into the next row of l. Returns its entry in column i. */
static VALUE FN(gather)(const FN(row) * r, int32_t j)
{
    const fur_csr_view *a = r->call->a;
    const OFFSET *offsets = a->offsets;
    const VALUE *values = a->values;
    VALUE *row = r->l + r->count * r->most;
    VALUE own = V(from)((fur_scalar){0, 0});
    for (int64_t k = 0; k <= r->count; k++)
        row[k] = own;
    for (int64_t k = offsets[j]; k < offsets[j + 1] && a->columns[k] <= r->i; k++) {
        int32_t place = r->places[a->columns[k]];
        if (a->columns[k] == r->i)
            own = V(add)(own, values[k]);
        else if (place >= 0)
            row[place] = V(add)(row[place], values[k]);
    }
    return own;
}

/* Adds a position. Returns false if its pivot is not positive. */
static bool FN(append)(FN(row) * r, int32_t j)
{
    int64_t p = r->count;
    const VALUE *row = r->l + p * r->most;
    r->columns[p] = j;
    r->places[j] = (int32_t)p;
    VALUE s = V(neg)(FN(gather)(r, j));
    r->count++;
    if (!FN(factor_row)(r->l, r->most, p))
        return false;
    for (int64_t k = 0; k < p; k++)
        s = V(fma)(V(neg)(row[k]), r->z[k], s);
    r->z[p] = FN(divide)(s, FN(real)(row[p]));
    double size = FN(modulus)(r->z[p]);
    r->form = fma(-size, size, r->form);
    return true;
}

static void FN(find_positions)(FN(row) * r, ranking *best)
{
    for (int64_t step = 0; step < r->call->steps && r->form > 0; step++) {
        double before = r->form;
        FN(find_gradient)(r);
        FN(choose)(r, best);
        for (int64_t k = 0; k < best->count; k++)
            if (!FN(append)(r, best->columns[k]))
                return;
        if (best->count == 0 || r->form > (1 - r->call->gain) * before)
            return;
    }
}

/* Restores the memory of a lane to its initial state. */
static void FN(forget)(FN(row) * r)
{
    for (int64_t k = 0; k < r->seen_count; k++) {
        r->sums[r->seen[k]] = V(from)((fur_scalar){0, 0});
        r->places[r->seen[k]] = UNSEEN;
    }
}

/* Each index is a lane, with its own rows and memory. */
static void FN(search_lanes)(void *job, int64_t begin, int64_t end)
{
    const fur_fsai_search_call *c = job;
    int64_t n = c->a->rows;
    int64_t most = c->steps * c->grow;
    int32_t columns[FUR_FSAI_MAX];
    double weights[FUR_FSAI_MAX];
    ranking best = {.most = c->grow, .columns = columns, .weights = weights};
    for (int64_t lane = begin; lane < end; lane++) {
        VALUE *dense = (VALUE *)c->dense + lane * (most * most + 2 * most);
        int64_t stop = fur_split(n, c->lanes, (int)lane + 1);
        for (int64_t i = fur_split(n, c->lanes, (int)lane); i < stop; i++) {
            FN(row)
            r = {.call = c,
                 .i = i,
                 .most = most,
                 .columns = c->columns + i * (most + 1),
                 .seen = c->seen + lane * n,
                 .places = c->places + lane * n,
                 .sums = (VALUE *)c->sums + lane * n,
                 .l = dense,
                 .z = dense + most * most,
                 .y = dense + most * most + most,
                 .form = FN(diagonal)(c->a, i)};
            FN(find_positions)(&r, &best);
            FN(forget)(&r);
            sort(r.columns, r.count);
            r.columns[r.count] = (int32_t)i;
            c->lengths[i] = r.count + 1;
        }
    }
}

#endif
