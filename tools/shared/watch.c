/* The monitor of furrow solve. */
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "interrupt.h"
#include "new_file.h"

/* Between true residuals the number of iterations grows by at least 1 / SAMPLE_SHARE. This gives 31
 * true residuals in 400 iterations, and 50 in 10,000. */
#define SAMPLE_SHARE 6

void watch_begin(watch *w, bool quiet, double rtol)
{
    w->line = progress_begin(quiet);
    w->begin = fur_seconds();
    w->rtol = rtol;
    w->attempt = 0;
}

void watch_attempt(watch *w, int number, const char *method, const char *precond, const char *why)
{
    w->method = method;
    w->attempt = number;
    w->sample.iteration = 0;
    if (w->line.enabled) {
        progress_end(&w->line);
        fprintf(stderr, "%s with preconditioner %s: %s\n", method, precond, why);
    }
}

/* Makes room for one more point. */
static bool grow(watch *w)
{
    if (w->count == w->room && !w->full) {
        int64_t room = w->room > 0 ? 2 * w->room : 1024;
        watch_point *more = realloc(w->points, (size_t)room * sizeof *more);
        w->full = !more;
        w->points = more ? more : w->points;
        w->room = more ? room : w->room;
    }
    return !w->full;
}

static void add_point(watch *w, int64_t iteration, double residual, double true_residual)
{
    if (w->keep && grow(w))
        w->points[w->count++] =
            (watch_point){w->attempt, iteration, fur_seconds() - w->begin, residual, true_residual};
}

/* r = b - A x, and its norm relative to b. */
static fur_status take_residual(const watch_sample *s, double *residual)
{
    FUR_TRY(fur_operator_apply(s->a, s->x, s->r));
    FUR_TRY(fur_axpby(fur_real(1), s->b, fur_real(-1), s->r));
    FUR_TRY(fur_norm2(s->r, residual));
    *residual /= s->b_norm;
    return FUR_OK;
}

/* Returns the true residual of this iteration, if one is due and the method has computed x. */
static double sample(watch *w, const fur_solver_progress *state)
{
    watch_sample *s = &w->sample;
    double start = fur_seconds();
    double residual = NAN;
    if (!s->a || !(s->b_norm > 0) || state->iteration < s->iteration)
        return NAN;
    fur_status status = fur_solver_iterate(state, s->x);
    if (status == FUR_OK)
        status = take_residual(s, &residual);
    s->seconds += fur_seconds() - start;
    s->iteration = status == FUR_OK ? state->iteration + 1 + state->iteration / SAMPLE_SHARE
                                    : INT64_MAX; /* no true residual in this attempt */
    return status == FUR_OK ? residual : NAN;
}

void watch_result(watch *w, const fur_solver_report *report)
{
    add_point(w, report->iterations, report->residual_recurrence, report->residual);
}

/* Keeps this iteration as a mark if it is at least twice the last one. */
static void mark(watch *w, const fur_solver_progress *state)
{
    watch_point now = {w->attempt, state->iteration, fur_seconds(), state->residual, NAN};
    if (state->iteration == 0)
        w->marks[0] = w->marks[1] = now;
    if (state->iteration >= 2 * w->marks[1].iteration) {
        w->marks[0] = w->marks[1];
        w->marks[1] = now;
    }
}

/* Estimates the remaining time from the fall of the residual in the last half of the iterations.
 * Negative: no estimate. */
static double seconds_left(const watch *w, double residual)
{
    double fall = log(w->marks[0].residual / residual);
    double rest = log(residual / w->rtol);
    double passed = fur_seconds() - w->marks[0].seconds;
    return fall > 0 && rest >= 0 ? rest / fall * passed : -1;
}

static void show(watch *w, const fur_solver_progress *state)
{
    char text[96];
    double left = seconds_left(w, state->residual);
    int length = snprintf(text, sizeof text, "%s: iteration %lld, residual %.1e", w->method,
                          (long long)state->iteration, state->residual);
    if (left >= 0)
        snprintf(text + length, sizeof text - (size_t)length, ", about %.0f s left", ceil(left));
    progress_show(&w->line, text);
}

static int see(watch *w, const fur_solver_progress *state, double true_residual)
{
    mark(w, state);
    add_point(w, state->iteration, state->residual, true_residual);
    if (progress_due(&w->line))
        show(w, state);
    return interrupt_name() ? 1 : 0;
}

int watch_iteration(void *user, const fur_solver_progress *state)
{
    watch *w = user;
    bool known = !w->sample.a && state->iteration == 0; /* the guess has a true residual */
    return see(w, state, known ? state->residual : sample(w, state));
}

int watch_cycles(watch *w, const fur_solver_report *report)
{
    const fur_solver_progress state = {.iteration = report->iterations,
                                       .residual = report->residual_recurrence};
    return see(w, &state, report->residual);
}

void watch_end(watch *w)
{
    progress_end(&w->line);
}

void watch_release(watch *w)
{
    free(w->points);
    fur_vector_destroy(w->sample.x);
    fur_vector_destroy(w->sample.r);
}

fur_status watch_save(const watch *w, fur_context *context, const char *path)
{
    new_file file;
    if (w->full)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "%.400s: out of memory for the history",
                                path);
    FUR_TRY(new_file_open(context, path, &file));
    fputs("attempt,iteration,seconds,residual,true_residual\n", file.stream);
    for (int64_t i = 0; i < w->count; i++) {
        const watch_point *p = &w->points[i];
        fprintf(file.stream, "%d,%lld,%.6f,%.17g,", p->attempt, (long long)p->iteration, p->seconds,
                p->residual);
        if (!isnan(p->true_residual))
            fprintf(file.stream, "%.17g", p->true_residual);
        fputc('\n', file.stream);
    }
    return new_file_close(&file, FUR_OK);
}
