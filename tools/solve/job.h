/* A run of furrow solve: its request, its objects, and its steps. */
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
    grid_request grid;     /* the stencil, if A is one */
    solver_request solver; /* method: "auto", of fur_solver, or "mg"; precond also: "auto", "mg" */
    const char *b;
    const char *kernel;
    const char *reorder; /* NULL: not given, also for the next */
    const char *scale;
    const char *report;
    bool no_reduction;
} job_options;

/* An attempt to solve, and its result. */
typedef struct job_attempt {
    fur_choice choice;
    fur_solver_report report;
    fur_precond_report made; /* the preconditioner made from the matrix */
    double seconds_applied;  /* time of one application, for the page; 0: not timed */
} job_attempt;

typedef struct job {
    fur_context *context;
    const job_options *options;
    const char *name; /* name of A: its file, or a description */
    loaded_matrix a;
    fur_product *product;
    fur_csr_traits traits; /* properties of a matrix */
    fur_stencil *stencil;  /* replaces a matrix and its product */
    fur_operator *own;     /* the stencil's operator */
    fur_multigrid *multigrid;
    fur_operator *preconditioner; /* multigrid of the stencil; NULL: none */
    const fur_operator *op;       /* A as an operator, from either */
    loaded_matrix null_file;      /* memory of null_space */
    fur_vectors *null_space;      /* vectors from a file; NULL: none */
    fur_vector *b;
    const char *rhs; /* description of b */
    fur_vector *x;
    watch watch;
    job_attempt attempts[JOB_ATTEMPTS];
    int count;
    levels levels;           /* of the last attempt with a hierarchy, for the page */
    const job_attempt *best; /* the attempt that produced x */
    fur_solver_report total; /* sum of all attempts, with the residuals of the best */
    double seconds_examine;
    double seconds_setup; /* time of work before the first iteration, done once */
    double seconds_shown; /* time of measurements for the page between attempts */
} job;

/* Returns a step's status, and adds the name of the matrix to its message if it is missing. */
fur_status job_about(const job *j, fur_status status);

/* Loads A, b and the initial guess. */
fur_status job_load(job *j);
/* Loads A from a file and plans its products. */
fur_status job_load_matrix(job *j);
/* Loads the columns of an array file in A's value type. `keep` holds their memory. */
fur_status job_load_columns(const job *j, const char *path, loaded_matrix *keep, fur_vectors **out);
/* Loads the vectors of --null-space, if it names a file. */
fur_status job_load_null_space(job *j);
/* Returns whether --b is an array of several columns; runs a solve with them. */
bool job_has_columns(fur_context *context, const job_options *o);
fur_status job_solve_columns(job *j);
/* Finds the shortest time of y = A x. */
fur_status job_time(fur_context *context, const fur_operator *a, const fur_vector *x, fur_vector *y,
                    double *out);
/* Runs the attempts and brings x into the order of the file. */
fur_status job_solve(job *j);
/* Prints the results. If the solve failed, returns its status with the reason and advice. */
fur_status job_print(const job *j);
fur_status job_judge(const job *j);
/* Writes the page about the solve. */
fur_status job_report(const job *j, const char *path);

/* Returns the bytes that an iteration of the best attempt moves; 0: unknown. */
double job_bytes(const job *j);
/* Returns the number of products with A in an iteration of an attempt. */
double job_products(const job_attempt *a);

#endif
