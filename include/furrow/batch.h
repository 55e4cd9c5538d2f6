/* Batches: many small systems of one pattern, multiplied or solved at once.
 *
 *     fur_batch_create(pattern, values, &batch);
 *     fur_batch_solver_create(batch, NULL, &solver);
 *     fur_batch_solve(solver, b, x, NULL, &report);
 *
 * All systems of a batch have the pattern of one matrix. Their values are interleaved, in blocks in
 * row-major order (furrow/vector.h). A block of entries x count has entry e of system s at (e, s).
 * A block of rows x count has entry i of the vector of system s at (i, s). So neighbours in memory
 * belong to neighbouring systems. Each element of a CPU's register, or thread of a GPU, works on
 * one system.
 *
 * Each system has the bits of a solve of this system alone (docs/numerics.md), on a CPU, for any
 * number of threads, and on a GPU. */
#ifndef FURROW_BATCH_H
#define FURROW_BATCH_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/solver.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Systems of one pattern. Use it in one thread at a time, as its context. */
typedef struct fur_batch fur_batch;

/* Makes a batch of cols(values) systems with one pattern. The caller destroys *out.
 *
 * - pattern: a matrix whose offsets and columns are used. Its values are not read.
 * - values: a row-major block of any value type. values(e, s) is entry e of system s.
 *   fur_vectors_wrap makes a block from an array.
 *
 * Neither is copied. Both must outlive the batch, which reads them at every use. So new values are
 * simply written to the block. After the pattern is destroyed the batch refuses to be used:
 * FUR_INVALID.
 *
 * Errors: FUR_INVALID if the block has another context, is in column-major order, or does not have
 * one row for each entry. FUR_UNSUPPORTED if the device has no kernels for batches. */
FUR_API fur_status fur_batch_create(const fur_csr *pattern, const fur_vectors *values,
                                    fur_batch **out);

/* Destroys a batch; NULL does nothing. */
FUR_API void fur_batch_destroy(fur_batch *batch);

/* Returns the number of systems. */
FUR_API int64_t fur_batch_count(const fur_batch *batch);

/* Computes y_s = alpha A_s x_s + beta y_s for all systems.
 *
 * - x: cols x count entries in row-major order, of the values' type.
 * - y: rows x count entries, likewise. beta = 0 overwrites Y. X and Y must not overlap.
 *
 * y_s has the bits of fur_spmv_apply with a matrix of the values of system s. Allocates nothing. On
 * a GPU it only queues work. It reads and writes the values, X and Y once, and reads the pattern
 * once.
 *
 * Errors: FUR_INVALID if a block does not fit, or if the blocks overlap. */
FUR_API fur_status fur_batch_apply(const fur_batch *batch, fur_scalar alpha, const fur_vectors *x,
                                   fur_scalar beta, fur_vectors *y);

/* A solver for the systems of a batch.
 *
 * It owns its workspace: on a CPU for eight to sixteen systems a thread, on a GPU for all systems.
 * "cg" needs five blocks of rows x count, and "band" needs bandwidth + 2 blocks. */
typedef struct fur_batch_solver fur_batch_solver;

/* Largest number of diagonals on each side of the main diagonal for "band". */
#define FUR_BATCH_BAND_MAX 16

/* Options of fur_batch_solver_create. */
typedef struct fur_batch_solver_options {
    size_t size; /* sizeof(fur_batch_solver_options) */
    /* NULL or "cg": conjugate gradients with Jacobi's preconditioner, for Hermitian positive
     * definite systems (Hestenes and Stiefel 1952). "band": elimination with partial pivoting
     * within the band of the pattern (Golub and Van Loan, Matrix Computations, 2013, section 4.3).
     * For a tridiagonal pattern this is Thomas' algorithm with pivoting. "band" solves complex
     * systems on the CPU only. */
    const char *method;
    /* Tolerances and limit of cg, as in fur_solver_options. Each system stops by its own residual.
     */
    double rtol;
    double atol;            /* absolute tolerance. Default 0: off */
    int64_t max_iterations; /* limit for each system. Default as in fur_solver_options */
} fur_batch_solver_options;

/* How the solve of one system ended. */
typedef struct fur_batch_result {
    /* cg: as for fur_solver_solve, but without the final checks. A system that is exact up to
     * rounding keeps the outcome of its iterations, usually FUR_OUTCOME_STAGNATED.
     * FUR_OUTCOME_INDEFINITE and FUR_OUTCOME_ASYMMETRIC are not proved. FUR_OUTCOME_INDEFINITE also
     * means a diagonal entry without a finite reciprocal. FUR_OUTCOME_BREAKDOWN means a nonfinite
     * number in A, b or the guess. "band": FUR_OUTCOME_CONVERGED if x is finite,
     * FUR_OUTCOME_SINGULAR if all pivots of a column were 0, FUR_OUTCOME_BREAKDOWN if x is not
     * finite. */
    fur_outcome outcome;
    int64_t iterations; /* 0 for "band" */
    double residual; /* ||b - A x||_2 / ||b||_2, computed afresh; NaN for "band" and if unknown */
} fur_batch_result;

/* Report of a solve of all systems. */
typedef struct fur_batch_report {
    size_t size;            /* sizeof(fur_batch_report) */
    int64_t solved;         /* systems whose outcome is FUR_OUTCOME_CONVERGED */
    int64_t first_unsolved; /* the first other system, counting from 0; -1: none */
    fur_outcome outcome;    /* outcome of that system; FUR_OUTCOME_CONVERGED: all are solved */
    int64_t iterations;     /* largest number of iterations of a system */
    double seconds;         /* duration of the solve */
} fur_batch_report;

/* Makes a solver for A_s x_s = b_s. The caller destroys *out.
 *
 * - batch: must outlive the solver, which reads the values at every solve.
 * - options: NULL means all defaults.
 *
 * Errors: FUR_INVALID if the pattern is not square, or an option is negative. FUR_UNSUPPORTED if
 * the method is unknown, or if the pattern has too many diagonals for "band" (FUR_BATCH_BAND_MAX).
 */
FUR_API fur_status fur_batch_solver_create(const fur_batch *batch,
                                           const fur_batch_solver_options *options,
                                           fur_batch_solver **out);

/* Destroys a solver; NULL does nothing. */
FUR_API void fur_batch_solver_destroy(fur_batch_solver *solver);

/* Solves all systems. It may be called any number of times.
 *
 * - b: rows x count entries in row-major order, of the values' type.
 * - x: likewise. cg: the initial guesses; x_s stays unchanged after system s has ended. "band": not
 *   read; X may be B; NaN in x_s if A_s is singular. Otherwise B and X must not overlap.
 * - results: one for each system, on the host, or NULL.
 * - report: NULL, or filled.
 *
 * x_s, its outcome and its iterations are, to the bit, those of a solve of system s alone. For cg
 * this is fur_solver_solve with fur_operator_jacobi and the option `whole`. Returns FUR_OK if the
 * method ran. Allocates nothing. Waits for the result.
 *
 * Errors: FUR_INVALID if a block does not fit, or if the blocks overlap. */
FUR_API fur_status fur_batch_solve(fur_batch_solver *solver, const fur_vectors *b, fur_vectors *x,
                                   fur_batch_result *results, fur_batch_report *report);

#ifdef __cplusplus
}
#endif
#endif
