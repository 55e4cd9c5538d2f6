/* Rows of a sparse approximate inverse: least-squares problems by Householder's QR. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"
#    include "isa.h"
#    include "kernel.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    include <math.h>
#    include <pthread.h>
#    include <stdlib.h>
#    include <string.h>

/* Rows on the caller's thread between two checks whether to stop. */
#    define ROWS_A_QUESTION 512

/* If the head of a column is smaller than this times its norm, its phase does not decide the
 * reflection. */
#    define TINY_HEAD 0x1p-60

/* Entries between this power of two and its reciprocal need no scale: sums of their squares, and
 * the inverses of these sums, are in range. Scales have exponents of up to four times that. */
#    define RANGE 250
#    define SINGLE_RANGE 30

/* The least-squares problem of one row. */
typedef struct least_squares {
    const fur_csr_view *a;
    const int32_t *rows; /* rows of A that are used: the columns of M in this row */
    int64_t wide;        /* number of those rows */
    int64_t tall;        /* number of columns of A in those rows */
    void *d;             /* A(J, C)^T by columns; becomes R and its reflections */
    void *b;             /* the unit vector; becomes Q^H times it, then the solution */
    int32_t *columns;    /* C */
    int32_t *places;     /* place in C of each column of A */
} least_squares;

typedef struct inverting {
    const fur_spai_call *call;
    fur_shared failed; /* -1: asked to stop */
    pthread_t caller;
} inverting;

/* Returns whether the work has been stopped. Only the caller's thread asks the environment. */
static bool is_stopped(inverting *v)
{
    const fur_spai_call *c = v->call;
    if (c->asks && pthread_equal(v->caller, pthread_self()) && fur_env_pause(c->env) != FUR_OK)
        fur_shared_least(&v->failed, -1);
    return v->failed < 0;
}

/* C: the columns of A in these rows, in order of their first appearance. */
static void list_columns(least_squares *s)
{
    s->tall = 0;
    for (int64_t q = 0; q < s->wide; q++) {
        int64_t end = fur_offset_at(s->a, s->rows[q] + (int64_t)1);
        for (int64_t k = fur_offset_at(s->a, s->rows[q]); k < end; k++) {
            int32_t column = s->a->columns[k];
            if (s->places[column] >= 0)
                continue;
            s->places[column] = (int32_t)s->tall;
            s->columns[s->tall++] = column;
        }
    }
}

static void forget_columns(const least_squares *s)
{
    for (int64_t k = 0; k < s->tall; k++)
        s->places[s->columns[k]] = -1;
}

#    define FUR_TEMPLATE "modulus_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "reciprocal_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "triangular/spai.c"
#    include "foreach_value.h"

extern fur_spai ISA(spai);
int64_t ISA(spai)(const fur_spai_call *call)
{
    static fur_body *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(spai_lanes);
    inverting job = {call, call->m->entries > 0 ? call->a->rows : 0, pthread_self()};
    if (call->m->entries > 0)
        fur_parallel(call->env, call->lanes, call->lanes, table[call->a->value_type], &job);
    return job.failed;
}
#else

/* Fills in the dense matrix and the unit vector i. */
static void FN(fill)(const least_squares *s, int64_t i)
{
    const fur_csr_view *a = s->a;
    const VALUE *values = a->values;
    VALUE *d = s->d;
    VALUE *b = s->b;
    memset(d, 0, (size_t)(s->tall * s->wide) * sizeof *d);
    memset(b, 0, (size_t)fur_larger(s->tall, s->wide) * sizeof *b);
    for (int64_t q = 0; q < s->wide; q++) {
        int64_t end = fur_offset_at(a, s->rows[q] + (int64_t)1);
        for (int64_t k = fur_offset_at(a, s->rows[q]); k < end; k++) {
            VALUE *to = d + q * s->tall + s->places[a->columns[k]];
            *to = V(add)(*to, values[k]);
        }
    }
    if (s->places[i] >= 0)
        b[s->places[i]] = V(from)((fur_scalar){1, 0});
}

static void FN(scale)(int64_t count, double unit, VALUE *x)
{
    REAL *parts = (REAL *)x;
    for (int64_t i = 0; i < count * (1 + COMPLEX); i++)
        parts[i] *= (REAL)unit;
}

/* The power of two that brings the largest entry near 1; 1 if it is in range. */
static double FN(unit_of)(int64_t count, const VALUE *x)
{
    int range = sizeof(REAL) == sizeof(float) ? SINGLE_RANGE : RANGE;
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        double size = FN(modulus)(x[i]); /* a reduction by fmax stops gcc 12 for aarch64 */
        largest = size > largest ? size : largest;
    }
    if (!(largest > 0 && largest < HUGE_VAL) || abs(ilogb(largest)) <= range)
        return 1;
    return scalbn(1, ilogb(largest) < -4 * range ? 4 * range : -ilogb(largest));
}

