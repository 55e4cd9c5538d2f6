/* A solve that chooses its method, and chooses another method if the first fails. */
#include "choose.h"
#include "course.h"
#include "divide.h"

#include <furrow/author/options.h>
#include <furrow/author/precond.h>
#include <furrow/author/try.h>

#include "arguments.h"
#include "names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An attempt that is not the last gets 1 / SHARE of the remaining iterations. */
#define SHARE 4

/* The tolerance of a scaled system, relative to the caller's: scales often leave A ill-conditioned,
 * and the last digits of x cost few iterations. */
#define SCALED_SHARE 1e-2

/* A least-squares solution may exceed the least residual by this relative amount. */
#define LEAST_SQUARES_SLACK 1e-6

static bool is(const char *name, const char *word)
{
    return strcmp(name, word) == 0;
}

static bool is_auto(const char *name)
{
    return !name || is(name, "auto");
}

static bool is_least_squares(const fur_choice *choice)
{
    const fur_method *m = fur_method_find(choice->method);
    return m && m->kind == FUR_METHOD_LEAST_SQUARES;
}

/* Lists in words the methods that have a restart, or the least-squares methods. */
static void list_methods(bool restart, char *names, size_t size)
{
    const fur_method_info *info;
    for (int i = 0; (info = fur_solver_method_at(i)); i++) {
        const fur_method *m = fur_method_find(info->name);
        if (restart ? m->default_restart > 0 : m->kind == FUR_METHOD_LEAST_SQUARES)
            fur_names_add(names, size, info->name);
    }
}

/* Refuses invalid numbers in options that each attempt replaces, so that the solver would not check
 * them. */
static fur_status check_numbers(const fur_course *c)
{
    if (c->solver.max_iterations < 0)
        return fur_context_fail(c->context, FUR_INVALID,
                                "max_iterations is %lld; it must be 0 (default) or more",
                                (long long)c->solver.max_iterations);
    if (c->solver.restart < 0)
        return fur_context_fail(c->context, FUR_INVALID,
                                "restart is %d; it must be 0 (default) or more", c->solver.restart);
    return FUR_OK;
}

/* Refuses options that the caller's method would ignore. */
static fur_status check_method(const fur_course *c)
{
    const fur_method *m = is_auto(c->solver.method) ? NULL : fur_method_find(c->solver.method);
    char names[256] = "";
    if (m && c->solver.restart > 0 && m->default_restart == 0) {
        list_methods(true, names, sizeof names);
        return fur_context_fail(c->context, FUR_INVALID, "%s has no restart; use one of: %s",
                                m->info.name, names);
    }
    if (m && m->complete && !c->solver.preconditioner && !is_auto(c->options.precond) &&
        !is(c->options.precond, "direct"))
        return fur_context_fail(
            c->context, FUR_INVALID,
            "method %s uses complete factors as its preconditioner; leave \"%s\" out", m->info.name,
            c->options.precond);
    if (m && c->solver.damp > 0 && m->kind != FUR_METHOD_LEAST_SQUARES) {
        list_methods(false, names, sizeof names);
        return fur_context_fail(c->context, FUR_INVALID, "%s has no damping; use one of: %s",
                                m->info.name, names);
    }
    return FUR_OK;
}

/* Refuses options of a name that is not a kind of fur_precond_create. */
static fur_status check_precond(const fur_course *c)
{
    static const char *const names[] = {"auto", "none", "norms"};
    const char *text = c->options.precond;
    size_t length = text ? strcspn(text, ":") : 0;
    for (int i = 0; i < 3; i++)
        if (length == strlen(names[i]) && text[length] && memcmp(text, names[i], length) == 0)
            return fur_context_fail(c->context, FUR_INVALID,
                                    "the preconditioner \"%s\" has no options; write \"%s\" alone",
                                    names[i], names[i]);
    return FUR_OK;
}

/* Refuses a matrix with a nonfinite entry, and Jacobi's preconditioner if the diagonal has a zero.
 */
