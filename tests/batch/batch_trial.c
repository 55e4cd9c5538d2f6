#include "batch_trial.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define GAP 3

static size_t bytes_of(const batch_trial *t, int64_t rows)
{
    return (size_t)(rows * t->count) * fur_value_size(t->value);
}

batch_block batch_block_make(fur_context *context, fur_value_type value, int64_t rows,
                             int64_t count, const void *entries, bool gaps)
{
    batch_block b = {NULL, NULL};
    int64_t wide = gaps ? count + GAP : count;
    ck_ok(context, fur_vectors_create(context, value, rows, wide, FUR_LAYOUT_ROWS, &b.wide));
    ck_ok(context, fur_vectors_fill(b.wide, fur_real(NAN)));
    ck_ok(context, fur_vectors_columns(b.wide, gaps ? 1 : 0, count, &b.block));
    ck_ok(context, fur_vectors_upload(entries, b.block));
    return b;
}

void batch_block_release(batch_block *b)
{
    fur_vectors_destroy(b->block);
    fur_vectors_destroy(b->wide);
}

/* Returns the entries of system s in a block. */
static void *take(const batch_trial *t, const void *block, int64_t rows, int64_t s)
{
    void *out = entries_make(t->value, rows + 1);
    for (int64_t i = 0; i < rows; i++)
        entry_set(t->value, out, i, entry_get(t->value, block, i * t->count + s));
    return out;
}

static void put(const batch_trial *t, const void *entries, int64_t rows, int64_t s, void *block)
{
    for (int64_t i = 0; i < rows; i++)
        entry_set(t->value, block, i * t->count + s, entry_get(t->value, entries, i));
}

/* Returns the matrix of system s. */
static fur_csr *matrix_of(const batch_trial *t, int64_t s)
{
    fur_context *context = fur_csr_context(t->matrix);
    fur_csr_view view = *fur_csr_get(t->matrix);
    fur_csr *a = NULL;
    void *values = take(t, t->values, view.entries, s);
    view.value_type = t->value;
    view.values = values;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    free(values);
    return a;
}

batch_trial batch_make(const fur_csr *matrix, fur_value_type value, int64_t count, int64_t b_rows,
                       rng *r)
{
    const fur_csr_view *a = fur_csr_get(matrix);
    batch_trial t = {.matrix = matrix, .value = value, .count = count};
    t.values = entries_random(r, value, a->entries * count);
    t.b = entries_random(r, value, b_rows * count);
    t.x = entries_random(r, value, a->rows * count);
    t.expected = entries_make(value, a->rows * count + 1);
    t.results = calloc((size_t)count + 1, sizeof *t.results);
    ck_assert(t.results);
    memcpy(t.expected, t.x, bytes_of(&t, a->rows));
    return t;
}

void batch_release(batch_trial *t)
{
    free(t->values);
    free(t->b);
    free(t->x);
    free(t->expected);
    free(t->results);
}

static void multiply(const batch_trial *t, fur_scalar alpha, fur_scalar beta, int64_t s)
{
    fur_context *context = fur_csr_context(t->matrix);
    fur_spmv_options options = {.size = sizeof options, .kernel = "reference"};
    fur_csr *a = matrix_of(t, s);
    const fur_csr_view *v = fur_csr_get(a);
    void *from = take(t, t->b, v->cols, s);
    void *to = take(t, t->x, v->rows, s);
    fur_vector *x = vector_from(context, t->value, v->cols, from);
    fur_vector *y = vector_from(context, t->value, v->rows, to);
    fur_spmv *plan = NULL;
    ck_ok(context, fur_spmv_plan(a, &options, &plan));
    ck_ok(context, fur_spmv_apply(plan, alpha, x, beta, y));
    if (v->rows > 0)
        put(t, fur_vector_const_data(y), v->rows, s, t->expected);
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    free(to);
    free(from);
    fur_csr_destroy(a);
}

batch_trial batch_random(const fur_csr *matrix, fur_value_type value, int64_t count,
                         fur_scalar alpha, fur_scalar beta, rng *r)
{
    batch_trial t = batch_make(matrix, value, count, fur_csr_get(matrix)->cols, r);
    for (int64_t s = 0; s < count; s++)
        multiply(&t, alpha, beta, s);
    return t;
}

/* Faults of a system. At least half of the systems are sound. */
typedef enum fault {
    SOUND = 0,
    NO_GUESS, /* x = 0 at the start */
    HARD,     /* nearly singular */
    TINY,     /* b and x are tiny, or huge if VAST */
    VAST,
    NO_RIGHT_SIDE,
    SOLVED, /* b = A x for the initial guess */
    NEGATIVE,
    ASYMMETRIC,
    NO_DIAGONAL,
    WILD, /* NaN in A */
    FAULTS
} fault;

