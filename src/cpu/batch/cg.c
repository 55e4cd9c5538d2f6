/* Conjugate gradients with Jacobi's preconditioner for systems side by side (Hestenes and Stiefel
 * 1952). The steps are the steps of src/solver/method/cg.c, for one chunk of systems at a time. The
 * values and vectors of a chunk stay in the thread's second-level cache. A system that has ended
 * does not change while the others go on.
 *
 * Bytes a row of n entries, system and iteration, from that cache: n + 16 entries. */
#ifndef FUR_TEMPLATE
#    include "batch_course.h"
#    include "chunk.h"
#    include "isa.h"
#    include "magnitude.h"
#    include "table.h"

#    define FUR_TEMPLATE "batch/cg.c"
#    include "foreach_value.h"

#    define VECTORS 5

static int64_t bytes(const fur_batch_view *a, const fur_batch_form *form)
{
    fur_value_type value = a->values->value_type;
    (void)form;
    return (a->pattern->entries + VECTORS * a->pattern->rows) * chunk_side(value) *
           (int64_t)fur_value_size(value);
}

static void solve(const fur_batch_solve_call *call, int64_t first, void *room)
{
    static void (*const table[FUR_VALUE_COUNT])(const fur_batch_solve_call *, int64_t, void *) =
        FUR_VALUE_TABLE(solve_chunk);
    table[call->a.values->value_type](call, first, room);
}

extern const batch_method ISA(batch_cg);
const batch_method ISA(batch_cg) = {bytes, solve};
#else
#    define SUMS_SIDE SIDE
#    include "chunk.h"
#    include "long_sum.h"
#    include "sums.h"

#    include "reciprocal_template.h"

/* The systems first .. first + count - 1. */
typedef struct FN(chunk) {
    const fur_batch_solve_call *call;
    const fur_csr_view *a;
    int64_t rows;
    int64_t first;
    int count;
    VALUE *values;
    VALUE *d; /* reciprocals of the diagonal */
    VALUE *r;
    VALUE *p;
    VALUE *q;
    VALUE *t;          /* x, or its correction */
    REAL runs[SIDE];   /* not 0: the pass goes on, as fur_course says */
    REAL turns[SIDE];  /* not 0: the pass goes on, or its last update of x is due */
    VALUE step[SIDE];  /* alpha for x; 0 if no update is due */
    VALUE alpha[SIDE]; /* alpha for r; it and beta are 0 if the pass has ended */
    VALUE beta[SIDE];
    fur_course course[SIDE];
} FN(chunk);

/* Adds the entries begin, begin + step, ... before `end` of a row times x. */
INLINE void FN(add_entries)(const FN(chunk) * c, int64_t begin, int64_t end, int step,
                            const VALUE *x, VALUE *sum)
{
    for (int64_t k = begin; k < end; k += step) {
        const VALUE *value = c->values + k * SIDE;
        const VALUE *entry = x + (int64_t)c->a->columns[k] * SIDE;
#    pragma omp simd aligned(value, entry : CHUNK_BYTES)
        for (int s = 0; s < SIDE; s++)
            sum[s] = V(fma)(value[s], entry[s], sum[s]);
    }
}

/* A row of more than one segment times x. */
static void FN(multiply_long_row)(const FN(chunk) * c, int64_t begin, int64_t end, const VALUE *x,
                                  VALUE *sum)
{
    FN(long_sum) s;
    FN(long_start)(&s, SIDE);
    for (; begin < end; begin += FUR_ROW_SEGMENT) {
        FN(abreast) lane[FUR_ROW_LANES];
        memset(lane, 0, sizeof lane);
        for (int l = 0; l < FUR_ROW_LANES; l++)
            FN(add_entries)
        (c, begin + l, fur_smaller(end, begin + FUR_ROW_SEGMENT), FUR_ROW_LANES, x, lane[l]);
        FN(add_segment)(&s, lane);
    }
    FN(long_total)(&s, sum);
}

