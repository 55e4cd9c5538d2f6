/* What furrow solve prints, and its sentence about a failure. */
#include "job.h"

#include <math.h>
#include <stdio.h>

#include "interrupt.h"
#include "output.h"
#include "product.h"

#define ENTRY_BYTES 64
#define SENTENCE 512

/* Prints A and how its products are made. */
static void put_matrix(output *out, const job *j)
{
    const fur_product_report *chosen = fur_product_describe(j->product);
    output_count(out, "entries", "entries", fur_csr_get(j->a.matrix)->entries);
    product_put_order(out, chosen);
    output_text(out, "kernel", "kernel", chosen->kernel);
    product_put_recognition(out, chosen);
    output_seconds(out, "seconds_load", "time to load", j->a.seconds);
    output_seconds(out, "seconds_plan", "time to plan", chosen->seconds_plan);
}

static void put_stencil(output *out, const job *j)
{
    output_count(out, "points", "stencil points", j->options->grid.points);
    output_text(out, "kernel", "kernel", fur_stencil_describe(j->stencil)->kernel);
    if (j->multigrid)
        output_count(out, "levels", "levels", fur_multigrid_describe(j->multigrid)->levels);
}

/* A figure that was not computed is null. */
static json_t *figure(bool computed, double number)
{
    return computed && isfinite(number) ? json_real(number) : json_null();
}

static void put_member_text(json_t *row, const char *key, const char *text)
{
    json_object_set_new(row, key, output_string(text));
}

static json_t *attempt_to_json(const job_attempt *a)
{
    json_t *row = json_object();
    put_member_text(row, "method", a->choice.method);
    put_member_text(row, "precond", a->choice.precond);
    put_member_text(row, "reason", a->choice.reason);
    put_member_text(row, "outcome", interrupt_outcome(a->report.outcome));
    bool ran = a->report.outcome != FUR_OUTCOME_UNSOLVED;
    json_object_set_new(row, "iterations", json_integer(a->report.iterations));
    json_object_set_new(row, "residual", figure(ran, a->report.residual));
    json_object_set_new(row, "seconds", figure(ran, a->report.seconds));
    json_object_set_new(row, "seconds_precond", figure(a->made.kind, a->made.seconds_setup));
    return row;
}

/* What was tried before and behind the attempt that x is of: a line each. */
static void put_attempts(output *out, const job *j)
{
    if (out->json) {
        json_t *rows = json_array();
        for (int i = 0; i < j->count; i++)
            output_append(rows, attempt_to_json(&j->attempts[i]));
        output_member(out, "attempts", rows);
        return;
    }
    for (int i = 0; i < j->count; i++) {
        const job_attempt *a = &j->attempts[i];
        char text[SENTENCE];
        snprintf(text, sizeof text, "%s with %s: %s, after %lld iterations, residual %.1e",
                 a->choice.method, a->choice.precond, interrupt_outcome(a->report.outcome),
                 (long long)a->report.iterations, a->report.residual);
        if (a->report.outcome == FUR_OUTCOME_UNSOLVED && i + 1 < j->count)
            snprintf(text, sizeof text, "%s", j->attempts[i + 1].choice.reason);
        if (a != j->best)
            output_line("tried", text);
    }
}

/* A figure, NaN where it is not known, where others are 0. */
static double known(double number)
{
    return number > 0 ? number : NAN;
}

/* A figure that is left out, null in JSON, where it is NaN. */
static void put_known(output *out, const char *key, const char *label, double number,
                      void (*put)(output *, const char *, const char *, double))
{
    if (number >= 0)
        put(out, key, label, number);
    else if (out->json)
        output_member(out, key, json_null());
}

static void put_choice(output *out, const job *j)
{
    const fur_choice *c = &j->best->choice;
    output_text(out, "method", "method", c->method);
    output_text(out, "precond", "preconditioner", c->precond);
    output_text(out, "reason", "because", c->reason);
    if (out->json || j->best->report.reduced)
        output_flag(out, "reduced", "one of two colours", j->best->report.reduced);
    put_attempts(out, j);
}

/* What a preconditioner that was made from the matrix is. */
static void put_precond(output *out, const job *j)
{
    const fur_precond_report *made = &j->best->made;
    if (!made->kind)
        return;
    if (*made->note)
        output_text(out, "precond_note", "made by", made->note);
    output_count(out, "precond_entries", "entries of it", made->entries);
    output_seconds(out, "seconds_precond", "time to make it", made->seconds_setup);
    if (out->json || made->shift > 0)
        output_number(out, "precond_shift", "diagonal times 1 +", made->shift);
    if (out->json || made->raised > 0)
        output_count(out, "precond_raised", "pivots raised", made->raised);
}

/* The bound of the residual, raised by what the six digits of text round. */
static double shown_bound(const output *out, const fur_solver_report *r)
{
    return out->json ? r->residual_bound : (1 + 1e-5) * r->residual_bound;
}

