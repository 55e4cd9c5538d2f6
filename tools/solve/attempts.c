/* The attempts of furrow solve. */
#include "job.h"

#include <furrow/author/precond.h>

#include <stdio.h>

#include "interrupt.h"
#include "product.h"

/* Cycles if --max-iterations is not given. Also the cycles between two checks for a signal, because
 * each check costs a residual. */
#define CYCLES_MAX 100
#define CYCLES_AT_ONCE 5

fur_status job_about(const job *j, fur_status status)
{
    return command_while(j->context, "solving with", j->name, status);
}

static void begin_attempt(job *j, const fur_choice *choice)
{
    if (j->count == JOB_ATTEMPTS)
        j->count--; /* cannot happen: the library's lists are shorter */
    j->attempts[j->count] = (job_attempt){.choice = *choice};
    watch_attempt(&j->watch, j->count + 1, choice->method, choice->precond, choice->reason);
}

/* Measures a preconditioner for the page: its levels, and the time of an application. */
static fur_status show_precond(job *j, fur_precond *made, job_attempt *a)
{
    fur_operator *m = NULL;
    FUR_TRY(levels_take(&j->levels, j->context, fur_precond_hierarchy(made)));
    if (made)
        FUR_TRY(fur_operator_from_precond(made, &m));
    else if (!j->preconditioner && job_is(a->choice.precond, "jacobi"))
        FUR_TRY(fur_operator_jacobi(j->op, &m));
    const fur_operator *shown = m ? m : j->preconditioner;
    fur_status status = FUR_OK;
    if (shown)
        status = job_time(j->context, shown, j->b, j->watch.sample.r, &a->seconds_applied);
    fur_operator_destroy(m);
    return status;
}

/* Ends an attempt. made: the preconditioner made from the matrix, or NULL. A failure to draw it is
 * ignored. */
static void end_attempt(job *j, const fur_solver_report *report, fur_precond *made)
{
    job_attempt *a = &j->attempts[j->count++];
    a->report = *report;
    if (made)
        a->made = *fur_precond_describe(made);
    double start = fur_seconds();
    if (j->options->report)
        (void)show_precond(j, made, a);
    j->seconds_shown += fur_seconds() - start;
    if (report->outcome != FUR_OUTCOME_UNSOLVED)
        watch_result(&j->watch, report);
}

static void follow(void *user, const fur_choice *choice, const fur_solver_report *report)
{
    job *j = user;
    if (report)
        end_attempt(j, report, choice->made);
    else
        begin_attempt(j, choice);
}

static fur_solver_options solver_options(job *j)
{
    fur_solver_options options = request_solver(&j->options->solver);
    options.preconditioner = j->preconditioner;
    options.monitor = watch_iteration;
    options.monitor_user = &j->watch;
    options.no_reduction = j->options->no_reduction;
    options.null_space = j->null_space;
    return options;
}

static fur_scale scale_of(const char *name)
{
    return job_is(name, "none")        ? FUR_SCALE_NONE
           : job_is(name, "rows")      ? FUR_SCALE_ROWS
           : job_is(name, "symmetric") ? FUR_SCALE_SYMMETRIC
                                       : FUR_SCALE_AUTO;
}

/* Solves with a matrix. The library chooses options that were not given. */
static fur_status solve_matrix(job *j)
{
    fur_solver_options solver = solver_options(j);
    fur_solve_options options = {.size = sizeof options,
                                 .solver = &solver,
                                 .precond = j->options->solver.precond,
                                 .product = j->product,
                                 .traits = &j->traits,
                                 .scale = scale_of(j->options->scale),
                                 .watch = follow,
                                 .watch_user = j};
    return fur_solve(j->a.matrix, j->b, j->x, &options, &j->total);
}

/* Returns the reason for the way in which a stencil is solved. */
static fur_choice stencil_choice(const job *j)
{
    const job_options *o = j->options;
    fur_choice choice = FUR_DEFAULT(fur_choice);
    bool cg = job_is(o->solver.method, "auto");
    choice.method = cg ? fur_solver_method_at(0)->name : o->solver.method;
    choice.precond = o->solver.precond;
    snprintf(choice.reason, sizeof choice.reason, "%s",
             cg ? "the negated Laplacian is symmetric and positive definite" : "asked for");
    return choice;
}

static fur_status iterate(job *j)
{
    fur_solver_options options = solver_options(j);
    fur_solver *solver = NULL;
    if (job_is(j->options->solver.precond, "mg"))
        FUR_TRY(fur_operator_from_multigrid(j->multigrid, &j->preconditioner));
    else if (job_is(j->options->solver.precond, "jacobi"))
        FUR_TRY(fur_operator_jacobi(j->op, &j->preconditioner));
    options.preconditioner = j->preconditioner;
    options.method = j->attempts[0].choice.method;
    options.adjoint = j->op; /* because coefficients are real and symmetric */
    FUR_TRY(fur_solver_create(j->op, &options, &solver));
    fur_status status = fur_solver_solve(solver, j->b, j->x, &j->total);
    fur_solver_destroy(solver);
    return status;
}

