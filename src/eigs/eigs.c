/* Eigenvalues by Lanczos' method with thick restarts: K. Wu and H. Simon, Thick-restart Lanczos
 * method for large symmetric eigenvalue problems, 2000.
 *
 * The whole projected matrix V^H A V is measured by the dot products of the orthogonalisation
 * (classical Gram-Schmidt twice). It is therefore also right after vectors were set aside and a new
 * start vector was taken. A step costs a product and 3 j + 7 vector transfers for j <= 32 vectors
 * of the basis (fur_orthogonalise_transfers, and 2). A restart costs `basis` transfers for each
 * vector that is kept. */
#include <furrow/author/clock.h>
#include <furrow/author/options.h>
#include <furrow/author/try.h>
#include <furrow/eigs.h>
#include <furrow/vector.h>

#include "arguments.h"
#include "asked.h"
#include "core.h"
#include "dense_symmetric.h"
#include "hashed.h"
#include "orthogonal.h"
#include "value_type.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define DEFAULT_COUNT 6
/* A matrix with at most this many rows is solved in one basis without restarts. */
#define SMALL 160
#define MAX_BASIS 10000
/* Limits of a search, because nearly equal eigenvalues could keep it going for long. The largest
 * residual must fall by LEAST_FALL before the number of steps has doubled and PATIENCE more steps
 * were taken. The number of start vectors is limited too. */
#define LEAST_FALL 0.9
#define PATIENCE 1000
#define STARTS_A_VALUE 2
#define MORE_STARTS 8
/* Estimated residuals must be below this fraction of the limit for true residuals. */
#define SHARE 0.1

typedef struct eigs {
    fur_context *context;
    const fur_operator *a;
    fur_eigs_options options; /* with defaults instead of zeros */
    fur_value_type value;
    double epsilon;
    int64_t n;
    int basis;
    int keep;
    int size; /* vectors of the basis whose column of h is known */
    /* basis + 1 vectors, the last of which is the next one; then keep + 1 spare vectors */
    fur_vector **vectors;
    double *h;         /* V^H A V, by rows */
    double *work;      /* a copy of h that is overwritten */
    double *s;         /* eigenvectors of h */
    double *theta;     /* eigenvalues of h, rising */
    double *wanted;    /* wanted eigenvalues, most wanted first */
    double *residuals; /* residuals of the results */
    double *found;     /* wanted eigenvalues when the last start vector was taken */
    fur_scalar *dots;
    fur_scalar *sums;
    double beta;     /* the coupling of the next vector to the last */
    double norm;     /* lower bound of ||A|| */
    uint64_t hashed; /* hashed numbers that start vectors have used */
    int starts;      /* start vectors after the first */
    int64_t begun;   /* steps when the last start vector was taken */
    /* since then: the smallest value of the largest residual, and the step at which it fell */
    double least;
    int64_t fell;
    fur_eigs_report report;
} eigs;

/* --- vectors ---------------------------------------------------------------------------------- */

/* vectors[at] -= V V^H vectors[at] for the vectors V before it. Sets e->sums = V^H vectors[at], and
 * the norm of the remainder. */
static fur_status orthogonalise(eigs *e, int at, double *norm)
{
    return fur_orthogonalise(at, e->vectors, e->vectors[at], e->sums, e->dots, norm);
}

/* vectors[at] = a new start vector, orthogonal to the vectors before it. It is orthogonalised
 * twice, because near a full space the remainder is mostly rounding. */
static fur_status start(eigs *e, int at)
{
    FUR_TRY(fur_vector_fill_hashed(e->vectors[at], e->hashed));
    e->hashed += (uint64_t)(e->n * fur_value_parts(e->value));
    for (int times = 0; times < 2; times++) {
        double norm;
        FUR_TRY(orthogonalise(e, at, &norm));
        FUR_TRY(fur_vector_scale(e->vectors[at], fur_real(1 / norm)));
    }
    return FUR_OK;
}

/* --- the basis -------------------------------------------------------------------------------- */

/* Sets column j of h from the dot products with A v_j. Returns whether they agree with the known
 * row. */
