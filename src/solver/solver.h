/* The contract between fur_solver and its methods: a method is one file that defines one descriptor
 * and one line in methods.def. */
#ifndef FURROW_SOLVER_SOLVER_H
#define FURROW_SOLVER_SOLVER_H

#include <furrow/author/recording.h>
#include <furrow/vector.h>
#include <furrow/author/scalars.h>
#include <furrow/solver.h>

#include "dependents.h"
#include "value_type.h"

#include <float.h>
#include <stdbool.h>

/* A pass works on residuals with a norm between 2^-range and 2^range, so that squares of their
 * entries and products with A have room. In single precision the range of the vectors is that of
 * floats. */
#define FUR_SOLVE_RANGE 300
#define FUR_SOLVE_SINGLE_RANGE 40

/* What a solver keeps to run many iterations at once. */
typedef struct fur_recording fur_recording;
typedef struct fur_persistent fur_persistent;
typedef struct fur_fused fur_fused;

typedef struct fur_red_black fur_red_black;
typedef struct fur_together fur_together;
typedef struct fur_null_space fur_null_space;
typedef struct fur_lift fur_lift;

/* One solve in progress, in passes: the first improves x, each further one starts with the true
 * residual and makes a correction of x. What a pass sees may be scaled by a power of two, so that
 * squares of its residual neither overflow nor underflow. */
typedef struct fur_pass {
    const fur_operator *a;
    const fur_operator *adjoint;        /* A^H; NULL: none */
    const fur_operator *preconditioner; /* NULL: identity */
    fur_vector *x;                      /* of the pass: x, or its correction from 0; cols entries */
    const fur_vector *unscale;          /* as of the solver */
    const fur_vector *base; /* x before the correction; NULL: there is none, the pass improves x */
    fur_vector
        *r; /* the residual that the pass starts from, which it may overwrite; rows entries */
    fur_vector **work;  /* as many as the method asked for, of cols entries */
    fur_vector **range; /* the same of rows entries */
    double *scratch;    /* doubles on the host, as many as the method asked for */
    fur_scalars *scalars;
    fur_recording *recording;          /* NULL: iterations are not recorded */
    fur_persistent *persistent;        /* NULL: no kernel does many of them */
    fur_fused *fused;                  /* NULL: no passes over a stencil make products */
    const fur_solver_options *options; /* with defaults in place of zeros */
    double scale; /* of the pass: what it sees is the caller's residual times this */
    double unit;  /* the caller's correction is x of the pass times this; 1 if base is NULL */
    double b_norm;
    double target;   /* of the pass: stop at ||r|| <= target */
    double gradient; /* of least squares: stop at ||A^H r|| <= gradient ||A|| ||r|| */
    int64_t max_iterations;
    int64_t check_every; /* iterations between looks at the scalars; 0: more and more */
    int64_t look_ahead;  /* these in place of that, set by a method that ends without the host */
    bool looks_behind;   /* set by a method that has queued more before it sees what it looks at */
    bool stopped;        /* the monitor has asked for it */
    bool is_column;      /* of several right-hand sides, this one: */
    int64_t column;
    /* Set by the method. */
    fur_outcome
        outcome;        /* FUR_OUTCOME_CONVERGED: the target is met by the residual carried along */
    bool proved;        /* FUR_OUTCOME_INDEFINITE is, beyond rounding */
    int64_t iterations; /* of all passes, as far as the host knows */
    double residual;    /* ||r|| as carried along; before a pass that of the residual it finds */
    /* Set by methods that know: see fur_solver_report. 0 at the start of the solve. */
    double condition;
    double norm;
    double bytes;
    fur_execution execution;
    int64_t products;
} fur_pass;

/* First passes of several solves of one solver. The work vectors p and q of solve j, 0 and 1, are
 * columns j of two blocks. */
