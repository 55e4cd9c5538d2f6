/* A few extreme eigenvalues of a symmetric (Hermitian) operator, with their eigenvectors.
 *
 *     double values[6];                                     6 is the default of `count`
 *     fur_eigs(op, NULL, values, NULL, NULL, &report);
 *
 * fur_eigs is Lanczos' method with thick restarts (Wu and Simon 2000) and full orthogonalisation.
 * fur_lobpcg uses a preconditioner.
 *
 * Only ||A v - lambda v||, computed afresh, decides about convergence: an eigenvalue of A lies
 * within this distance of lambda. A single start vector finds one vector of a multiple eigenvalue.
 * So converged vectors are set aside, and the rest of the space is searched from another start
 * vector, until nothing new is found. fur_lobpcg works on a block of vectors instead. The start
 * vectors are always the same. A result has the same bits for any number of threads, on the CPU and
 * on a GPU. */
#ifndef FURROW_EIGS_H
#define FURROW_EIGS_H

#include <furrow/base.h>
#include <furrow/operator.h>
#include <furrow/solver.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Largest `count` of fur_eigs. */
#define FUR_EIGS_MAX_COUNT 1000

/* Which eigenvalues are searched for. */
typedef enum fur_eigs_which {
    FUR_EIGS_SMALLEST = 0, /* the smallest values, not moduli; the smallest first */
    FUR_EIGS_LARGEST,      /* the largest values; the largest first */
    FUR_EIGS_BOTH_ENDS     /* half of each, rising; if the count is odd, one more of the smallest */
} fur_eigs_which;

/* State after a restart, or after an iteration of fur_lobpcg, for a monitor. */
typedef struct fur_eigs_progress {
    int64_t iteration; /* products so far */
    int converged;     /* values that seem converged */
    double residual;   /* estimate of the largest ||A v - lambda v|| / ||A|| of the wanted values */
} fur_eigs_progress;

/* Options of fur_eigs. */
typedef struct fur_eigs_options {
    size_t size; /* sizeof(fur_eigs_options) */
    int count;   /* eigenvalues, with multiplicities. Default 6, or all of a smaller matrix */
    fur_eigs_which which; /* default FUR_EIGS_SMALLEST */
    /* Converged: ||A v - lambda v|| <= tolerance ||A||_2, with an estimate of ||A||_2 from below.
     * Default 1e-10; 1e-5 for f32 and c64 */
    double tolerance;
    /* Vectors before a restart, at least count + 2. Default 2 count + 20; all vectors for a matrix
     * of up to 160 rows. */
    int basis;
    /* Products until the search ends. Default 10 rows + 1000, but at most
     * FUR_SOLVER_MAX_ITERATIONS */
    int64_t max_iterations;
    /* Called after every restart. If it returns non-zero, the search stops. NULL: none. */
    int (*monitor)(void *user, const fur_eigs_progress *progress);
    void *monitor_user; /* passed to `monitor` */
} fur_eigs_options;

/* Report of fur_eigs and fur_lobpcg. */
typedef struct fur_eigs_report {
    size_t size; /* sizeof(fur_eigs_report) */
    /* CONVERGED: all values. MAX_ITERATIONS, STOPPED: as for fur_solver_solve. STAGNATED: rounding
     * or nearly equal eigenvalues allow no more. ASYMMETRIC: A is not Hermitian. BREAKDOWN: a
     * nonfinite number occurred. */
    fur_outcome outcome;
    int converged;      /* values within the tolerance by their true residuals */
    int64_t iterations; /* steps of Lanczos */
    int64_t products;   /* products with A, also for true residuals */
    int64_t restarts;   /* number of restarts */
    double norm;        /* estimate of ||A||_2, from below */
    double seconds;     /* duration of the search */
} fur_eigs_report;

/* Returns one sentence that says what to try next. Never NULL.
 *
 * It is "" after success. */
FUR_API const char *fur_eigs_advice(fur_outcome outcome);

/* Finds options->count extreme eigenvalues of a Hermitian operator.
 *
 * - a: A, square.
 * - options: NULL means all defaults.
 * - values: room for `count` eigenvalues.
 * - residuals: NULL, or room for `count` norms ||A v - lambda v||_2.
 * - vectors: NULL, or `count` vectors of A's rows, for eigenvectors of norm 1.
 * - report: NULL, or filled.
 *
 * Returns FUR_OK if the method ran; report->outcome says how it ended. Values that have not
 * converged are the best so far. Allocates 1.5 basis + count / 2 + 2 vectors meanwhile.
 *
 * Errors: FUR_INVALID if A is not square, `count` is larger than A or FUR_EIGS_MAX_COUNT, the
 * basis is smaller than count + 2 and than A, or a vector does not fit. The results are then
 * undefined. */
