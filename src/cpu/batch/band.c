/* Gaussian elimination with partial pivoting within a band, for systems side by side (Golub and Van
 * Loan, Matrix Computations, 2013, section 4.3).
 *
 * A row is stored from the first column that is not yet eliminated. All candidate pivot rows
 * therefore begin with the same column, and pivoting makes no row longer than lower + upper + 1
 * entries. Each system chooses its own pivots. A complex pivot is replaced by its reciprocal.
 *
 * Bytes a row and system of a tridiagonal matrix: 5 entries read and one written, and 8 in the
 * thread's second-level cache. */
#ifndef FUR_TEMPLATE
#    include "chunk.h"
#    include "isa.h"
#    include "table.h"

#    include <math.h>

#    define FUR_TEMPLATE "batch/band.c"
#    include "foreach_value.h"

/* The bytes of a thread's workspace. It holds the rows under elimination and the rows of U, the
 * right-hand side, and a flag for each singular system. */
static int64_t bytes(const fur_batch_view *a, const fur_batch_form *form)
{
    fur_value_type value = a->values->value_type;
    return ((form->lower + form->upper + 2) * a->pattern->rows + 1) * chunk_side(value) *
           (int64_t)fur_value_size(value);
}

static void solve(const fur_batch_solve_call *call, int64_t first, void *room)
{
    static void (*const table[FUR_VALUE_COUNT])(const fur_batch_solve_call *, int64_t, void *) =
        FUR_VALUE_TABLE(solve_chunk);
    table[call->a.values->value_type](call, first, room);
}

extern const batch_method ISA(batch_band);
const batch_method ISA(batch_band) = {bytes, solve};
#else
#    include "chunk.h"

/* The operations that differ between real and complex values: the size by which a pivot is chosen,
 * the form of a pivot for divisions, and the division. */
#    if COMPLEX
#        include "reciprocal_template.h"

static inline REAL FN(size_of)(VALUE a)
{
    return (REAL)fabs(a.re) + (REAL)fabs(a.im);
}

/* Returns the same bits as FN(reciprocals), which scales by powers of two if |a|^2 may overflow. */
static inline VALUE FN(divisor)(VALUE a)
{
    double re = a.re;
    double im = a.im;
    double large = fmax(fabs(re), fabs(im));
    if (!(large > 0x1p-400 && large < 0x1p400)) {
        FN(reciprocals)(1, &a);
        return a;
    }
    double square = fma(re, re, im * im);
    return V(from)((fur_scalar){re / square, -im / square});
}

static inline VALUE FN(over)(VALUE a, VALUE divisor)
{
    return V(mul)(a, divisor);
}

/* 0 if a is finite, else NaN. */
static inline REAL FN(self_difference)(VALUE a)
{
    return (a.re - a.re) + (a.im - a.im);
}
#    else
static inline REAL FN(size_of)(VALUE a)
{
    return (REAL)fabs(a);
}

static inline VALUE FN(divisor)(VALUE a)
{
    return a;
}

static inline VALUE FN(over)(VALUE a, VALUE divisor)
{
    return a / divisor;
}

/* 0 if a is finite, else NaN. */
static inline REAL FN(self_difference)(VALUE a)
{
    return a - a;
}
#    endif

/* The systems first .. first + count - 1. Row i has `width` entries of its matrix, from its first
 * stored column on, at row + i width. */
typedef struct FN(chunk) {
    const fur_batch_solve_call *call;
    int64_t rows;
    int64_t first;
    int count;
    VALUE *row;
    VALUE *y;
    REAL *singular; /* not 0: the system is singular */
} FN(chunk);

/* Loads row i of the matrices and of b when the elimination reaches it. */
INLINE void FN(open_row)(const FN(chunk) * c, int64_t lower, int64_t width, int64_t i)
{
    const fur_batch_view *a = &c->call->a;
    const fur_vectors_view *b = c->call->b;
    int64_t begin = i > lower ? i - lower : 0;
    VALUE *row = c->row + i * width * SIDE;
    int64_t end = fur_offset_at(a->pattern, i + 1);
    memset(row, 0, (size_t)(width * SIDE) * sizeof *row);
    for (int64_t k = fur_offset_at(a->pattern, i); k < end; k++) {
        VALUE *entry = row + (a->pattern->columns[k] - begin) * SIDE;
        const VALUE *from = (const VALUE *)a->values->data + k * a->values->stride + c->first;
        VALUE value[SIDE];
        if (k + CHUNK_AHEAD < a->values->rows)
            __builtin_prefetch(from + CHUNK_AHEAD * a->values->stride);
        FN(load_row)(from, c->count, value);
#    pragma omp simd
        for (int s = 0; s < SIDE; s++)
            entry[s] = V(add)(entry[s], value[s]);
    }
    FN(load_row)((const VALUE *)b->data + i * b->stride + c->first, c->count, c->y + i * SIDE);
}

/* Exchanges two rows of `count` entries for the systems whose pivot is in row `at`. */
INLINE void FN(exchange)(const REAL *pivot, REAL at, int64_t count, VALUE *one, VALUE *other)
{
    for (int64_t k = 0; k < count; k++)
#    pragma omp simd
        for (int s = 0; s < SIDE; s++) {
            VALUE a = one[k * SIDE + s];
            VALUE b = other[k * SIDE + s];
            one[k * SIDE + s] = pivot[s] == at ? b : a;
            other[k * SIDE + s] = pivot[s] == at ? a : b;
        }
}

/* Moves the largest first entry of rows j .. j + below to row j, and stores the pivot in the form
 * for divisions. If entries are equally large, the first row is chosen. */
