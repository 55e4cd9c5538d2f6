/* A system whose rows or columns differ much in scale. R A C y = R b with x = C y is solved
 * instead. x must solve both systems in their norms. */
#include "course.h"
#include "drive.h"

#include "arguments.h"
#include "env.h"
#include "residual_bound.h"
#include "row_errors.h"
#include "value_type.h"
#include "verdict.h"

#include <furrow/vector.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* Number of solves. Each next tolerance is smaller by the excess of the residual, and by GAIN. */
#define ROUNDS 3
#define GAIN 0.1

double fur_course_measure(const fur_solver_report *report)
{
    double scaled = isnan(report->residual_scaled) ? 0 : report->residual_scaled;
    return !report->scale || strcmp(report->scale, "none") == 0 ? report->residual
                                                                : fmax(report->residual, scaled);
}

/* Returns true if scales may be used. They must not change the meaning of a caller's method or
 * preconditioner. */
static bool may_scale(const fur_course *c)
{
    bool automatic = !c->solver.method || strcmp(c->solver.method, "auto") == 0;
    bool square = c->traits.rows == c->traits.cols && c->traits.rows > 0;
    if (c->options.scale != FUR_SCALE_AUTO)
        return c->options.scale != FUR_SCALE_NONE;
    return automatic && square && c->solver.damp == 0 && !c->solver.preconditioner;
}

static fur_status refuse_scale(const fur_course *c)
{
    const fur_method *m = c->solver.method ? fur_method_find(c->solver.method) : NULL;
    bool asked = c->options.scale == FUR_SCALE_ROWS || c->options.scale == FUR_SCALE_SYMMETRIC;
    if ((unsigned)c->options.scale > FUR_SCALE_SYMMETRIC)
        return fur_context_fail(c->context, FUR_INVALID,
                                "scale is %d; use FUR_SCALE_AUTO, FUR_SCALE_NONE, FUR_SCALE_ROWS "
                                "or FUR_SCALE_SYMMETRIC",
                                (int)c->options.scale);
    if (asked && (c->traits.rows != c->traits.cols || c->solver.damp > 0 ||
                  (m && m->kind == FUR_METHOD_LEAST_SQUARES)))
        return fur_context_fail(c->context, FUR_INVALID,
                                "scaling would change the least-squares solution; leave scale out");
    if (asked && c->solver.preconditioner)
        return fur_context_fail(c->context, FUR_INVALID,
                                "the preconditioner was made for A and does not fit the scaled "
                                "matrix; leave scale or the preconditioner out");
    return FUR_OK;
}

static fur_status make_scaled(fur_course *c)
{
    fur_product_options options = {.size = sizeof options, .order = "none"};
    fur_value_type value = fur_vector_value_type(c->b);
    FUR_TRY(fur_product_create(c->scaled_a, &options, &c->scaled_product));
    FUR_TRY(fur_vector_create(c->context, value, c->traits.rows, &c->scaled_b));
    FUR_TRY(fur_vector_create(c->context, value, c->traits.rows, &c->scaled_x));
    FUR_TRY(fur_vector_create(c->context, value, c->traits.rows, &c->plain_x));
    FUR_TRY(fur_vector_create(c->context, value, c->traits.rows, &c->plain_r));
    FUR_TRY(fur_multiply_elementwise(c->balance.rows, c->b, c->scaled_b));
    return fur_multiply_elementwise(c->balance.unscale, c->x, c->scaled_x);
}

/* Makes A scaled by `scale`, and examines it. *even: no scales are needed. */
static fur_status scale_matrix(fur_course *c, const fur_csr *a, fur_scale scale, bool *even)
{
    FUR_TRY(fur_balance_find(a, scale, c->traits.hermitian, &c->balance));
    *even = !c->balance.rows;
    if (*even)
        return FUR_OK;
    FUR_TRY(fur_balance_apply(&c->balance, a, &c->scaled_a));
    return fur_csr_examine(c->scaled_a, &c->traits);
}

/* Computes the tolerance in the caller's norms. */
static fur_status take_goal(fur_course *c)
{
    double norm;
    FUR_TRY(fur_norm2(c->b, &norm));
    c->unit = norm > 0 ? norm : 1;
    c->goal = fmax(fur_solver_tolerance(&c->solver, fur_vector_value_type(c->b)),
                   c->solver.atol / c->unit);
    return FUR_OK;
}

