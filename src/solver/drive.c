/* A solve: passes of a method, until the true residual shows that it is finished. */
#include "drive.h"
#include "complete.h"
#include "fused.h"
#include "lift.h"
#include "null_space.h"
#include "red_black.h"
#include "verdict.h"

#include <furrow/author/clock.h>
#include <furrow/author/options.h>

#include "arguments.h"
#include "core.h"
#include "env.h"
#include "magnitude.h"
#include "target.h"
#include "unit.h"
#include "value_type.h"

#include <math.h>

/* The iterations that are queued on a GPU in advance. They are a fraction of the iterations so far,
 * so that the unneeded ones at the end do not matter. Their number is limited, because a longer
 * queue does not hide more of the host's wait for the scalars. A method that reads late has twice
 * as many in the queue. */
#define AHEAD_SHARE 8
#define MAX_AHEAD 16

/* Corrections continue while each one reduces the true residual by this factor. */
#define LEAST_GAIN 0.5
/* The target of a correction, relative to the residual at its start. It is at least MAX_GAIN, so
 * that the true residual is computed soon. It is at most SURE_GAIN, so that a residual just above
 * the goal can decrease. */
#define MAX_GAIN 1e-3
#define SURE_GAIN 0.25

/* A right-hand side that, without its null vectors, is at most this number of epsilon is
 * rounding. */
#define B_ROUNDING 8

/* A part of b outside the range of A counts as none up to this fraction of the tolerance. */
#define OUTSIDE_SHARE 0.5
#define ROUNDED_DOWN (1 - 0x1p-40)

/* The target of a pass is at least this number of epsilon times its first residual. x cannot use a
 * smaller one. */
#define LEAST_SHARE 0.0625

int64_t fur_pass_next_read(const fur_pass *pass, int64_t iteration)
{
    int64_t share = iteration / (pass->reads_late ? 2 * AHEAD_SHARE : AHEAD_SHARE);
    int64_t ahead = share < 1 ? 1 : share < MAX_AHEAD ? share : MAX_AHEAD;
    int64_t interval = pass->check_every     ? pass->check_every
                       : pass->read_interval ? pass->read_interval
                                             : ahead;
    int64_t left = pass->max_iterations - iteration;
    return iteration + (interval < left ? interval : left);
}

