/* The monitor of furrow solve. */
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "interrupt.h"
#include "new_file.h"

/* True residuals come after at least one share in so many of new iterations: 31 of 400, 50 of
 * 10,000. */
#define SAMPLE_SHARE 6

void watch_begin(watch *w, bool quiet, double rtol)
{
    w->line = progress_begin(quiet);
    w->begin = command_seconds();
    w->rtol = rtol;
    w->attempt = 0;
}

void watch_attempt(watch *w, const char *method, const char *precond, const char *why)
{
    w->method = method;
    w->attempt++;
    w->sample.iteration = 1;
    if (w->line.enabled) {
        progress_end(&w->line);
        fprintf(stderr, "%s with preconditioner %s: %s\n", method, precond, why);
    }
}

/* Makes room for one more. */
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
        w->points[w->count++] = (watch_point){w->attempt, iteration, command_seconds() - w->begin,
                                              residual, true_residual};
}

/* ||b - A x|| / ||b|| of x as it stands; NaN if it cannot be had. */
static double true_residual(const watch_sample *s)
{
    double norm;
    bool had = fur_operator_apply(s->a, s->x, s->r) == FUR_OK &&
               fur_axpby(fur_real(1), s->b, fur_real(-1), s->r) == FUR_OK &&
               fur_norm2(s->r, &norm) == FUR_OK;
    return had ? norm / s->b_norm : NAN;
}

/* The true residual, if one is due. */
static double sample(watch *w, int64_t iteration)
{
    watch_sample *s = &w->sample;
    double start = command_seconds();
    if (!s->a || !(s->b_norm > 0) || iteration < s->iteration)
        return NAN;
    double residual = true_residual(s);
    s->seconds += command_seconds() - start;
    s->iteration = iteration + 1 + iteration / SAMPLE_SHARE;
    return residual;
}

void watch_result(watch *w, const fur_solver_report *report)
{
    add_point(w, report->iterations, report->residual_recursive, report->residual);
}

/* Keeps this iteration as a mark, if there are twice as many as at the last. */
static void mark(watch *w, const fur_solver_progress *state)
{
    watch_point now = {w->attempt, state->iteration, command_seconds(), state->residual, NAN};
    if (state->iteration == 0)
        w->marks[0] = w->marks[1] = now;
    if (state->iteration >= 2 * w->marks[1].iteration) {
        w->marks[0] = w->marks[1];
        w->marks[1] = now;
    }
}

/* What the fall of the residual in the last half of the iterations lets expect; negative: nothing.
 */
static double seconds_left(const watch *w, double residual)
{
    double fall = log(w->marks[0].residual / residual);
    double rest = log(residual / w->rtol);
    double passed = command_seconds() - w->marks[0].seconds;
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

int watch_iteration(void *user, const fur_solver_progress *state)
{
    watch *w = user;
    bool begins = state->iteration == 0;
    mark(w, state);
    if (w->keep)
        add_point(w, state->iteration, state->residual,
                  begins ? state->residual : sample(w, state->iteration));
    if (progress_due(&w->line))
        show(w, state);
    return interrupt_name() ? 1 : 0;
}

void watch_end(watch *w)
{
    progress_end(&w->line);
}

void watch_release(watch *w)
{
    free(w->points);
}

fur_status watch_save(const watch *w, fur_context *context, const char *path)
{
    new_file file;
    if (w->full)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "%.400s: no memory for the history",
                                path);
    COMMAND_TRY(new_file_open(context, path, &file));
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