static fault fault_of(int64_t s)
{
    return s % 3 == 2 ? (fault)(1 + s / 3 % (FAULTS - 1)) : SOUND;
}

static int64_t find(const fur_csr_view *a, int64_t i, int64_t j)
{
    for (int64_t k = offset_at(a, i); k < offset_at(a, i + 1); k++)
        if (a->columns[k] == j)
            return k;
    ck_abort_msg("the pattern is not symmetric");
    return -1;
}

/* Sets Hermitian values with a dominant diagonal. The fault ASYMMETRIC gets other values. */
static void set_definite(batch_trial *t, int64_t s, rng *r)
{
    const fur_csr_view *a = fur_csr_get(t->matrix);
    double slack = fault_of(s) == HARD ? 1e-9 : 0.5 * pow(2, -(double)rng_below(r, 12));
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = offset_at(a, i); k < offset_at(a, i + 1); k++) {
            int64_t j = a->columns[k];
            fur_scalar v = entry_get(t->value, t->values, k * t->count + s);
            if (fault_of(s) != ASYMMETRIC)
                v.re = -fabs(v.re);
            v.im *= 0.25;
            if (j > i)
                entry_set(t->value, t->values, k * t->count + s, v);
            else if (j < i && fault_of(s) != ASYMMETRIC) {
                v = entry_get(t->value, t->values, find(a, j, i) * t->count + s);
                entry_set(t->value, t->values, k * t->count + s, fur_complex(v.re, -v.im));
            }
        }
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = slack;
        for (int64_t k = offset_at(a, i); k < offset_at(a, i + 1); k++) {
            fur_scalar v = entry_get(t->value, t->values, k * t->count + s);
            sum += a->columns[k] == i ? 0 : hypot(v.re, v.im);
        }
        if (fault_of(s) == ASYMMETRIC)
            sum *= 0.3;
        entry_set(t->value, t->values, find(a, i, i) * t->count + s, fur_real(sum));
    }
}

static void scale(const batch_trial *t, void *block, int64_t rows, int64_t s, double factor)
{
    for (int64_t i = 0; i < rows; i++) {
        fur_scalar v = entry_get(t->value, block, i * t->count + s);
        entry_set(t->value, block, i * t->count + s, fur_complex(factor * v.re, factor * v.im));
    }
}

static void set_fault(batch_trial *t, int64_t s, rng *r)
{
    const fur_csr_view *a = fur_csr_get(t->matrix);
    bool single = t->value == FUR_F32 || t->value == FUR_C64;
    double far = single ? 1e-24 : 1e-180;
    int64_t row = rng_below(r, a->rows);
    int64_t diagonal = find(a, row, row) * t->count + s;
    fault f = fault_of(s);
    if (f == NO_GUESS || f == NO_RIGHT_SIDE)
        scale(t, f == NO_GUESS ? t->x : t->b, a->rows, s, 0);
    if (f == TINY || f == VAST) {
        scale(t, t->b, a->rows, s, f == TINY ? far : 1 / far);
        scale(t, t->x, a->rows, s, f == TINY ? far : 1 / far);
    }
    if (f == NEGATIVE)
        entry_set(t->value, t->values, diagonal, fur_real(-1));
    if (f == NO_DIAGONAL)
        entry_set(t->value, t->values, diagonal, fur_real(0));
    if (f == WILD)
        entry_set(t->value, t->values, diagonal, fur_real(NAN));
}

/* Sets b = A x for the initial guess x. */
static void set_solved(batch_trial *t, int64_t s)
{
    const fur_csr_view *a = fur_csr_get(t->matrix);
    batch_trial swapped = *t;
    void *before = malloc(bytes_of(t, a->rows));
    memcpy(before, t->expected, bytes_of(t, a->rows));
    swapped.b = t->x;
    multiply(&swapped, fur_real(1), fur_real(0), s);
    for (int64_t i = 0; i < a->rows; i++)
        entry_set(t->value, t->b, i * t->count + s,
                  entry_get(t->value, t->expected, i * t->count + s));
    memcpy(t->expected, before, bytes_of(t, a->rows));
    free(before);
}

/* Stores the expected result of system s, computed by a solver of the library. x is unchanged if
 * the solver refuses the system. */
