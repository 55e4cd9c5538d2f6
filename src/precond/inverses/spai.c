/* A sparse approximate inverse: M with the positions of A, or of its diagonal, for which M A is
 * nearest to I in the norm of Frobenius (Grote and Huckle 1997). Each row m of M is a least-squares
 * problem of its own: with J its columns, min || m A(J, :) - e ||, by Householder's QR. */
#ifndef FUR_TEMPLATE
#    include "precond.h"

#    include "atomic.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    include <furrow/spmv.h>

#    include <string.h>

/* Longer rows of A have the diagonal's position alone in M, and rows of M no position of theirs. */
#    define LONGEST_ROW 128
#    define ROW_GRAIN 256
/* A head of a column that is smaller in proportion to its norm does not decide the reflection. */
#    define TINY_HEAD 0x1p-60

typedef struct spai {
    bool diagonal; /* M has the diagonal's positions alone */
    fur_csr *m;
    fur_spmv *plan;
    /* Threads that work on rows of their own, and the memory of each, on the host: the dense matrix
     * of a row and its right-hand side, the columns of A that it has, and their places, -1 between
     * two rows. */
    int lanes;
    int64_t room;    /* of the matrices */
    int64_t longest; /* of the right-hand sides */
    void *dense;
    int32_t *columns;
    int32_t *places;
    int64_t failed; /* the first row without a usable result, or that behind the last */
} spai;

/* A row in the making. */
typedef struct least_squares {
    const fur_csr_view *a;
    const int32_t *rows; /* of A, which are columns of M */
    int64_t wide;        /* how many */
    int64_t tall;        /* columns of A in these rows */
    void *d;             /* A(J, C)^T, columns one after the other; becomes R and its reflections */
    void *b;             /* the unit vector; becomes Q^H of it, then the solution */
    int32_t *columns;    /* C */
    int32_t *places;     /* of columns of A in C */
} least_squares;

typedef struct inverting {
    const fur_csr_view *a;
    const fur_csr_view *m;
    void *values; /* of m */
    const spai *own;
    fur_shared failed;
} inverting;

static int64_t length_of(const fur_csr_view *a, int64_t i)
{
    return fur_offset_at(a, i + 1) - fur_offset_at(a, i);
}

/* C: the columns of A in these rows, in the order in which they are met. */
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
#    define FUR_TEMPLATE "spai.c"
#    include "foreach_value.h"

/* The positions of a row of M, each once, into columns unless NULL. Returns how many. */
static int64_t list_row(const fur_csr_view *a, bool diagonal, int64_t i, int32_t *columns)
{
    int64_t count = 0;
    int32_t last = -1;
    bool alone = diagonal || length_of(a, i) > LONGEST_ROW;
    for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++) {
        int32_t j = a->columns[k];
        bool taken = j == i || (!alone && length_of(a, j) <= LONGEST_ROW);
        if (j != last && taken) {
            if (columns)
                columns[count] = j;
            count++;
        }
        last = j;
    }
    return count;
}

/* The pattern of M. */
static fur_status make_pattern(const fur_csr *a, bool diagonal, fur_csr **out)
{
    fur_env *env = &a->context->env;
    int64_t n = a->view.rows;
    int64_t *starts;
    FUR_TRY(fur_env_allocate(env, n + 1, sizeof *starts, &starts));
    starts[0] = 0;
    for (int64_t i = 0; i < n; i++)
        starts[i + 1] = starts[i] + list_row(&a->view, diagonal, i, NULL);
    fur_status status = fur_csr_allocate(a->context, n, n, starts[n], a->view.value_type,
                                         fur_offset_for(starts[n]), out);
    if (status == FUR_OK) {
        fur_csr_set_offsets(*out, starts);
        for (int64_t i = 0; i < n && starts[n] > 0; i++)
            list_row(&a->view, diagonal, i, fur_csr_columns(*out) + starts[i]);
    }
    fur_env_release(env, starts);
    return status;
}

/* Memory for the largest of the problems, for each lane. */
static fur_status make_room(const fur_csr *a, const fur_csr_view *m, spai *own)
{
    fur_env *env = &a->context->env;
    int64_t n = a->view.rows;
    for (int64_t i = 0; i < n; i++) {
        int64_t tall = 0;
        for (int64_t k = fur_offset_at(m, i); k < fur_offset_at(m, i + 1); k++)
            tall += length_of(&a->view, m->columns[k]);
        tall = fur_smaller(tall, n);
        own->longest = fur_larger(own->longest, fur_larger(tall, length_of(m, i)));
        own->room = fur_larger(own->room, tall * length_of(m, i));
    }
    own->lanes = fur_lanes(env->threads, n / ROW_GRAIN);
    FUR_TRY(fur_env_allocate(env, own->lanes * (own->room + own->longest),
                             fur_value_size(m->value_type), &own->dense));
    FUR_TRY(fur_env_allocate(env, own->lanes * own->longest, sizeof *own->columns, &own->columns));
    FUR_TRY(fur_env_allocate(env, own->lanes * n, sizeof *own->places, &own->places));
    for (int64_t k = 0; k < own->lanes * n; k++)
        own->places[k] = -1;
    return FUR_OK;
}

