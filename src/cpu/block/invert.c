/* Inverses of dense blocks along the diagonal, by Gauss and Jordan, and the precision that each
 * needs (Anzt, Dongarra, Flegar and Quintana-Orti 2019). */
#ifndef FUR_TEMPLATE
#    include "atomic.h"
#    include "isa.h"
#    include "kernel.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

#    define BLOCK_GRAIN 256

/* A form with unit roundoff u is precise enough for a block of condition c if c u is at most this.
 * Then the product with the block has an error in the first digit at most. */
#    define MAX_LOSS 0.1
#    define HALF_ROUNDOFF 0x1p-11
#    define SINGLE_ROUNDOFF 0x1p-24

/* The largest exponents of the powers of two that kernels multiply by. */
#    define MAX_EXPONENT 1000
#    define MAX_EXPONENT_SINGLE 100

typedef struct inversion {
    const fur_invert_call *call;
    fur_shared singular;
} inversion;

/* Chooses the form of a block with this condition whose inverse has parts up to `largest`. */
static void choose_form(fur_dense_block *b, double condition, double largest, bool single)
{
    int most = single ? MAX_EXPONENT_SINGLE : MAX_EXPONENT;
    int exponent = ilogb(largest);
    fur_dense_form form = FUR_DENSE_FULL;
    if (condition * HALF_ROUNDOFF <= MAX_LOSS)
        form = FUR_DENSE_HALF;
    else if (condition * SINGLE_ROUNDOFF <= MAX_LOSS && !single)
        form = FUR_DENSE_SINGLE;
    if (exponent < -most || exponent > most)
        form = FUR_DENSE_FULL;
    b->form = (int8_t)form;
    b->exponent = (int16_t)(form == FUR_DENSE_FULL ? 0 : exponent);
}

#    define FUR_TEMPLATE "modulus_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "reciprocal_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "block/invert.c"
#    include "foreach_value.h"

extern fur_dense_blocks_invert ISA(dense_blocks_invert);
int64_t ISA(dense_blocks_invert)(const fur_invert_call *call)
{
    static fur_body *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(invert_blocks);
    inversion job = {call, call->count};
    fur_parallel(call->env, call->count / BLOCK_GRAIN, call->count, table[call->a->value_type],
                 &job);
    return job.singular;
}
#else

/* Copies the block of A that begins with row `first` into x, as a dense matrix. */
static void FN(load)(const fur_csr_view *a, int64_t first, int64_t size, VALUE *x)
{
    const VALUE *values = a->values;
    for (int64_t k = 0; k < size * size; k++)
        x[k] = V(from)((fur_scalar){0, 0});
    for (int64_t i = 0; i < size; i++) {
        int64_t end = fur_offset_at(a, first + i + 1);
        for (int64_t k = fur_csr_find(a, first + i, first); k < end; k++) {
            int64_t j = a->columns[k] - first;
            if (j >= size)
                break;
            x[i * size + j] = V(add)(x[i * size + j], values[k]);
        }
    }
}

static inline void FN(swap)(VALUE *a, VALUE *b)
{
    VALUE kept = *a;
    *a = *b;
    *b = kept;
}

/* Finds the row p or below that has the largest entry in column p, and swaps it with row p. */
static int64_t FN(take_pivot)(VALUE *x, int64_t size, int64_t p)
{
    int64_t best = p;
    for (int64_t i = p + 1; i < size; i++)
        if (FN(modulus)(x[i * size + p]) > FN(modulus)(x[best * size + p]))
            best = i;
    for (int64_t j = 0; j < size && best != p; j++)
        FN(swap)(x + p * size + j, x + best * size + j);
    return best;
}

/* Inverts in place, by Gauss and Jordan with partial pivoting. Returns false if a pivot has no
 * inverse. */
static bool FN(invert_block)(VALUE *x, int64_t size)
{
    int64_t from[FUR_DENSE_BLOCK_MAX];
    for (int64_t p = 0; p < size; p++) {
        VALUE *row = x + p * size;
        from[p] = FN(take_pivot)(x, size, p);
        VALUE inverse = row[p];
        if (FUR_JOIN(reciprocals, VALUE_NAME)(1, &inverse) >= 0)
            return false;
        row[p] = V(from)((fur_scalar){1, 0});
        for (int64_t j = 0; j < size; j++)
            row[j] = V(mul)(inverse, row[j]);
        for (int64_t i = 0; i < size; i++) {
            VALUE minus = V(neg)(x[i * size + p]);
            if (i == p)
                continue;
            x[i * size + p] = V(from)((fur_scalar){0, 0});
            for (int64_t j = 0; j < size; j++)
                x[i * size + j] = V(fma)(minus, row[j], x[i * size + j]);
        }
    }
    for (int64_t p = size - 1; p >= 0; p--)
        for (int64_t i = 0; i < size && from[p] != p; i++)
            FN(swap)(x + i * size + p, x + i * size + from[p]);
    return true;
}

/* The largest sum of moduli in a row. */
static double FN(norm)(const VALUE *x, int64_t size)
{
    double most = 0;
    for (int64_t i = 0; i < size; i++) {
        double sum = 0;
        for (int64_t j = 0; j < size; j++)
            sum += FN(modulus)(x[i * size + j]);
        most = sum > most ? sum : most;
    }
    return most;
}

/* The largest modulus of a part of an entry. */
static double FN(largest)(const VALUE *x, int64_t size)
{
    const REAL *part = (const REAL *)x;
    const int64_t parts = size * size * (int64_t)(sizeof(VALUE) / sizeof(REAL));
    REAL most = 0; /* gcc 12 for 64-bit ARM breaks down where this is wider than the parts */
    for (int64_t k = 0; k < parts; k++) {
        REAL modulus = part[k] < 0 ? -part[k] : part[k];
        most = modulus > most ? modulus : most;
    }
    return (double)most;
}

static void FN(transpose)(VALUE *x, int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < i; j++)
            FN(swap)(x + i * size + j, x + j * size + i);
}

static void FN(invert_blocks)(void *job, int64_t begin, int64_t end)
{
    inversion *n = job;
    const fur_invert_call *v = n->call;
    for (int64_t b = begin; b < end; b++) {
        int64_t first = v->begin[b];
        int64_t size = v->begin[b + 1] - first;
        VALUE *x = (VALUE *)v->values + v->squares[b];
        FN(load)(v->a, first, size, x);
        double norm = FN(norm)(x, size);
        if (!FN(invert_block)(x, size)) {
            fur_shared_least(&n->singular, b);
            continue;
        }
        if (v->adaptive)
            choose_form(&v->blocks[b], norm * FN(norm)(x, size), FN(largest)(x, size),
                        sizeof(REAL) == sizeof(float));
        FN(transpose)(x, size);
    }
}

#endif