/* Row i of the matrices times x. */
INLINE void FN(multiply_row)(const FN(chunk) * c, int64_t i, const VALUE *x, VALUE *sum)
{
    int64_t begin = fur_offset_at(c->a, i);
    int64_t end = fur_offset_at(c->a, i + 1);
    if (end - begin > FUR_ROW_SEGMENT) {
        FN(multiply_long_row)(c, begin, end, x, sum);
        return;
    }
    for (int s = 0; s < SIDE; s++)
        sum[s] = V(from)(fur_real(0));
    FN(add_entries)(c, begin, end, 1, x, sum);
}

/* q = A p; p.q */
static void FN(visit_product)(void *job, int64_t i, int count, FN(lane) * one, FN(lane) * two)
{
    const FN(chunk) *c = job;
    (void)two;
    for (int j = 0; j < count; j++) {
        const VALUE *p = c->p + (i + j) * SIDE;
        VALUE *q = c->q + (i + j) * SIDE;
        double *sum = one[j];
        _Alignas(64) VALUE row[SIDE];
        FN(multiply_row)(c, i + j, c->p, row);
#    pragma omp simd aligned(p, q, sum : CHUNK_BYTES)
        for (int s = 0; s < SIDE; s++) {
            q[s] = row[s];
            sum[s] = FN(dot_re)(p[s], row[s], sum[s]);
        }
    }
}

/* r -= alpha q, with alpha 0 if the pass has ended. Adds up |r|^2 and r.d r. */
static void FN(visit_descent)(void *job, int64_t i, int count, FN(lane) * one, FN(lane) * two)
{
    const FN(chunk) *c = job;
    for (int j = 0; j < count; j++) {
        const int64_t at = (i + j) * SIDE;
        const VALUE *q = c->q + at;
        const VALUE *d = c->d + at;
        VALUE *r = c->r + at;
        double *squares = one[j];
        double *products = two[j];
#    pragma omp simd aligned(q, d, r, squares, products : CHUNK_BYTES)
        for (int s = 0; s < SIDE; s++) {
            VALUE next = V(fma)(V(neg)(c->alpha[s]), q[s], r[s]);
            r[s] = next;
            squares[s] = FN(dot_re)(next, next, squares[s]);
            products[s] = FN(dot_re)(next, V(mul)(d[s], next), products[s]);
        }
    }
}

/* p = d r; r.p */
static void FN(visit_aim)(void *job, int64_t i, int count, FN(lane) * one, FN(lane) * two)
{
    const FN(chunk) *c = job;
    (void)two;
    for (int64_t at = i * SIDE; at < (i + count) * SIDE; at++) {
        c->p[at] = V(mul)(c->d[at], c->r[at]);
        double *sum = &one[at / SIDE - i][at % SIDE];
        *sum = FN(dot_re)(c->r[at], c->p[at], *sum);
    }
}

/* p.q in both parts */
static void FN(visit_pair)(void *job, int64_t i, int count, FN(lane) * one, FN(lane) * two)
{
    const FN(chunk) *c = job;
    for (int64_t at = i * SIDE; at < (i + count) * SIDE; at++) {
        double *re = &one[at / SIDE - i][at % SIDE];
        double *im = &two[at / SIDE - i][at % SIDE];
        *re = FN(dot_re)(c->p[at], c->q[at], *re);
        *im = FN(dot_im)(c->p[at], c->q[at], *im);
    }
}

/* x += alpha p if an update is due; p = d r + beta p, with beta 0 if the pass has ended. `all`: the
 * update is due in all systems. */
INLINE void FN(turn_rows)(const FN(chunk) * c, bool all)
{
    const VALUE unit = V(from)(fur_real(1));
    for (int64_t i = 0; i < c->rows; i++) {
        const VALUE *r = c->r + i * SIDE;
        const VALUE *d = c->d + i * SIDE;
        VALUE *p = c->p + i * SIDE;
        VALUE *t = c->t + i * SIDE;
#    pragma omp simd aligned(r, d, p, t : CHUNK_BYTES)
        for (int s = 0; s < SIDE; s++) {
            VALUE x = V(fma)(c->step[s], p[s], t[s]);
            p[s] = V(fma)(unit, V(mul)(d[s], r[s]), V(mul)(c->beta[s], p[s]));
            t[s] = all || c->turns[s] != 0 ? x : t[s];
        }
    }
}

static void FN(turn)(const FN(chunk) * c)
{
    bool all = true;
    for (int s = 0; s < SIDE; s++)
        all = all && c->turns[s] != 0;
    if (all)
        FN(turn_rows)(c, true);
    else
        FN(turn_rows)(c, false);
}