#define FUR_SOLVE_BLOCK 16
typedef struct fur_pass_block {
    int active; /* solves that go on; at most FUR_SOLVE_BLOCK at first */
    fur_pass *solves[FUR_SOLVE_BLOCK];
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
    /* The true residual may rise on the way: a pass counts only if it has lowered it. */
    bool guarded;
    bool damps_preconditioned; /* of least squares: damping is of x also with a preconditioner */
    int workspace;             /* vectors of cols entries, besides the residual */
    int range_workspace;       /* of rows entries, besides the residual */
    /* Vectors of cols entries for each of options->restart, of which the default is given; 0: the
     * method has no restart. */
    int vectors_a_restart;
    int default_restart;
    /* Doubles of scratch with such a restart; NULL: none. */
    int64_t (*scratch)(int restart);
    /* Fills vectors of the workspace that stay as they are, once when they are made; NULL: none. */
    fur_status (*prepare)(const fur_solver *solver);
    bool runs_ahead; /* the scalars stay on the device: iterations may be recorded, or persistent */
    bool reduces;    /* a system with two colours, see red_black.h */
    bool behind;     /* x is not that of the residual that the method tells */
    bool descends;   /* every iteration lowers ||x' - x||_A, A x' = b */
    /* Improves x by a pass; fails only if an operator does. */
    fur_status (*run)(fur_pass *solve);
    /* The same for several at once, from 0 iterations on; NULL: one after the other. */
    fur_status (*run_block)(fur_pass_block *block);
} fur_method;

/* The method of that name; NULL: there is none. */
const fur_method *fur_method_find(const char *name);

/* The tolerance for ||b - A x|| / ||b||: that of the options, or the default of the value type. */
double fur_solver_tolerance(const fur_solver_options *options, fur_value_type value);

/* The default of max_iterations. */
int64_t fur_solver_iterations(int64_t rows);

/* What a solver reads: A, its adjoint, the preconditioner, and A as a matrix. */
#define FUR_SOLVER_SOURCES 4

struct fur_solver {
    fur_context *context; /* of b */
    fur_context *domain;  /* of x */
    const fur_operator *a;
    const fur_method *method;
    fur_solver_options options; /* with defaults in place of zeros */
    fur_vector *r;              /* residual */
    fur_vector *correction;     /* of x */
    const fur_vector *unscale;  /* the caller's x is this times x, entry by entry; NULL: x */
    fur_vector **work;          /* see fur_pass */
    fur_vector **range;
    double *scratch;
    fur_scalars *scalars;
    fur_recording *recording; /* NULL: none */
    fur_persistent *persistent;
    fur_fused *fused;
    fur_red_black *red_black;   /* NULL: the whole system is solved */
    fur_null_space *null_space; /* NULL: none */
    fur_lift *lift;             /* NULL until a solve needs it */
    bool singular;              /* A is known to be, so that a large x proves nothing */
    fur_together *together;     /* for several right-hand sides; NULL until there are some */
    fur_dependent source[FUR_SOLVER_SOURCES];
};

/* FUR_INVALID if what the solver was made from has been destroyed. */
fur_status fur_solver_check(const fur_solver *solver);

/* What fur_solver_solve_block has made. */
void fur_together_release(fur_context *context, fur_together *together);

/* Hands on a failure in the context of x alone to that of b, which had failed `failures` times. */
fur_status fur_solver_pass_on(const fur_solver *solver, int64_t failures, fur_status status);

/* y = A x, y = A^H x, z = M r (a copy without a preconditioner); products are counted. */
fur_status fur_pass_multiply(fur_pass *solve, const fur_vector *x, fur_vector *y);
fur_status fur_pass_multiply_adjoint(fur_pass *solve, const fur_vector *x, fur_vector *y);
fur_status fur_pass_precondition(fur_pass *solve, const fur_vector *r, fur_vector *z);

/* M r itself, at *z: in the spare vector, or r where there is no preconditioner. */
fur_status fur_pass_preconditioned(fur_pass *solve, const fur_vector *r, fur_vector *spare,
                                   const fur_vector **z);

/* The distance of 1 and the next number of the value type. */
static inline double fur_value_epsilon(fur_value_type value)
{
    return fur_value_is_single(value) ? (double)FLT_EPSILON : DBL_EPSILON;
}

static inline double fur_pass_epsilon(const fur_pass *solve)
{
    return fur_value_epsilon(fur_vector_value_type(solve->r));
}

/* Bytes of that number of passes over a vector. */
static inline double fur_pass_bytes(const fur_pass *solve, double passes)
{
    return passes * (double)fur_vector_size(solve->r) *
           (double)fur_value_size(fur_vector_value_type(solve->r));
}

/* ||r|| relative to ||b||, absolute where b = 0. */
static inline double fur_relative(const fur_pass *solve, double norm)
{
    return solve->b_norm > 0 ? norm / solve->b_norm : norm / solve->scale;
}

/* The iteration after which the host looks at the scalars next, `iteration` being the last. */
int64_t fur_pass_next_look(const fur_pass *solve, int64_t iteration);

/* Whether the pass is over with this residual: converged, out of iterations, or stopped. Tells the
 * monitor and sets the outcome. */
bool fur_pass_is_over(fur_pass *solve, int64_t iteration, double residual);

#endif