/* x := x - beta (v^H x) v, for v and x from place p on. */
static void FN(reflect)(int64_t p, int64_t tall, VALUE beta, const VALUE *v, VALUE *x)
{
    VALUE t = V(from)((fur_scalar){0, 0});
    for (int64_t r = p; r < tall; r++)
        t = V(fma)(V(conj)(v[r]), x[r], t);
    t = V(neg)(V(mul)(beta, t));
    for (int64_t r = p; r < tall; r++)
        x[r] = V(fma)(t, v[r], x[r]);
}

/* Makes column p zero below its diagonal. The reflection is also applied to the later columns and
 * to b. */
static void FN(eliminate)(const least_squares *s, int64_t p)
{
    VALUE *v = (VALUE *)s->d + p * s->tall;
    double sum = 0;
    for (int64_t r = p; r < s->tall; r++) {
        double modulus = FN(modulus)(v[r]);
        sum = fma(modulus, modulus, sum);
    }
    double norm = sqrt(sum);
    double head = FN(modulus)(v[p]);
    if (norm == 0)
        return;
    bool turns = head > TINY_HEAD * norm;
    VALUE factor = V(from)((fur_scalar){turns ? norm / head : norm, 0});
    VALUE plus = turns ? V(mul)(factor, v[p]) : factor;
    VALUE beta = V(from)((fur_scalar){1 / (norm * (norm + head)), 0});
    v[p] = V(add)(v[p], plus);
    for (int64_t q = p + 1; q < s->wide; q++)
        FN(reflect)(p, s->tall, beta, v, (VALUE *)s->d + q * s->tall);
    FN(reflect)(p, s->tall, beta, v, s->b);
    v[p] = V(neg)(plus);
}

/* Solves R x = b in place of b. If R has a 0 on its diagonal, that entry of x is 0. */
static void FN(solve)(const least_squares *s, int64_t steps)
{
    const VALUE *d = s->d;
    VALUE *b = s->b;
    for (int64_t p = steps - 1; p >= 0; p--) {
        VALUE inverse = d[p * s->tall + p];
        VALUE sum = b[p];
        for (int64_t q = p + 1; q < steps; q++)
            sum = V(fma)(V(neg)(d[q * s->tall + p]), b[q], sum);
        bool regular = FUR_JOIN(reciprocals, VALUE_NAME)(1, &inverse) < 0;
        b[p] = regular ? V(mul)(inverse, sum) : V(from)((fur_scalar){0, 0});
    }
}

/* Computes row i of M. Returns false if it is 0 or not finite. */
static bool FN(invert_row)(least_squares *s, int64_t i, VALUE *row)
{
    const VALUE *b = s->b;
    double sum = 0;
    list_columns(s);
    FN(fill)(s, i);
    forget_columns(s);
    double unit = FN(unit_of)(s->tall * s->wide, s->d);
    if (unit != 1)
        FN(scale)(s->tall * s->wide, unit, s->d);
    int64_t steps = fur_smaller(s->tall, s->wide);
    for (int64_t p = 0; p < steps; p++)
        FN(eliminate)(s, p);
    FN(solve)(s, steps);
    for (int64_t q = 0; q < s->wide; q++) {
        row[q] = q < steps ? b[q] : V(from)((fur_scalar){0, 0});
        sum += FN(modulus)(row[q]);
    }
    if (unit != 1)
        FN(scale)(s->wide, unit, row);
    return sum > 0 && isfinite(sum);
}

/* Each index is a lane, with its own rows and memory. */
static void FN(spai_lanes)(void *job, int64_t begin, int64_t end)
{
    inverting *v = job;
    const fur_spai_call *c = v->call;
    int64_t n = c->a->rows;
    for (int64_t lane = begin; lane < end; lane++) {
        VALUE *room = (VALUE *)c->dense + lane * (c->room + c->longest);
        least_squares s = {.a = c->a,
                           .d = room,
                           .b = room + c->room,
                           .columns = c->columns + lane * c->longest,
                           .places = c->places + lane * n};
        int64_t stop = fur_split(n, c->lanes, (int)lane + 1);
        for (int64_t i = fur_split(n, c->lanes, (int)lane); i < stop; i++) {
            int64_t first = fur_offset_at(c->m, i);
            if (i % ROWS_A_QUESTION == 0 && is_stopped(v))
                return;
            s.rows = c->m->columns + first;
            s.wide = fur_offset_at(c->m, i + 1) - first;
            if (!FN(invert_row)(&s, i, (VALUE *)c->values + first))
                fur_shared_least(&v->failed, i);
        }
    }
}

#endif
