/* One run of furrow solve: what was asked for, what it holds, and its steps. */
#ifndef FURROW_TOOLS_JOB_H
#define FURROW_TOOLS_JOB_H

#include "command.h"
#include "grid.h"
#include "levels.h"
#include "load.h"
#include "request.h"
#include "watch.h"

#define JOB_ATTEMPTS 16

typedef struct job_options {
    command_common common;
    grid_request grid;     /* of the stencil, if A is one */
    solver_request solver; /* method: "auto", of fur_solver, or "mg"; precond: with "auto", "mg" */
    const char *b;
    const char *kernel;
    const char *reorder; /* NULL: not given, as the next */
    const char *scale;
    const char *report;
    bool whole;
} job_options;

/* One attempt to solve, and what came of it. */
typedef struct job_attempt {
    fur_choice choice;
    fur_solver_report report;
    fur_precond_report made; /* what was made from the matrix for it */
    double seconds_applied;  /* of one application of that, for the page; 0: not timed */
} job_attempt;

typedef struct job {
    fur_context *context;
    const job_options *options;
    const char *name; /* of A: a file's, or what it is */
    loaded_matrix a;
    fur_product *product;
    fur_csr_traits traits; /* of a matrix */
    fur_stencil *stencil;  /* instead of a matrix and its product */
    fur_operator *own;     /* of the stencil */
    fur_multigrid *multigrid;
    fur_operator *preconditioner; /* of the stencil; NULL: none */
    const fur_operator *op;       /* A, by either */
    loaded_matrix null_file;      /* memory of the next */
    fur_vectors *null_space;      /* of a file; NULL: none */
    fur_vector *b;
    const char *rhs; /* what b is, in words */
    fur_vector *x;
    watch watch;
    job_attempt attempts[JOB_ATTEMPTS];
    int count;
    levels levels;           /* of the last attempt by a hierarchy, for the page */
    const job_attempt *best; /* whose x it is */
    fur_solver_report total; /* of all attempts; its residuals are those of the best */
    double seconds_examine;
    double seconds_setup; /* what is done once before the first iteration */
} job;

/* The status of a step whose sentence may not say what it is about. */
fur_status job_about(const job *j, fur_status status);

/* A, b and the first x. */
fur_status job_load(job *j);
/* A from a file, and its products. */
fur_status job_load_matrix(job *j);
/* The columns of an array file in A's value type, in the memory of `keep`. */
fur_status job_load_columns(const job *j, const char *path, loaded_matrix *keep, fur_vectors **out);
/* The vectors of --null-space, if it names a file. */
fur_status job_load_null_space(job *j);
/* Whether --b is an array of several columns; all of a run with them. */
bool job_has_columns(fur_context *context, const job_options *o);
fur_status job_solve_columns(job *j);
/* Least seconds of y = A x. */
fur_status job_time(fur_context *context, const fur_operator *a, const fur_vector *x, fur_vector *y,
                    double *out);
/* Attempts, and x in the order of the file. */
fur_status job_solve(job *j);
/* Prints what came out; its status, on failure with a sentence that says why and what to do. */
fur_status job_print(const job *j);
fur_status job_judge(const job *j);
/* The page about it. */
fur_status job_report(const job *j, const char *path);

/* Bytes that an iteration of the best attempt moves; 0: not known. */
double job_bytes(const job *j);
/* Products with A in an iteration of the best attempt. */
double job_products(const job *j);

#endif