/* Copies the state of the courses into arrays for all systems. Returns whether any pass goes on. */
static bool FN(follow)(FN(chunk) * c)
{
    bool any = false;
    for (int s = 0; s < SIDE; s++) {
        fur_course *course = &c->course[s];
        c->runs[s] = course->runs;
        c->turns[s] = course->runs || course->settles;
        c->step[s] = V(from)(fur_real(c->turns[s] != 0 ? course->alpha : 0));
        c->alpha[s] = V(from)(fur_real(course->runs ? course->alpha : 0));
        c->beta[s] = V(from)(fur_real(course->runs ? course->beta : 0));
        course->settles = false;
        any = any || course->runs;
    }
    return any;
}

/* Runs one pass of all systems that are not finished. */
static void FN(run_pass)(FN(chunk) * c)
{
    const fur_batch_form *form = c->call->form;
    FN(lane) one;
    FN(lane) two;
    FN(lane) norm;
    FN(walk)(FN(visit_aim), c, c->rows, one, NULL);
    for (int s = 0; s < SIDE; s++)
        fur_course_aim(&c->course[s], one[s]);
    bool on = FN(follow)(c);
    for (int64_t issued = 1; on; issued++) {
        FN(walk)(FN(visit_product), c, c->rows, one, NULL);
        for (int s = 0; s < SIDE; s++)
            fur_course_step(&c->course[s], one[s]);
        if (!FN(follow)(c))
            break;
        FN(walk)(FN(visit_descent), c, c->rows, one, two);
        FN(norms_from)(c->r, c->rows, one, c->runs, norm);
        for (int s = 0; s < SIDE; s++)
            fur_course_reduce(&c->course[s], form, norm[s], two[s]);
        on = FN(follow)(c);
        FN(turn)(c);
        if (on && fur_course_is_milestone(issued)) {
            FN(walk)(FN(visit_pair), c, c->rows, one, two);
            for (int s = 0; s < SIDE; s++)
                fur_course_check(&c->course[s], one[s], two[s]);
            on = FN(follow)(c);
        }
    }
}

/* r = b - A t, and the norms of r. */
static void FN(take_residuals)(FN(chunk) * c, double *norm)
{
    const fur_vectors_view *b = c->call->b;
    const VALUE unit = V(from)(fur_real(1));
    const VALUE minus = V(from)(fur_real(-1));
    for (int64_t i = 0; i < c->rows; i++) {
        VALUE right[SIDE];
        VALUE *r = c->r + i * SIDE;
        FN(multiply_row)(c, i, c->t, r);
        FN(load_row)((const VALUE *)b->data + i * b->stride + c->first, c->count, right);
        for (int s = 0; s < SIDE; s++)
            r[s] = V(fma)(unit, right[s], V(mul)(minus, r[s]));
    }
    FN(norms)(c->r, c->rows, norm);
}

/* Row i of x. */
static VALUE *FN(solution_row)(const FN(chunk) * c, int64_t i)
{
    const fur_vectors_view *x = c->call->x;
    return (VALUE *)x->data + i * x->stride + c->first;
}

/* x takes t if the pass has reduced the residual, else t takes x. Then both are equal. */
static void FN(accept)(FN(chunk) * c)
{
    const VALUE unit = V(from)(fur_real(1));
    for (int64_t i = 0; i < c->rows; i++) {
        VALUE *t = c->t + i * SIDE;
        VALUE *x = FN(solution_row)(c, i);
        for (int s = 0; s < c->count; s++) {
            const fur_course *course = &c->course[s];
            if (course->corrects && course->scale != 1)
                t[s] = V(mul)(V(from)(fur_real(1 / course->scale)), t[s]);
            if (!fur_course_gains(course))
                t[s] = x[s];
            else
                x[s] = t[s] = course->corrects ? V(fma)(unit, t[s], x[s]) : t[s];
        }
    }
}

/* Prepares passes of corrections: t = 0, and r is scaled. Returns whether any system is
 * unfinished. */
