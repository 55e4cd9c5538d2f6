/* Eigenvalues by the locally optimal block preconditioned conjugate gradient method (A. Knyazev,
 * Toward the optimal preconditioned eigensolver, 2001).
 *
 * An iteration finds the Ritz vectors X of the space [X P W], and their steps P. It computes their
 * residuals, and makes W from the residuals that are too large. If the residual of a column of X is
 * small enough, the column stays in the space, but it gets no W and no P any more (soft locking:
 * Knyazev, Argentati, Lashuk and Ovtchinnikov 2007). Each vector of W causes about 3 vector
 * transfers for each vector of the basis, as in fur_eigs, and is multiplied by A and M. */
#include <furrow/author/clock.h>
#include <furrow/author/fused.h>
#include <furrow/author/options.h>
#include <furrow/eigs.h>

#include "arguments.h"
#include "asked.h"
#include "lobpcg_space.h"
#include "value_type.h"

#include <furrow/vector.h>

#include <float.h>
#include <math.h>

#define DEFAULT_COUNT 6
#define DEFAULT_ITERATIONS 1000
#define MAX_CONSTRAINTS 10000
/* If at most this many dimensions for each value exist, the whole space is searched. */
#define WHOLE_COUNTS 5
/* X and A X accumulate rounding. They are computed again after this many iterations. */
#define REFRESH 50
/* A residual of this many epsilon times ||A|| is rounding. */
#define FLOOR 16
/* If values seemed to have converged but had not, their residual must fall by this factor before
 * the next check. */
#define LEAST_GAIN 0.5
/* A search stagnates if, in PATIENCE iterations, the largest residual has not fallen to a tenth,
 * and no further value has converged. If half of the iteration limit is more than PATIENCE, it
 * counts instead. A fall to a tenth consists of STEPS falls by FALL. Plateaus of 446 iterations
 * have been observed before a value converged. */
#define PATIENCE 500
#define STEPS 8
#define FALL 0.75

typedef struct lobpcg {
    fur_context *context;
    const fur_operator *a;
    fur_lobpcg_options options; /* with defaults instead of zeros */
    int64_t n;
    int room;
    bool whole; /* the first basis is the whole space orthogonal to the constraints */
    bool fresh; /* A X and the residuals are recomputed */
    fur_lobpcg_space space;
    fur_vector *spare;
    double *residuals;    /* residuals of X */
    bool *active;         /* for each column: its residual is too large */
    double claimed;       /* the largest residual when values last seemed to have converged */
    double reached;       /* the largest residual, rounded up to a step */
    int64_t steps[STEPS]; /* iterations of the last steps, the oldest first */
    int most;             /* the most values that have converged so far */
    fur_eigs_report report;
} lobpcg;

/* --- what is asked ---------------------------------------------------------------------------- */

static fur_status check_numbers(const lobpcg *e)
{
    const fur_lobpcg_options *o = &e->options;
    if (o->count < 0 || o->count > FUR_LOBPCG_MAX_COUNT || o->count > e->n)
        return fur_context_fail(
            e->context, FUR_INVALID,
            "%d eigenvalues were requested; the matrix has %lld, and at most %d can be found",
            o->count, (long long)e->n, FUR_LOBPCG_MAX_COUNT);
    if (o->which != FUR_EIGS_SMALLEST && o->which != FUR_EIGS_LARGEST)
        return fur_context_fail(e->context, FUR_INVALID,
                                "lobpcg finds eigenvalues at one end only; options.which must be "
                                "FUR_EIGS_SMALLEST or FUR_EIGS_LARGEST");
    if (!(o->tolerance >= 0) || !(o->relative >= 0) || o->max_iterations < 0)
        return fur_context_fail(e->context, FUR_INVALID,
                                "tolerance, relative and max_iterations must not be negative");
    if (o->block != 0 && (o->block < o->count || o->block > FUR_LOBPCG_MAX_BLOCK))
        return fur_context_fail(
            e->context, FUR_INVALID,
            "the block must have at least %d vectors, one for each eigenvalue, and at most %d",
            o->count, FUR_LOBPCG_MAX_BLOCK);
    return FUR_OK;
}

