/* Solvers: options, workspace, the report. */
#include "solver.h"
#include "names.h"

#include "arguments.h"
#include "clock.h"
#include "env.h"
#include "options.h"
#include "target.h"
#include "value_type.h"

#include <math.h>
#include <string.h>

#define FUR_METHOD(method) extern const fur_method method;
#include "methods.def"
#undef FUR_METHOD

#define FUR_METHOD(method) &method,
static const fur_method *const methods[] = {
#include "methods.def"
};
#undef FUR_METHOD

#define METHOD_COUNT ((int)(sizeof methods / sizeof *methods))

/* Iterations that a GPU is given ahead: a share of those so far, so that the ones issued in vain at
 * the end do not show, and no more than hide the host's wait for the scalars. */
#define AHEAD_SHARE 8
#define MOST_AHEAD 16

/* The target of a correction, relative to the residual that it starts from: not less, so that the
 * true residual is looked at soon. */
#define MOST_GAIN 1e-3
/* Corrections go on while each reduces the true residual by this factor. */
#define LEAST_GAIN 0.5

struct fur_solver {
    fur_context *context;
    const fur_operator *a;
    const fur_method *method;
    fur_solver_options options;
    fur_vector *work[FUR_MAX_WORKSPACE];
    fur_vector *correction; /* of x, after the first pass */
    fur_scalars *scalars;
};

const fur_method_info *fur_solver_method_at(int index)
{
    return index >= 0 && index < METHOD_COUNT ? &methods[index]->info : NULL;
}

const char *fur_outcome_name(fur_outcome outcome)
{
    switch (outcome) {
    case FUR_OUTCOME_UNSOLVED:
        return "not solved: it failed or was not begun";
    case FUR_OUTCOME_CONVERGED:
        return "converged";
    case FUR_OUTCOME_MAX_ITERATIONS:
        return "iteration limit reached";
    case FUR_OUTCOME_INDEFINITE:
        return "indefinite matrix";
    case FUR_OUTCOME_INDEFINITE_PRECONDITIONER:
        return "indefinite preconditioner";
    case FUR_OUTCOME_ASYMMETRIC:
        return "diverged: matrix or preconditioner is not symmetric";
    case FUR_OUTCOME_BREAKDOWN:
        return "breakdown: overflow, underflow or not a number";
    case FUR_OUTCOME_STOPPED:
        return "stopped by the monitor";
    case FUR_OUTCOME_STAGNATED:
        return "stagnated: the true residual does not follow";
    }
    return "unknown";
}

static fur_status find_method(fur_context *context, const char *name, const fur_method **out)
{
    for (int i = 0; i < METHOD_COUNT; i++) {
        if (!name || strcmp(methods[i]->info.name, name) == 0) {
            *out = methods[i];
            return FUR_OK;
        }
    }
    char names[256] = "";
    for (int i = 0; i < METHOD_COUNT; i++)
        fur_names_add(names, sizeof names, methods[i]->info.name);
    return fur_context_fail(context, FUR_UNSUPPORTED, "there is no method \"%s\"; there are: %s",
                            name, names);
}

static fur_status check_operators(const fur_operator *a, const fur_operator *m)
{
    fur_context *context = fur_operator_context(a);
    int64_t n = fur_operator_rows(a);
    if (n != fur_operator_cols(a))
        return fur_context_fail(context, FUR_INVALID,
                                "a solver needs a square matrix, this one is %lld x %lld",
                                (long long)n, (long long)fur_operator_cols(a));
    if (m && (fur_operator_rows(m) != n || fur_operator_cols(m) != n ||
              fur_operator_value_type(m) != fur_operator_value_type(a) ||
              fur_operator_context(m) != context))
        return fur_context_fail(context, FUR_INVALID,
                                "the preconditioner differs from the matrix in size, value type or "
                                "context");
    return FUR_OK;
}

/* A look at the scalars costs nothing on the CPU. */
static int64_t default_interval(const fur_operator *a)
{
    fur_context *context = fur_operator_context(a);
    return fur_context_host(context) == context ? 1 : 0;
}

/* Rounding lets a small badly conditioned system take several times its rows, and nobody waits for
 * as many as a large one has. */
static int64_t default_iterations(int64_t rows)
{
    return rows < (FUR_SOLVER_MOST_ITERATIONS - 100) / 10 ? 10 * rows + 100
                                                          : FUR_SOLVER_MOST_ITERATIONS;
}

