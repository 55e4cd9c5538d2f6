/* A solve as the command line asks for it, on one rank or on several. */
#ifndef FURROW_TOOLS_REQUEST_H
#define FURROW_TOOLS_REQUEST_H

#include "line.h"

#include <furrow/author/precond.h>
#include "save.h"

#include <string.h>

/* NULL, 0 and false: not given. */
typedef struct solver_request {
    const char *method;
    const char *precond;
    const char *x0;
    const char *history;
    const char *null_space;
    save_target out;
    double rtol;
    double damp;
    int restart;
    int64_t max_iterations;
    bool bounds;
} solver_request;

/* All options of one but --method and --precond, whose lists each program has. */
extern const line_option request_options[];

static inline bool job_is(const char *name, const char *word)
{
    return name && strcmp(name, word) == 0;
}

/* A usage error if options do not go together. */
void request_check(struct argp_state *state, const solver_request *r);

/* Fails if a file of the request cannot be written, before the solve. */
fur_status request_try_files(fur_context *context, const solver_request *r);

/* Whether --null-space is the word "constant"; otherwise it names a file. */
static inline bool request_has_constant(const solver_request *r)
{
    return job_is(r->null_space, "constant");
}

/* Whether the preconditioner is made from a matrix and is not Jacobi's, which solvers know. */
static inline bool request_has_factors(const solver_request *r)
{
    return fur_precond_find(r->precond) && !job_is(r->precond, "jacobi");
}

/* The library's options; not set are pointers to objects. */
fur_solver_options request_solver(const solver_request *r);

#endif