INLINE void FN(choose_pivots)(const FN(chunk) * c, int64_t width, int64_t j, int64_t below)
{
    REAL best[SIDE];
    REAL pivot[SIDE];
    VALUE *row = c->row + j * width * SIDE;
    for (int s = 0; s < SIDE; s++) {
        best[s] = FN(size_of)(row[s]);
        pivot[s] = 0;
    }
    for (int64_t r = 1; r <= below; r++) {
        const VALUE *other = row + r * width * SIDE;
#    pragma omp simd
        for (int s = 0; s < SIDE; s++) {
            REAL size = FN(size_of)(other[s]);
            pivot[s] = size > best[s] ? (REAL)r : pivot[s];
            best[s] = size > best[s] ? size : best[s];
        }
    }
#    pragma omp simd
    for (int s = 0; s < SIDE; s++)
        c->singular[s] = best[s] == 0 ? 1 : c->singular[s];
    for (int64_t r = 1; r <= below; r++) {
        FN(exchange)(pivot, (REAL)r, width, row, row + r * width * SIDE);
        FN(exchange)(pivot, (REAL)r, 1, c->y + j * SIDE, c->y + (j + r) * SIDE);
    }
    for (int s = 0; s < SIDE; s++)
        row[s] = FN(divisor)(row[s]);
}

/* Subtracts a multiple of row j from row i so that the first entry of row i becomes 0. */
INLINE void FN(eliminate)(const FN(chunk) * c, int64_t width, int64_t j, int64_t i)
{
    const VALUE *from = c->row + j * width * SIDE;
    VALUE *to = c->row + i * width * SIDE;
    VALUE factor[SIDE];
#    pragma omp simd
    for (int s = 0; s < SIDE; s++) {
        factor[s] = V(neg)(FN(over)(to[s], from[s]));
        c->y[i * SIDE + s] = V(fma)(factor[s], c->y[j * SIDE + s], c->y[i * SIDE + s]);
    }
    for (int64_t k = 1; k < width; k++)
#    pragma omp simd
        for (int s = 0; s < SIDE; s++)
            to[(k - 1) * SIDE + s] = V(fma)(factor[s], from[k * SIDE + s], to[k * SIDE + s]);
    for (int s = 0; s < SIDE; s++)
        to[(width - 1) * SIDE + s] = V(from)((fur_scalar){0, 0});
}

/* x = U^-1 y. In each row the entry farthest from the diagonal is used first. Singular systems get
 * NaN. */
INLINE void FN(substitute)(const FN(chunk) * c, int64_t width)
{
    const fur_vectors_view *x = c->call->x;
    for (int64_t i = c->rows - 1; i >= 0; i--) {
        const VALUE *row = c->row + i * width * SIDE;
        VALUE *sum = c->y + i * SIDE;
        VALUE out[SIDE];
        for (int64_t k = fur_smaller(width, c->rows - i) - 1; k > 0; k--)
#    pragma omp simd
            for (int s = 0; s < SIDE; s++)
                sum[s] = V(fma)(V(neg)(row[k * SIDE + s]), sum[k * SIDE + s], sum[s]);
#    pragma omp simd
        for (int s = 0; s < SIDE; s++) {
            sum[s] = FN(over)(sum[s], row[s]);
            out[s] = c->singular[s] != 0 ? V(from)((fur_scalar){NAN, NAN}) : sum[s];
        }
        memcpy((VALUE *)x->data + i * x->stride + c->first, out, (size_t)c->count * sizeof *out);
    }
}

INLINE void FN(solve_band)(const FN(chunk) * c, int64_t lower, int64_t width)
{
    for (int64_t i = 0; i < fur_smaller(lower, c->rows); i++)
        FN(open_row)(c, lower, width, i);
    for (int64_t j = 0; j < c->rows; j++) {
        int64_t below = fur_smaller(lower, c->rows - 1 - j);
        if (j + lower < c->rows)
            FN(open_row)(c, lower, width, j + lower);
        FN(choose_pivots)(c, width, j, below);
        for (int64_t r = 1; r <= below; r++)
            FN(eliminate)(c, width, j, j + r);
    }
    FN(substitute)(c, width);
}

/* Stores the outcome of each system, which depends on whether all its entries are finite. */
static void FN(take_results)(const FN(chunk) * c)
{
    REAL differences[SIDE] = {0};
    for (int64_t i = 0; i < c->rows; i++)
#    pragma omp simd
        for (int s = 0; s < SIDE; s++)
            differences[s] += FN(self_difference)(c->y[i * SIDE + s]);
    for (int s = 0; s < c->count; s++)
        c->call->results[c->first + s] = (fur_batch_result){
            .outcome = c->singular[s] != 0   ? FUR_OUTCOME_SINGULAR
                       : differences[s] == 0 ? FUR_OUTCOME_CONVERGED
                                             : FUR_OUTCOME_BREAKDOWN,
            .residual = NAN,
        };
}

static void FN(solve_chunk)(const fur_batch_solve_call *call, int64_t first, void *room)
{
    const fur_batch_form *form = call->form;
    int64_t width = form->lower + form->upper + 1;
    int64_t rows = call->x->rows;
    VALUE *memory = room;
    FN(chunk)
    c = {
        .call = call,
        .rows = rows,
        .first = first,
        .count = (int)fur_smaller(SIDE, call->x->cols - first),
        .singular = room,
        .y = memory + SIDE,
        .row = memory + SIDE + rows * SIDE,
    };
    memset(c.singular, 0, SIDE * sizeof *c.singular);
    if (form->lower == 1 && form->upper == 1)
        FN(solve_band)(&c, 1, 3);
    else
        FN(solve_band)(&c, form->lower, width);
    FN(take_results)(&c);
}

#endif
