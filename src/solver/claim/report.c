/* The report of a solve. */
#include "drive.h"
#include "proof.h"
#include "residual_bound.h"
#include "row_errors.h"
#include "verdict.h"

#include <furrow/author/clock.h>
#include <furrow/author/options.h>

#include "core.h"
#include "magnitude.h"
#include "target.h"
#include "unit.h"
#include "value_type.h"

#include <math.h>

/* ERROR_SHARE: the error is bounded by the change of x in a pass that reduces the residual to this
 * fraction. ERROR_ITERATIONS: the most iterations of this pass. */
#define ERROR_SHARE 0.1
#define ERROR_ITERATIONS 512

/* The change of x, in any unit, by a pass that begins with x's true residual. NULL if A is not
 * positive definite. All other results of the pass are dropped. */
static fur_status find_change(const fur_drive *own, const fur_vector **change)
{
    fur_drive d = *own;
    fur_pass s = *own->pass;
    fur_solver_options options = *s.options;
    fur_vector *correction = d.solver->correction;
    int64_t most = options.max_iterations;
    d.pass = &s;
    s.options = &options;
    s.max_iterations = s.iterations + (most < ERROR_ITERATIONS ? most : ERROR_ITERATIONS);
    options.monitor = NULL;
    FUR_TRY(fur_drive_find_residual(&d, d.x));
    FUR_TRY(fur_vector_fill(correction, fur_real(0)));
    FUR_TRY(fur_drive_run_pass(&d, correction, ERROR_SHARE * d.residual));
    bool definite = s.outcome == FUR_OUTCOME_CONVERGED || s.outcome == FUR_OUTCOME_MAX_ITERATIONS;
    *change = definite ? correction : NULL;
    return FUR_OK;
}

/* Returns whether A may be positive definite according to the outcome, and iterations may continue.
 */
static bool may_estimate(const fur_drive *d)
{
    fur_outcome outcome = d->pass->outcome;
    return d->solver->method->descends && d->residual > 0 && d->b_norm > 0 &&
           d->b_norm < HUGE_VAL &&
           (outcome == FUR_OUTCOME_CONVERGED || outcome == FUR_OUTCOME_MAX_ITERATIONS ||
            outcome == FUR_OUTCOME_STAGNATED);
}

/* The rows of A: the caller's matrix, or the operator's matrix. NULL: not known. */
static const fur_csr_view *rows_of(const fur_solver *solver)
{
    const fur_csr *matrix = solver->options.matrix;
    return matrix ? fur_csr_get(matrix) : solver->a->matrix;
}

/* ||R v|| / ||v||, where R has the scales of the rows. v is overwritten. */
static fur_status take_share(const fur_csr_view *a, fur_vector *v, double norm, double *share)
{
    double scale = fur_unit_scale(fur_value_is_single(fur_vector_value_type(v)), norm);
    FUR_TRY(fur_vector_scale(v, fur_real(scale)));
    FUR_TRY(fur_csr_scale_by_rows(a, v));
    FUR_TRY(fur_norm2(v, share));
    *share /= norm * scale;
    return FUR_OK;
}

fur_status fur_relative_by_rows(const fur_csr_view *a, const fur_vector *b, fur_vector *r,
                                fur_vector *spare, double *relative)
{
    double r_norm;
    double b_norm;
    double of_r;
    double of_b;
    FUR_TRY(fur_norm2(r, &r_norm));
    FUR_TRY(fur_norm2(b, &b_norm));
    *relative = r_norm == 0 ? 0 : NAN;
    if (r_norm == 0 || b_norm == 0 || !(r_norm < HUGE_VAL) || !(b_norm < HUGE_VAL))
        return FUR_OK;
    FUR_TRY(fur_vector_copy(b, spare));
    FUR_TRY(take_share(a, spare, b_norm, &of_b));
    FUR_TRY(take_share(a, r, r_norm, &of_r));
    *relative = r_norm / b_norm * (of_r / of_b);
    return FUR_OK;
}

/* If A is known as a matrix, computes the residual with the scales of the rows, and row by row. */
static fur_status take_rows(fur_drive *d, fur_solver_report *report)
{
    const fur_csr_view *a = rows_of(d->solver);
    fur_vector *spare =
        d->solver->method->kind == FUR_METHOD_SQUARE ? d->solver->correction : d->solver->range[0];
    if (!a)
        return FUR_OK;
    FUR_TRY(fur_csr_row_errors(a, d->given, d->x, spare));
    FUR_TRY(fur_norm_max(spare, &report->backward_error_rows));
    FUR_TRY(fur_pass_multiply(d->pass, d->x, d->solver->r));
    FUR_TRY(fur_axpby(fur_real(1), d->given, fur_real(-1), d->solver->r));
    return fur_relative_by_rows(a, d->given, d->solver->r, spare, &report->residual_scaled);
}

/* Computes the bounds of the error, if requested. */
static fur_status take_bounds(const fur_drive *d, fur_solver_report *report)
{
    const fur_csr_view *a = rows_of(d->solver);
    const fur_vector *change = NULL;
    if (!d->solver->options.bounds || !a)
        return FUR_OK;
    if (may_estimate(d) && d->given == d->b) /* else A is singular */
        FUR_TRY(find_change(d, &change));
    return fur_take_bounds(a, d->given, d->x, change, d->whole, &report->residual_bound,
                           &report->error_a_norm);
}

/* If b has a part in the nullspace, a solution of the system without the null vectors is a
 * least-squares solution. */
static fur_outcome outcome_of(const fur_drive *d)
{
    bool solved = fur_outcome_solved(d->pass->outcome);
    return solved && !fur_drive_hides_outside(d) ? FUR_OUTCOME_LEAST_SQUARES : d->pass->outcome;
}

/* Returns whether the coefficients of the method describe a suitable A and M, and are finite. */
static bool knows_spectrum(const fur_pass *pass)
{
    return pass->outcome != FUR_OUTCOME_ASYMMETRIC && pass->outcome != FUR_OUTCOME_DIVERGED &&
           pass->outcome != FUR_OUTCOME_INDEFINITE &&
           pass->outcome != FUR_OUTCOME_INDEFINITE_PRECONDITIONER &&
           pass->outcome != FUR_OUTCOME_BREAKDOWN;
}

fur_status fur_drive_report(fur_drive *d, fur_solver_report *report)
{
    const fur_pass *pass = d->pass;
    if (!report)
        return FUR_OK;
    FUR_TRY(fur_prove_diagnosis(d));
    FUR_TRY(fur_verdict_settle(d));
    double unit = d->whole > 0 ? d->whole : 1;
    fur_solver_report own = {
        .outcome = outcome_of(d),
        .iterations = pass->iterations,
        .residual_recurrence = pass->residual / unit,
        .residual = fur_magnitude(d->residual, d->outside) / unit,
        .seconds = fur_seconds() - d->start,
        .method = d->solver->options.method,
        .products = pass->products,
        .condition = knows_spectrum(pass) ? pass->condition : 0,
        .norm = knows_spectrum(pass) ? pass->norm : 0,
        .bytes = pass->bytes,
        .execution = pass->execution,
        .normal_residual = d->normal > 0 ? d->normal : 0,
        .reduced = d->reduced,
        .residual_bound = NAN,
        .error_a_norm = NAN,
        .scale = "none",
        .outside = d->outside / unit,
        .backward_error = d->backward_error,
        .residual_scaled = NAN,
        .backward_error_rows = NAN,
    };
    FUR_TRY(take_rows(d, &own));
    FUR_TRY(take_bounds(d, &own));
    fur_report_fill(report, &own, sizeof own);
    return FUR_OK;
}
