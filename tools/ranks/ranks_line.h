/* The command line of furrow-ranks. */
#ifndef FURROW_TOOLS_RANKS_LINE_H
#define FURROW_TOOLS_RANKS_LINE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ranks_work { RANKS_MULTIPLY = 0, RANKS_SOLVE, RANKS_BENCH } ranks_work;

typedef struct ranks_line {
    ranks_work work;
    const char *file;
    const char *x;   /* multiply: NULL: ones */
    const char *b;   /* solve: NULL: A times ones */
    const char *out; /* NULL: the result is not written */
    const char *method;
    const char *precond; /* none, or of fur_precond_at; NULL: what suits the shape */
    bool whole;          /* it is that of the whole matrix, not of each rank's block */
    double rtol;         /* 0: default, as the next */
    int64_t max_iterations;
    int restart;
    int repeat;
    int threads;                  /* of a rank */
    int ranks;                    /* in this process; 0: those of MPI */
    const char *device;           /* NULL: the CPU */
    const char *device_transport; /* NULL: the best */
    const char *partition;        /* a method or a file; NULL: rows as they are */
    bool json;
} ranks_line;

/* Reads it, or ends with a usage error. */
void ranks_line_parse(int argc, char **argv, ranks_line *out);

#endif