/* *fits: R b, C^-1 x and the caller's ||b|| are finite, and R b keeps its digits. */
static fur_status fits(const fur_course *c, bool *fits)
{
    bool single = fur_value_is_single(fur_vector_value_type(c->b));
    double least = single ? (double)FLT_MIN / FLT_EPSILON : DBL_MIN / DBL_EPSILON;
    double of_b;
    double of_x;
    double norm;
    FUR_TRY(fur_norm2(c->b, &norm));
    FUR_TRY(fur_norm_max(c->scaled_b, &of_b));
    FUR_TRY(fur_norm_max(c->scaled_x, &of_x));
    *fits = of_b < HUGE_VAL && of_x < HUGE_VAL && norm < HUGE_VAL && (norm == 0 || of_b >= least);
    return FUR_OK;
}

/* If only its largest entries made a matrix look Hermitian, it gets scales for rows and columns. If
 * the scales make a system overflow or underflow, it gets none. */
fur_status fur_course_scale(fur_course *c)
{
    const fur_csr *a = fur_product_matrix(c->product);
    bool even;
    bool kept;
    const fur_csr_traits traits = c->traits;
    FUR_TRY(refuse_scale(c));
    if (!may_scale(c) || c->null_space)
        return FUR_OK;
    FUR_TRY(scale_matrix(c, a, c->options.scale, &even));
    if (!even && traits.hermitian && !c->traits.hermitian && c->options.scale == FUR_SCALE_AUTO) {
        fur_csr_destroy(c->scaled_a);
        c->scaled_a = NULL;
        fur_balance_release(&c->balance);
        FUR_TRY(scale_matrix(c, a, FUR_SCALE_AUTO, &even));
    }
    if (even)
        return FUR_OK;
    FUR_TRY(make_scaled(c));
    FUR_TRY(fits(c, &kept));
    if (!kept) {
        fur_course_release_scaled(c);
        c->traits = traits;
        return FUR_OK;
    }
    FUR_TRY(take_goal(c));
    c->plain = (fur_plain_system){c->a, a, c->product, c->b, c->x};
    c->a = c->scaled_a;
    c->product = c->scaled_product;
    c->b = c->scaled_b;
    c->x = c->scaled_x;
    return FUR_OK;
}

fur_status fur_course_unscale(fur_course *c)
{
    fur_vector *own[] = {c->guess, c->best};
    if (!c->plain.x)
        return FUR_OK;
    for (int i = 0; i < 2; i++)
        FUR_TRY(fur_multiply_elementwise(c->balance.cols, own[i], own[i]));
    FUR_TRY(fur_multiply_elementwise(c->balance.cols, c->x, c->plain.x));
    c->a = c->plain.a;
    c->product = c->plain.product;
    c->b = c->plain.b;
    c->x = c->plain.x;
    c->plain.x = NULL;
    return FUR_OK;
}

/* Stores the residuals of the caller's system in the report: row by row, relative to b, and
 * relative to b by the scales of the rows. Numbers that underflow by the scales are not visible in
 * any residual of the scaled system. */
static fur_status take_plain(fur_course *c, fur_solver_report *report)
{
    const fur_csr_view *a = fur_csr_get(c->plain.ordered);
    double norm;
    report->scale = c->balance.name;
    FUR_TRY(fur_multiply_elementwise(c->balance.cols, c->x, c->plain_x));
    FUR_TRY(fur_csr_row_errors(a, c->plain.b, c->plain_x, c->plain_r));
    FUR_TRY(fur_norm_max(c->plain_r, &report->backward_error_rows));
    FUR_TRY(fur_operator_apply(fur_product_operator(c->plain.product), c->plain_x, c->plain_r));
    FUR_TRY(fur_axpby(fur_real(1), c->plain.b, fur_real(-1), c->plain_r));
    FUR_TRY(fur_norm2(c->plain_r, &norm));
    report->products++;
    report->residual = norm / c->unit;
    return fur_relative_by_rows(a, c->plain.b, c->plain_r, c->plain_x, &report->residual_scaled);
}

/* Computes the normwise backward error of the caller's system, after take_plain. */
static fur_status take_backward_error(fur_course *c, fur_solver_report *report)
{
    double x_norm;
    double norm;
    FUR_TRY(fur_multiply_elementwise(c->balance.cols, c->x, c->plain_x));
    FUR_TRY(fur_norm2(c->plain_x, &x_norm));
    FUR_TRY(
        fur_estimate_norm(fur_product_operator(c->plain.product), c->plain_x, c->plain_r, &norm));
    report->products += FUR_NORM_PRODUCTS;
    report->backward_error = fur_backward_error(report->residual * c->unit, norm, x_norm, c->unit);
    return FUR_OK;
}

