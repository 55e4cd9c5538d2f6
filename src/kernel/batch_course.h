/* The course of conjugate gradients for one system of a batch: its scalars and its decisions. The
 * code is the same on the host and in CUDA. The decisions are the decisions of src/solver/drive.c
 * and src/solver/method/cg.c, in the same order, so that a system ends as it would alone. */
#ifndef FURROW_KERNEL_BATCH_COURSE_H
#define FURROW_KERNEL_BATCH_COURSE_H

#include "anywhere.h"
#include "batch_kernel.h"
#include "target.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Constants of src/solver/drive.c: the least factor by which a correction reduces the true
 * residual, and the target of a correction relative to the residual at its start. */
#define FUR_COURSE_LEAST_GAIN 0.5
#define FUR_COURSE_MAX_GAIN 1e-3
#define FUR_COURSE_SURE_GAIN 0.25
/* A constant of src/solver/method/cg.c: how far two directions may be from conjugate. */
#define FUR_COURSE_CONJUGATE 0.1

typedef struct fur_course {
    double goal;     /* goal for the true residual */
    double b_norm;   /* ||b||, or 1 if b = 0 */
    double residual; /* true residual */
    double least;    /* the pass must reduce the residual below this, unless it meets the goal */
    /* State of the pass: */
    bool corrects; /* it solves for a correction from 0, else for x itself */
    double scale;  /* scale of the residual in this pass */
    double target;
    double first;   /* ||r|| at its beginning; `carried`: its recurrence */
    double carried; /* the recurrence residual */
    double rz;
    double before; /* r.z one iteration earlier */
    double pq;
    double alpha; /* r.z / p.q */
    double beta;
    bool runs;    /* iterations go on */
    bool settles; /* the last update of x is still due */
    /* State of the solve: */
    bool open; /* passes go on */
    int64_t iterations;
    fur_outcome outcome;
} fur_course;

FUR_ANYWHERE bool fur_course_is_finite(double a)
{
    return a - a == 0;
}

/* Prepares a pass, starting from the true residual. */
FUR_ANYWHERE void fur_course_start(fur_course *c, const fur_batch_form *form, double target,
                                   bool corrects)
{
    int exponent = ilogb(c->residual);
    bool far = exponent < -form->range || exponent > form->range;
    c->corrects = corrects || far;
    int most = 3 * form->range; /* a subnormal residual has no scale with a reciprocal */
    c->scale = far ? scalbn(1.0, exponent < -most ? most : -exponent) : 1;
    c->target = target * c->scale;
    c->first = c->carried = c->residual * c->scale;
    c->runs = true;
    c->settles = false;
}

/* Begins a solve. The arguments are the norms of b and of the initial guess, and the residual of
 * the guess. `usable`: the diagonal has reciprocals. If not, `finite` tells whether it is
 * finite. */
FUR_ANYWHERE void fur_course_begin(fur_course *c, const fur_batch_form *form, double b_norm,
                                   double x_norm, double residual, bool usable, bool finite)
{
    double goal = fur_target(form->rtol, b_norm);
    /* x is tested too, because columns may be empty */
    bool nonfinite = !(residual < HUGE_VAL) || !(x_norm < HUGE_VAL);
    c->goal = fmin(goal > form->atol ? goal : form->atol, DBL_MAX);
    c->b_norm = b_norm > 0 ? b_norm : 1;
    c->residual = residual;
    c->least = HUGE_VAL;
    c->iterations = 0;
    c->runs = c->settles = false;
    c->open = usable && !nonfinite && !(residual <= c->goal);
    c->outcome = nonfinite             ? FUR_OUTCOME_BREAKDOWN
                 : residual <= c->goal ? FUR_OUTCOME_CONVERGED
                 : !usable && finite   ? FUR_OUTCOME_INDEFINITE
                 : !usable             ? FUR_OUTCOME_BREAKDOWN
                                       : FUR_OUTCOME_UNSOLVED;
    if (c->open)
        fur_course_start(c, form, c->goal, false);
}

FUR_ANYWHERE void fur_course_end_pass(fur_course *c, fur_outcome outcome, bool settles)
{
    c->outcome = outcome;
    c->runs = false;
    c->settles = settles;
}

/* The outcome of a pass that has no direction. */
FUR_ANYWHERE fur_outcome fur_course_verdict(double rz)
{
    return fur_course_is_finite(rz) && rz < 0 ? FUR_OUTCOME_INDEFINITE_PRECONDITIONER
                                              : FUR_OUTCOME_BREAKDOWN;
}

