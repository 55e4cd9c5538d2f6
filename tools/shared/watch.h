/* Observes a solve iteration by iteration, for the progress line, the history, and the end by a
 * signal. */
#ifndef FURROW_TOOLS_WATCH_H
#define FURROW_TOOLS_WATCH_H

#include "progress.h"

#include <furrow/furrow.h>

/* The state after an iteration. Residuals are relative to b. */
typedef struct watch_point {
    int attempt;          /* number of the attempt, from 1 */
    int64_t iteration;    /* number in this attempt */
    double seconds;       /* since the first attempt began */
    double residual;      /* recurrence residual of the method */
    double true_residual; /* ||b - A x|| / ||b||; NaN: not computed */
} watch_point;

/* True residuals, computed from time to time for the page. */
typedef struct watch_sample {
    const fur_operator *a; /* NULL: no true residuals */
    const fur_vector *b;
    fur_vector *x; /* solution of the iteration */
    fur_vector *r; /* b - A x */
    double b_norm;
    double seconds;    /* time spent on true residuals */
    int64_t iteration; /* iteration of the attempt from which the next residual is due */
} watch_sample;

typedef struct watch {
    progress line;
    double begin;
    double rtol;
    /* The attempt in progress. */
    const char *method;
    int attempt;
    /* Points at the last power of two of iterations, and at the power before. */
    watch_point marks[2];
    /* All points, if they are kept. */
    bool keep;
    bool full; /* memory for further points was refused */
    watch_point *points;
    int64_t count;
    int64_t room;
    watch_sample sample;
} watch;

/* Begins to watch. */
void watch_begin(watch *w, bool quiet, double rtol);
/* Begins an attempt with this number, from 1, and this method. `why` is shown on a terminal. */
void watch_attempt(watch *w, int number, const char *method, const char *precond, const char *why);
/* Ends an attempt. */
void watch_result(watch *w, const fur_solver_report *report);
/* Ends the progress line. */
void watch_end(watch *w);
/* Frees the points and the vectors of the sample. */
void watch_release(watch *w);

/* A monitor of solvers; `user` is a watch. Stops the solve when a signal has come. */
int watch_iteration(void *user, const fur_solver_progress *state);
/* As above, after cycles that have no monitor. `report` counts from the first cycle. */
int watch_cycles(watch *w, const fur_solver_report *report);

/* Writes the points as CSV. The file appears when it is complete. */
fur_status watch_save(const watch *w, fur_context *context, const char *path);

#endif