bool fur_pass_is_over(fur_pass *pass, int64_t iteration, double residual)
{
    pass->iterations = iteration;
    pass->residual = residual;
    fur_solver_progress progress = {iteration, fur_relative(pass, residual), pass->column, pass};
    const fur_solver_options *o = pass->options;
    pass->stopped = o->monitor && o->monitor(o->monitor_user, &progress) != 0;
    if (!(residual < HUGE_VAL))
        pass->outcome = FUR_OUTCOME_BREAKDOWN; /* before the target, which may be infinite too */
    else if (residual <= pass->target)
        pass->outcome = FUR_OUTCOME_CONVERGED;
    else if (pass->stopped)
        pass->outcome = FUR_OUTCOME_STOPPED;
    else if (iteration >= pass->max_iterations)
        pass->outcome = FUR_OUTCOME_MAX_ITERATIONS;
    else
        return false;
    return true;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

fur_status fur_pass_multiply(fur_pass *pass, const fur_vector *x, fur_vector *y)
{
    pass->products++;
    return fur_operator_apply(pass->a, x, y);
}

fur_status fur_pass_multiply_adjoint(fur_pass *pass, const fur_vector *x, fur_vector *y)
{
    pass->products++;
    return fur_operator_apply(pass->adjoint, x, y);
}

fur_status fur_pass_precondition(fur_pass *pass, const fur_vector *r, fur_vector *z)
{
    return pass->preconditioner ? fur_operator_apply(pass->preconditioner, r, z)
                                : fur_vector_copy(r, z);
}

fur_status fur_pass_preconditioned(fur_pass *pass, const fur_vector *r, fur_vector *spare,
                                   const fur_vector **z)
{
    *z = pass->preconditioner ? spare : r;
    return pass->preconditioner ? fur_operator_apply(pass->preconditioner, r, spare) : FUR_OK;
}

fur_status fur_drive_take_residual(fur_drive *d, fur_vector *r)
{
    FUR_TRY(fur_axpby(fur_real(1), d->b, fur_real(-1), r));
    return fur_norm2(r, &d->residual);
}

const fur_vector *fur_drive_probe(const fur_drive *d)
{
    return d->from_zero && d->solver->method->kind == FUR_METHOD_SQUARE ? d->b : d->x;
}

fur_status fur_drive_take_first(fur_drive *d, fur_vector *r)
{
    const fur_vector *v = fur_drive_probe(d);
    bool finite = true;
    if (d->solver->method->kind == FUR_METHOD_SQUARE)
        FUR_TRY(fur_lift_measure(d, v, r, &finite));
    if (v == d->x)
        return fur_drive_take_residual(d, r);
    if (finite) {
        d->residual = d->b_norm;
        return fur_vector_copy(d->b, r);
    }
    FUR_TRY(fur_pass_multiply(d->pass, d->x, r));
    return fur_drive_take_residual(d, r);
}

fur_status fur_drive_find_residual(fur_drive *d, const fur_vector *x)
{
    FUR_TRY(fur_pass_multiply(d->pass, x, d->solver->r));
    return fur_drive_take_residual(d, d->solver->r);
}

/* ||A^H r - damp^2 d||, in the first vector of the workspace. r is scaled by a power of two, so
 * that A^H r does not underflow. */
static fur_status take_gradient(fur_drive *d)
{
    double damp = d->solver->options.damp;
    fur_vector *t = d->solver->work[0];
    fur_vector *r = d->solver->r;
    double length;
    if (damp > 0) {
        FUR_TRY(fur_norm2(d->solver->correction, &d->damped));
        d->damped *= damp;
    }
    double whole = larger(d->residual, d->damped);
    d->normal = d->slope = whole == 0 ? 0 : NAN;
    if (!(whole > 0 && whole < HUGE_VAL))
        return FUR_OK;
    double scale = fur_unit_scale(fur_value_is_single(fur_vector_value_type(r)), whole);
    FUR_TRY(fur_vector_scale(r, fur_real(scale)));
    FUR_TRY(fur_pass_multiply_adjoint(d->pass, r, t));
    FUR_TRY(fur_vector_scale(r, fur_real(1 / scale)));
    if (damp > 0)
        FUR_TRY(fur_axpby(fur_real(-damp * damp * scale), d->solver->correction, fur_real(1), t));
    FUR_TRY(fur_norm2(t, &length));
    FUR_TRY(fur_norm2(d->x, &d->x_norm));
    if (d->pass->norm == 0 && d->solver->singular) /* the first gradient was rounding */
        FUR_TRY(fur_estimate_norm(d->solver->a, t, d->solver->work[1], &d->pass->norm));
    d->normal = length / scale;
    d->slope = length / (whole * scale);
    return FUR_OK;
}

/* Returns whether passes see every residual scaled to near 1, and compute a correction of x.
 * Least-squares methods need this: their gradients are farther from 1 than the residual, and
 * damping applies to the change of x. */
static bool has_units(const fur_drive *d)
{
    return d->solver->method->kind == FUR_METHOD_LEAST_SQUARES;
}

/* The power of two that scales a residual into the range in which passes work, or 1 if it is there.
 * For a subnormal residual it is the largest scale that has a reciprocal. */
static double scale_of(const fur_drive *d)
{
    bool single = fur_value_is_single(fur_vector_value_type(d->b));
    int range = single ? FUR_PASS_SINGLE_RANGE : FUR_PASS_RANGE;
    int near = has_units(d) || d->lift != 0 ? 0 : range;
    int most = 3 * range;
    int exponent = ilogb(d->residual);
    if (exponent >= -near && exponent <= near)
        return 1;
    return scalbn(1, exponent < -most ? most : -exponent);
}

/* Returns the norm below which products of a residual with A and with itself may underflow, because
 * ||A|| in a pass may be 2^-200 (f32 and c64: 2^-50). */
static double faintest(const fur_drive *d)
{
    bool single = fur_value_is_single(fur_vector_value_type(d->b));
    return single ? 0x1p-70 : 0x1p-400;
}

void fur_drive_aim(fur_drive *d, fur_vector *x, double target)
{
    fur_pass *s = d->pass;
    s->x = x;
    s->base = x == d->x ? NULL : d->x;
    s->scale = x == d->x ? 1 : scale_of(d);
    s->unit = scalbn(1 / s->scale, -d->lift);
    s->b_norm = d->b_norm * s->scale;
    s->residual = d->residual * s->scale;
    s->target = target * s->scale;
    if (s->scale != 1 || s->target < faintest(d)) /* near underflow the caller's target may be 0 */
        s->target = larger(s->target, LEAST_SHARE * fur_pass_epsilon(s) * s->residual);
}

fur_status fur_drive_run_pass(fur_drive *d, fur_vector *x, double target)
{
    fur_pass *s = d->pass;
    fur_drive_aim(d, x, target);
    if (s->scale != 1)
        FUR_TRY(fur_vector_scale(s->r, fur_real(s->scale)));
    if (d->reduced)
        FUR_TRY(fur_red_black_lift(d->solver->red_black, d->lift));
    FUR_TRY(d->reduced ? fur_red_black_run(d->solver->red_black, d->solver->method, s)
            : d->lift  ? fur_lift_run(d)
                       : d->solver->method->run(s));
    s->residual /= s->scale;
    return FUR_OK;
}

/* Computes the true residuals after a pass. */
static fur_status take_residuals(fur_drive *d)
{
    FUR_TRY(fur_drive_find_residual(d, d->x));
    return d->solver->method->kind == FUR_METHOD_LEAST_SQUARES ? take_gradient(d) : FUR_OK;
}

/* x += correction, if this reduces the true residual. */
static fur_status accept(fur_drive *d)
{
    fur_vector *sum = d->solver->correction;
    double before = d->residual;
    FUR_TRY(fur_axpby(fur_real(1), d->x, fur_real(1), sum));
    FUR_TRY(fur_drive_find_residual(d, sum));
    if (d->residual < before)
        return fur_vector_copy(sum, d->x);
    d->residual = before;
    return FUR_OK;
}

/* As above, for least squares. The residual with its damping may rise by at most half the epsilon
 * of b. It rises because of rounding, or if M is not symmetric. */
static fur_status accept_least_squares(fur_drive *d)
{
    fur_pass *s = d->pass;
    fur_vector *sum = d->solver->work[1];
    double before = d->residual;
    double length;
    FUR_TRY(fur_norm2(d->solver->correction, &length));
    FUR_TRY(fur_vector_copy(d->x, sum));
    FUR_TRY(fur_axpby(fur_real(1), d->solver->correction, fur_real(1), sum));
    FUR_TRY(fur_drive_find_residual(d, sum));
    double after = fur_magnitude(d->residual, d->solver->options.damp * length);
    if (after <= before + fur_pass_epsilon(s) / 2 * d->b_norm) {
        FUR_TRY(fur_vector_copy(sum, d->x));
        return take_gradient(d);
    }
    s->outcome = !(after < HUGE_VAL) ? FUR_OUTCOME_BREAKDOWN
                 : d->normal < 0     ? FUR_OUTCOME_DIVERGED
                                     : FUR_OUTCOME_STAGNATED;
    FUR_TRY(fur_vector_fill(d->solver->correction, fur_real(0)));
    return take_residuals(d);
}

/* x += the correction that a pass finds from the true residual, unless it is 0 or not finite. Then
 * computes the true residuals. */
static fur_status correct(fur_drive *d, double target)
{
    fur_vector *correction = d->solver->correction;
    double before = d->residual;
    double largest;
    FUR_TRY(fur_vector_fill(correction, fur_real(0)));
    FUR_TRY(fur_drive_run_pass(d, correction, target));
    if (d->solver->method->kind == FUR_METHOD_SQUARE && !(d->pass->residual < before))
        return FUR_OK;
    if (d->pass->unit != 1)
        FUR_TRY(fur_vector_scale(correction, fur_real(d->pass->unit)));
    FUR_TRY(fur_norm_max(correction, &largest));
    if (!(largest < HUGE_VAL)) {
        d->pass->outcome = FUR_OUTCOME_BREAKDOWN;
        return FUR_OK;
    }
    if (d->solver->method->guarded)
        return accept(d);
    if (has_units(d))
        return accept_least_squares(d);
    FUR_TRY(fur_axpby(fur_real(1), correction, fur_real(1), d->x));
    return take_residuals(d);
}

bool fur_drive_must_correct(const fur_drive *d)
{
    return has_units(d) || scale_of(d) != 1 || d->lift != 0 || d->solver->method->guarded;
}

/* The smallest useful target of a pass. */
static double least_target(const fur_drive *d)
{
    return LEAST_SHARE * fur_pass_epsilon(d->pass) * d->residual;
}

/* Runs the first pass, on x itself if possible. */
static fur_status begin(fur_drive *d)
{
    if (fur_drive_must_correct(d))
        return correct(d, larger(d->goal, least_target(d)));
    FUR_TRY(fur_drive_run_pass(d, d->x, d->goal));
    return take_residuals(d);
}

/* The outcome of a solve, from the true residual after a pass, and from the value that it had to
 * fall below. FUR_OUTCOME_CONVERGED of a pass refers only to its recurrence residual.
 * FUR_OUTCOME_UNSOLVED means that another pass may help. */
static fur_outcome judge(const fur_drive *d, double least)
{
    const fur_pass *s = d->pass;
    bool claimed = s->outcome == FUR_OUTCOME_LEAST_SQUARES;
    double rest = claimed ? d->normal : d->residual;
    if (d->residual <= d->goal && d->solver->options.damp == 0)
        return FUR_OUTCOME_CONVERGED;
    if (s->outcome != FUR_OUTCOME_CONVERGED && !claimed)
        return s->outcome;
    if (!(d->residual < HUGE_VAL) || !(rest < HUGE_VAL))
        return FUR_OUTCOME_BREAKDOWN;
    if (claimed && fur_verdict_is_least_squares(d))
        return FUR_OUTCOME_LEAST_SQUARES;
    if (s->stopped)
        return FUR_OUTCOME_STOPPED;
    if (s->iterations >= s->max_iterations)
        return FUR_OUTCOME_MAX_ITERATIONS;
    if (d->solver->options.damp > 0)
        return FUR_OUTCOME_STAGNATED;
    return rest < least ? FUR_OUTCOME_UNSOLVED : FUR_OUTCOME_STAGNATED;
}

/* The target of a correction. */
static double correction_target(const fur_drive *d)
{
    double most = SURE_GAIN * d->residual;
    return larger(MAX_GAIN * d->residual, d->goal < most ? d->goal : most);
}

fur_status fur_drive_start(fur_drive *d, const fur_vector *r, bool *over)
{
    fur_pass *s = d->pass;
    d->first = d->residual;
    if (!(d->residual < HUGE_VAL) || !(d->guess < HUGE_VAL) || !(d->whole < HUGE_VAL))
        return fur_drive_refuse_nonfinite(d, r);
    s->x = d->x;
    s->base = NULL;
    s->b_norm = d->b_norm;
    s->target = d->goal;
    s->scale = 1;
    s->unit = 1;
    *over = fur_pass_is_over(s, 0, d->residual);
    return d->lift && !d->reduced ? fur_lift_open(d, r) : FUR_OK;
}

/* Runs passes until x meets the goal or a pass does not help. The last pass helped if its residual
 * is below `least`. Each further pass must halve a finite number, so that the loop ends. */
static fur_status finish(fur_drive *d, double least)
{
    fur_pass *s = d->pass;
    for (;;) {
        s->outcome = judge(d, least);
        if (s->outcome != FUR_OUTCOME_UNSOLVED)
            return FUR_OK;
        least = LEAST_GAIN * (d->normal >= 0 ? d->normal : d->residual);
        FUR_TRY(correct(d, correction_target(d)));
    }
}

fur_status fur_drive_finish(fur_drive *d, const fur_vector *r)
{
    FUR_TRY(fur_vector_copy(r, d->solver->r));
    return finish(d, HUGE_VAL);
}

fur_status fur_drive_solve(fur_drive *d)
{
    double least = d->solver->method->guarded ? d->residual : HUGE_VAL;
    FUR_TRY(begin(d));
    return finish(d, least);
}

/* Solves for one right-hand side. */
static fur_status run(fur_drive *d)
{
    bool over = false;
    FUR_TRY(fur_pass_multiply(d->pass, fur_drive_probe(d), d->solver->r));
    FUR_TRY(fur_drive_take_first(d, d->solver->r));
    FUR_TRY(fur_drive_start(d, d->solver->r, &over));
    return over ? FUR_OK : fur_drive_solve(d);
}

static fur_status check_vector(const fur_solver *solver, const char *name, const fur_vector *v,
                               const fur_context *context, int64_t size)
{
    if (fur_vector_context(v) != context)
        return fur_context_fail(solver->context, FUR_INVALID,
                                "%s belongs to another context than %s", name,
                                context == solver->context ? "the solver" : "its domain");
    if (fur_vector_value_type(v) != fur_operator_value_type(solver->a) ||
        fur_vector_size(v) != size)
        return fur_context_fail(
            solver->context, FUR_INVALID,
            "%s has %lld entries of type %s, but the solver needs %lld of type %s", name,
            (long long)fur_vector_size(v), fur_value_name(fur_vector_value_type(v)),
            (long long)size, fur_value_name(fur_operator_value_type(solver->a)));
    return FUR_OK;
}

static fur_status check_vectors(const fur_solver *solver, const fur_vector *b, const fur_vector *x)
{
    FUR_TRY(check_vector(solver, "b", b, solver->context, fur_operator_rows(solver->a)));
    FUR_TRY(check_vector(solver, "x", x, solver->domain, fur_operator_cols(solver->a)));
    size_t size = fur_value_size(fur_vector_value_type(b));
    if (fur_overlap(fur_vector_const_data(b), (size_t)fur_vector_size(b) * size,
                    fur_vector_const_data(x), (size_t)fur_vector_size(x) * size))
        return fur_context_fail(solver->context, FUR_INVALID,
                                "b and x overlap in memory; give each a separate array");
    return FUR_OK;
}

static fur_pass pass_of(const fur_solver *solver)
{
    const fur_solver_options *o = &solver->options;
    return (fur_pass){
        .a = solver->a,
        .adjoint = o->adjoint,
        .preconditioner = o->preconditioner,
        .r = solver->r,
        .work = solver->work,
        .range = solver->range,
        .scratch = solver->scratch,
        .scalars = solver->scalars,
        .recording = solver->recording,
        .persistent = solver->persistent,
        .fused = fur_fused_of(solver->fused, solver->a),
        .unscale = solver->unscale,
        .options = o,
        .gradient = fur_verdict_gradient(solver),
        .max_iterations = o->max_iterations,
        .check_every = o->check_every,
        .execution = FUR_EXECUTION_PLAIN,
    };
}

/* Removes the null vectors from b and x. If only rounding remains of b, b becomes 0. */
static fur_status remove_null_space(fur_drive *d)
{
    const fur_null_space *n = d->solver->null_space;
    double removed;
    FUR_TRY(fur_vector_copy(d->b, n->b));
    FUR_TRY(fur_null_space_remove(n, n->b, &d->outside));
    FUR_TRY(fur_null_space_remove(n, d->x, &removed));
    FUR_TRY(fur_norm2(n->b, &d->b_norm));
    if (d->b_norm <= B_ROUNDING * fur_pass_epsilon(d->pass) * d->whole) {
        FUR_TRY(fur_vector_fill(n->b, fur_real(0)));
        d->b_norm = 0;
    }
    d->b = n->b;
    return FUR_OK;
}

bool fur_drive_hides_outside(const fur_drive *d)
{
    const fur_solver_options *o = &d->solver->options;
    return d->outside <= OUTSIDE_SHARE * larger(o->rtol * d->b_norm, o->atol);
}

fur_status fur_drive_open(fur_solver *solver, const fur_vector *b, fur_vector *x, fur_pass *pass,
                          fur_drive *d)
{
    const fur_solver_options *o = &solver->options;
    *pass = pass_of(solver);
    *d = (fur_drive){.solver = solver,
                     .pass = pass,
                     .b = b,
                     .given = b,
                     .x = x,
                     .normal = -1,
                     .backward_error = NAN,
                     .reduced = fur_red_black_works(solver->red_black),
                     .start = fur_seconds()};
    FUR_TRY(fur_complete_renew(solver));
    FUR_TRY(fur_norm2(b, &d->b_norm));
    d->whole = d->b_norm;
    if (solver->null_space)
        FUR_TRY(remove_null_space(d));
    d->goal = fmin(larger(fur_target(o->rtol, d->b_norm), o->atol), DBL_MAX);
    if (d->outside > 0 && fur_drive_hides_outside(d))
        d->goal *= ROUNDED_DOWN * sqrt(1 - d->outside / d->goal * (d->outside / d->goal));
    if (d->b_norm == 0) /* any guess but 0 would only converge to 0 up to rounding */
        FUR_TRY(fur_vector_fill(x, fur_real(0)));
    /* b - A x does not show nonfinite entries in empty columns */
    FUR_TRY(fur_norm_max(x, &d->guess));
    d->from_zero = d->guess == 0;
    return FUR_OK;
}

/* Removes the null vectors from the x that was found. */
static fur_status leave_null_space(fur_drive *d)
{
    double removed;
    FUR_TRY(fur_null_space_remove(d->solver->null_space, d->x, &removed));
    FUR_TRY(fur_drive_find_residual(d, d->x));
    if (d->pass->outcome == FUR_OUTCOME_CONVERGED && !(d->residual <= d->goal))
        d->pass->outcome = FUR_OUTCOME_STAGNATED;
    return FUR_OK;
}

static fur_status solve(fur_solver *solver, const fur_vector *b, fur_vector *x,
                        fur_solver_report *report)
{
    fur_pass pass;
    fur_drive d;
    FUR_TRY(fur_drive_open(solver, b, x, &pass, &d));
    FUR_TRY(run(&d));
    if (solver->null_space)
        FUR_TRY(leave_null_space(&d));
    return fur_drive_report(&d, report);
}

fur_status fur_solver_solve(fur_solver *solver, const fur_vector *b, fur_vector *x,
                            fur_solver_report *report)
{
    FUR_CHECK_REPORT(solver ? solver->context : NULL, fur_solver_report, report);
    if (report)
        report->outcome = FUR_OUTCOME_UNSOLVED;
    FUR_NEED(solver ? solver->context : NULL, solver, b, x);
    FUR_TRY(fur_solver_check(solver));
    FUR_TRY(check_vectors(solver, b, x));
    int64_t failures = solver->context->env.failures;
    return fur_solver_pass_on(solver, failures, solve(solver, b, x, report));
}