static fur_status check_traits(const fur_course *c)
{
    const fur_csr_traits *t = &c->traits;
    const char *precond = c->options.precond;
    if (t->nonfinite_row >= 0)
        return fur_context_fail(
            c->context, FUR_INVALID,
            "entry (%lld, %lld) of the matrix, counting from 1, is not finite; nothing was solved",
            (long long)t->nonfinite_row + 1, (long long)t->nonfinite_col + 1);
    if (c->solver.preconditioner || is_auto(precond) || !is(precond, "jacobi"))
        return FUR_OK;
    if (t->diagonal_zero > 0)
        return fur_context_fail(c->context, FUR_INVALID,
                                "the diagonal entry of row %lld, counting from 1, is 0; Jacobi's "
                                "preconditioner divides by it",
                                (long long)t->zero_row + 1);
    return FUR_OK;
}

/* Returns true if fur_precond makes the preconditioner from the matrix. */
static bool has_factors(const char *precond)
{
    return !is(precond, "none") && !is(precond, "jacobi") && !is(precond, "norms");
}

/* Makes the choice if the caller names the method. */
static void take_method(const fur_course *c, fur_choice *out)
{
    const fur_csr_traits *t = &c->traits;
    *out = (fur_choice){.size = sizeof *out, .method = c->solver.method, .last = 1};
    bool square = !is_least_squares(out) && t->rows == t->cols;
    out->precond = fur_choose_precond(t, out->method);
    snprintf(out->reason, sizeof out->reason, "asked for");
    if (square && t->diagonal_zero > 0 && is_auto(c->options.precond) && !has_factors(out->precond))
        snprintf(out->reason, sizeof out->reason,
                 "asked for; no Jacobi, because the diagonal is 0 in row %lld, counting from 1",
                 (long long)t->zero_row + 1);
}

static bool is_amg(const char *precond)
{
    const fur_method_info *kind = fur_precond_find(precond);
    return kind && is(kind->name, "amg");
}

/* Returns true if the caller's preconditioner is M ~ A^-1 and the method is a least-squares method,
 * which needs another kind of M. */
static bool goes_without(const fur_course *c, const fur_choice *choice)
{
    const char *precond = c->options.precond;
    return !is_auto(precond) && (c->solver.preconditioner || has_factors(precond)) &&
           choice->method && is_least_squares(choice);
}

/* Returns true if the caller chooses the preconditioner. */
static bool has_own(const fur_course *c)
{
    return c->solver.preconditioner || !is_auto(c->options.precond);
}

/* Makes the next choice from the library's list and the caller's options. */
static void choose_next(const fur_course *c, const fur_choice *previous, fur_outcome outcome,
                        fur_choice *out)
{
    fur_csr_traits traits = c->traits;
    *out = FUR_DEFAULT(fur_choice);
    if (!is_auto(c->solver.method)) {
        if (!previous)
            take_method(c, out);
    } else {
        bool damped = c->solver.damp > 0 && traits.rows == traits.cols;
        traits.rows += damped; /* least squares, as for a matrix that is not square */
        if (!previous && c->grid)
            fur_choose_grid(out);
        else
            fur_choose_line(&traits, previous, outcome, has_own(c), out);
        if (damped && !previous)
            snprintf(out->reason, sizeof out->reason, "damping needs a least-squares method");
    }
    if (!is_auto(c->options.precond))
        out->precond = goes_without(c, out) ? "none" : c->options.precond;
    else if (c->solver.damp > 0) /* lsqr and lsmr accept a preconditioner or damping, not both */
        out->precond = "none";
    if (c->solver.restart > 0)
        out->restart = c->solver.restart;
    if (previous && outcome == FUR_OUTCOME_UNSOLVED)
        snprintf(out->reason, sizeof out->reason, "%s could not be built: %s", previous->precond,
                 c->refusal);
}

/* Returns an earlier attempt by the same method and preconditioner, unless it only ran out of
 * iterations. NULL: there is none. */
static const fur_attempt *find_repeated(const fur_course *c, const fur_choice *choice)
{
    for (int i = 0; i < c->attempts; i++) {
        const fur_choice *other = &c->attempt[i].choice;
        if (c->attempt[i].outcome != FUR_OUTCOME_MAX_ITERATIONS &&
            is(other->method, choice->method) && is(other->precond, choice->precond) &&
            other->restart == choice->restart)
            return &c->attempt[i];
    }
    return NULL;
}

/* Makes the next choice that does not repeat an attempt. */
static void choose(const fur_course *c, const fur_choice *previous, fur_outcome outcome,
                   fur_choice *out)
{
    const fur_attempt *repeated;
    choose_next(c, previous, outcome, out);
    while (out->method && (repeated = find_repeated(c, out))) {
        fur_choice skipped = *out;
        choose_next(c, &skipped, repeated->outcome, out);
    }
}