static bool take_column(eigs *e, int j)
{
    const fur_scalar *sums = e->sums;
    double gap = 0;
    for (int i = 0; i <= j; i++)
        e->norm = fmax(e->norm, fabs(sums[i].re));
    for (int i = 0; i < j; i++)
        gap = fmax(gap, fmax(fabs(sums[i].re - e->h[j * e->basis + i]), fabs(sums[i].im)));
    for (int i = 0; i <= j; i++)
        e->h[j * e->basis + i] = e->h[i * e->basis + j] = sums[i].re;
    return gap <= FUR_EIGS_ASYMMETRY * e->norm && fabs(sums[j].im) <= FUR_EIGS_ASYMMETRY * e->norm;
}

/* Makes the next vector from the remainder of A v_j, whose norm is beta. If the remainder is
 * rounding, a new start vector is taken. */
static fur_status take_next(eigs *e, int j)
{
    e->norm = fmax(e->norm, e->beta);
    bool full = j + 1 == e->n;
    bool alone = e->beta <= 10 * e->epsilon * e->norm;
    if (full || alone)
        e->beta = 0;
    if (j + 1 < e->basis)
        e->h[(j + 1) * e->basis + j] = e->h[j * e->basis + j + 1] = e->beta;
    if (full)
        return FUR_OK;
    return alone ? start(e, j + 1) : fur_vector_scale(e->vectors[j + 1], fur_real(1 / e->beta));
}

/* Runs Lanczos steps until the basis is full. If they end early, sets the outcome. */
static fur_status extend(eigs *e)
{
    for (; e->size < e->basis; e->size++) {
        int j = e->size;
        FUR_TRY(fur_env_pause(&e->context->env));
        FUR_TRY(fur_operator_apply(e->a, e->vectors[j], e->vectors[j + 1]));
        e->report.products++;
        e->report.iterations++;
        FUR_TRY(orthogonalise(e, j + 1, &e->beta));
        bool symmetric = take_column(e, j);
        FUR_TRY(take_next(e, j));
        if (!(e->norm < HUGE_VAL && e->beta < HUGE_VAL))
            e->report.outcome = FUR_OUTCOME_BREAKDOWN;
        else if (!symmetric)
            e->report.outcome = FUR_OUTCOME_ASYMMETRIC;
        if (e->report.outcome != FUR_OUTCOME_UNSOLVED)
            return FUR_OK;
    }
    return FUR_OK;
}

/* --- Ritz vectors ----------------------------------------------------------------------------- */

/* The index of the eigenvalue of h that has this place in the order of wanted eigenvalues. */
static int pick(const eigs *e, int place)
{
    switch (e->options.which) {
    case FUR_EIGS_LARGEST:
        return e->size - 1 - place;
    case FUR_EIGS_BOTH_ENDS:
        return place % 2 ? e->size - 1 - place / 2 : place / 2;
    case FUR_EIGS_SMALLEST:
        break;
    }
    return place;
}

/* The estimate of ||A u - theta u||. */
static double estimate(const eigs *e, int index)
{
    return e->beta * fabs(e->s[index * e->size + e->size - 1]);
}

static void solve_projected(eigs *e)
{
    for (int i = 0; i < e->size; i++)
        for (int j = 0; j < e->size; j++)
            e->work[i * e->size + j] = e->h[i * e->basis + j];
    fur_dense_symmetric_eigen(1, e->size, e->work, e->theta, e->s);
    e->norm = fmax(e->norm, fmax(fabs(e->theta[0]), fabs(e->theta[e->size - 1])));
}

static void exchange(fur_vector **a, fur_vector **b)
{
    fur_vector *kept = *a;
    *a = *b;
    *b = kept;
}

/* Replaces the basis by the Ritz vectors that are kept, followed by the next vector. */
static fur_status compress(eigs *e)
{
    int kept = e->keep < e->size ? e->keep : e->size;
    fur_vector **spare = e->vectors + e->basis + 1;
    for (int i = 0; i < kept; i++) {
        const double *s = e->s + pick(e, i) * e->size;
        FUR_TRY(fur_env_pause(&e->context->env));
        for (int j = 0; j < e->size; j++)
            e->dots[j] = fur_real(s[j]);
        FUR_TRY(fur_vector_fill(spare[i], fur_real(0)));
        FUR_TRY(fur_axpy_many(e->size, e->dots, fur_reading(e->vectors), spare[i]));
    }
    for (int i = 0; i < kept; i++)
        exchange(&e->vectors[i], &spare[i]);
    exchange(&e->vectors[kept], &e->vectors[e->size]);
    for (int i = 0; i < e->basis * e->basis; i++)
        e->h[i] = 0;
    for (int i = 0; i < kept; i++) {
        int index = pick(e, i);
        e->h[i * e->basis + i] = e->theta[index];
        if (kept < e->basis)
            e->h[i * e->basis + kept] = e->h[kept * e->basis + i] =
                e->beta * e->s[index * e->size + e->size - 1];
    }
    return FUR_OK;
}