static bool FN(prepare)(FN(chunk) * c)
{
    bool any = false;
    for (int s = 0; s < c->count; s++) {
        const fur_course *course = &c->course[s];
        VALUE scale = V(from)(fur_real(course->scale));
        any = any || course->open;
        for (int64_t i = s; course->open && course->corrects && i < c->rows * SIDE; i += SIDE) {
            c->t[i] = V(from)(fur_real(0));
            c->r[i] = course->scale != 1 ? V(mul)(scale, c->r[i]) : c->r[i];
        }
    }
    return any;
}

/* Runs passes until every system has met its goal or makes no more progress. */
static void FN(run)(FN(chunk) * c)
{
    const fur_batch_form *form = c->call->form;
    FN(lane) norm;
    while (FN(prepare)(c)) {
        FN(run_pass)(c);
        FN(accept)(c);
        FN(take_residuals)(c, norm);
        for (int s = 0; s < c->count; s++) {
            fur_course *course = &c->course[s];
            bool gains = fur_course_gains(course);
            fur_course_judge(course, form, gains ? norm[s] : course->residual);
        }
    }
}

/* The reciprocals of the diagonal. A system that lacks a usable diagonal gets 1. */
static void FN(invert)(FN(chunk) * c, bool *usable, bool *finite)
{
    for (int s = 0; s < SIDE; s++)
        usable[s] = finite[s] = true;
    for (int64_t i = 0; i < c->rows; i++) {
        VALUE *d = c->d + i * SIDE;
        int64_t k = fur_offset_at(c->a, i);
        int64_t end = fur_offset_at(c->a, i + 1);
        while (k < end && c->a->columns[k] != i)
            k++;
        memset(d, 0, SIDE * sizeof *d);
        if (k < end)
            memcpy(d, c->values + k * SIDE, SIDE * sizeof *d);
        for (k++; k < end && c->a->columns[k] == i; k++)
            for (int s = 0; s < SIDE; s++)
                d[s] = V(add)(d[s], c->values[k * SIDE + s]);
        for (int s = 0; s < SIDE; s++) {
            VALUE entry = d[s];
            if (FN(reciprocals)(1, &d[s]) < 0)
                continue;
            usable[s] = false;
            finite[s] = finite[s] && FN(dot_re)(entry, entry, 0) < HUGE_VAL;
            d[s] = V(from)(fur_real(1));
        }
    }
}

/* Loads values and vectors, and prepares the first pass. */
static void FN(begin)(FN(chunk) * c)
{
    const fur_batch_solve_call *call = c->call;
    bool usable[SIDE];
    bool finite[SIDE];
    FN(lane) b_norm;
    FN(lane) x_norm;
    FN(lane) norm;
    FN(load_rows)(call->a.values, c->first, c->count, c->values);
    FN(invert)(c, usable, finite);
    FN(load_rows)(call->b, c->first, c->count, c->r);
    FN(norms)(c->r, c->rows, b_norm);
    FN(load_rows)(call->x, c->first, c->count, c->t);
    for (int64_t i = 0; i < c->rows; i++)
        for (int s = 0; s < c->count; s++)
            if (b_norm[s] == 0)
                FN(solution_row)(c, i)[s] = c->t[i * SIDE + s] = V(from)(fur_real(0));
    FN(norms)(c->t, c->rows, x_norm);
    FN(take_residuals)(c, norm);
    for (int s = 0; s < SIDE; s++)
        fur_course_begin(&c->course[s], call->form, b_norm[s], x_norm[s], norm[s], usable[s],
                         finite[s]);
}

static void FN(solve_chunk)(const fur_batch_solve_call *call, int64_t first, void *room)
{
    const fur_csr_view *a = call->a.pattern;
    const int64_t size = a->rows * SIDE;
    VALUE *memory = room;
    FN(chunk)
    c = {
        .call = call,
        .a = a,
        .rows = a->rows,
        .first = first,
        .count = (int)fur_smaller(SIDE, call->x->cols - first),
        .d = memory,
        .r = memory + size,
        .p = memory + 2 * size,
        .q = memory + 3 * size,
        .t = memory + 4 * size,
        .values = memory + 5 * size,
    };
    FN(begin)(&c);
    FN(run)(&c);
    for (int s = 0; s < c.count; s++)
        call->results[first + s] = fur_course_result(&c.course[s]);
}

#endif
