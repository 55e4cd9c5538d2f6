/* Multigrid: cycles, the solution by cycles, and a cycle as an operator. */
#include "multigrid.h"
#include "slabs.h"
#include "target.h"

#include <furrow/author/clock.h>
#include <furrow/author/operator.h>
#include <furrow/author/options.h>
#include <furrow/vector.h>

#include <math.h>

#define MAX_CYCLES 100

static const fur_multigrid_kernels *kernels(const fur_multigrid *mg)
{
    return mg->context->backend->multigrid;
}

/* Does a step on arrays of some planes, or of all planes. */
static fur_status work(const fur_multigrid *mg, const fur_grid_step *step, const fur_slab_step *on)
{
    fur_env *env = &mg->context->env;
    const fur_grid_level *level = &mg->level[step->level];
    void *spare = mg->slabs ? mg->slabs->spare : mg->residual->data;
    switch (step->work) {
    case FUR_GRID_RELAX:
        return kernels(mg)->relax(env, &on->grid, on->first, step->sweeps, level->b, level->x,
                                  spare);
    case FUR_GRID_RESTRICT:
        return kernels(mg)->restriction(env, &on->grid, level->b, level->x, on->coarse_b);
    case FUR_GRID_CORRECT:
        return kernels(mg)->correction(env, &on->grid, on->coarse_x, level->x);
    default:
        return mg->context->backend->elementwise->fill[on->grid.value_type](
            env, fur_grid_points(&on->grid), fur_real(0), level->x);
    }
}

/* Does a step on this rank's planes and the planes beside them that they need, or on whole
 * vectors. */
static fur_status run_step(fur_multigrid *mg, const fur_grid_step *step)
{
    const fur_grid_level *level = &mg->level[step->level];
    const fur_grid_level *next = step->level + 1 < mg->levels ? level + 1 : level;
    fur_slab_step on = {.grid = level->grid,
                        .first = step->first,
                        .coarse_x = next->x,
                        .coarse_b = (void *)(uintptr_t)next->b};
    if (!mg->slabs)
        return work(mg, step, &on);
    FUR_TRY(fur_slabs_before(mg, step, &on));
    if (!on.nothing)
        FUR_TRY(work(mg, step, &on));
    return fur_slabs_after(mg, step);
}

/* The number of leading steps on levels that this rank has as a whole. */
static int64_t count_whole(const fur_multigrid *mg, const fur_grid_step *steps, int64_t count)
{
    int64_t n = mg->slabs ? 0 : count;
    while (n < count && steps[n].level >= mg->slabs->whole)
        n++;
    return n;
}

/* first: the colour that begins on the way up. With red, as on the way down, a cycle converges
 * fastest. With black it is symmetric. */
static fur_status run_cycle(fur_multigrid *mg, fur_colour first)
{
    const fur_grid_step *steps = mg->steps[first];
    for (int64_t i = 0, done = 0; i < mg->step_count; i += done) {
        int64_t count = count_whole(mg, &steps[i], mg->step_count - i);
        done = 0;
        if (kernels(mg)->fuse && count > 0)
            FUR_TRY(kernels(mg)->fuse(&mg->context->env, mg->level, &steps[i], count, &done));
        if (done == 0) {
            FUR_TRY(run_step(mg, &steps[i]));
            done = 1;
        }
    }
    return FUR_OK;
}

static fur_status check_vector(const fur_multigrid *mg, const char *name, const fur_vector *v)
{
    const fur_vector *own = mg->residual;
    if (v->context != mg->context)
        return fur_context_fail(mg->context, FUR_INVALID,
                                "%s belongs to another context than the multigrid", name);
    if (v->value_type != own->value_type || v->size != own->size)
        return fur_context_fail(
            mg->context, FUR_INVALID,
            "%s has %lld entries of type %s, but the grid needs %lld of type %s", name,
            (long long)v->size, fur_value_name(v->value_type), (long long)own->size,
            fur_value_name(own->value_type));
    return FUR_OK;
}

/* Puts the vectors on the finest level. */
static fur_status enter(fur_multigrid *mg, const fur_vector *b, fur_vector *x)
{
    FUR_TRY(fur_dependent_check(&mg->context->env, &mg->dependent));
    FUR_TRY(check_vector(mg, "b", b));
    FUR_TRY(check_vector(mg, "x", x));
    FUR_TRY(fur_vector_check_apart(b, "b", x, "x"));
    if (mg->slabs)
        return fur_slabs_enter(mg, b, x);
    mg->level[0].b = b->data;
    mg->level[0].x = x->data;
    return FUR_OK;
}

/* Copies the finest level's solution to x. */
static fur_status leave(const fur_multigrid *mg, fur_vector *x)
{
    return mg->slabs ? fur_slabs_leave(mg, x) : FUR_OK;
}

fur_status fur_multigrid_cycle(fur_multigrid *mg, const fur_vector *b, fur_vector *x)
{
    FUR_NEED(mg ? mg->context : NULL, mg, b, x);
    FUR_TRY(enter(mg, b, x));
    FUR_TRY(run_cycle(mg, FUR_RED));
    return leave(mg, x);
}

