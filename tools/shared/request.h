/* A solve as the command line requests it, on one rank or on several. */
#ifndef FURROW_TOOLS_REQUEST_H
#define FURROW_TOOLS_REQUEST_H

#include "line.h"

#include <furrow/author/precond.h>

#include "save.h"

#include <string.h>

/* NULL, 0 and false mean: not given. */
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

/* All options of a solve except --method and --precond, whose lists differ between programs. */
extern const line_option request_options[];

static inline bool job_is(const char *name, const char *word)
{
    return name && strcmp(name, word) == 0;
}

/* Usage error if options contradict each other. */
void request_check(struct argp_state *state, const solver_request *r);

/* Fails before the solve if a file of the request cannot be written. */
fur_status request_try_files(fur_context *context, const solver_request *r);

/* Returns whether --null-space is the word "constant". Otherwise it names a file. */
static inline bool request_has_constant(const solver_request *r)
{
    return job_is(r->null_space, "constant");
}

/* Returns whether the preconditioner is made from a matrix and is not Jacobi's. */
static inline bool request_has_factors(const solver_request *r)
{
    return fur_precond_find(r->precond) && !job_is(r->precond, "jacobi");
}

/* How --method direct goes if --precond names another preconditioner. */
#define REQUEST_DIRECT_ALONE "with its own factors as the preconditioner; leave --precond out"

/* Returns whether the preconditioner fits --method direct: not given, or its own. */
static inline bool request_fits_direct(const solver_request *r)
{
    return !r->precond || job_is(r->precond, "auto") || job_is(r->precond, "direct");
}

/* Returns the library's options. Pointers to objects are not set. */
fur_solver_options request_solver(const solver_request *r);

#endif
