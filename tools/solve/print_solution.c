/* Prints the results of furrow solve, and its message on failure. */
#include "job.h"

#include <math.h>
#include <stdio.h>

#include "interrupt.h"
#include "output.h"
#include "product.h"
#include "verdict.h"

#define SENTENCE 512

/* Prints A and the kind of its products. */
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

/* Returns a number, or null if it was not computed. */
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

/* Prints all attempts as JSON, or a line for each attempt other than the best for people. */
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

static void put_choice(output *out, const job *j)
{
    const fur_choice *c = &j->best->choice;
    output_text(out, "method", "method", c->method);
    output_text(out, "precond", "preconditioner", c->precond);
    output_text(out, "reason", "because", c->reason);
    if (out->json || j->best->report.reduced)
        output_flag(out, "reduced", "reduced (red-black)", j->best->report.reduced);
    put_attempts(out, j);
}

/* Prints the properties of a preconditioner made from the matrix. */
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
    output_known(out, "seconds_per_iteration", "time an iteration", each > 0 ? each : NAN,
                 output_seconds);
    output_known(out, "bytes_per_iteration", "bytes an iteration", bytes > 0 ? bytes : NAN,
                 output_number);
    output_known(out, "gbps", "memory traffic", each > 0 && bytes > 0 ? 1e-9 * bytes / each : NAN,
                 output_rate);
    verdict_put(out, r);
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

/* Returns whether a least-squares solution counts as success. If A is square, the caller must name
 * such a method. */
static bool is_asked_for(const job *j)
{
    return fur_operator_rows(j->op) != fur_operator_cols(j->op) || j->options->solver.damp > 0 ||
           j->options->solver.null_space || !job_is(j->options->solver.method, "auto");
}

fur_status job_judge(const job *j)
{
    verdict v = {.name = j->name,
                 .method = j->best->choice.method,
                 .report = &j->total,
                 .traits = j->stencil ? NULL : &j->traits,
                 .value = fur_operator_value_type(j->op),
                 .least_squares = is_asked_for(j),
                 .quiet = j->options->common.quiet,
                 .out = j->options->solver.out.path};
    return verdict_judge(j->context, &v);
}