static fur_status check_operands(const lobpcg *e)
{
    const fur_operator *m = e->options.preconditioner;
    const fur_vectors *y = e->options.constraints;
    fur_value_type value = fur_operator_value_type(e->a);
    if (m && (fur_operator_rows(m) != e->n || fur_operator_cols(m) != e->n ||
              fur_operator_value_type(m) != value || fur_operator_context(m) != e->context))
        return fur_context_fail(e->context, FUR_INVALID,
                                "the preconditioner differs from the matrix in size, value type or "
                                "context; it must be %lld x %lld",
                                (long long)e->n, (long long)e->n);
    if (y && (y->context != e->context || y->view.rows != e->n || y->view.value_type != value ||
              y->view.cols > MAX_CONSTRAINTS))
        return fur_context_fail(e->context, FUR_INVALID,
                                "the constraints must be at most %d vectors of %lld entries of "
                                "type %s in the matrix's context",
                                MAX_CONSTRAINTS, (long long)e->n, fur_value_name(value));
    return FUR_OK;
}

/* The number of dimensions up to which the whole space is searched. */
static int64_t most_whole(const fur_lobpcg_options *o)
{
    int counts = WHOLE_COUNTS * o->count;
    return counts > 3 * o->block ? counts : 3 * o->block;
}

static fur_status set_defaults(lobpcg *e)
{
    fur_lobpcg_options *o = &e->options;
    if (o->count == 0)
        o->count = e->n < DEFAULT_COUNT ? (int)e->n : DEFAULT_COUNT;
    FUR_TRY(check_numbers(e));
    FUR_TRY(check_operands(e));
    if (o->block == 0)
        o->block = o->count + o->count / 4 + 1;
    if (o->tolerance == 0)
        o->tolerance = fur_eigs_tolerance(fur_operator_value_type(e->a));
    if (o->max_iterations == 0)
        o->max_iterations = DEFAULT_ITERATIONS;
    int64_t left = e->n - (o->constraints ? o->constraints->view.cols : 0);
    e->room = (int)(left <= most_whole(o) ? most_whole(o) : 3 * o->block);
    return FUR_OK;
}

/* --- an iteration ----------------------------------------------------------------------------- */

/* The limit for the residual of Ritz vector j. */
static double allowed(const lobpcg *e, int j)
{
    return e->options.relative > 0 ? e->options.relative * fabs(e->space.values[j])
                                   : e->options.tolerance * e->space.norm;
}

/* Computes the residuals of X, behind the basis. Counts the wanted residuals that are small
 * enough. */
static fur_status evaluate(lobpcg *e)
{
    fur_lobpcg_space *s = &e->space;
    for (int j = 0; j < s->ritz; j++) {
        fur_vector *r = fur_lobpcg_vector(s, s->size + j);
        FUR_TRY(fur_vector_copy(fur_lobpcg_image(s, j), r));
        FUR_TRY(
            fur_axpy_norm2(fur_real(-s->values[j]), fur_lobpcg_vector(s, j), r, &e->residuals[j]));
        s->broken |= !(e->residuals[j] < HUGE_VAL);
    }
    e->report.converged = 0;
    for (int j = 0; j < s->ritz; j++) {
        e->active[j] = !(e->residuals[j] <= allowed(e, j));
        e->report.converged += j < e->options.count && !e->active[j];
    }
    return FUR_OK;
}

static double largest_residual(const lobpcg *e)
{
    double largest = 0;
    for (int j = 0; j < e->options.count; j++)
        largest = fmax(largest, e->residuals[j]);
    return largest;
}

/* Returns whether the wanted values seem to have converged, and the next value of X lies beyond
 * them, as far as its own residual tells. */
static bool seems_done(const lobpcg *e)
{
    int next = e->options.count;
    const double *values = e->space.values;
    return e->report.converged == next &&
           (next >= e->space.ritz ||
            e->residuals[next] <= fabs(values[next] - values[next - 1]) + 2 * allowed(e, next));
}

/* Computes A X and the residuals again. */
static fur_status refresh(lobpcg *e)
{
    if (e->fresh)
        return FUR_OK;
    FUR_TRY(fur_lobpcg_space_refresh(&e->space));
    e->report.restarts++;
    e->fresh = true;
    return e->space.broken ? FUR_OK : evaluate(e);
}

/* Judges recomputed residuals: the search has converged, or rounding allows no more. */
static void judge(lobpcg *e, bool claimed)
{
    double largest = largest_residual(e);
    double floor = e->options.relative > 0 ? 0 : FLOOR * e->space.epsilon * e->space.norm;
    bool idle = largest <= floor || (claimed && largest > LEAST_GAIN * e->claimed);
    if (seems_done(e))
        e->report.outcome = FUR_OUTCOME_CONVERGED;
    else if (e->whole || (idle && e->report.converged < e->options.count))
        e->report.outcome = FUR_OUTCOME_STAGNATED;
    if (claimed)
        e->claimed = largest;
}

