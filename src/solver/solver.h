/* The interface between fur_solver and its methods. A method is one file that defines one
 * descriptor, and one line in methods.def. */
#ifndef FURROW_SOLVER_SOLVER_H
#define FURROW_SOLVER_SOLVER_H

#include <furrow/author/context.h>
#include <furrow/author/fused.h>
#include <furrow/author/recording.h>
#include <furrow/vector.h>
#include <furrow/author/scalars.h>
#include <furrow/precond.h>
#include <furrow/solver.h>

#include "dependents.h"
#include "value_type.h"

#include <float.h>
#include <stdbool.h>

/* A pass works on residuals with a norm between 2^-range and 2^range, so that squares of their
 * entries and products with A do not overflow or underflow. In single precision the vectors have
 * the range of floats. */
#define FUR_PASS_RANGE 300
#define FUR_PASS_SINGLE_RANGE 40

/* Objects of a solver that run many iterations at once. */
typedef struct fur_recording fur_recording;
typedef struct fur_persistent fur_persistent;
typedef struct fur_fused fur_fused;

typedef struct fur_red_black fur_red_black;
typedef struct fur_together fur_together;
typedef struct fur_null_space fur_null_space;
typedef struct fur_lift fur_lift;

/* One solve in progress, in passes. The first pass improves x. Each further pass starts with the
 * true residual and computes a correction of x. The system of a pass may be scaled by a power of
 * two, so that squares of its residual neither overflow nor underflow. */
typedef struct fur_pass {
    const fur_operator *a;
    const fur_operator *adjoint;        /* A^H; NULL: none */
    const fur_operator *preconditioner; /* NULL: identity */
    fur_vector *x;                      /* x, or its correction from 0 in this pass; cols entries */
    const fur_vector *unscale;          /* as in the solver */
    const fur_vector *base;             /* x before the correction; NULL: the pass improves x */
    fur_vector *r;     /* residual at the start of the pass, which may overwrite it; rows entries */
    fur_vector **work; /* as many vectors of cols entries as the method requires */
    fur_vector **range; /* as many vectors of rows entries */
    double *scratch;    /* doubles on the host, as many as the method requires */
    fur_scalars *scalars;
    fur_recording *recording;          /* NULL: iterations are not recorded */
    fur_persistent *persistent;        /* NULL: no persistent kernel */
    fur_fused *fused;                  /* NULL: no fused passes over a stencil */
    const fur_solver_options *options; /* with defaults instead of zeros */
    double scale;                      /* the pass sees the caller's residual times this */
    double unit; /* the caller's correction is the pass's x times this; 1 if base is NULL */
    double b_norm;
    double target;   /* the pass stops at ||r|| <= target */
    double gradient; /* least squares: it stops at ||A^H r|| <= gradient ||A|| ||r|| */
    int64_t max_iterations;
    int64_t check_every;   /* iterations between two reads of the scalars; 0: increasing */
    int64_t read_interval; /* replaces check_every; set by a method that ends without the host */
    /* set by a method that queues more work before it reads the scalars */
    bool reads_late;
    bool stopped;   /* the monitor has asked to stop */
    bool is_column; /* this is one of several right-hand sides: */
    int64_t column;
    /* Set by the method. */
    fur_outcome outcome; /* FUR_OUTCOME_CONVERGED: the recurrence residual meets the target */
    bool proved;         /* FUR_OUTCOME_INDEFINITE is proved, beyond rounding */
    int64_t iterations;  /* of all passes, as far as the host knows */
    double residual;     /* recurrence residual ||r||; before a pass, the residual at its start */
    /* Set by methods that know these values: see fur_solver_report. 0 at the start of the solve. */
    double condition;
    double norm;
    double bytes;
    fur_execution execution;
    int64_t products;
} fur_pass;

/* The first passes of several solves of one solver. The work vectors p and q of solve j, numbers 0
 * and 1, are columns j of two blocks. */
#define FUR_PASS_BLOCK 16
typedef struct fur_pass_block {
    int active; /* number of active solves; at first at most FUR_PASS_BLOCK */
    fur_pass *solves[FUR_PASS_BLOCK];
    /* q = A p for the first `count` columns. */
    fur_status (*multiply)(void *user, int count);
    void *user;
} fur_pass_block;

typedef enum fur_method_kind {
    FUR_METHOD_SQUARE,       /* A x = b, A square */
    FUR_METHOD_LEAST_SQUARES /* min ||b - A x||; needs A^H */
} fur_method_kind;