FUR_API fur_status fur_eigs(const fur_operator *a, const fur_eigs_options *options, double *values,
                            double *residuals, fur_vector *const *vectors, fur_eigs_report *report);

/* Largest `count` of fur_lobpcg. */
#define FUR_LOBPCG_MAX_COUNT 50
/* Largest `block` of fur_lobpcg. */
#define FUR_LOBPCG_MAX_BLOCK 85

/* Options of fur_lobpcg. */
typedef struct fur_lobpcg_options {
    size_t size; /* sizeof(fur_lobpcg_options) */
    int count;   /* eigenvalues, with multiplicities. Default 6, or all of a smaller matrix */
    fur_eigs_which which; /* FUR_EIGS_SMALLEST or FUR_EIGS_LARGEST. Default FUR_EIGS_SMALLEST */
    /* M, Hermitian positive definite, of A's size. For the smallest eigenvalues M ~ A^-1, or the
     * inverse of A with a shift, such as multigrid and factors for cg. NULL: the identity. */
    const fur_operator *preconditioner;
    /* Y: the results are those of A on vectors orthogonal to Y's columns, that is of (I - Q) A (I -
     * Q), where Q is the projection on the columns. If Y has eigenvectors, the results are the next
     * eigenvalues. Columns need not be orthonormal; dependent columns are ignored. NULL: none. */
    const fur_vectors *constraints;
    double tolerance; /* as in fur_eigs_options */
    /* If it is not 0, it replaces `tolerance`: converged is ||A v - lambda v|| <= relative
     * |lambda|. Use it for values so small that tolerance ||A|| would exceed them. Default 0 */
    double relative;
    /* Vectors of the iteration, at least `count`. More vectors reduce the number of iterations.
     * Default 1.25 count + 1, up to FUR_LOBPCG_MAX_BLOCK */
    int block;
    int64_t max_iterations; /* default 1000 */
    /* Called after every iteration. If it returns non-zero, the search stops. NULL: none. */
    int (*monitor)(void *user, const fur_eigs_progress *progress);
    void *monitor_user; /* passed to `monitor` */
} fur_lobpcg_options;

/* Finds options->count extreme eigenvalues by a preconditioned block method.
 *
 * The parameters and results are those of fur_eigs. The method is the locally optimal block
 * preconditioned conjugate gradient method (Knyazev 2001). It takes the best approximations in the
 * space of the block X, its preconditioned residuals W and its last steps P. The basis is kept
 * orthonormal (Hetmaniuk and Lehoucq 2006). A vector that depends on the others up to rounding is
 * removed (Duersch, Shao, Yang and Gu 2018).
 *
 * With constraints Y, v is orthogonal to Y and residuals[i] is ||(I - Q)(A v - lambda v)||_2. If
 * the vectors orthogonal to Y have at most 5 count or 3 block dimensions, all of them are the
 * basis, and one small dense problem is solved. If an eigenvalue occurs more often than the block
 * has vectors beyond it, a vector of it may be missed, as by all methods.
 *
 * The report: iterations counts block iterations, products counts A times one vector, and restarts
 * counts how often A X was computed afresh. FUR_OUTCOME_INDEFINITE_PRECONDITIONER: r.Mr < 0.
 * FUR_OUTCOME_STAGNATED: rounding allows no more, or the search made no progress. No progress means
 * that in 500 iterations (max_iterations / 2 if that is more) the largest residual has not fallen
 * to a tenth and no further value has converged.
 *
 * A product by the operator of a matrix's plan reads the matrix once for several vectors
 * (furrow/spmm.h). Allocates 6 block + 1 vectors meanwhile, the vectors of Y, and for a plan
 * another plan.
 *
 * Errors: FUR_INVALID if A or M does not suit, fewer than `count` vectors are orthogonal to Y, an
 * option is out of range, or a vector does not fit. The results are then undefined. */
FUR_API fur_status fur_lobpcg(const fur_operator *a, const fur_lobpcg_options *options,
                              double *values, double *residuals, fur_vector *const *vectors,
                              fur_eigs_report *report);

#ifdef __cplusplus
}
#endif
#endif