/* Takes r.z of the first direction. */
FUR_ANYWHERE void fur_course_aim(fur_course *c, double rz)
{
    c->rz = rz;
    if (c->runs && !(rz > 0 && fur_course_is_finite(rz)))
        fur_course_end_pass(c, fur_course_verdict(rz), false);
}

/* Takes p.q, and computes the step length. If p.q is not positive, the pass ends. */
FUR_ANYWHERE void fur_course_step(fur_course *c, double pq)
{
    c->pq = pq;
    c->alpha = c->rz / pq;
    if (c->runs && !(pq > 0 && fur_course_is_finite(pq) && fur_course_is_finite(c->alpha)))
        fur_course_end_pass(c, pq <= 0 ? FUR_OUTCOME_INDEFINITE : FUR_OUTCOME_BREAKDOWN, false);
}

/* Takes ||r|| and r.z after a step. */
FUR_ANYWHERE void fur_course_reduce(fur_course *c, const fur_batch_form *form, double norm,
                                    double rz)
{
    if (!c->runs)
        return;
    c->iterations++;
    c->carried = norm;
    c->before = c->rz;
    c->rz = rz;
    c->beta = rz / c->before;
    if (!(norm < HUGE_VAL))
        fur_course_end_pass(c, FUR_OUTCOME_BREAKDOWN, true);
    else if (norm <= c->target)
        fur_course_end_pass(c, FUR_OUTCOME_CONVERGED, true);
    else if (c->iterations >= form->max_iterations)
        fur_course_end_pass(c, FUR_OUTCOME_MAX_ITERATIONS, true);
    else if (!(rz > 0 && fur_course_is_finite(rz) && fur_course_is_finite(c->beta)))
        fur_course_end_pass(c, fur_course_verdict(rz), true);
}

/* Returns whether p.q of the next direction p and the last q must be tested after `issued`
 * iterations of a pass: 16, 32, 64, ... */
FUR_ANYWHERE bool fur_course_is_milestone(int64_t issued)
{
    return issued >= 16 && (issued & (issued - 1)) == 0;
}

/* Tests that product, which is 0 if A and M are symmetric. */
FUR_ANYWHERE void fur_course_check(fur_course *c, double re, double im)
{
    double term = c->beta * c->pq;
    if (c->runs && !(c->carried < c->first) &&
        hypot(re, im) > FUR_COURSE_CONJUGATE * (hypot(re - term, im) + term))
        fur_course_end_pass(c, FUR_OUTCOME_ASYMMETRIC, false);
}

/* Returns whether the result of the pass is accepted. If it is, the residual is computed again. */
FUR_ANYWHERE bool fur_course_gains(const fur_course *c)
{
    return c->open && (!c->corrects || c->carried / c->scale < c->residual);
}

/* Takes the true residual after a pass; it is unchanged if the pass gained nothing. Sets the
 * outcome, or starts the next pass. */
FUR_ANYWHERE void fur_course_judge(fur_course *c, const fur_batch_form *form, double residual)
{
    if (!c->open)
        return;
    c->residual = residual;
    if (residual <= c->goal)
        c->outcome = FUR_OUTCOME_CONVERGED;
    else if (c->outcome == FUR_OUTCOME_CONVERGED)
        c->outcome = !(residual < HUGE_VAL)                  ? FUR_OUTCOME_BREAKDOWN
                     : c->iterations >= form->max_iterations ? FUR_OUTCOME_MAX_ITERATIONS
                     : residual < c->least                   ? FUR_OUTCOME_UNSOLVED
                                                             : FUR_OUTCOME_STAGNATED;
    c->open = c->outcome == FUR_OUTCOME_UNSOLVED;
    if (c->open) {
        double most = FUR_COURSE_SURE_GAIN * residual;
        double least = FUR_COURSE_MAX_GAIN * residual;
        double target = c->goal < most ? c->goal : most;
        c->least = FUR_COURSE_LEAST_GAIN * residual;
        fur_course_start(c, form, least > target ? least : target, true);
    }
}

FUR_ANYWHERE fur_batch_result fur_course_result(const fur_course *c)
{
    fur_batch_result result = {c->outcome, c->iterations, c->residual / c->b_norm};
    return result;
}

#endif