static fur_status make_adjoint(fur_course *c)
{
    fur_spmv_options options = {.size = sizeof options, .op = FUR_OP_H};
    if (c->adjoint)
        return FUR_OK;
    FUR_TRY(fur_spmv_plan(fur_product_matrix(c->product), &options, &c->plan));
    return fur_operator_from_spmv(c->plan, &c->adjoint);
}

/* Makes a preconditioner that divides by numbers. */
static fur_status make_divider(fur_course *c, const fur_choice *choice, fur_operator **out)
{
    const fur_operator *op = fur_product_operator(c->product);
    if (is(choice->precond, "norms"))
        return fur_operator_columns(fur_product_matrix(c->product), out);
    bool moduli = is(choice->method, "minres") && c->traits.diagonal_positive < c->traits.rows;
    return moduli ? fur_operator_moduli(op, out) : fur_operator_jacobi(op, out);
}

/* Makes a preconditioner from the matrix. Multigrid has to represent the constant vector. For a
 * scaled matrix this is C^-1 1. */
static fur_status make_precond(fur_course *c, const fur_choice *choice)
{
    fur_amg_options amg = {.size = sizeof amg, .nonsymmetric = !c->traits.hermitian};
    fur_precond_options options = {.size = sizeof options, .kind = choice->precond};
    fur_vectors *modes = NULL;
    if (is_amg(choice->precond))
        options.amg = &amg;
    /* The constants of the scaled system, unless the text has options: it may be for classical
     * coarsening, or for several unknowns of a node. */
    if (c->plain.x && is(choice->precond, "amg"))
        FUR_TRY(fur_vectors_from_vector(c->balance.unscale, &modes));
    amg.near_nullspace = modes;
    fur_status status = fur_precond_create(fur_product_matrix(c->product), &options, &c->made);
    fur_vectors_destroy(modes);
    return status;
}

/* Makes a preconditioner by fur_precond. */
static fur_status make_factors(fur_course *c, const fur_choice *choice, fur_operator **out)
{
    c->made = c->grid;
    c->grid = NULL;
    if (!c->made)
        FUR_TRY(make_precond(c, choice));
    return fur_operator_from_precond(c->made, out);
}

static fur_status make_preconditioner(fur_course *c, const fur_choice *choice, fur_operator **out)
{
    if (c->solver.preconditioner || is(choice->precond, "none"))
        return FUR_OK;
    return has_factors(choice->precond) ? make_factors(c, choice, out)
                                        : make_divider(c, choice, out);
}

static void drop_preconditioner(fur_course *c, fur_operator *preconditioner)
{
    fur_operator_destroy(preconditioner);
    fur_precond_destroy(c->made);
    c->made = NULL;
}

/* Returns the iterations for an attempt. 0 means the default. */
static int64_t iterations_for(const fur_course *c, const fur_choice *choice)
{
    int64_t rows = c->traits.rows;
    int64_t most =
        c->solver.max_iterations ? c->solver.max_iterations : fur_solver_iterations(rows);
    int64_t left = most - c->sum.iterations;
    bool sure =
        is(choice->method, "cg") || is(choice->method, "minres") || is_least_squares(choice);
    bool shared = !c->solver.max_iterations && !choice->last && (!sure || choice->trial);
    if (shared)
        left = (left + SHARE - 1) / SHARE;
    if (choice->trial && left > choice->trial)
        left = choice->trial;
    return left < 1 ? 1 : left;
}

static fur_status solve(fur_course *c, const fur_choice *choice, fur_operator *preconditioner,
                        fur_solver_report *report)
{
    fur_solver_options options = c->solver;
    fur_solver *solver = NULL;
    if (c->plain.x) {
        options.rtol = SCALED_SHARE * c->goal;
        options.atol = 0;
        options.bounds = 0;
    }
    options.method = choice->method;
    options.restart = choice->restart;
    options.max_iterations = iterations_for(c, choice);
    if (preconditioner)
        options.preconditioner = preconditioner;
    if (goes_without(c, choice))
        options.preconditioner = NULL;
    if (c->null_space)
        options.null_space = c->null_space;
    if (is_least_squares(choice)) {
        options.null_space = NULL;
        options.null_constant = 0;
    }
    if (options.bounds && !options.matrix)
        options.matrix = fur_product_matrix(c->product);
    if (is_least_squares(choice) && !options.adjoint) {
        FUR_TRY(make_adjoint(c));
        options.adjoint = c->adjoint;
    }
    FUR_TRY(fur_solver_create(fur_product_operator(c->product), &options, &solver));
    solver->singular = c->singular;
    fur_status status = c->plain.x ? fur_course_solve_scaled(c, solver, report)
                                   : fur_solver_solve(solver, c->b, c->x, report);
    fur_solver_destroy(solver);
    return status;
}

