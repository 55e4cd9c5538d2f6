/* Judges the result of a solve. */
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "interrupt.h"

#define ENTRY_BYTES 64
#define SENTENCE 512

/* A note is printed if the scaled residual is this factor above the residual, except by rounding.
 */
#define SCALED_EXCESS 1000
#define ROUNDING 1e-13

/* Returns the bound of the residual, raised by the rounding to six digits in text. */
static double shown_bound(const output *out, const fur_solver_report *r)
{
    return out->json ? r->residual_bound : (1 + 1e-5) * r->residual_bound;
}

void verdict_put(output *out, const fur_solver_report *r)
{
    output_known(out, "condition_estimate", "condition, at least",
                 r->condition > 0 ? r->condition : NAN, output_number);
    output_flag(out, "converged", "converged", fur_outcome_solved(r->outcome));
    output_text(out, "outcome", "outcome", interrupt_outcome(r->outcome));
    output_number(out, "residual", "relative residual", r->residual);
    output_known(out, "residual_scaled", "scaled residual", r->residual_scaled, output_number);
    output_number(out, "residual_recurrence", "recurrence residual", r->residual_recurrence);
    if (r->outside > 0)
        output_number(out, "outside", "outside the range", r->outside);
    output_known(out, "backward_error", "backward error", r->backward_error, output_number);
    output_known(out, "backward_error_rows", "row backward error", r->backward_error_rows,
                 output_number);
    const char *scale = r->scale ? r->scale : "none"; /* NULL: fur_solve was not used */
    if (out->json || strcmp(scale, "none") != 0)
        output_text(out, "scale", "scaled", scale);
    output_known(out, "residual_bound", "residual, at most", shown_bound(out, r), output_number);
    output_known(out, "error_a_norm", "error, at least", r->error_a_norm, output_number);
    if (r->outcome == FUR_OUTCOME_LEAST_SQUARES)
        output_number(out, "normal_residual", "normal residual", r->normal_residual);
}

/* Formats "1.5", or "(1.5, -2)" for a complex matrix. */
static void format_entry(bool complex, fur_scalar entry, char text[ENTRY_BYTES])
{
    if (complex)
        snprintf(text, ENTRY_BYTES, "(%.9g, %.9g)", entry.re, entry.im);
    else
        snprintf(text, ENTRY_BYTES, "%.9g", entry.re);
}

/* Names the pair of entries that the method does not allow. */
static void blame(const verdict *v, char text[SENTENCE])
{
    const fur_csr_traits *t = v->traits;
    bool complex = v->value == FUR_C64 || v->value == FUR_C128;
    char here[ENTRY_BYTES];
    char opposite[ENTRY_BYTES];
    long long row = (long long)t->row + 1;
    long long col = (long long)t->col + 1;
    format_entry(complex, t->entry, here);
    format_entry(complex, t->opposite, opposite);
    snprintf(text, SENTENCE,
             "the matrix is not %s, as %s needs: in %lld %s, most in (%lld, %lld) = %s and (%lld, "
             "%lld) = %s%s, counting from 1",
             complex ? "Hermitian" : "symmetric", v->method, (long long)t->asymmetric_pairs,
             t->asymmetric_pairs == 1 ? "pair of entries" : "pairs of entries", row, col, here, col,
             row, opposite, row == col ? ", which must be real" : "");
}

/* The start x = 0 has residual 1, so a larger residual has grown. */
static void advise(const verdict *v, char text[SENTENCE])
{
    const fur_solver_report *r = v->report;
    bool symmetric = strcmp(v->method, "cg") == 0 || strcmp(v->method, "minres") == 0;
    if (v->traits && symmetric && v->traits->asymmetric_pairs > 0)
        blame(v, text);
    else if (r->outcome == FUR_OUTCOME_LEAST_SQUARES && r->outside > 0)
        snprintf(text, SENTENCE,
                 "A is singular, and a part of b, %.1e of its norm, is outside the range of A; x "
                 "solves the system without that part",
                 r->outside);
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

/* With several ranks, another process may have received the signal. */
static fur_status judge_stopped(fur_context *context, const verdict *v)
{
    const char *signal = interrupt_name();
    return fur_context_fail(context, FUR_INVALID,
                            "%s: interrupted by %s after %lld iterations, relative residual "
                            "%.1e%s%s",
                            v->name, signal ? signal : "a signal", (long long)v->report->iterations,
                            v->report->residual, v->out ? "; the last x is in " : "",
                            v->out ? v->out : "");
}

/* Warns on standard error about problems that the figures do not show. */
static void warn(const verdict *v)
{
    const fur_solver_report *r = v->report;
    if (v->quiet)
        return;
    if (r->outcome == FUR_OUTCOME_LEAST_SQUARES && r->outside > 0)
        command_error("note: %s: b has a part outside the range of A, %.1e of its norm; x solves "
                      "the system without that part",
                      v->name, r->outside);
    if (strcmp(r->scale, "none") == 0 && r->residual_scaled > SCALED_EXCESS * r->residual &&
        r->residual_scaled > ROUNDING)
        command_error(
            "warning: %s: the residual is %.1e with rows scaled, and %.1e without: the "
            "norm of b may hide rows of small scale; try --scale symmetric or --scale rows",
            v->name, r->residual_scaled, r->residual);
}

fur_status verdict_judge(fur_context *context, const verdict *v)
{
    const fur_solver_report *r = v->report;
    char advice[SENTENCE];
    warn(v);
    if (fur_outcome_solved(r->outcome) ||
        (r->outcome == FUR_OUTCOME_LEAST_SQUARES && v->least_squares))
        return FUR_OK;
    if (r->outcome == FUR_OUTCOME_STOPPED)
        return judge_stopped(context, v);
    advise(v, advice);
    return fur_context_fail(context, FUR_INVALID,
                            "%s: no solution after %lld iterations: %s, relative residual %.1e; %s",
                            v->name, (long long)r->iterations, interrupt_outcome(r->outcome),
                            r->residual, advice);
}