static void solve(batch_trial *t, const fur_batch_solver_options *options, int64_t s)
{
    fur_context *context = fur_csr_context(t->matrix);
    fur_spmv_options plain = {.size = sizeof plain, .kernel = "reference"};
    fur_csr *a = matrix_of(t, s);
    int64_t n = fur_csr_get(a)->rows;
    void *right = take(t, t->b, n, s);
    void *guess = take(t, t->x, n, s);
    fur_vector *b = vector_from(context, t->value, n, right);
    fur_vector *x = vector_from(context, t->value, n, guess);
    fur_spmv *plan = NULL;
    fur_operator *op = NULL;
    fur_operator *jacobi = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_spmv_plan(a, &plain, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    fur_solver_options o = {.size = sizeof o,
                            .rtol = options->rtol,
                            .atol = options->atol,
                            .max_iterations = options->max_iterations,
                            .no_reduction = 1};
    fault f = fault_of(s);
    fur_outcome refused = f == NO_DIAGONAL ? FUR_OUTCOME_INDEFINITE : FUR_OUTCOME_BREAKDOWN;
    if (f == NO_DIAGONAL || f == WILD) {
        t->results[s] = (fur_batch_result){refused, 0, NAN};
    } else {
        ck_ok(context, fur_operator_jacobi(op, &jacobi));
        o.preconditioner = jacobi;
        ck_ok(context, fur_solver_create(op, &o, &solver));
        ck_ok(context, fur_solver_solve(solver, b, x, &report));
        t->results[s] = (fur_batch_result){report.outcome, report.iterations, report.residual};
        put(t, fur_vector_const_data(x), n, s, t->expected);
    }
    fur_solver_destroy(solver);
    fur_operator_destroy(jacobi);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    free(guess);
    free(right);
    fur_csr_destroy(a);
}

batch_trial batch_definite(const fur_csr *matrix, fur_value_type value, int64_t count,
                           const fur_batch_solver_options *options, rng *r)
{
    batch_trial t = batch_make(matrix, value, count, fur_csr_get(matrix)->rows, r);
    for (int64_t s = 0; s < count; s++) {
        set_definite(&t, s, r);
        set_fault(&t, s, r);
        if (fault_of(s) == SOLVED)
            set_solved(&t, s);
    }
    memcpy(t.expected, t.x, bytes_of(&t, fur_csr_get(matrix)->rows));
    for (int64_t s = 0; s < count; s++)
        solve(&t, options, s);
    return t;
}

/* The matrix and the blocks of a trial in a context, and their batch. */
typedef struct opened {
    fur_csr *matrix;
    batch_block values;
    batch_block b;
    batch_block x;
    fur_batch *batch;
} opened;

static opened open_trial(fur_context *context, const batch_trial *t, bool gaps)
{
    const fur_csr_view *a = fur_csr_get(t->matrix);
    opened o = {.matrix = NULL};
    ck_ok(context, fur_csr_transfer(t->matrix, context, &o.matrix));
    o.values = batch_block_make(context, t->value, a->entries, t->count, t->values, gaps);
    o.b = batch_block_make(context, t->value, a->cols, t->count, t->b, gaps);
    o.x = batch_block_make(context, t->value, a->rows, t->count, t->x, false);
    ck_ok(context, fur_batch_create(o.matrix, o.values.block, &o.batch));
    return o;
}

static void close_trial(opened *o)
{
    fur_batch_destroy(o->batch);
    batch_block_release(&o->x);
    batch_block_release(&o->b);
    batch_block_release(&o->values);
    fur_csr_destroy(o->matrix);
}

static void compare(const batch_trial *t, const fur_vectors *x, const char *what)
{
    int64_t rows = fur_csr_get(t->matrix)->rows;
    void *entries = entries_make(t->value, rows * t->count + 1);
    ck_ok(fur_vectors_context(x), fur_vectors_download(x, entries));
    int64_t at = first_difference(t->value, rows * t->count, entries, t->expected);
    if (at >= 0) {
        fur_scalar is = entry_get(t->value, entries, at);
        fur_scalar wanted = entry_get(t->value, t->expected, at);
        ck_abort_msg("%s, %s, %lld systems: row %lld of system %lld is %a + %ai, alone it is "
                     "%a + %ai",
                     what, fur_value_name(t->value), (long long)t->count,
                     (long long)(at / t->count), (long long)(at % t->count), is.re, is.im,
                     wanted.re, wanted.im);
    }
    free(entries);
}

void batch_check_product(fur_context *context, const batch_trial *t, fur_scalar alpha,
                         fur_scalar beta, bool gaps, const char *what)
{
    opened o = open_trial(context, t, gaps);
    ck_ok(context, fur_batch_apply(o.batch, alpha, o.b.block, beta, o.x.block));
    compare(t, o.x.block, what);
    close_trial(&o);
}

/* Returns whether a system ends in a batch as it ends alone. A batch does not check whether a
 * residual above the tolerance is only rounding, and it has no proof that A is asymmetric or
 * indefinite. */
static bool ends_alike(fur_outcome batch, fur_outcome alone)
{
    switch (alone) {
    case FUR_OUTCOME_WORKING_PRECISION:
        return !fur_outcome_solved(batch);
    case FUR_OUTCOME_DIVERGED:
        return batch == alone || batch == FUR_OUTCOME_ASYMMETRIC;
    case FUR_OUTCOME_BREAKDOWN:
        return batch == alone || batch == FUR_OUTCOME_INDEFINITE;
    default:
        return batch == alone;
    }
}

static void compare_results(const batch_trial *t, const fur_batch_result *results,
                            const fur_batch_report *report, const char *what)
{
    int64_t solved = 0;
    int64_t first = -1;
    for (int64_t s = 0; s < t->count; s++) {
        const fur_batch_result *is = &results[s];
        const fur_batch_result *wanted = &t->results[s];
        bool same = is->residual == wanted->residual || isnan(wanted->residual);
        ck_assert_msg(ends_alike(is->outcome, wanted->outcome) &&
                          is->iterations == wanted->iterations && same,
                      "%s, %s, system %lld of %lld ends as %s after %lld iterations with %a, alone "
                      "as %s after %lld with %a",
                      what, fur_value_name(t->value), (long long)s, (long long)t->count,
                      fur_outcome_name(is->outcome), (long long)is->iterations, is->residual,
                      fur_outcome_name(wanted->outcome), (long long)wanted->iterations,
                      wanted->residual);
        solved += is->outcome == FUR_OUTCOME_CONVERGED;
        first = first < 0 && is->outcome != FUR_OUTCOME_CONVERGED ? s : first;
    }
    ck_assert_int_eq(report->solved, solved);
    ck_assert_int_eq(report->first_unsolved, first);
    ck_assert_int_eq(report->outcome, first < 0 ? FUR_OUTCOME_CONVERGED : results[first].outcome);
}

void batch_check_solve(fur_context *context, const batch_trial *t,
                       const fur_batch_solver_options *options, bool gaps, const char *what)
{
    opened o = open_trial(context, t, gaps);
    fur_batch_solver *solver = NULL;
    fur_batch_report report = FUR_DEFAULT(fur_batch_report);
    fur_batch_result *results = calloc((size_t)t->count + 1, sizeof *results);
    ck_ok(context, fur_batch_solver_create(o.batch, options, &solver));
    ck_ok(context, fur_batch_solve(solver, o.b.block, o.x.block, results, &report));
    compare_results(t, results, &report, what);
    compare(t, o.x.block, what);
    ck_ok(context, fur_vectors_upload(t->x, o.x.block)); /* the solver reuses its workspace */
    ck_ok(context, fur_batch_solve(solver, o.b.block, o.x.block, NULL, NULL));
    compare(t, o.x.block, what);
    free(results);
    fur_batch_solver_destroy(solver);
    close_trial(&o);
}

void batch_check_nonfinite_guess(fur_context *context, fur_value_type value, rng *r)
{
    enum { SYSTEMS = 5 };
    const fur_batch_solver_options options = {.size = sizeof options};
    const int32_t offsets[] = {0, 1, 1};
    const int32_t column = 0;
    double entry[2] = {1, 0};
    fur_csr *a = NULL;
    fur_csr_view view = {sizeof view, 2, 2, 1, value, FUR_I32, offsets, &column, entry};
    ck_ok(fur_context_host(context),
          fur_csr_create(fur_context_host(context), &view, FUR_OWNERSHIP_COPY, &a));
    batch_trial t = batch_make(a, value, SYSTEMS, 2, r);
    for (int64_t s = 0; s < SYSTEMS; s++) {
        fur_scalar nonfinite = fur_complex(s % 2 ? NAN : 1, s % 2 ? 0 : INFINITY);
        entry_set(value, t.b, SYSTEMS + s, fur_real(0));
        entry_set(value, t.x, SYSTEMS + s, value_is_complex(value) ? nonfinite : fur_real(NAN));
        t.results[s] = (fur_batch_result){FUR_OUTCOME_BREAKDOWN, 0, NAN};
    }
    memcpy(t.expected, t.x, bytes_of(&t, 2));
    batch_check_solve(context, &t, &options, false, "a nonfinite guess");
    batch_release(&t);
    fur_csr_destroy(a);
}
