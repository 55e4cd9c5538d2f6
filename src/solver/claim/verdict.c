/* Judges the x of a solve if the tolerance alone does not decide. */
#include "verdict.h"

#include "core.h"
#include "hashed.h"

#include <float.h>
#include <math.h>

/* A backward error of at most this number of epsilon is rounding. */
#define ROUNDING 8

/* The factor by which a correction must lower the residual, and its largest norm relative to x. */
#define CORRECTION_GAIN 0.1
#define CORRECTION_SHARE 1e-2

/* A^H r of a rectangular or damped problem is small enough up to this factor. */
#define GRADIENT_SLACK 10
/* The typical rounding of a residual, as a fraction of its bound. */
#define OWN_ROUNDING 0.25

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Returns whether r of a least-squares solution must be proved to be a null vector. A system with
 * full row rank has a solution. */
static bool needs_proof(const fur_solver *solver)
{
    const fur_operator *a = solver->a;
    return solver->options.damp == 0 && fur_shared_size(solver->context, fur_operator_rows(a)) <=
                                            fur_shared_size(solver->domain, fur_operator_cols(a));
}

double fur_verdict_gradient(const fur_solver *solver)
{
    return needs_proof(solver) ? fur_value_epsilon(fur_operator_value_type(solver->a))
                               : solver->options.rtol;
}

bool fur_verdict_is_least_squares(const fur_drive *d)
{
    double norm = d->pass->norm;
    double epsilon = fur_value_epsilon(fur_vector_value_type(d->b));
    double rounding = ROUNDING * epsilon * (norm * d->x_norm + d->b_norm);
    double most = GRADIENT_SLACK * d->solver->options.rtol * norm;
    double own = norm * (rounding / d->residual); /* for a slope of 0 */
    if (!(d->slope < HUGE_VAL) || !(d->x_norm < HUGE_VAL))
        return false;
    if (!needs_proof(d->solver))
        return d->slope <= most;
    most =
        d->solver->singular ? larger(most, OWN_ROUNDING * own) : fmin(most, sqrt(epsilon) * norm);
    /* r / ||r|| is then a null vector of A^H, to the accuracy of r. */
    return d->residual > rounding && d->slope <= own && d->slope <= most;
}

fur_status fur_estimate_norm(const fur_operator *a, fur_vector *v, fur_vector *image, double *norm)
{
    double length;
    double next;
    *norm = 0;
    FUR_TRY(fur_vector_fill_hashed(v, 1));
    for (int i = 0; i < FUR_NORM_PRODUCTS; i++) {
        FUR_TRY(fur_norm2(v, &length));
        if (!(length > 0))
            return FUR_OK;
        FUR_TRY(fur_vector_scale(v, fur_real(1 / length)));
        FUR_TRY(fur_operator_apply(a, v, image));
        FUR_TRY(fur_norm2(image, &next));
        if (!(next < HUGE_VAL))
            return FUR_OK;
        *norm = larger(*norm, next);
        FUR_TRY(fur_vector_copy(image, v));
    }
    return FUR_OK;
}

double fur_backward_error(double residual, double norm, double x_norm, double b_norm)
{
    x_norm = fmax(x_norm - DBL_TRUE_MIN, 0); /* a subnormal norm is rounded by up to half of this */
    double terms = norm * x_norm + b_norm;
    return terms < HUGE_VAL ? residual / terms : residual / norm / x_norm;
}

bool fur_is_rounding(double backward_error, fur_value_type value)
{
    return backward_error <= ROUNDING * fur_value_epsilon(value);
}

/* Returns whether A and b determine x. If the residual is large relative to b, x may be a large
 * vector of the nullspace. A correction that lowers the residual must then be small. */
static fur_status is_determined(fur_drive *d, bool *determined)
{
    fur_vector *correction = d->solver->correction;
    fur_drive trial = *d;
    fur_pass pass = *d->pass;
    fur_solver_options options = *pass.options;
    double length;
    *determined = d->residual <= sqrt(fur_pass_epsilon(d->pass)) * d->b_norm;
    if (*determined || d->solver->singular)
        return FUR_OK;
    options.monitor = NULL;
    pass.options = &options;
    pass.max_iterations = 2 * pass.iterations + 1;
    trial.pass = &pass;
    FUR_TRY(fur_vector_fill(correction, fur_real(0)));
    FUR_TRY(fur_drive_run_pass(&trial, correction, CORRECTION_GAIN * d->residual));
    FUR_TRY(fur_norm2(correction, &length));
    d->pass->products = pass.products;
    *determined =
        pass.outcome == FUR_OUTCOME_CONVERGED && length * pass.unit <= CORRECTION_SHARE * d->x_norm;
    return FUR_OK;
}

/* Computes the backward error of a failed solve. If it is only rounding, the solve ends with
 * success. */
static fur_status look_again(fur_drive *d)
{
    double norm;
    bool determined = false;
    FUR_TRY(fur_estimate_norm(d->solver->a, d->solver->correction, d->solver->r, &norm));
    d->pass->products += FUR_NORM_PRODUCTS;
    FUR_TRY(fur_drive_find_residual(d, d->x));
    d->backward_error = fur_backward_error(d->residual, norm, d->x_norm, d->b_norm);
    if (fur_is_rounding(d->backward_error, fur_vector_value_type(d->b)))
        FUR_TRY(is_determined(d, &determined));
    if (!determined)
        return FUR_OK;
    d->pass->outcome = FUR_OUTCOME_WORKING_PRECISION;
    return FUR_OK;
}

/* Returns whether a small backward error can excuse this failure. */
static bool may_excuse(const fur_drive *d)
{
    fur_outcome outcome = d->pass->outcome;
    return d->solver->method->kind == FUR_METHOD_SQUARE && outcome != FUR_OUTCOME_CONVERGED &&
           outcome != FUR_OUTCOME_STOPPED && d->b_norm > 0 && d->residual <= d->first &&
           d->residual / d->b_norm < HUGE_VAL;
}

/* x is not finite. If the initial guess was 0, x becomes 0 again. */
static fur_status break_down(fur_drive *d)
{
    d->pass->outcome = FUR_OUTCOME_BREAKDOWN;
    if (!d->from_zero)
        return FUR_OK;
    FUR_TRY(fur_vector_fill(d->x, fur_real(0)));
    return fur_drive_find_residual(d, d->x);
}

fur_status fur_verdict_settle(fur_drive *d)
{
    FUR_TRY(fur_norm2(d->x, &d->x_norm));
    if (!(d->x_norm < HUGE_VAL))
        return break_down(d);
    return may_excuse(d) ? look_again(d) : FUR_OK;
}
