/* A solve as it is seen from outside, iteration by iteration: the progress line, the history, and
 * the end by a signal. */
#ifndef FURROW_TOOLS_WATCH_H
#define FURROW_TOOLS_WATCH_H

#include "progress.h"

#include <furrow/furrow.h>

/* After an iteration; residuals are relative to b. */
typedef struct watch_point {
    int attempt;          /* from 1 */
    int64_t iteration;    /* of this attempt */
    double seconds;       /* since the first attempt began */
    double residual;      /* carried along by the method */
    double true_residual; /* ||b - A x|| / ||b||; NaN: not computed */
} watch_point;

/* True residuals, computed now and then for the page. */
typedef struct watch_sample {
    const fur_operator *a; /* NULL: none are */
    const fur_vector *b;
    fur_vector *x; /* of the iteration */
    fur_vector *r; /* b - A x */
    double b_norm;
    double seconds;    /* spent on it */
    int64_t iteration; /* of the attempt, from which on the next may come */
} watch_sample;

typedef struct watch {
    progress line;
    double begin;
    double rtol;
    /* Of the attempt in progress. */
    const char *method;
    int attempt;
    /* At the last power of two of iterations, and at the one before. */
    watch_point marks[2];
    /* All points, if they are kept. */
    bool keep;
    bool full; /* there was no memory for more */
    watch_point *points;
    int64_t count;
    int64_t room;
    watch_sample sample;
} watch;

/* Begins to watch. */
void watch_begin(watch *w, bool quiet, double rtol);
/* The attempt of this number, from 1, begins by a method; `why` is told on a terminal. */
void watch_attempt(watch *w, int number, const char *method, const char *precond, const char *why);
/* It ends. */
void watch_result(watch *w, const fur_solver_report *report);
/* Ends the line. */
void watch_end(watch *w);
/* Gives back the points, and the vectors of the sample. */
void watch_release(watch *w);

/* A monitor of solvers, of a watch: stops when a signal has come. */
int watch_iteration(void *user, const fur_solver_progress *state);
/* The same after cycles without a monitor: the report of them, counted from the first. */
int watch_cycles(watch *w, const fur_solver_report *report);

/* The points as CSV; the file appears when it is complete. */
fur_status watch_save(const watch *w, fur_context *context, const char *path);

#endif