static fur_status set_defaults(const fur_operator *a, fur_solver_options *o)
{
    fur_value_type value = fur_operator_value_type(a);
    if (!(o->rtol >= 0) || !(o->atol >= 0) || o->max_iterations < 0)
        return fur_context_fail(fur_operator_context(a), FUR_INVALID,
                                "rtol, atol and max_iterations must not be negative");
    if (o->check_every < 0)
        return fur_context_fail(fur_operator_context(a), FUR_INVALID,
                                "check_every must not be negative");
    if (o->rtol == 0)
        o->rtol = fur_value_is_single(value) ? 1e-5 : 1e-10;
    if (o->max_iterations == 0)
        o->max_iterations = default_iterations(fur_operator_rows(a));
    if (o->check_every == 0)
        o->check_every = default_interval(a);
    return FUR_OK;
}

static fur_status make_workspace(fur_solver *solver)
{
    fur_value_type value = fur_operator_value_type(solver->a);
    int64_t n = fur_operator_rows(solver->a);
    for (int i = 0; i < solver->method->workspace; i++)
        FUR_TRY(fur_vector_create(solver->context, value, n, &solver->work[i]));
    FUR_TRY(fur_vector_create(solver->context, value, n, &solver->correction));
    return fur_scalars_create(solver->context, &solver->scalars);
}

fur_status fur_solver_create(const fur_operator *a, const fur_solver_options *options,
                             fur_solver **out)
{
    FUR_NEED(fur_operator_context(a), a, out);
    fur_context *context = fur_operator_context(a);
    fur_solver_options o;
    const fur_method *method;
    FUR_TAKE_OPTIONS(context, fur_solver_options, &o, options);
    FUR_TRY(find_method(context, o.method, &method));
    FUR_TRY(check_operators(a, o.preconditioner));
    FUR_TRY(set_defaults(a, &o));

    void *memory;
    FUR_TRY(fur_context_allocate(context, sizeof(fur_solver), &memory));
    fur_solver *solver = memory;
    *solver = (fur_solver){.context = context, .a = a, .method = method, .options = o};
    fur_status status = make_workspace(solver);
    if (status != FUR_OK) {
        fur_solver_destroy(solver);
        return status;
    }
    *out = solver;
    return FUR_OK;
}

void fur_solver_destroy(fur_solver *solver)
{
    if (!solver)
        return;
    for (int i = 0; i < FUR_MAX_WORKSPACE; i++)
        fur_vector_destroy(solver->work[i]);
    fur_vector_destroy(solver->correction);
    fur_scalars_destroy(solver->scalars);
    fur_context_release(solver->context, solver);
}

int64_t fur_solve_next_look(const fur_solve *solve, int64_t iteration)
{
    int64_t share = iteration / AHEAD_SHARE;
    int64_t ahead = share < 1 ? 1 : share < MOST_AHEAD ? share : MOST_AHEAD;
    int64_t interval = solve->check_every ? solve->check_every : ahead;
    int64_t left = solve->max_iterations - iteration;
    return iteration + (interval < left ? interval : left);
}