static void put_figures(output *out, const job *j)
{
    const fur_solver_report *r = &j->total;
    double each = j->best->report.iterations > 0
                      ? j->best->report.seconds / (double)j->best->report.iterations
                      : 0;
    double bytes = job_bytes(j);
    output_seconds(out, "seconds_setup", "time to set up", j->seconds_setup);
    output_seconds(out, "seconds_solve", "time to solve", r->seconds);
    output_count(out, "iterations", "iterations", r->iterations);
    put_known(out, "seconds_per_iteration", "time an iteration", known(each), output_seconds);
    put_known(out, "bytes_per_iteration", "bytes an iteration", known(bytes), output_number);
    put_known(out, "gbps", "memory traffic", known(each > 0 ? 1e-9 * bytes / each : 0),
              output_rate);
    put_known(out, "condition_estimate", "condition, at least", known(r->condition), output_number);
    output_flag(out, "converged", "converged", r->outcome == FUR_OUTCOME_CONVERGED);
    output_text(out, "outcome", "outcome", interrupt_outcome(r->outcome));
    output_number(out, "residual", "relative residual", r->residual);
    output_number(out, "residual_recursive", "recursive residual", r->residual_recursive);
    put_known(out, "residual_bound", "residual, at most", shown_bound(out, r), output_number);
    put_known(out, "error_a_norm", "error, at least", r->error_a_norm, output_number);
    if (r->outcome == FUR_OUTCOME_LEAST_SQUARES)
        output_number(out, "normal_residual", "normal residual", r->normal_residual);
}

fur_status job_print(const job *j)
{
    output out = output_begin(j->options->common.json);
    output_count(&out, "rows", "rows", fur_operator_rows(j->op));
    if (fur_operator_cols(j->op) != fur_operator_rows(j->op))
        output_count(&out, "cols", "columns", fur_operator_cols(j->op));
    output_text(&out, "value", "value type", fur_value_name(fur_operator_value_type(j->op)));
    output_text(&out, "rhs", "right-hand side", j->rhs);
    put_choice(&out, j);
    put_precond(&out, j);
    output_text(&out, "device", "device", fur_context_device(j->context));
    output_count(&out, "threads", "threads", fur_context_threads(j->context));
    if (j->stencil)
        put_stencil(&out, j);
    else
        put_matrix(&out, j);
    put_figures(&out, j);
    return output_end(&out, j->context);
}

/* "1.5", or "(1.5, -2)" of a complex matrix. */
static void format_entry(bool complex, fur_scalar entry, char text[ENTRY_BYTES])
{
    if (complex)
        snprintf(text, ENTRY_BYTES, "(%.9g, %.9g)", entry.re, entry.im);
    else
        snprintf(text, ENTRY_BYTES, "%.9g", entry.re);
}

/* Names the pair of entries that such a method cannot have. */
static void blame(const job *j, const char *method, char text[SENTENCE])
{
    const fur_csr_traits *t = &j->traits;
    fur_value_type value = fur_csr_get(j->a.matrix)->value_type;
    bool complex = value == FUR_C64 || value == FUR_C128;
    char here[ENTRY_BYTES];
    char opposite[ENTRY_BYTES];
    long long row = (long long)t->row + 1;
    long long col = (long long)t->col + 1;
    format_entry(complex, t->entry, here);
    format_entry(complex, t->opposite, opposite);
    snprintf(text, SENTENCE,
             "the matrix is not %s, as %s needs it: in %lld %s, most in (%lld, %lld) = %s and "
             "(%lld, %lld) = %s%s, counting from 1",
             complex ? "Hermitian" : "symmetric", method, (long long)t->asymmetric_pairs,
             t->asymmetric_pairs == 1 ? "pair of entries" : "pairs of entries", row, col, here, col,
             row, opposite, row == col ? ", which must be real" : "");
}

/* x = 0, where it began, has residual 1: one above has grown. */
static void advise(const job *j, char text[SENTENCE])
{
    const fur_solver_report *r = &j->total;
    const char *method = j->best->choice.method;
    bool symmetric = job_is(method, "cg") || job_is(method, "minres");
    if (!j->stencil && symmetric && j->traits.asymmetric_pairs > 0)
        blame(j, method, text);
    else if (r->outcome == FUR_OUTCOME_LEAST_SQUARES)
        snprintf(text, SENTENCE,
                 "the system has no solution; x is the one with the least residual");
    else if (r->outcome == FUR_OUTCOME_MAX_ITERATIONS && r->residual < 1)
        snprintf(text, SENTENCE, "allow more with --max-iterations, or try another --method");
    else if (r->outcome == FUR_OUTCOME_MAX_ITERATIONS)
        snprintf(text, SENTENCE, "try another --method");
    else
        snprintf(text, SENTENCE, "%s", fur_outcome_advice(r->outcome));
}

/* Whether a least-squares solution is what the caller wants: not of a square matrix, unless the
 * caller names such a method. */
static bool is_asked_for(const job *j)
{
    return fur_operator_rows(j->op) != fur_operator_cols(j->op) || j->options->damp > 0 ||
           !job_is(j->options->method, "auto");
}

fur_status job_judge(const job *j)
{
    const fur_solver_report *r = &j->total;
    const char *out = j->options->out.path;
    char advice[SENTENCE];
    if (r->outcome == FUR_OUTCOME_CONVERGED ||
        (r->outcome == FUR_OUTCOME_LEAST_SQUARES && is_asked_for(j)))
        return FUR_OK;
    if (r->outcome == FUR_OUTCOME_STOPPED)
        return fur_context_fail(j->context, FUR_INVALID,
                                "%s: interrupted by %s after %lld iterations, relative residual "
                                "%.1e%s%s",
                                j->name, interrupt_name(), (long long)r->iterations, r->residual,
                                out ? "; x so far is in " : "", out ? out : "");
    advise(j, advice);
    return fur_context_fail(j->context, FUR_INVALID,
                            "%s: no solution after %lld iterations: %s, relative residual %.1e; %s",
                            j->name, (long long)r->iterations, interrupt_outcome(r->outcome),
                            r->residual, advice);
}
