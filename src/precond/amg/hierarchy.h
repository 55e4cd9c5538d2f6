/* Smoothed aggregation: the levels, and the steps that make each level from the level above. */
#ifndef FURROW_AMG_HIERARCHY_H
#define FURROW_AMG_HIERARCHY_H

#include <furrow/precond.h>
#include <furrow/reorder.h>
#include <furrow/author/precond.h>
#include <furrow/author/recognised.h>
#include <furrow/author/scalars.h>
#include <furrow/spgemm.h>
#include <furrow/spmv.h>
#include <furrow/triangular.h>

#include "amg_kernel.h"
#include "csr.h"
#include "team.h"

#define FUR_AMG_LEVELS_MAX 40
/* Cycles of a solve. The plans of products must pay within one solve. */
#define FUR_AMG_CYCLES 15

/* Data of a classical step, on the host. */
typedef struct fur_amg_classical fur_amg_classical;

/* The part of a product, and of a hierarchy, in a context that shares cycles (parts.h). */
typedef struct fur_amg_part fur_amg_part;
typedef struct fur_amg_parts fur_amg_parts;

/* A matrix, and a plan of products by it, or the stencil that it is. The other is NULL. */
typedef struct fur_amg_product {
    const fur_csr *matrix;
    fur_spmv *plan;
    fur_recognised *stencil;
    fur_amg_part *part; /* NULL: all rows */
} fur_amg_product;

/* Steps that a device runs in one launch. */
typedef struct fur_amg_program {
    fur_env *env;
    int64_t count;
    int64_t room;
    int64_t sent;
    fur_amg_action *actions;
    fur_amg_action *there; /* on the device, with room for the actions that were sent */
} fur_amg_program;

/* A step from a level to the next. */
typedef struct fur_amg_step {
    fur_amg_graph strong;
    int32_t *aggregate; /* aggregate of each node */
    int64_t aggregates;
    fur_amg_classical *classical; /* NULL: of aggregation */
    void *tentative; /* T: the `modes` entries of each row in the columns of its aggregate */
    fur_csr *p;
    fur_csr *adjoint; /* A^H, if R is made from it */
    fur_csr *q;       /* the prolongation of A^H; NULL: R is P^H */
    fur_csr *r;
    fur_spgemm *right; /* A P */
    fur_csr *ap;
    fur_spgemm *left; /* R (A P) */
    fur_amg_product times_p;
    fur_amg_product times_r;
} fur_amg_step;

/* The coefficients of a smoother: sweep k has p = M r + beta[k] p, x += alpha[k] p. */
typedef struct fur_amg_sweeps {
    int count;
    double alpha[FUR_AMG_SWEEPS_MAX];
    double beta[FUR_AMG_SWEEPS_MAX];
} fur_amg_sweeps;

/* Gauss-Seidel sweeps by colours; all NULL for other smoothers. */
typedef struct fur_amg_coloured {
    fur_permutation *order; /* the rows by their colours */
    fur_csr *scaled;        /* D^-1 A in this order */
    fur_trsv *lower;
    fur_trsv *upper;
    fur_vector *work;
} fur_amg_coloured;

/* The inverse of the coarsest matrix, in the context's memory. Complex numbers are pairs of real
 * numbers. */
typedef struct fur_amg_dense {
    int64_t order;
    double *inverse; /* by columns */
    double *x;       /* room for a vector; NULL on a device */
} fur_amg_dense;

typedef struct fur_amg_rung fur_amg_rung;

/* Operations of a cycle on a level. */
typedef struct fur_amg_verbs {
    /* y = alpha A x, + y if `add` */
    fur_status (*multiply)(const fur_amg_rung *rung, const fur_amg_product *a, double alpha,
                           const fur_vector *x, bool add, fur_vector *y);
    /* p = M r for a diagonal M */
    fur_status (*scale)(const fur_amg_rung *rung);
    /* x = x + alpha p, then p = M r + beta p */
    fur_status (*turn)(const fur_amg_rung *rung, double alpha, double beta, fur_vector *x);
    /* y = y + alpha x */
    fur_status (*add)(const fur_amg_rung *rung, double alpha, const fur_vector *x, fur_vector *y);
    /* y = x */
    fur_status (*copy)(const fur_amg_rung *rung, const fur_vector *x, fur_vector *y);
    /* x = 0 */
    fur_status (*clear)(const fur_amg_rung *rung, fur_vector *x);
    /* x = G r */
    fur_status (*solve)(const fur_amg_rung *rung, const fur_amg_dense *dense, fur_vector *x);
} fur_amg_verbs;

