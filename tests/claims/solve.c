/* Solves a trial with any method, preconditioner and options. */
#include "trial.h"

#include <stdio.h>
#include <string.h>

#define LARGE_ROWS 400 /* solves with more rows have few iterations */

static int count_of(const fur_method_info *(*at)(int))
{
    int count = 0;
    while (at(count))
        count++;
    return count;
}

static const char *draw_name(const fur_method_info *(*at)(int))
{
    return at((int)below(count_of(at)))->name;
}

static bool is_least_squares(const char *method)
{
    return strncmp(method, "ls", 2) == 0 || strcmp(method, "cgnr") == 0;
}

/* Returns a method that suits the shape of A and needs neither entries of A nor another library. */
static const char *draw_method(const trial *t)
{
    for (;;) {
        const char *name = draw_name(fur_solver_method_at);
        if (strcmp(name, "direct") == 0)
            continue;
        if (is_least_squares(name) ? t->adjoint != NULL : t->rows == t->cols)
            return name;
    }
}

/* Makes a preconditioner and returns its name. Returns "nothing" if there is none or it cannot be
 * made. */
static const char *draw_preconditioner(trial *t)
{
    fur_precond_options o = {.size = sizeof o, .kind = draw_name(fur_precond_at)};
    int64_t kind = below(6);
    if (kind == 3 && t->multigrid) {
        must(t, fur_operator_from_multigrid(t->multigrid, &t->m));
        return "multigrid";
    }
    if (kind == 3 && fur_operator_jacobi(t->a, &t->m) == FUR_OK)
        return "jacobi";
    if (kind < 4 || !t->matrix || t->rows != t->cols ||
        fur_precond_create(t->matrix, &o, &t->precond) != FUR_OK)
        return "nothing";
    must(t, fur_operator_from_precond(t->precond, &t->m));
    return o.kind;
}

static void solve_by_multigrid(trial *t)
{
    snprintf(t->solve, sizeof t->solve, "multigrid to %g", t->rtol);
    t->atol = 0;
    t->max_iterations = 0;
    announce(t);
    t->status = fur_multigrid_solve(t->multigrid, t->b, t->x, t->rtol, 0, &t->report);
}

static fur_solver_options draw_options(trial *t)
{
    return (fur_solver_options){.size = sizeof(fur_solver_options),
                                .rtol = t->rtol,
                                .atol = t->atol,
                                .damp = t->damp,
                                .max_iterations = t->max_iterations,
                                .check_every = below(4) ? 0 : below(20),
                                .no_reduction = (int)below(2),
                                .bounds = (int)below(2)};
}

static void solve_automatically(trial *t)
{
    fur_solver_options options = draw_options(t);
    fur_solve_options automatic = {.size = sizeof automatic, .solver = &options};
    automatic.scale = below(2) ? FUR_SCALE_AUTO : (fur_scale)below(4);
    bool chosen = below(4) > 0;
    t->automatic = true;
    automatic.precond = chosen ? NULL : draw_name(fur_precond_at);
    snprintf(t->solve, sizeof t->solve, "auto with %s, scale %d, to %g or %g, damp %g",
             chosen ? "its own" : automatic.precond, (int)automatic.scale, t->rtol, t->atol,
             t->damp);
    announce(t);
    t->status = fur_solve(t->matrix, t->b, t->x, &automatic, &t->report);
}

static void solve_by_method(trial *t)
{
    fur_solver_options options = draw_options(t);
    fur_solver *solver = NULL;
    const char *method = draw_method(t);
    t->least_squares = is_least_squares(method);
    t->damp = options.damp = t->least_squares ? t->damp : 0;
    const char *with = draw_preconditioner(t);
    options.method = method;
    options.restart = below(2) ? 0 : 1 + (int)below(20);
    options.preconditioner = t->m;
    options.adjoint = t->adjoint;
    options.matrix = t->matrix;
    options.null_constant = strcmp(t->kind, "laplacian, scaled unscaled") == 0 && below(2);
    snprintf(t->solve, sizeof t->solve, "%s (%d) with %s to %g or %g, damp %g, at most %lld",
             method, options.restart, with, t->rtol, t->atol, t->damp,
             (long long)t->max_iterations);
    announce(t);
    t->status = fur_solver_create(t->a, &options, &solver);
    if (t->status == FUR_OK)
        t->status = fur_solver_solve(solver, t->b, t->x, &t->report);
    fur_solver_destroy(solver);
}

void solve_by_default(trial *t)
{
    t->report = FUR_DEFAULT(fur_solver_report);
    t->automatic = true;
    t->rtol = is_single(t->value) ? 1e-5 : 1e-10;
    snprintf(t->solve, sizeof t->solve, "auto");
    announce(t);
    t->status = fur_solve(t->matrix, t->b, t->x, NULL, &t->report);
}

void solve_trial(trial *t)
{
    bool single = is_single(t->value);
    t->report = FUR_DEFAULT(fur_solver_report);
    t->rtol = below(4) ? scale(single ? -7 : -16, -1) : 0;
    t->atol = below(6) ? 0 : scale(single ? -30 : -100, 0);
    t->damp = below(6) ? 0 : scale(-6, 3);
    t->max_iterations = below(3) ? 0 : 1 + below(60);
    if (t->rows > LARGE_ROWS)
        t->max_iterations = 1 + below(1000);
    if (t->multigrid && below(2))
        solve_by_multigrid(t);
    else if (t->matrix && below(3) == 0)
        solve_automatically(t);
    else
        solve_by_method(t);
    if (t->rtol == 0)
        t->rtol = single ? 1e-5 : 1e-10;
}