static void take_step(lobpcg *e)
{
    for (int i = 0; i + 1 < STEPS; i++)
        e->steps[i] = e->steps[i + 1];
    e->steps[STEPS - 1] = e->report.iterations;
}

/* Returns whether the search has made no progress for a long time. */
static bool is_stuck(lobpcg *e)
{
    int64_t half = e->options.max_iterations / 2;
    double largest = largest_residual(e);
    bool more = e->report.converged > e->most;
    for (int i = 0; i < STEPS; i++) {
        bool fell = largest <= FALL * e->reached;
        if (fell)
            e->reached = i + 1 < STEPS ? FALL * e->reached : largest;
        if (fell || more)
            take_step(e);
    }
    if (more)
        e->most = e->report.converged;
    return e->report.iterations - e->steps[0] > (half > PATIENCE ? half : PATIENCE);
}

static void tell_monitor(lobpcg *e)
{
    const fur_lobpcg_options *o = &e->options;
    double norm = e->space.norm;
    fur_eigs_progress progress = {e->report.iterations, e->report.converged,
                                  norm > 0 ? largest_residual(e) / norm : 0};
    if (o->monitor && o->monitor(o->monitor_user, &progress) &&
        e->report.outcome == FUR_OUTCOME_UNSOLVED)
        e->report.outcome = FUR_OUTCOME_STOPPED;
}

/* Returns whether an error ends the search. Sets the outcome. */
static bool is_broken(lobpcg *e)
{
    if (e->space.broken)
        e->report.outcome = FUR_OUTCOME_BREAKDOWN;
    else if (e->space.asymmetric)
        e->report.outcome = FUR_OUTCOME_ASYMMETRIC;
    return e->space.broken || e->space.asymmetric;
}

/* Called after the Ritz vectors of a space were found. Decides whether the search ends. */
static fur_status examine(lobpcg *e)
{
    FUR_TRY(evaluate(e));
    e->fresh = false;
    bool claimed = seems_done(e);
    bool due = e->whole || (e->report.iterations > 0 && e->report.iterations % REFRESH == 0);
    if (claimed || due) {
        FUR_TRY(refresh(e));
        if (is_broken(e))
            return FUR_OK;
        judge(e, claimed);
    }
    tell_monitor(e);
    bool stuck = is_stuck(e);
    if (e->report.outcome != FUR_OUTCOME_UNSOLVED)
        return FUR_OK;
    if (e->report.iterations >= e->options.max_iterations)
        e->report.outcome = FUR_OUTCOME_MAX_ITERATIONS;
    else if (stuck)
        e->report.outcome = FUR_OUTCOME_STAGNATED;
    return FUR_OK;
}

/* `to` = M r for a residual with this norm. If M is NULL, `to` = r. */
static fur_status precondition(lobpcg *e, fur_vector *r, double norm, fur_vector *to)
{
    const fur_operator *m = e->options.preconditioner;
    fur_scalar product;
    if (!m)
        return r == to ? FUR_OK : fur_vector_copy(r, to);
    FUR_TRY(fur_vector_scale(r, fur_real(1 / norm)));
    FUR_TRY(fur_operator_apply(m, r, e->spare));
    FUR_TRY(fur_dot(r, e->spare, &product));
    if (product.re < 0)
        e->report.outcome = FUR_OUTCOME_INDEFINITE_PRECONDITIONER;
    e->space.broken |= !(fabs(product.re) < HUGE_VAL);
    return fur_vector_copy(e->spare, to);
}

/* Makes W from the residuals that are too large, and multiplies it by A. */
static fur_status extend(lobpcg *e)
{
    fur_lobpcg_space *s = &e->space;
    int first = s->size;
    bool taken;
    for (int j = 0; j < s->ritz; j++) {
        if (!e->active[j])
            continue;
        fur_vector *r = fur_lobpcg_vector(s, first + j);
        FUR_TRY(precondition(e, r, e->residuals[j], fur_lobpcg_vector(s, s->size)));
        FUR_TRY(fur_lobpcg_space_take(s, &taken));
        if (is_broken(e) || e->report.outcome != FUR_OUTCOME_UNSOLVED)
            return FUR_OK;
    }
    if (s->size == first) {
        e->report.outcome = FUR_OUTCOME_STAGNATED;
        return FUR_OK;
    }
    e->report.iterations++;
    FUR_TRY(fur_lobpcg_space_multiply(s, first));
    is_broken(e);
    return FUR_OK;
}