/* Finds the outcome in the caller's norms from the outcome of the scaled system.
 * FUR_OUTCOME_UNSOLVED means that the scaled system is solved and a smaller tolerance may also
 * solve the caller's. */
static fur_status judge(fur_course *c, fur_solver_report *report)
{
    fur_value_type value = fur_vector_value_type(c->b);
    bool solved = fur_outcome_solved(report->outcome);
    bool rows = report->residual_scaled <= c->goal;
    bool plain = report->residual <= c->goal;
    bool better = report->residual <= c->first && report->residual < HUGE_VAL;
    bool exact = better && fur_is_rounding(report->backward_error_rows, value);
    if (plain && rows && report->outcome != FUR_OUTCOME_STOPPED)
        report->outcome = FUR_OUTCOME_CONVERGED;
    else if (solved && exact)
        report->outcome = FUR_OUTCOME_WORKING_PRECISION;
    if (exact || !solved || (plain && rows))
        return FUR_OK;
    report->outcome = FUR_OUTCOME_UNSOLVED;
    if (!rows || !better)
        return FUR_OK;
    FUR_TRY(take_backward_error(c, report));
    if (fur_is_rounding(report->backward_error, value))
        report->outcome = FUR_OUTCOME_WORKING_PRECISION;
    return FUR_OK;
}

/* Returns the outcome of a solve that failed, or that did not reach the goal with smaller
 * tolerances. */
static fur_outcome give_name(const fur_course *c, const fur_solver_report *report, int64_t most)
{
    bool solved = fur_outcome_solved(report->outcome) || report->outcome == FUR_OUTCOME_STOPPED;
    if (!solved && report->residual <= c->goal && !(report->residual_scaled <= c->goal))
        return FUR_OUTCOME_SMALL_ROWS;
    if (report->outcome != FUR_OUTCOME_UNSOLVED)
        return report->outcome;
    return report->iterations >= most ? FUR_OUTCOME_MAX_ITERATIONS : FUR_OUTCOME_STAGNATED;
}

/* Computes the bounds of the caller's system, if the options ask for bounds. */
static fur_status take_bound(fur_course *c, fur_solver_report *report)
{
    if (!c->solver.bounds)
        return FUR_OK;
    FUR_TRY(fur_multiply_elementwise(c->balance.cols, c->x, c->plain_x));
    return fur_take_bounds(fur_csr_get(c->plain.ordered), c->plain.b, c->plain_x, NULL, c->unit,
                           &report->residual_bound, &report->error_a_norm);
}

/* Solves the scaled system once, and adds the cost to the report. */
static fur_status solve_once(fur_course *c, fur_solver *solver, fur_solver_report *report)
{
    fur_solver_report own = FUR_DEFAULT(fur_solver_report);
    FUR_TRY(fur_solver_solve(solver, c->b, c->x, &own));
    own.iterations += report->iterations;
    own.products += report->products;
    own.seconds += report->seconds;
    *report = own;
    FUR_TRY(take_plain(c, report));
    return judge(c, report);
}

fur_status fur_course_solve_scaled(fur_course *c, fur_solver *solver, fur_solver_report *report)
{
    int64_t most = solver->options.max_iterations;
    *report = FUR_DEFAULT(fur_solver_report);
    solver->unscale = c->balance.cols;
    for (int round = 0; round < ROUNDS; round++) {
        FUR_TRY(solve_once(c, solver, report));
        if (report->outcome != FUR_OUTCOME_UNSOLVED || report->iterations >= most)
            break;
        solver->options.max_iterations = most - report->iterations;
        solver->options.rtol *= GAIN * c->goal / fmax(report->residual, report->residual_scaled);
    }
    report->outcome = give_name(c, report, most);
    return take_bound(c, report);
}

void fur_course_release_scaled(fur_course *c)
{
    fur_vector_destroy(c->plain_r);
    fur_vector_destroy(c->plain_x);
    fur_vector_destroy(c->scaled_x);
    fur_vector_destroy(c->scaled_b);
    fur_product_destroy(c->scaled_product);
    fur_csr_destroy(c->scaled_a);
    fur_balance_release(&c->balance);
    c->plain_r = c->plain_x = c->scaled_x = c->scaled_b = NULL;
    c->scaled_product = NULL;
    c->scaled_a = NULL;
}
