/* A progress line for long work, rewritten in place on standard error. It appears only on a
 * terminal, so that logs and pipes stay clean. */
#ifndef FURROW_PROGRESS_H
#define FURROW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool enabled; /* standard error is a terminal, and --quiet is not given */
    bool visible; /* the line shows a text */
    double next;  /* earliest time of the next update */
} progress;

progress progress_begin(bool quiet);

/* Returns whether an update is due: not in the first second, then a few times a second. */
bool progress_due(progress *line);

/* Shows the text immediately. */
void progress_show(progress *line, const char *text);

/* Shows how much of a file was read in this time: a bar with rate and remaining time. If `total` is
 * -1, it shows bytes and rate only. */
void progress_show_bytes(progress *line, int64_t done, int64_t total, double seconds);

/* Removes the line. */
void progress_end(progress *line);

#endif
