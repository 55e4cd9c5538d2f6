/* One run of furrow-ranks on one rank: what was asked for, what it holds, and its steps. */
#ifndef FURROW_TOOLS_RANKS_JOB_H
#define FURROW_TOOLS_RANKS_JOB_H

#include "line.h"
#include "output.h"
#include "request.h"

#include <furrow/partition.h>
#include <furrow/ranks.h>

typedef struct ranks_job ranks_job;

/* The command line. NULL, 0 and false: not given. */
typedef struct ranks_request {
    command_common common;
    int ranks; /* in this process; 0: the processes of MPI */
    const char *device_transport;
    const char *partition; /* a method or a file */
    const char *x;
    const char *b;
    int repeat;
    bool whole;            /* the preconditioner is of the whole matrix, not of each rank's rows */
    solver_request solver; /* multiply has its `out`, too */
    /* Computes and writes files; adds figures to the output. */
    fur_status (*work)(ranks_job *j);
} ranks_request;

struct ranks_job {
    const ranks_request *request;
    const char *name; /* of the matrix */
    fur_ranks *group;
    bool leads;        /* rank 0, which reads vectors, writes and prints */
    fur_context *home; /* of vectors as files have them */
    fur_ranks_csr *a;
    fur_partition *partition; /* that has arranged it; NULL: none has */
    fur_context *context;     /* of the matrix */
    fur_value_type value;
    fur_vector *x;
    fur_vector *y; /* b of a solve */
    output out;
    double seconds_load;
    fur_solver_report report; /* of a solve */
};

/* Runs the request on all ranks. Returns the exit status. */
int ranks_start(ranks_request *request);

/* Options of all subcommands. */
extern const line_option ranks_options[];

/* A failure in a context is the group's. */
fur_status ranks_pass(const ranks_job *j, const fur_context *context, fur_status status);

/* Makes this rank's part of a vector in the context of `bounds`. */
fur_status ranks_vector(const ranks_job *j, fur_context *context, const int64_t *bounds,
                        fur_vector **out);

/* Collective: each rank's part of a vector that rank 0 has. Destroys `whole`; NULL elsewhere. */
fur_status ranks_deal(const ranks_job *j, fur_vector *whole, const int64_t *bounds, fur_vector *x);

/* Collective: the same of a file, which rank 0 reads; path NULL: ones. */
fur_status ranks_load(const ranks_job *j, const char *path, const int64_t *bounds, fur_vector *x);

/* Collective: writes a vector of these bounds to --out, if that was given. */
fur_status ranks_save(const ranks_job *j, const int64_t *bounds, const fur_vector *x);

/* The sentence about a solve that did not succeed. */
fur_status ranks_judge(const ranks_job *j);

int ranks_multiply(int argc, char **argv);
int ranks_solve(int argc, char **argv);
int ranks_bench(int argc, char **argv);

#endif