static void tell(const fur_course *c, const fur_choice *choice, const fur_solver_report *report)
{
    if (c->options.watch)
        c->options.watch(c->options.watch_user, choice, report);
}

/* Keeps x if it is the best so far. Among equally small residuals a least-squares solution is best.
 */
static fur_status keep_best(fur_course *c, const fur_solver_report *report)
{
    fur_solver_report *best = &c->best_report;
    double slack = report->outcome == FUR_OUTCOME_LEAST_SQUARES ? LEAST_SQUARES_SLACK : 0;
    bool first = !best->method || !(best->residual < HUGE_VAL);
    double least = fur_course_measure(best) * (1 + slack);
    if (!first && !fur_outcome_solved(report->outcome) && !(fur_course_measure(report) < least))
        return FUR_OK;
    *best = *report;
    return fur_vector_copy(c->x, c->best);
}

/* Skips a preconditioner that could not be made, if another choice can be tried. */
static fur_status give_up(fur_course *c, const fur_choice *choice, fur_status status,
                          fur_solver_report *report)
{
    if (status == FUR_CANCELLED || has_own(c) || !has_factors(choice->precond) || choice->last)
        return status;
    snprintf(c->refusal, sizeof c->refusal, "%s", fur_context_error(c->context));
    report->method = choice->method;
    report->residual = report->residual_recurrence = NAN;
    tell(c, choice, report);
    return FUR_OK;
}

/* Takes the cost and the result of an attempt that ended without an error. */
static fur_status take_result(fur_course *c, const fur_choice *choice,
                              const fur_solver_report *report)
{
    fur_choice told = *choice;
    told.made = c->made;
    c->sum.iterations += report->iterations;
    c->sum.products += report->products;
    c->sum.seconds += report->seconds;
    tell(c, &told, report);
    return keep_best(c, report);
}

static fur_status attempt(fur_course *c, const fur_choice *choice, fur_solver_report *report)
{
    fur_operator *preconditioner = NULL;
    *report = FUR_DEFAULT(fur_solver_report);
    tell(c, choice, NULL);
    fur_status status = make_preconditioner(c, choice, &preconditioner);
    if (status != FUR_OK) {
        drop_preconditioner(c, preconditioner);
        return give_up(c, choice, status, report);
    }
    status = solve(c, choice, preconditioner, report);
    if (status == FUR_OK)
        status = take_result(c, choice, report);
    drop_preconditioner(c, preconditioner);
    return status;
}

static bool has_iterations_left(const fur_course *c)
{
    return !c->solver.max_iterations || c->sum.iterations < c->solver.max_iterations;
}

/* Adds the attempt to the list of finished attempts. */
static void note(fur_course *c, const fur_choice *choice, fur_outcome outcome)
{
    if (c->attempts < FUR_MAX_ATTEMPTS)
        c->attempt[c->attempts++] = (fur_attempt){*choice, outcome};
}

/* Stores the best x, or the guess if it is better. */
static fur_status hand_over(fur_course *c)
{
    fur_solver_report *best = &c->best_report;
    FUR_TRY(fur_course_unscale(c));
    if (fur_outcome_solved(best->outcome) || best->residual <= c->first)
        return fur_vector_copy(c->best, c->x);
    best->residual = best->residual_recurrence = c->first;
    best->residual_bound = best->error_a_norm = best->backward_error = NAN;
    best->residual_scaled = best->backward_error_rows = NAN;
    return fur_vector_copy(c->guess, c->x);
}

/* Makes attempts until one succeeds or no choice is left. Each begins with the caller's x. The x of
 * a failed attempt may be so large that rounding prevents progress. */