/* --- when it is done -------------------------------------------------------------------------- */

static double allowed(const eigs *e)
{
    return e->options.tolerance * e->norm;
}

/* Returns whether the largest residual has not fallen for a long time. */
static bool is_stuck(eigs *e, double largest)
{
    int64_t now = e->report.iterations - e->begun;
    if (largest <= LEAST_FALL * e->least) {
        e->least = largest;
        e->fell = now;
    }
    return now > 2 * e->fell + PATIENCE;
}

/* Counts the wanted values that seem to have converged, and calls the monitor. Sets the outcome if
 * the monitor stops the search, or if there is no progress. */
static int count_converged(eigs *e)
{
    double largest = 0;
    int converged = 0;
    for (int i = 0; i < e->options.count; i++) {
        double residual = estimate(e, pick(e, i));
        converged += residual <= SHARE * allowed(e);
        largest = fmax(largest, residual);
    }
    fur_eigs_progress progress = {e->report.iterations, converged,
                                  e->norm > 0 ? largest / e->norm : 0};
    const fur_eigs_options *o = &e->options;
    if (o->monitor && o->monitor(o->monitor_user, &progress))
        e->report.outcome = FUR_OUTCOME_STOPPED;
    else if (is_stuck(e, largest) && converged < o->count)
        e->report.outcome = FUR_OUTCOME_STAGNATED;
    return converged;
}

/* Returns whether the wanted values equal the values at the time of the last start vector. */
static bool nothing_is_new(const eigs *e)
{
    for (int i = 0; i < e->options.count; i++)
        if (!(fabs(e->wanted[i] - e->found[i]) <= 2 * allowed(e)))
            return false;
    return true;
}

/* Returns whether the next eigenvalues lie beyond the wanted ones, as far as their own residuals
 * tell. */
static bool nothing_is_near(const eigs *e)
{
    int ends = e->options.which == FUR_EIGS_BOTH_ENDS ? 2 : 1;
    for (int i = e->options.count; i < e->options.count + ends && i < e->size && i >= ends; i++) {
        int next = pick(e, i);
        double distance = fabs(e->theta[next] - e->theta[pick(e, i - ends)]);
        if (estimate(e, next) > distance + 2 * allowed(e))
            return false;
    }
    return true;
}

/* Sets converged vectors aside, and takes another start vector. */
static fur_status search_the_rest(eigs *e)
{
    int count = e->options.count;
    memcpy(e->found, e->wanted, (size_t)count * sizeof *e->found);
    for (int i = 0; i < e->basis; i++)
        for (int j = 0; j < e->basis; j++)
            e->h[i * e->basis + j] *= i < count && j < count;
    e->size = count;
    e->starts++;
    e->begun = e->report.iterations;
    e->least = HUGE_VAL;
    e->fell = 0;
    return start(e, count);
}

/* Called when the basis is full: sets the outcome if the search ends, or begins the next basis. */
static fur_status restart(eigs *e)
{
    solve_projected(e);
    for (int i = 0; i < e->options.count; i++)
        e->wanted[i] = e->theta[pick(e, i)];
    bool all = count_converged(e) == e->options.count;
    bool old = all && nothing_is_new(e);
    if (all && (e->basis == e->n || (old && nothing_is_near(e))))
        e->report.outcome = FUR_OUTCOME_CONVERGED;
    else if (e->report.outcome == FUR_OUTCOME_UNSOLVED &&
             e->report.iterations >= e->options.max_iterations)
        e->report.outcome = FUR_OUTCOME_MAX_ITERATIONS;
    else if (e->report.outcome == FUR_OUTCOME_UNSOLVED && all && !old &&
             e->starts >= STARTS_A_VALUE * e->options.count + MORE_STARTS)
        e->report.outcome = FUR_OUTCOME_STAGNATED;
    FUR_TRY(compress(e));
    if (e->report.outcome != FUR_OUTCOME_UNSOLVED)
        return FUR_OK;
    e->report.restarts++;
    e->size = e->keep;
    return all && !old ? search_the_rest(e) : FUR_OK;
}