/* Runs multigrid cycles. They have no monitor, so signals are checked between some cycles. */
static fur_status run_cycles(job *j)
{
    fur_solver_report *all = &j->total;
    int64_t left =
        j->options->solver.max_iterations ? j->options->solver.max_iterations : CYCLES_MAX;
    int stop;
    do {
        fur_solver_report part = FUR_DEFAULT(fur_solver_report);
        FUR_TRY(fur_multigrid_solve(j->multigrid, j->b, j->x, j->options->solver.rtol,
                                    left < CYCLES_AT_ONCE ? left : CYCLES_AT_ONCE, &part));
        left -= part.iterations;
        part.iterations += all->iterations;
        part.seconds += all->seconds;
        *all = part;
        stop = watch_cycles(&j->watch, all);
    } while (all->outcome == FUR_OUTCOME_MAX_ITERATIONS && left > 0 && !stop);
    if (all->outcome == FUR_OUTCOME_MAX_ITERATIONS && left > 0)
        all->outcome = FUR_OUTCOME_STOPPED;
    return FUR_OK;
}

static fur_status solve_stencil(job *j)
{
    fur_choice choice = stencil_choice(j);
    begin_attempt(j, &choice);
    FUR_TRY(job_is(j->options->solver.method, "mg") ? run_cycles(j) : iterate(j));
    end_attempt(j, &j->total, NULL);
    return FUR_OK;
}

/* Finds the attempt that produced x: the last one whose residual is the total's. */
static void find_best(job *j)
{
    j->best = &j->attempts[0];
    for (int i = 0; i < j->count; i++)
        if (j->attempts[i].report.residual == j->total.residual)
            j->best = &j->attempts[i];
}

/* Makes vectors for the true residuals if they will be shown. */
static fur_status prepare_watch(job *j)
{
    const job_options *o = j->options;
    fur_value_type value = fur_operator_value_type(j->op);
    bool single = value == FUR_F32 || value == FUR_C64;
    j->watch.keep = o->solver.history || o->report;
    if (j->watch.keep) {
        watch_sample *s = &j->watch.sample;
        FUR_TRY(fur_vector_create(j->context, value, fur_operator_rows(j->op), &s->r));
        FUR_TRY(fur_vector_create(j->context, value, fur_operator_cols(j->op), &s->x));
        FUR_TRY(fur_norm2(j->b, &s->b_norm));
        s->a = j->op;
        s->b = j->b;
    }
    watch_begin(&j->watch, o->common.quiet,
                o->solver.rtol > 0 ? o->solver.rtol
                : single           ? 1e-5
                                   : 1e-10);
    return FUR_OK;
}

fur_status job_solve(job *j)
{
    j->total = FUR_DEFAULT(fur_solver_report);
    FUR_TRY(job_about(j, prepare_watch(j)));
    double start = fur_seconds();
    interrupt_begin();
    fur_status status = j->stencil ? solve_stencil(j) : solve_matrix(j);
    interrupt_end();
    watch_end(&j->watch);
    FUR_TRY(job_about(j, status));
    j->seconds_setup += fur_seconds() - start - j->total.seconds - j->seconds_shown;
    find_best(j);
    return FUR_OK;
}

double job_products(const job_attempt *a)
{
    const fur_solver_report *r = &a->report;
    if (r->iterations < 1 || r->products < 1)
        return 0;
    int64_t each = (r->products - 2 + r->iterations / 2) / r->iterations;
    return each > 1 ? (double)each : 1;
}

double job_bytes(const job *j)
{
    const fur_solver_report *r = &j->best->report;
    const char *precond = j->best->choice.precond;
    double product = (double)(j->stencil ? fur_stencil_describe(j->stencil)->bytes
                                         : fur_product_describe(j->product)->bytes);
    double vector =
        (double)(fur_operator_cols(j->op)) * (double)fur_value_size(fur_operator_value_type(j->op));
    bool counted = job_is(j->best->choice.method, "cg") && job_is(precond, "jacobi");
    double divided = counted || job_is(precond, "none") ? 0 : 3 * vector;
    if (j->best->made.bytes > 0 && !job_is(precond, "none"))
        divided = j->best->made.bytes;
    if (!(r->bytes > 0) || r->reduced || job_is(precond, "mg"))
        return 0;
    return job_products(j->best) * (product + divided) + r->bytes;
}
