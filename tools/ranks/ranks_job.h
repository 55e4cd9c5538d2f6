/* A run of furrow-ranks on one rank: its request, its objects, and its steps. */
#ifndef FURROW_TOOLS_RANKS_JOB_H
#define FURROW_TOOLS_RANKS_JOB_H

#include "line.h"
#include "output.h"
#include "request.h"

#include <furrow/partition.h>
#include <furrow/ranks.h>

typedef struct ranks_job ranks_job;

/* The command line. NULL, 0 and false mean: not given. */
typedef struct ranks_request {
    command_common common;
    int ranks; /* ranks in this process; 0: the processes of MPI */
    const char *device_transport;
    const char *partition; /* a method or a file */
    const char *x;
    const char *b;
    int repeat;
    bool whole;            /* the preconditioner uses the whole matrix, not each rank's rows */
    solver_request solver; /* multiply also uses its `out` */
    /* Computes and writes files; adds figures to the output. */
    fur_status (*work)(ranks_job *j);
} ranks_request;

struct ranks_job {
    const ranks_request *request;
    const char *name; /* name of the matrix */
    fur_ranks *group;
    bool leads;        /* true on rank 0, which reads vectors, writes and prints */
    fur_context *home; /* for vectors in the order of files */
    fur_ranks_csr *a;
    fur_partition *partition; /* the partition that arranged the matrix; NULL: none */
    fur_context *context;     /* the matrix's context */
    fur_value_type value;
    fur_vector *x;
    fur_vector *y; /* the right-hand side b in a solve */
    output out;
    double seconds_load;
    fur_solver_report report; /* report of a solve */
};

/* Runs the request on all ranks. Returns the exit status. */
int ranks_start(ranks_request *request);

/* The options of all subcommands. */
extern const line_option ranks_options[];

/* Makes a failure in a context the group's failure. */
fur_status ranks_pass(const ranks_job *j, const fur_context *context, fur_status status);

/* Makes this rank's part of a vector in the context of `bounds`. */
fur_status ranks_vector(const ranks_job *j, fur_context *context, const int64_t *bounds,
                        fur_vector **out);

/* Collective. Gives each rank its part of rank 0's vector and destroys `whole`, which is NULL on
 * other ranks. */
fur_status ranks_deal(const ranks_job *j, fur_vector *whole, const int64_t *bounds, fur_vector *x);

/* Collective. As above, for a vector that rank 0 reads from a file. path NULL: ones. */
fur_status ranks_load(const ranks_job *j, const char *path, const int64_t *bounds, fur_vector *x);

/* Collective. Writes a vector with these bounds to --out, if it is given. */
fur_status ranks_save(const ranks_job *j, const int64_t *bounds, const fur_vector *x);

/* Fails with a message if the solve did not succeed. */
fur_status ranks_judge(const ranks_job *j);

int ranks_multiply(int argc, char **argv);
int ranks_solve(int argc, char **argv);
int ranks_bench(int argc, char **argv);

#endif
