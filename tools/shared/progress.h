/* A line about long work, rewritten in place on standard error. It shows only on a terminal, so
 * that logs and pipes stay clean. */
#ifndef FURROW_PROGRESS_H
#define FURROW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool enabled; /* on a terminal and not --quiet */
    bool visible; /* the line shows something */
    double next;  /* time from which on the line may be rewritten */
} progress;

progress progress_begin(bool quiet);

/* Whether a new line is due: not in the first second, and then a few times a second. */
bool progress_due(progress *line);

/* Shows the text now. */
void progress_show(progress *line, const char *text);

/* Shows how much of a file was read in this time: a bar with rate and remaining time, or without a
 * total, which is -1 then, bytes and rate alone. */
void progress_show_bytes(progress *line, int64_t done, int64_t total, double seconds);

/* Removes the line. */
void progress_end(progress *line);

#endif
