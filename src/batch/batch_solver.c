/* Solvers for batches: methods by name, the band of the pattern, workspace, results. */
#include "batch_handle.h"

#include <furrow/author/clock.h>
#include <furrow/author/options.h>

#include "split.h"
#include "value_type.h"

#include <math.h>

/* For the default of max_iterations, which is the default of a single solve. */
#include "solver.h"

struct fur_batch_solver {
    fur_context *context;
    const fur_batch *batch;
    fur_batch_form form;
    fur_batch_result *results; /* used if the caller wants no results */
    void *state;               /* the kernels' state; NULL: nothing to solve */
    fur_dependent dependent;   /* on the batch */
};

static fur_status set_method(fur_context *context, const char *name, fur_batch_form *form)
{
    form->method = name && strcmp(name, "band") == 0 ? FUR_BATCH_BAND : FUR_BATCH_CG;
    if (name && form->method == FUR_BATCH_CG && strcmp(name, "cg") != 0)
        return fur_context_fail(context, FUR_UNSUPPORTED,
                                "there is no method \"%s\" for batches; use cg or band", name);
    return FUR_OK;
}

static fur_status set_limits(const fur_batch *batch, const fur_batch_solver_options *o,
                             fur_batch_form *form)
{
    fur_context *context = batch->context;
    const fur_csr_view *a = &batch->pattern->view;
    bool single = fur_value_is_single(batch->values->view.value_type);
    if (!(o->rtol >= 0) || !(o->atol >= 0) || o->max_iterations < 0)
        return fur_context_fail(context, FUR_INVALID,
                                "rtol, atol and max_iterations must not be negative");
    if (a->rows != a->cols)
        return fur_context_fail(context, FUR_INVALID,
                                "only square systems can be solved; these are %lld x %lld",
                                (long long)a->rows, (long long)a->cols);
    form->rtol = o->rtol > 0 ? o->rtol : single ? 1e-5 : 1e-10;
    form->atol = o->atol;
    form->max_iterations =
        o->max_iterations > 0 ? o->max_iterations : fur_solver_iterations(a->rows);
    form->range = single ? FUR_PASS_SINGLE_RANGE : FUR_PASS_RANGE;
    return FUR_OK;
}

/* Finds the number of diagonals of the pattern on each side of the main diagonal. */
static fur_status find_band(const fur_batch *batch, fur_batch_form *form)
{
    const fur_csr *near;
    fur_csr *copy;
    FUR_TRY(fur_csr_to_host(batch->pattern, &near, &copy));
    const fur_csr_view *a = &near->view;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++) {
            form->lower = fur_larger(form->lower, i - a->columns[k]);
            form->upper = fur_larger(form->upper, a->columns[k] - i);
        }
    fur_csr_destroy(copy);
    return FUR_OK;
}

static fur_status set_band(const fur_batch *batch, fur_batch_form *form)
{
    if (form->method != FUR_BATCH_BAND)
        return FUR_OK;
    FUR_TRY(find_band(batch, form));
    if (form->lower > FUR_BATCH_BAND_MAX || form->upper > FUR_BATCH_BAND_MAX)
        return fur_context_fail(
            batch->context, FUR_UNSUPPORTED,
            "the pattern has %lld diagonals below and %lld above the main diagonal; method "
            "\"band\" accepts at most %d on each side: reorder the rows by fur_reorder, or use cg",
            (long long)form->lower, (long long)form->upper, FUR_BATCH_BAND_MAX);
    return FUR_OK;
}

static fur_status make(fur_batch_solver *solver, const fur_batch_solver_options *o)
{
    const fur_batch *batch = solver->batch;
    fur_env *env = &solver->context->env;
    fur_batch_view view = fur_batch_view_of(batch);
    FUR_TRY(set_method(solver->context, o->method, &solver->form));
    FUR_TRY(set_limits(batch, o, &solver->form));
    FUR_TRY(set_band(batch, &solver->form));
    FUR_TRY(fur_env_allocate(env, view.values->cols, sizeof *solver->results, &solver->results));
    if (view.values->cols == 0 || view.pattern->rows == 0)
        return FUR_OK;
    return solver->context->backend->batch->plan(env, &view, &solver->form, &solver->state);
}