static fur_status run(fur_course *c)
{
    fur_choice choice;
    fur_solver_report report;
    choose(c, NULL, FUR_OUTCOME_UNSOLVED, &choice);
    if (!choice.method)
        return fur_context_fail(c->context, FUR_UNSUPPORTED, "no method suits this matrix");
    for (;;) {
        if (is_least_squares(&choice))
            FUR_TRY(fur_course_unscale(c));
        FUR_TRY(fur_vector_copy(c->guess, c->x));
        FUR_TRY(attempt(c, &choice, &report));
        note(c, &choice, report.outcome);
        fur_choice previous = choice;
        choose(c, &previous, report.outcome, &choice);
        if (!choice.method || !has_iterations_left(c))
            return hand_over(c);
    }
}

/* Computes ||b - A x|| / ||b|| for the guess. */
static fur_status take_first(fur_course *c)
{
    double norm;
    double b_norm;
    fur_vector *r;
    FUR_TRY(fur_norm2(c->b, &b_norm));
    FUR_TRY(fur_norm2(c->x, &norm));
    c->first = b_norm > 0 ? 1 : 0;
    if (norm == 0 || b_norm == 0)
        return FUR_OK;
    FUR_TRY(fur_vector_create(c->context, fur_vector_value_type(c->b), c->traits.rows, &r));
    fur_status status = fur_operator_apply(fur_product_operator(c->product), c->x, r);
    if (status == FUR_OK)
        status = fur_axpby(fur_real(1), c->b, fur_real(-1), r);
    if (status == FUR_OK)
        status = fur_norm2(r, &norm);
    fur_vector_destroy(r);
    c->first = norm / b_norm;
    return status;
}

static fur_status prepare(fur_course *c)
{
    c->traits = FUR_DEFAULT(fur_csr_traits);
    if (c->options.traits)
        FUR_TAKE_OPTIONS(c->context, fur_csr_traits, &c->traits, c->options.traits);
    else
        FUR_TRY(fur_csr_examine(c->a, &c->traits));
    FUR_TRY(check_numbers(c));
    FUR_TRY(check_precond(c));
    FUR_TRY(check_method(c));
    FUR_TRY(check_traits(c));
    if (!c->product)
        FUR_TRY(fur_product_create(c->a, NULL, &c->own));
    c->product = c->product ? c->product : c->own;
    FUR_TRY(take_first(c));
    FUR_TRY(fur_course_find_null_space(c));
    FUR_TRY(fur_course_scale(c));
    if (is_auto(c->solver.method) && !has_own(c) && c->solver.damp == 0)
        FUR_TRY(fur_make_grid(c->a, &c->traits, c->product, &c->grid));
    FUR_TRY(fur_vector_create(c->context, fur_vector_value_type(c->x), fur_vector_size(c->x),
                              &c->best));
    FUR_TRY(fur_vector_create(c->context, fur_vector_value_type(c->x), fur_vector_size(c->x),
                              &c->guess));
    return fur_vector_copy(c->x, c->guess);
}

static void release(fur_course *c)
{
    fur_precond_destroy(c->grid);
    fur_vector_destroy(c->guess);
    fur_vector_destroy(c->best);
    fur_operator_destroy(c->adjoint);
    fur_spmv_destroy(c->plan);
    fur_vectors_destroy(c->null_space);
    fur_course_release_scaled(c);
    fur_product_destroy(c->own);
}

fur_status fur_solve(const fur_csr *a, const fur_vector *b, fur_vector *x,
                     const fur_solve_options *options, fur_solver_report *report)
{
    FUR_CHECK_REPORT(fur_csr_context(a), fur_solver_report, report);
    if (report)
        report->outcome = FUR_OUTCOME_UNSOLVED;
    FUR_NEED(fur_csr_context(a), a, b, x);
    fur_course c = {.context = fur_csr_context(a), .a = a, .b = b, .x = x};
    FUR_TAKE_OPTIONS(c.context, fur_solve_options, &c.options, options);
    FUR_TAKE_OPTIONS(c.context, fur_solver_options, &c.solver, c.options.solver);
    c.product = c.options.product;
    fur_status status = prepare(&c);
    if (status == FUR_OK)
        status = run(&c);
    release(&c);
    FUR_TRY(status);
    fur_solver_report own = c.best_report;
    own.iterations = c.sum.iterations;
    own.products = c.sum.products;
    own.seconds = c.sum.seconds;
    fur_report_fill(report, &own, sizeof own);
    return FUR_OK;
}