/* The place of result i among the wanted values. The wanted values alternate between both ends, and
 * the results rise. */
static int place_of(const eigs *e, int i)
{
    int low = (e->options.count + 1) / 2;
    if (e->options.which != FUR_EIGS_BOTH_ENDS)
        return i;
    return i < low ? 2 * i : 2 * (e->options.count - 1 - i) + 1;
}

/* Returns whether the method has found approximations. */
static bool have_vectors(const eigs *e)
{
    return e->report.outcome != FUR_OUTCOME_BREAKDOWN &&
           e->report.outcome != FUR_OUTCOME_ASYMMETRIC;
}

/* Computes ||A v - lambda v|| for all results, and counts the residuals that are small enough. */
static fur_status take_residuals(eigs *e)
{
    fur_vector *t = e->vectors[e->basis];
    e->report.converged = 0;
    for (int i = 0; i < e->options.count; i++) {
        int place = place_of(e, i);
        e->residuals[i] = NAN;
        if (!have_vectors(e))
            continue;
        FUR_TRY(fur_operator_apply(e->a, e->vectors[place], t));
        e->report.products++;
        FUR_TRY(
            fur_axpy_norm2(fur_real(-e->wanted[place]), e->vectors[place], t, &e->residuals[i]));
        e->report.converged += e->residuals[i] <= allowed(e);
    }
    if (e->report.outcome == FUR_OUTCOME_CONVERGED && e->report.converged < e->options.count)
        e->report.outcome = FUR_OUTCOME_STAGNATED;
    return FUR_OK;
}

/* --- the call --------------------------------------------------------------------------------- */

static fur_status set_defaults(eigs *e)
{
    fur_eigs_options *o = &e->options;
    if (o->count == 0)
        o->count = e->n < DEFAULT_COUNT ? (int)e->n : DEFAULT_COUNT;
    if (o->count < 0 || o->count > FUR_EIGS_MAX_COUNT || o->count > e->n)
        return fur_context_fail(
            e->context, FUR_INVALID,
            "%d eigenvalues were requested; the matrix has %lld, and at most %d can be found",
            o->count, (long long)e->n, FUR_EIGS_MAX_COUNT);
    if (o->which != FUR_EIGS_SMALLEST && o->which != FUR_EIGS_LARGEST &&
        o->which != FUR_EIGS_BOTH_ENDS)
        return fur_context_fail(e->context, FUR_INVALID,
                                "options.which must be a value of fur_eigs_which");
    if (!(o->tolerance >= 0) || o->max_iterations < 0)
        return fur_context_fail(e->context, FUR_INVALID,
                                "tolerance and max_iterations must not be negative");
    if (o->basis == 0)
        o->basis = e->n <= SMALL ? SMALL : 2 * o->count + 20;
    if (o->basis > e->n)
        o->basis = (int)e->n;
    if (o->basis < o->count + 2 && o->basis < e->n)
        return fur_context_fail(e->context, FUR_INVALID,
                                "the basis must have at least %d vectors for %d eigenvalues",
                                o->count + 2, o->count);
    if (o->basis > MAX_BASIS)
        return fur_context_fail(e->context, FUR_INVALID, "the basis has at most %d vectors",
                                MAX_BASIS);
    if (o->tolerance == 0)
        o->tolerance = fur_eigs_tolerance(e->value);
    if (o->max_iterations == 0)
        o->max_iterations = e->n < (FUR_SOLVER_MAX_ITERATIONS - 1000) / 10
                                ? 10 * e->n + 1000
                                : FUR_SOLVER_MAX_ITERATIONS;
    return FUR_OK;
}

static int count_vectors(const eigs *e)
{
    return e->basis + 1 + e->keep;
}

/* Allocates doubles, and clears them. */
static fur_status make_doubles(eigs *e, int64_t count, double **out)
{
    size_t bytes = (size_t)count * sizeof(double);
    FUR_TRY(fur_context_allocate(e->context, bytes, (void **)out));
    if (*out)
        memset(*out, 0, bytes);
    return FUR_OK;
}