typedef struct fur_method {
    fur_method_info info;
    fur_method_kind kind;
    /* The true residual may rise during a pass. A pass counts only if it has lowered it. */
    bool guarded;
    /* The method works with complete factors of A. The solver makes them unless it is given them.
     */
    bool complete;
    bool damps_preconditioned; /* least squares: damping applies to x also with a preconditioner */
    int workspace;             /* number of vectors of cols entries, in addition to the residual */
    int range_workspace;       /* number of vectors of rows entries, in addition to the residual */
    /* Number of vectors of cols entries for each unit of options->restart. 0: the method has no
     * restart. default_restart is the default of the restart. */
    int vectors_a_restart;
    int default_restart;
    /* The number of doubles of scratch for this restart. NULL: 0. */
    int64_t (*scratch)(int restart);
    /* Fills vectors of the workspace that never change. It is called once, when they are made. May
     * be NULL. */
    fur_status (*prepare)(const fur_solver *solver);
    bool runs_ahead; /* scalars stay on the device: iterations may be recorded or persistent */
    bool reduces;    /* can solve a reduced system with two colours, see red_black.h */
    bool behind;     /* x lags behind the residual that the method reports */
    bool descends;   /* every iteration lowers ||x' - x||_A, where A x' = b */
    /* Improves x by a pass. Fails only if an operator fails. */
    fur_status (*run)(fur_pass *pass);
    /* Does this for several at once, starting at iteration 0. NULL: one after the other. */
    fur_status (*run_block)(fur_pass_block *block);
} fur_method;

/* The method with this name, or NULL. */
const fur_method *fur_method_find(const char *name);

/* The tolerance for ||b - A x|| / ||b||: from the options, or the default of the value type. */
double fur_solver_tolerance(const fur_solver_options *options, fur_value_type value);

/* The default of max_iterations. */
int64_t fur_solver_iterations(int64_t rows);

/* The objects that a solver reads. */
enum {
    FUR_OF_A,
    FUR_OF_ADJOINT,
    FUR_OF_PRECONDITIONER,
    FUR_OF_MATRIX, /* A as a matrix */
    FUR_SOLVER_SOURCES
};

struct fur_solver {
    fur_context *context; /* context of b */
    fur_context *domain;  /* context of x */
    const fur_operator *a;
    const fur_method *method;
    fur_solver_options options; /* with defaults instead of zeros */
    fur_vector *r;              /* residual */
    fur_vector *correction;     /* correction of x */
    const fur_vector *unscale;  /* the caller's x is this times x, entry by entry; NULL: x */
    fur_vector **work;          /* see fur_pass */
    fur_vector **range;
    double *scratch;
    fur_scalars *scalars;
    fur_recording *recording; /* NULL: none */
    fur_persistent *persistent;
    fur_fused *fused;
    fur_red_black *red_black; /* NULL: the whole system is solved */
    struct {
        fur_precond *factors; /* NULL: none were made */
        fur_operator *inverse;
        bool outdated; /* A has other values */
    } complete;
    fur_null_space *null_space; /* NULL: none */
    fur_lift *lift;             /* NULL until a solve needs it */
    bool singular;              /* A is known to be singular, so that a large x proves nothing */
    fur_together *together;     /* for several right-hand sides; NULL until needed */
    fur_dependent source[FUR_SOLVER_SOURCES];
};

/* Returns FUR_INVALID if an object that the solver was made from has been destroyed. */
fur_status fur_solver_check(const fur_solver *solver);

/* Releases the workspace of fur_solver_solve_block. */
void fur_together_release(fur_context *context, fur_together *together);

/* Copies a failure in the context of x to the context of b, if the latter still has `failures`
 * failures. */
fur_status fur_solver_pass_on(const fur_solver *solver, int64_t failures, fur_status status);

/* y = A x, y = A^H x, and z = M r (a copy if M is NULL). Products are counted. */
fur_status fur_pass_multiply(fur_pass *pass, const fur_vector *x, fur_vector *y);
fur_status fur_pass_multiply_adjoint(fur_pass *pass, const fur_vector *x, fur_vector *y);
fur_status fur_pass_precondition(fur_pass *pass, const fur_vector *r, fur_vector *z);

/* *z = M r, in the spare vector. If M is NULL, *z is r itself. */
fur_status fur_pass_preconditioned(fur_pass *pass, const fur_vector *r, fur_vector *spare,
                                   const fur_vector **z);

/* The distance from 1 to the next number of the value type. */
static inline double fur_value_epsilon(fur_value_type value)
{
    return fur_value_is_single(value) ? (double)FLT_EPSILON : DBL_EPSILON;
}

static inline double fur_pass_epsilon(const fur_pass *pass)
{
    return fur_value_epsilon(fur_vector_value_type(pass->r));
}

/* Bytes of `passes` passes over a vector. */
static inline double fur_pass_bytes(const fur_pass *pass, double passes)
{
    return passes * (double)fur_vector_size(pass->r) *
           (double)fur_value_size(fur_vector_value_type(pass->r));
}

/* ||r|| relative to ||b||; absolute if b = 0. */
static inline double fur_relative(const fur_pass *pass, double norm)
{
    return pass->b_norm > 0 ? norm / pass->b_norm : norm / pass->scale;
}

/* Returns the iteration after which the host next reads the scalars. `iteration` is the last one so
 * far. */
int64_t fur_pass_next_read(const fur_pass *pass, int64_t iteration);

/* Returns whether the pass ends with this residual: converged, out of iterations, or stopped. Calls
 * the monitor and sets the outcome. */
bool fur_pass_is_over(fur_pass *pass, int64_t iteration, double residual);

#endif