/* The verbs that execute the operations. */
extern const fur_amg_verbs fur_amg_doing;

struct fur_amg_rung {
    const fur_amg_verbs *verbs;
    fur_amg_level level; /* the caller's view */
    fur_csr *own;        /* its matrix, unless it is the caller's */
    fur_amg_step step;   /* to the next */
    fur_amg_product times_a;
    double radius;       /* the largest eigenvalue of D^-1 A as estimated, without a margin */
    fur_vector *scaling; /* M of the smoother */
    fur_amg_coloured coloured;
    fur_amg_sweeps sweeps;
    fur_vector *x;
    fur_vector *r;
    fur_vector *p;
    fur_vector *kept[3]; /* for cycles that visit levels twice: on levels between first and last */
    fur_amg_program *program; /* receives the actions of verbs that record */
};

typedef enum fur_amg_smoother {
    FUR_AMG_CHEBYSHEV = 0,
    FUR_AMG_JACOBI,
    FUR_AMG_GAUSS_SEIDEL
} fur_amg_smoother;

struct fur_amg {
    fur_context *context;
    const fur_csr *a;
    fur_value_type value; /* value type of the levels */
    fur_amg_options options;
    double theta;
    fur_amg_smoother smoother;
    bool classical;
    int levels;
    int small; /* the first level whose steps are a program; `levels` if there is none */
    int modes; /* vectors of the near-nullspace */
    fur_amg_rung rung[FUR_AMG_LEVELS_MAX];
    fur_amg_dense dense;
    fur_amg_program program;
    fur_scalars *scalars; /* for the estimates of eigenvalues */
    fur_amg_parts *parts; /* NULL: cycles are not shared */
    fur_dependent dependent;
    fur_amg_report report;
};

/* Finds the strong neighbours, by the square of theta. A node without any whose row is almost
 * diagonal becomes FUR_AMG_ALONE. Other nodes become FUR_AMG_FREE. After a failure the step owns
 * the memory. */
fur_status fur_amg_find_strong(const fur_csr *a, int block, double theta, fur_amg_step *step);

/* Makes a graph symmetric if it is not. */
fur_status fur_amg_symmetrise(fur_env *env, fur_amg_graph *graph);

/* Sets the aggregates of nodes that are FUR_AMG_FREE. */
fur_status fur_amg_aggregate(fur_context *context, fur_amg_step *step);

/* Makes T from the near-nullspace of a level, `modes` entries a row. Also makes the near-nullspace
 * of the next level, which the caller releases. */
fur_status fur_amg_fill_tentative(fur_context *context, fur_value_type value, int block, int modes,
                                  const void *fine, fur_amg_step *step, void **coarse);

/* Makes P without values, and fills its values. */
fur_status fur_amg_plan_prolongation(const fur_csr *a, int block, int modes, fur_amg_step *step);
fur_status fur_amg_fill_prolongation(const fur_csr *a, int block, int modes, double omega,
                                     const fur_amg_step *step);

/* Makes P of classical multigrid, and fills its values for new values of A. After a failure the
 * step owns the memory. In a CUDA context both work on a copy of A. */
fur_status fur_amg_coarsen(const fur_csr *a, double theta, bool aggressive, fur_amg_step *step);
fur_status fur_amg_coarsen_again(const fur_csr *a, const fur_amg_step *step);
void fur_amg_release_classical(fur_context *context, fur_amg_classical *classical);
int64_t fur_amg_classical_bytes(const fur_amg_classical *classical);