static fur_status make_workspace(eigs *e)
{
    int64_t square = (int64_t)e->basis * e->basis;
    size_t list = (size_t)count_vectors(e) * sizeof(fur_vector *);
    FUR_TRY(fur_context_allocate(e->context, list, (void **)&e->vectors));
    memset(e->vectors, 0, list);
    FUR_TRY(make_doubles(e, square, &e->h));
    FUR_TRY(make_doubles(e, square, &e->work));
    FUR_TRY(make_doubles(e, square, &e->s));
    FUR_TRY(make_doubles(e, e->basis, &e->theta));
    FUR_TRY(make_doubles(e, e->basis, &e->wanted));
    FUR_TRY(make_doubles(e, e->basis, &e->found));
    FUR_TRY(make_doubles(e, e->basis, &e->residuals));
    /* One more element, so that a matrix without rows also has the array. */
    FUR_TRY(fur_context_allocate(e->context, (2 * (size_t)e->basis + 1) * sizeof *e->dots,
                                 (void **)&e->dots));
    e->sums = e->dots + e->basis;
    for (int i = 0; i < count_vectors(e); i++)
        FUR_TRY(fur_vector_create(e->context, e->value, e->n, &e->vectors[i]));
    return FUR_OK;
}

static void release_workspace(eigs *e)
{
    for (int i = 0; e->vectors && i < count_vectors(e); i++)
        fur_vector_destroy(e->vectors[i]);
    void *const memory[] = {e->vectors, e->h,     e->work,      e->s,   e->theta,
                            e->wanted,  e->found, e->residuals, e->dots};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        fur_context_release(e->context, memory[i]);
}

static fur_status search(eigs *e)
{
    for (int i = 0; i < e->options.count; i++)
        e->wanted[i] = e->found[i] = NAN;
    FUR_TRY(start(e, 0));
    while (e->report.outcome == FUR_OUTCOME_UNSOLVED) {
        FUR_TRY(extend(e));
        if (e->report.outcome == FUR_OUTCOME_UNSOLVED)
            FUR_TRY(restart(e));
    }
    return take_residuals(e);
}

static fur_status hand_over(const eigs *e, double *values, double *residuals,
                            fur_vector *const *vectors)
{
    for (int i = 0; vectors && have_vectors(e) && i < e->options.count; i++)
        FUR_TRY(fur_vector_copy(e->vectors[place_of(e, i)], vectors[i]));
    for (int i = 0; i < e->options.count; i++)
        values[i] = e->wanted[place_of(e, i)];
    if (residuals)
        memcpy(residuals, e->residuals, (size_t)e->options.count * sizeof *residuals);
    return FUR_OK;
}

fur_status fur_eigs(const fur_operator *a, const fur_eigs_options *options, double *values,
                    double *residuals, fur_vector *const *vectors, fur_eigs_report *report)
{
    FUR_NEED(fur_operator_context(a), a, values);
    eigs e = {.context = fur_operator_context(a), .a = a, .least = HUGE_VAL};
    FUR_CHECK_REPORT(e.context, fur_eigs_report, report);
    FUR_TAKE_OPTIONS(e.context, fur_eigs_options, &e.options, options);
    double begin = fur_seconds();
    e.n = fur_operator_rows(a);
    e.value = fur_operator_value_type(a);
    e.epsilon = fur_value_is_single(e.value) ? FLT_EPSILON : DBL_EPSILON;
    FUR_TRY(set_defaults(&e));
    FUR_TRY(fur_eigs_check(a, e.options.count, vectors));
    e.basis = e.options.basis;
    e.keep = e.options.count + (e.basis - e.options.count) / 2;
    fur_status status = make_workspace(&e);
    if (status == FUR_OK && e.n == 0)
        e.report.outcome = FUR_OUTCOME_CONVERGED;
    else if (status == FUR_OK)
        status = search(&e);
    if (status == FUR_OK)
        status = hand_over(&e, values, residuals, vectors);
    release_workspace(&e);
    if (status != FUR_OK)
        return status;
    e.report.norm = e.norm;
    e.report.seconds = fur_seconds() - begin;
    fur_report_fill(report, &e.report, sizeof e.report);
    return FUR_OK;
}
