/* The contract between fur_solver and its methods: a method is one file that defines one descriptor
 * and one line in methods.def. */
#ifndef FURROW_SOLVER_SOLVER_H
#define FURROW_SOLVER_SOLVER_H

#include <furrow/reduce.h>
#include <furrow/scalars.h>
#include <furrow/solver.h>

#include <stdbool.h>

#define FUR_MAX_WORKSPACE 8

/* One solve in progress, in passes: the first improves x, each further one starts with the true
 * residual and makes a correction of x. */
typedef struct fur_solve {
    const fur_operator *a;
    const fur_operator *preconditioner;  /* NULL: identity */
    fur_vector *x;                       /* of the pass: x, or its correction from 0 */
    fur_vector *work[FUR_MAX_WORKSPACE]; /* as many as the method asked for, as long as x; a pass
                                            finds the residual that it starts from in the first */
    fur_scalars *scalars;
    double b_norm;
    double target; /* of the pass: stop at ||r|| <= target */
    int64_t max_iterations;
    int64_t check_every; /* iterations between looks at the scalars; 0: more and more */
    int (*monitor)(void *user, const fur_solver_progress *progress);
    void *monitor_user;
    bool stopped; /* the monitor has asked for it */
    /* Set by the method. */
    fur_outcome
        outcome;        /* FUR_OUTCOME_CONVERGED: the target is met by the residual carried along */
    int64_t iterations; /* of all passes, as far as the host knows */
    double residual;    /* ||r|| as carried along; before a pass that of the residual it finds */
} fur_solve;

typedef struct fur_method {
    fur_method_info info;
    int workspace;
    /* Improves x by a pass; fails only if an operator does. */
    fur_status (*run)(fur_solve *solve);
} fur_method;

/* ||r|| relative to ||b||, absolute where b = 0. */
static inline double fur_relative(const fur_solve *solve, double norm)
{
    return solve->b_norm > 0 ? norm / solve->b_norm : norm;
}

/* The iteration after which the host looks at the scalars next, `iteration` being the last. */
int64_t fur_solve_next_look(const fur_solve *solve, int64_t iteration);

/* Whether the pass is over with this residual: converged, out of iterations, or stopped. Tells the
 * monitor and sets the outcome. */
bool fur_solve_is_over(fur_solve *solve, int64_t iteration, double residual);

#endif