/* Makes R with its values, from A^H if `adjoint`, and fills new values. P exists already. */
fur_status fur_amg_plan_restriction(const fur_csr *a, bool adjoint, int block, int modes,
                                    double omega, fur_amg_step *step);
fur_status fur_amg_fill_restriction(const fur_csr *a, int block, int modes, double omega,
                                    const fur_amg_step *step);

/* The options that a text may have. */
extern const fur_option fur_amg_table[];

/* Copies a caller's options, with defaults for zeros. FUR_INVALID or FUR_UNSUPPORTED if they do not
 * suit the matrix. */
fur_status fur_amg_take(const fur_csr *a, const fur_amg_options *given, fur_amg_options *o);

/* Makes the scalars of the estimates. */
fur_status fur_amg_make_scalars(fur_amg *amg);

/* Computes the inverse of the diagonal, or of the sums of the moduli of rows, and the largest
 * radius of Gershgorin of D^-1 A. */
fur_status fur_amg_scan_rows(const fur_csr *a, bool sums, fur_vector *scaling, double *gershgorin);

/* Lowers `scaling` in some rows of a Hermitian level. No eigenvalue of its product with A is then
 * above `limit`. The level's x and p are overwritten. */
fur_status fur_amg_damp(const fur_amg_rung *rung, double limit);

/* Makes the smoother of a level: diagonal, eigenvalue, coefficients. FUR_INVALID if a row is
 * nonfinite. */
fur_status fur_amg_set_smoother(const fur_amg *amg, fur_amg_rung *rung);

/* Plans the sweeps by colours of a level whose scaling is D^-1, updates them for new values, and
 * computes z = M r. New values allocate memory meanwhile. */
fur_status fur_amg_plan_coloured(fur_amg_rung *rung);
fur_status fur_amg_refresh_coloured(fur_amg_rung *rung);
fur_status fur_amg_apply_coloured(const fur_amg_rung *rung, bool backwards, const fur_vector *r,
                                  fur_vector *z);
void fur_amg_release_coloured(fur_amg_coloured *coloured);

/* Returns the memory of the sweeps, and the traffic of z = M r, in bytes. */
int64_t fur_amg_coloured_bytes(const fur_amg_coloured *coloured);
double fur_amg_coloured_traffic(const fur_amg_coloured *coloured);

/* Runs one round of the smoother for A x = 0 on a level. The level's r and p are overwritten. */
fur_status fur_amg_relax(const fur_amg_rung *rung, fur_vector *x);

/* Relaxes the vectors of the first level's near-nullspace that need it. */
fur_status fur_amg_improve(const fur_amg *amg, void *near);

/* Allocates the inverse, and computes it. */
fur_status fur_amg_plan_dense(fur_amg *amg, const fur_csr *a);
fur_status fur_amg_invert(const fur_csr *a, fur_amg_dense *dense);
fur_status fur_amg_apply_dense(const fur_amg_dense *dense, const fur_vector *b, fur_vector *x);

/* y = alpha A x, + y if `add` */
fur_status fur_amg_multiply(const fur_amg_product *a, double alpha, const fur_vector *x, bool add,
                            fur_vector *y);

/* Computes x = M r on level `top` by the levels from there on. Their r and p are overwritten. */
fur_status fur_amg_visit(const fur_amg *amg, int top, fur_vector *x);

/* Makes the program of the small levels, again for new values. It computes the x of the first small
 * level from its r. */
fur_status fur_amg_make_program(fur_amg *amg);
void fur_amg_release_program(fur_context *context, fur_amg_program *program);

/* Frees the data of a level. */
void fur_amg_release_rung(fur_context *context, fur_amg_rung *rung);

/* Returns the steps on the context's device; all are NULL on the CPU. */
static inline const fur_amg_services *fur_amg_device(const fur_context *context)
{
    return &fur_services(context)->amg;
}

/* Makes all levels from the options, and computes all values again. */
fur_status fur_amg_build(fur_amg *amg);
fur_status fur_amg_refresh(void *object);

#endif