/* Makes the first basis from hashed vectors. If it is the whole space, no more iterations are
 * needed. */
static fur_status begin(lobpcg *e)
{
    fur_lobpcg_space *s = &e->space;
    int64_t left = e->n - s->fixed;
    if (is_broken(e))
        return FUR_OK;
    if (left < e->options.count)
        return fur_context_fail(e->context, FUR_INVALID,
                                "%d eigenvalues were requested, but only %lld vectors are "
                                "orthogonal to the constraints",
                                e->options.count, (long long)left);
    e->whole = left <= most_whole(&e->options);
    e->options.block = e->options.block < left ? e->options.block : (int)left;
    FUR_TRY(fur_lobpcg_space_start(s, e->whole ? (int)left : e->options.block));
    if (!is_broken(e))
        FUR_TRY(fur_lobpcg_space_multiply(s, 0));
    is_broken(e);
    return FUR_OK;
}

static fur_status search(lobpcg *e)
{
    fur_lobpcg_space *s = &e->space;
    FUR_TRY(begin(e));
    while (e->report.outcome == FUR_OUTCOME_UNSOLVED) {
        FUR_TRY(fur_lobpcg_space_rotate(s, e->options.block, e->options.which == FUR_EIGS_LARGEST,
                                        e->active));
        FUR_TRY(examine(e));
        if (e->report.outcome == FUR_OUTCOME_UNSOLVED)
            FUR_TRY(extend(e));
    }
    return is_broken(e) ? FUR_OK : refresh(e);
}

/* --- the call --------------------------------------------------------------------------------- */

static fur_status make_workspace(lobpcg *e)
{
    size_t block = (size_t)e->options.block;
    FUR_TRY(fur_lobpcg_space_make(e->a, e->options.constraints, e->room, &e->space));
    FUR_TRY(fur_vector_create(e->context, fur_operator_value_type(e->a), e->n, &e->spare));
    FUR_TRY(fur_env_allocate_zeros(&e->context->env, (int64_t)block, sizeof *e->residuals,
                                   &e->residuals));
    return fur_env_allocate_zeros(&e->context->env, (int64_t)block, sizeof *e->active, &e->active);
}

static void release_workspace(lobpcg *e)
{
    fur_lobpcg_space_release(&e->space);
    fur_vector_destroy(e->spare);
    fur_env_release(&e->context->env, e->residuals);
    fur_env_release(&e->context->env, e->active);
}

static fur_status hand_over(lobpcg *e, double *values, double *residuals,
                            fur_vector *const *vectors)
{
    bool known = !is_broken(e);
    for (int i = 0; i < e->options.count; i++) {
        values[i] = known ? e->space.values[i] : NAN;
        if (residuals)
            residuals[i] = known ? e->residuals[i] : NAN;
        if (vectors && known)
            FUR_TRY(fur_vector_copy(fur_lobpcg_vector(&e->space, i), vectors[i]));
    }
    if (!known)
        e->report.converged = 0;
    return FUR_OK;
}

fur_status fur_lobpcg(const fur_operator *a, const fur_lobpcg_options *options, double *values,
                      double *residuals, fur_vector *const *vectors, fur_eigs_report *report)
{
    FUR_NEED(fur_operator_context(a), a, values);
    lobpcg e = {
        .context = fur_operator_context(a), .a = a, .claimed = HUGE_VAL, .reached = DBL_MAX};
    FUR_CHECK_REPORT(e.context, fur_eigs_report, report);
    FUR_TAKE_OPTIONS(e.context, fur_lobpcg_options, &e.options, options);
    double begin = fur_seconds();
    e.n = fur_operator_rows(a);
    FUR_TRY(set_defaults(&e));
    FUR_TRY(fur_eigs_check(a, e.options.count, vectors));
    fur_status status = make_workspace(&e);
    if (status == FUR_OK)
        status = e.options.count > 0 ? search(&e) : FUR_OK;
    if (status == FUR_OK)
        status = hand_over(&e, values, residuals, vectors);
    release_workspace(&e);
    FUR_TRY(status);
    if (e.options.count == 0)
        e.report.outcome = FUR_OUTCOME_CONVERGED;
    e.report.products = e.space.products;
    e.report.norm = e.space.norm;
    e.report.seconds = fur_seconds() - begin;
    fur_report_fill(report, &e.report, sizeof e.report);
    return FUR_OK;
}