bool fur_solve_is_over(fur_solve *solve, int64_t iteration, double residual)
{
    solve->iterations = iteration;
    solve->residual = residual;
    fur_solver_progress progress = {iteration, fur_relative(solve, residual)};
    solve->stopped = solve->monitor && solve->monitor(solve->monitor_user, &progress) != 0;
    if (!(residual < HUGE_VAL))
        solve->outcome = FUR_OUTCOME_BREAKDOWN; /* before the target, which may be infinite too */
    else if (residual <= solve->target)
        solve->outcome = FUR_OUTCOME_CONVERGED;
    else if (solve->stopped)
        solve->outcome = FUR_OUTCOME_STOPPED;
    else if (iteration >= solve->max_iterations)
        solve->outcome = FUR_OUTCOME_MAX_ITERATIONS;
    else
        return false;
    return true;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* residual = b - A x, and its norm */
static fur_status take_residual(const fur_operator *a, const fur_vector *b, const fur_vector *x,
                                fur_vector *residual, double *norm)
{
    FUR_TRY(fur_operator_apply(a, x, residual));
    FUR_TRY(fur_axpby(fur_real(1), b, fur_real(-1), residual));
    return fur_norm2(residual, norm);
}

/* The outcome of a solve by the true residual after a pass and the one before that.
 * FUR_OUTCOME_CONVERGED of a pass is only what its recursion says: FUR_OUTCOME_UNSOLVED means that
 * another pass may help. */
static fur_outcome judge(const fur_solve *solve, double goal, double residual, double before)
{
    if (residual <= goal)
        return FUR_OUTCOME_CONVERGED;
    if (solve->outcome != FUR_OUTCOME_CONVERGED)
        return solve->outcome;
    if (!(residual < HUGE_VAL))
        return FUR_OUTCOME_BREAKDOWN;
    if (solve->stopped)
        return FUR_OUTCOME_STOPPED;
    if (solve->iterations >= solve->max_iterations)
        return FUR_OUTCOME_MAX_ITERATIONS;
    return residual <= LEAST_GAIN * before ? FUR_OUTCOME_UNSOLVED : FUR_OUTCOME_STAGNATED;
}

/* x += the correction that a pass finds from the true residual, unless that is none. */
static fur_status correct(fur_solver *solver, fur_solve *solve, fur_vector *x, double goal,
                          double residual)
{
    solve->residual = residual;
    solve->target = larger(goal, MOST_GAIN * residual);
    solve->x = solver->correction;
    FUR_TRY(fur_vector_fill(solver->correction, fur_real(0)));
    FUR_TRY(solver->method->run(solve));
    return solve->residual < residual ? fur_axpby(fur_real(1), solver->correction, fur_real(1), x)
                                      : FUR_OK;
}

/* Passes until x meets the goal or a pass does not help; residual: the true one at the end. */
static fur_status run(fur_solver *solver, fur_solve *solve, const fur_vector *b, fur_vector *x,
                      double *residual)
{
    double goal = solve->target;
    double before = HUGE_VAL;
    FUR_TRY(take_residual(solver->a, b, x, solver->work[0], residual));
    if (fur_solve_is_over(solve, 0, *residual))
        return FUR_OK;
    FUR_TRY(solver->method->run(solve));
    for (;;) {
        FUR_TRY(take_residual(solver->a, b, x, solver->work[0], residual));
        solve->outcome = judge(solve, goal, *residual, before);
        if (solve->outcome != FUR_OUTCOME_UNSOLVED)
            return FUR_OK;
        before = *residual;
        FUR_TRY(correct(solver, solve, x, goal, before));
    }
}

static fur_status check_vector(const fur_solver *solver, const char *name, const fur_vector *v)
{
    if (fur_vector_context(v) != solver->context ||
        fur_vector_value_type(v) != fur_operator_value_type(solver->a) ||
        fur_vector_size(v) != fur_operator_rows(solver->a))
        return fur_context_fail(solver->context, FUR_INVALID,
                                "%s has %lld entries of type %s; the solver needs %lld of type %s",
                                name, (long long)fur_vector_size(v),
                                fur_value_name(fur_vector_value_type(v)),
                                (long long)fur_operator_rows(solver->a),
                                fur_value_name(fur_operator_value_type(solver->a)));
    return FUR_OK;
}

static fur_status check_vectors(const fur_solver *solver, const fur_vector *b, const fur_vector *x)
{
    FUR_TRY(check_vector(solver, "b", b));
    FUR_TRY(check_vector(solver, "x", x));
    size_t bytes = (size_t)fur_vector_size(b) * fur_value_size(fur_vector_value_type(b));
    if (fur_overlap(fur_vector_const_data(b), bytes, fur_vector_const_data(x), bytes))
        return fur_context_fail(solver->context, FUR_INVALID,
                                "b and x overlap; each must have memory of its own");
    return FUR_OK;
}

fur_status fur_solver_solve(fur_solver *solver, const fur_vector *b, fur_vector *x,
                            fur_solver_report *report)
{
    FUR_CHECK_REPORT(solver ? solver->context : NULL, fur_solver_report, report);
    if (report)
        report->outcome = FUR_OUTCOME_UNSOLVED;
    FUR_NEED(solver ? solver->context : NULL, solver, b, x);
    double start = fur_seconds();
    const fur_solver_options *o = &solver->options;
    fur_solve solve = {
        .a = solver->a,
        .preconditioner = o->preconditioner,
        .x = x,
        .scalars = solver->scalars,
        .max_iterations = o->max_iterations,
        .check_every = o->check_every,
        .monitor = o->monitor,
        .monitor_user = o->monitor_user,
    };
    double residual;
    FUR_TRY(check_vectors(solver, b, x));
    memcpy(solve.work, solver->work, sizeof solve.work);
    FUR_TRY(fur_norm2(b, &solve.b_norm));
    solve.target = larger(fur_target(o->rtol, solve.b_norm), o->atol);
    if (solve.b_norm == 0) /* any guess but 0 would only be rounded towards it */
        FUR_TRY(fur_vector_fill(x, fur_real(0)));
    FUR_TRY(run(solver, &solve, b, x, &residual));
    fur_solver_report own = {
        .outcome = solve.outcome,
        .iterations = solve.iterations,
        .residual_recursive = fur_relative(&solve, solve.residual),
        .residual = fur_relative(&solve, residual),
        .seconds = fur_seconds() - start,
    };
    fur_report_fill(report, &own, sizeof own);
    return FUR_OK;
}
