/* Batches: many small systems of one pattern, multiplied or solved at once.
 *
 * System s of a batch has the pattern of a matrix and values of its own, interleaved with those of
 * the others: a block in row-major order (furrow/vector.h) of entries x count has entry e of
 * system s at (e, s), and a block of rows x count has entry i of the vector of system s at (i, s).
 * So neighbours in memory belong to neighbouring systems, and registers of a CPU, or threads of a
 * GPU, each take one system.
 *
 * Each system has the bits that it would have alone (docs/numerics.md), whatever the others are, on
 * a CPU, for any number of threads, and on a GPU. */
#ifndef FURROW_BATCH_H
#define FURROW_BATCH_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/solver.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Systems of one pattern. Used by one thread at a time, as its context. */
typedef struct fur_batch fur_batch;

/* A batch of cols(values) systems with the offsets and columns of `pattern`, whose own values are
 * not read, and values of any type: values(e, s) is that of entry e of system s. Neither is copied:
 * both must outlive the batch, which reads them at every use, so that new values are just written
 * to the block. (An array becomes a block by fur_vectors_wrap, copied, borrowed or adopted.)
 * Without the pattern the batch refuses to be used, FUR_INVALID. FUR_INVALID for blocks of another
 * context, for values in column-major order, and unless they have a row for each entry;
 * FUR_UNSUPPORTED on a device without kernels for batches. */
FUR_API fur_status fur_batch_create(const fur_csr *pattern, const fur_vectors *values,
                                    fur_batch **out);

/* Destroys a batch. */
FUR_API void fur_batch_destroy(fur_batch *batch);

/* The number of its systems. */
FUR_API int64_t fur_batch_count(const fur_batch *batch);

/* y_s = alpha A_s x_s + beta y_s for all systems, for blocks X of cols x count and Y of rows x
 * count entries in row-major order and of the values' type. X and Y must not overlap. beta = 0
 * overwrites Y. y_s has the bits of fur_spmv_apply with a matrix of the values of s. Allocates
 * nothing; on a GPU only queues work. Bytes: those of values, X and Y, and the pattern once. */
FUR_API fur_status fur_batch_apply(const fur_batch *batch, fur_scalar alpha, const fur_vectors *x,
                                   fur_scalar beta, fur_vectors *y);

/* A solver for the systems of a batch. Keeps its workspace: on a CPU for eight to sixteen systems a
 * thread, on a GPU for all: five blocks of rows x count for "cg", with bandwidth + 2 for "band". */
typedef struct fur_batch_solver fur_batch_solver;

/* Diagonals below and above the main one that "band" takes, each at most. */
#define FUR_BATCH_BAND_MOST 16

typedef struct fur_batch_solver_options {
    size_t size; /* sizeof(fur_batch_solver_options) */
    /* NULL or "cg": conjugate gradients with Jacobi's preconditioner, for Hermitian positive
     * definite systems (Hestenes and Stiefel 1952). "band": elimination with partial pivoting
     * within the band of the pattern (Golub and Van Loan, Matrix Computations, 2013, section 4.3);
     * of a tridiagonal pattern that is Thomas' algorithm made stable. Complex values on the CPU
     * only. */
    const char *method;
    /* Of cg, as in fur_solver_options; each system stops by its own residual. */
    double rtol;
    double atol;
    int64_t max_iterations;
} fur_batch_solver_options;

/* How the solve of one system ended. */
typedef struct fur_batch_result {
    /* Of cg as of fur_solver_solve, but without its last look: a system that is exact up to
     * rounding keeps the outcome of its iterations, mostly FUR_OUTCOME_STAGNATED, and
     * FUR_OUTCOME_INDEFINITE and FUR_OUTCOME_ASYMMETRIC are not proved. FUR_OUTCOME_INDEFINITE also
     * for a diagonal entry without a finite reciprocal, FUR_OUTCOME_BREAKDOWN for what is not
     * finite in A, b or the guess. Of "band" FUR_OUTCOME_CONVERGED: x is finite;
     * FUR_OUTCOME_SINGULAR: all pivots of a column were 0; FUR_OUTCOME_BREAKDOWN: x is not finite.
     */
    fur_outcome outcome;
    int64_t iterations; /* 0 of "band" */
    double residual;    /* ||b - A x||_2 / ||b||_2, computed afresh; NaN of "band" and where unknown
                         */
} fur_batch_result;

typedef struct fur_batch_report {
    size_t size;            /* sizeof(fur_batch_report) */
    int64_t solved;         /* systems whose outcome is FUR_OUTCOME_CONVERGED */
    int64_t first_unsolved; /* the first other one, counting from 0; -1: none */
    fur_outcome outcome;    /* its outcome; FUR_OUTCOME_CONVERGED: there is none */
    int64_t iterations;     /* the most of any system */
    double seconds;
} fur_batch_report;

/* A solver for A_s x_s = b_s. The batch must outlive it; it reads the values at every solve.
 * FUR_INVALID unless the pattern is square; FUR_UNSUPPORTED for an unknown method, and of "band"
 * for a pattern with more than FUR_BATCH_BAND_MOST diagonals on a side. */
FUR_API fur_status fur_batch_solver_create(const fur_batch *batch,
                                           const fur_batch_solver_options *options,
                                           fur_batch_solver **out);

/* Destroys a solver. */
FUR_API void fur_batch_solver_destroy(fur_batch_solver *solver);

/* Solves all systems, for B and X of rows x count entries in row-major order and of the values'
 * type. Of cg X holds the initial guesses, and x_s no longer changes once system s has ended;
 * "band" does not read X, which may be B, and leaves NaN in x_s where A_s is singular. Otherwise B
 * and X must not overlap. x_s, its outcome and its iterations are, to the bit, those of a solve of
 * system s alone: of cg by fur_solver_solve with fur_operator_jacobi and the option `whole`.
 * Returns FUR_OK whenever the method ran. results: as many as there are systems, on the host, or
 * NULL; report may be NULL, too. Allocates nothing; waits. */
FUR_API fur_status fur_batch_solve(fur_batch_solver *solver, const fur_vectors *b, fur_vectors *x,
                                   fur_batch_result *results, fur_batch_report *report);

#ifdef __cplusplus
}
#endif
#endif