/* The values of M. */
static void compute(const fur_csr *a, const void *arguments, fur_csr *m)
{
    static fur_body *const invert_lanes[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(invert_lanes);
    spai *own = *(spai *const *)arguments;
    inverting job = {&a->view, &m->view, fur_csr_values(m), own,
                     m->view.entries > 0 ? a->view.rows : 0};
    if (m->view.entries > 0)
        fur_parallel(&a->context->env, own->lanes, own->lanes, invert_lanes[a->view.value_type],
                     &job);
    own->failed = job.failed;
}

static fur_status make(const fur_csr *a, const void *arguments, fur_csr **out)
{
    spai *own = *(spai *const *)arguments;
    fur_csr *m;
    FUR_TRY(make_pattern(a, own->diagonal, &m));
    fur_status status = make_room(a, &m->view, own);
    if (status != FUR_OK) {
        fur_csr_destroy(m);
        return status;
    }
    compute(a, arguments, m);
    *out = m;
    return FUR_OK;
}

static fur_status check(const fur_precond *p, const spai *own)
{
    if (own->failed == p->a->view.rows)
        return FUR_OK;
    return fur_context_fail(p->context, FUR_INVALID,
                            "row %lld, counting from 1, of the approximate inverse \"spai\" is 0 "
                            "or not finite; try \"ilut\"",
                            (long long)own->failed + 1);
}

static fur_status create(fur_precond *p, const fur_precond_options *options)
{
    spai *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    own->diagonal = options->diagonal != 0;
    FUR_TRY(fur_csr_on_host(p->a, make, &own, &own->m));
    FUR_TRY(check(p, own));
    FUR_TRY(fur_spmv_plan(own->m, NULL, &own->plan));
    p->report.symmetric = own->diagonal;
    p->report.entries = own->m->view.entries;
    p->report.bytes = (double)fur_spmv_describe(own->plan)->bytes;
    return FUR_OK;
}

static fur_status update(fur_precond *p)
{
    spai *own = p->state;
    FUR_TRY(fur_csr_fill_on_host(p->a, compute, &own, own->m));
    FUR_TRY(check(p, own));
    fur_csr_values_changed(own->m);
    return FUR_OK;
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const spai *own = p->state;
    return fur_spmv_apply(own->plan, fur_real(1), r, fur_real(0), z);
}

static void release(fur_precond *p)
{
    fur_env *env = &p->context->env;
    spai *own = p->state;
    if (!own)
        return;
    fur_spmv_destroy(own->plan);
    fur_csr_destroy(own->m);
    fur_env_release(env, own->places);
    fur_env_release(env, own->columns);
    fur_env_release(env, own->dense);
    fur_env_release(env, own);
}

const fur_precond_kind fur_precond_spai = {
    .info = {"spai",
             "a sparse approximate inverse in A's pattern, or on its diagonal, applied by one "
             "product, for matrices of any kind",
             "Grote and Huckle 1997"},
    .place = FUR_PRECOND_ANYWHERE,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
#else

/* The dense matrix, and the unit vector i. */
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

/* Makes column p zero below its diagonal by a reflection of it, the columns behind and b. */
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

/* The solution of R x = b in place of b; where R has a 0 on its diagonal it is 0. */
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

/* Row i of M. False if it is 0 or not finite. */
static bool FN(invert_row)(least_squares *s, int64_t i, VALUE *row)
{
    const VALUE *b = s->b;
    double sum = 0;
    list_columns(s);
    FN(fill)(s, i);
    forget_columns(s);
    int64_t steps = fur_smaller(s->tall, s->wide);
    for (int64_t p = 0; p < steps; p++)
        FN(eliminate)(s, p);
    FN(solve)(s, steps);
    for (int64_t q = 0; q < s->wide; q++) {
        row[q] = q < steps ? b[q] : V(from)((fur_scalar){0, 0});
        sum += FN(modulus)(row[q]);
    }
    return sum > 0 && isfinite(sum);
}

/* Each index is a lane, with rows and memory of its own. */
static void FN(invert_lanes)(void *job, int64_t begin, int64_t end)
{
    inverting *v = job;
    const spai *own = v->own;
    int64_t n = v->a->rows;
    for (int64_t lane = begin; lane < end; lane++) {
        VALUE *room = (VALUE *)own->dense + lane * (own->room + own->longest);
        least_squares s = {.a = v->a,
                           .d = room,
                           .b = room + own->room,
                           .columns = own->columns + lane * own->longest,
                           .places = own->places + lane * n};
        int64_t stop = fur_split(n, own->lanes, (int)lane + 1);
        for (int64_t i = fur_split(n, own->lanes, (int)lane); i < stop; i++) {
            int64_t first = fur_offset_at(v->m, i);
            s.rows = v->m->columns + first;
            s.wide = fur_offset_at(v->m, i + 1) - first;
            if (!FN(invert_row)(&s, i, (VALUE *)v->values + first))
                fur_shared_least(&v->failed, i);
        }
    }
}

#endif