fur_status fur_batch_solver_create(const fur_batch *batch, const fur_batch_solver_options *options,
                                   fur_batch_solver **out)
{
    FUR_NEED(fur_batch_context(batch), batch, out);
    fur_context *context = batch->context;
    fur_batch_solver_options o;
    fur_batch_solver *solver;
    FUR_TAKE_OPTIONS(context, fur_batch_solver_options, &o, options);
    FUR_TRY(fur_dependent_check(&context->env, &batch->dependent));
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *solver, &solver));
    solver->context = context;
    solver->batch = batch;
    fur_status status = make(solver, &o);
    if (status != FUR_OK) {
        fur_batch_solver_destroy(solver);
        return status;
    }
    solver->dependent = (fur_dependent){"the solver", solver, NULL, .reads = true};
    fur_dependent_join(&solver->dependent, &batch->dependent.made);
    *out = solver;
    return FUR_OK;
}

void fur_batch_solver_destroy(fur_batch_solver *solver)
{
    if (!solver)
        return;
    fur_dependent_leave(&solver->dependent);
    if (solver->state)
        solver->context->backend->batch->release(&solver->context->env, solver->state);
    fur_env_release(&solver->context->env, solver->results);
    fur_env_release(&solver->context->env, solver);
}

static fur_status check_blocks(const fur_batch_solver *solver, const fur_vectors *b,
                               const fur_vectors *x)
{
    const fur_batch *batch = solver->batch;
    int64_t rows = batch->pattern->view.rows;
    bool same = solver->form.method == FUR_BATCH_BAND && fur_vectors_are_same(&b->view, &x->view);
    FUR_TRY(fur_batch_check_block(batch, "B", b, rows));
    FUR_TRY(fur_batch_check_block(batch, "X", x, rows));
    return same ? FUR_OK : fur_vectors_check_apart(b, "B", x, "X");
}

/* A system with 0 unknowns is solved at once. */
static void take_empty(int64_t count, fur_batch_result *results)
{
    for (int64_t s = 0; s < count; s++)
        results[s] = (fur_batch_result){.outcome = FUR_OUTCOME_CONVERGED};
}

static fur_batch_report report_of(int64_t count, const fur_batch_result *results)
{
    fur_batch_report report = {.first_unsolved = -1, .outcome = FUR_OUTCOME_CONVERGED};
    for (int64_t s = 0; s < count; s++) {
        bool solved = results[s].outcome == FUR_OUTCOME_CONVERGED;
        report.solved += solved;
        report.iterations = fur_larger(report.iterations, results[s].iterations);
        if (!solved && report.first_unsolved < 0) {
            report.first_unsolved = s;
            report.outcome = results[s].outcome;
        }
    }
    return report;
}

fur_status fur_batch_solve(fur_batch_solver *solver, const fur_vectors *b, fur_vectors *x,
                           fur_batch_result *results, fur_batch_report *report)
{
    FUR_CHECK_REPORT(solver ? solver->context : NULL, fur_batch_report, report);
    FUR_NEED(solver ? solver->context : NULL, solver, b, x);
    double start = fur_seconds();
    fur_env *env = &solver->context->env;
    FUR_TRY(fur_dependent_check(env, &solver->dependent));
    FUR_TRY(check_blocks(solver, b, x));
    fur_batch_solve_call call = {
        .env = env,
        .a = fur_batch_view_of(solver->batch),
        .form = &solver->form,
        .state = solver->state,
        .b = &b->view,
        .x = &x->view,
        .results = results ? results : solver->results,
    };
    if (solver->state)
        FUR_TRY(solver->context->backend->batch->solve(&call));
    else
        take_empty(x->view.cols, call.results);
    fur_batch_report own = report_of(x->view.cols, call.results);
    own.seconds = fur_seconds() - start;
    fur_report_fill(report, &own, sizeof own);
    return FUR_OK;
}