/* ||b - A x|| with the arithmetic of fur_stencil_apply. The levels are rounded differently. */
static fur_status residual_norm(fur_multigrid *mg, double *norm)
{
    if (mg->slabs)
        FUR_TRY(fur_slabs_before_residual(mg));
    if (mg->stencil) { /* a rank without planes has none */
        const fur_stencil_choice *product = &mg->stencil->product;
        fur_stencil_call call = {
            .env = &mg->context->env,
            .s = &mg->stencil->view,
            .state = product->state,
            .sweeps = 1,
            .alpha = fur_real(-1),
            .beta = fur_real(1),
            .x = mg->level[0].x,
            .z = mg->level[0].b,
            .y = mg->slabs ? mg->slabs->spare : mg->residual->data,
        };
        FUR_TRY(product->kernel->apply(&call));
    }
    return fur_norm2(mg->residual, norm);
}

/* Returns whether the cycles are finished, and their outcome. */
static bool is_over(double residual, double before, double target, int64_t cycles_left,
                    fur_outcome *outcome)
{
    if (!(residual < HUGE_VAL))
        *outcome = FUR_OUTCOME_BREAKDOWN;
    else if (residual <= target)
        *outcome = FUR_OUTCOME_CONVERGED;
    else if (residual >= before)
        *outcome = FUR_OUTCOME_STAGNATED;
    else if (cycles_left == 0)
        *outcome = FUR_OUTCOME_MAX_ITERATIONS;
    else
        return false;
    return true;
}

static fur_status iterate(fur_multigrid *mg, double target, int64_t max_cycles,
                          fur_solver_report *report)
{
    double before = HUGE_VAL;
    FUR_TRY(residual_norm(mg, &report->residual));
    while (!is_over(report->residual, before, target, max_cycles - report->iterations,
                    &report->outcome)) {
        before = report->residual;
        FUR_TRY(run_cycle(mg, FUR_RED));
        FUR_TRY(residual_norm(mg, &report->residual));
        report->iterations++;
    }
    return FUR_OK;
}

/* As in a solver, b = 0 gives x = 0 and needs no cycle. */
static fur_status solve(fur_multigrid *mg, const fur_vector *b, fur_vector *x, double rtol,
                        int64_t max_cycles, fur_solver_report *report)
{
    double b_norm;
    FUR_TRY(enter(mg, b, x));
    FUR_TRY(fur_norm2(b, &b_norm));
    if (b_norm == 0)
        return fur_vector_fill(x, fur_real(0));
    FUR_TRY(iterate(mg, fur_target(rtol, b_norm), max_cycles, report));
    FUR_TRY(leave(mg, x));
    report->residual /= b_norm;
    report->residual_recurrence = report->residual;
    return FUR_OK;
}

fur_status fur_multigrid_solve(fur_multigrid *mg, const fur_vector *b, fur_vector *x, double rtol,
                               int64_t max_cycles, fur_solver_report *report)
{
    FUR_CHECK_REPORT(mg ? mg->context : NULL, fur_solver_report, report);
    if (report)
        report->outcome = FUR_OUTCOME_UNSOLVED;
    FUR_NEED(mg ? mg->context : NULL, mg, b, x);
    double start = fur_seconds();
    fur_solver_report own = {.outcome = FUR_OUTCOME_CONVERGED, /* if b = 0 */
                             .residual_bound = NAN,
                             .error_a_norm = NAN,
                             .backward_error = NAN,
                             .residual_scaled = NAN,
                             .backward_error_rows = NAN,
                             .scale = "none"};
    if (!(rtol >= 0) || max_cycles < 0)
        return fur_context_fail(mg->context, FUR_INVALID,
                                "rtol and max_cycles must not be negative");
    if (rtol == 0)
        rtol = mg->residual->value_type == FUR_F32 ? 1e-5 : 1e-10;
    FUR_TRY(solve(mg, b, x, rtol, max_cycles ? max_cycles : MAX_CYCLES, &own));
    own.seconds = fur_seconds() - start;
    fur_report_fill(report, &own, sizeof own);
    return FUR_OK;
}

static fur_status apply(void *user, const fur_vector *b, fur_vector *x)
{
    fur_multigrid *mg = user;
    FUR_TRY(enter(mg, b, x));
    FUR_TRY(run_step(mg, &(fur_grid_step){.work = FUR_GRID_CLEAR}));
    FUR_TRY(run_cycle(mg, FUR_BLACK));
    return leave(mg, x);
}

fur_status fur_operator_from_multigrid(fur_multigrid *mg, fur_operator **out)
{
    FUR_NEED(mg ? mg->context : NULL, mg, out);
    FUR_TRY(fur_dependent_check(&mg->context->env, &mg->dependent));
    if (mg->cycle != FUR_CYCLE_V || mg->pre_sweeps != mg->post_sweeps)
        return fur_context_fail(mg->context, FUR_UNSUPPORTED,
                                "the multigrid operator must be symmetric: use a V cycle with "
                                "pre_sweeps equal to post_sweeps; this one is %c(%d, %d)",
                                mg->cycle == FUR_CYCLE_V ? 'V' : 'F', mg->pre_sweeps,
                                mg->post_sweeps);
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = mg->residual->size,
        .cols = mg->residual->size,
        .value_type = mg->residual->value_type,
        .user = mg,
        .apply = apply,
        .recordable = mg->slabs == NULL,
    };
    fur_dependent dependent = {"the operator of a multigrid", NULL, NULL, .reads = true};
    return fur_operator_derive(mg->context, &definition, &dependent, &mg->dependent.made, out);
}
