/* A few extreme eigenvalues of a symmetric (Hermitian) operator, with their eigenvectors: by
 * Lanczos' method with thick restarts (Wu and Simon 2000) and full orthogonalisation, fur_eigs, or
 * with a preconditioner by fur_lobpcg.
 *
 * Nothing is called converged but by ||A v - lambda v||, computed afresh: an eigenvalue of A lies
 * within that distance of lambda. A single start vector sees one vector of a multiple eigenvalue;
 * so what has converged is set aside and the rest of the space searched from another vector, until
 * that finds nothing new; fur_lobpcg works on a block of vectors instead. The start vectors are
 * always the same, and a result has the same bits for any number of threads, and on a GPU those of
 * the CPU. */
#ifndef FURROW_EIGS_H
#define FURROW_EIGS_H

#include <furrow/base.h>
#include <furrow/operator.h>
#include <furrow/solver.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUR_EIGS_MOST_COUNT 1000

typedef enum fur_eigs_which {
    FUR_EIGS_SMALLEST = 0, /* of all values, not of their moduli; the smallest first */
    FUR_EIGS_LARGEST,      /* the largest first */
    FUR_EIGS_BOTH_ENDS     /* half of them each, rising; of an odd count one more of the smallest */
} fur_eigs_which;

/* State after a restart. */
typedef struct fur_eigs_progress {
    int64_t iteration; /* products so far */
    int converged;     /* values that seem to be */
    double residual;   /* estimate of the largest ||A v - lambda v|| / ||A|| of the values asked */
} fur_eigs_progress;

typedef struct fur_eigs_options {
    size_t size; /* sizeof(fur_eigs_options) */
    int count;   /* eigenvalues, with their multiplicities; 0: 6, or all of a smaller matrix */
    fur_eigs_which which;
    /* converged: ||A v - lambda v|| <= tolerance ||A||_2, as estimated from below; 0: 1e-10, for
     * f32, c64 1e-5 */
    double tolerance;
    /* Vectors before a restart; 0: 2 count + 20, or of a matrix of up to 160 rows all. */
    int basis;
    /* Products until the search ends; 0: 10 rows + 1000, but at most FUR_SOLVER_MOST_ITERATIONS */
    int64_t max_iterations;
    /* Called after every restart; non-zero stops the search. NULL: none. */
    int (*monitor)(void *user, const fur_eigs_progress *progress);
    void *monitor_user;
} fur_eigs_options;

typedef struct fur_eigs_report {
    size_t size; /* sizeof(fur_eigs_report) */
    /* CONVERGED: all; MAX_ITERATIONS, STOPPED; STAGNATED: rounding or nearly equal eigenvalues
     * allow no more; ASYMMETRIC; BREAKDOWN: a NaN or infinity occurred */
    fur_outcome outcome;
    int converged;      /* values within the tolerance by their true residuals */
    int64_t iterations; /* steps of Lanczos */
    int64_t products;   /* with A, those of the true residuals among them */
    int64_t restarts;
    double norm; /* estimate of ||A||_2, from below */
    double seconds;
} fur_eigs_report;

/* What to try after a search for eigenvalues with this outcome, one sentence; "" after success.
 * Never NULL. */
FUR_API const char *fur_eigs_advice(fur_outcome outcome);

/* Finds options->count eigenvalues; `count` below stands for that. values[i] gets eigenvalue i,
 * residuals[i] its ||A v - lambda v||_2, vectors[i], of as many entries as A has rows, the
 * eigenvector of norm 1. residuals, vectors, options and report may be NULL. Returns FUR_OK
 * whenever the method ran; report->outcome says how it ended, and values that have not converged
 * are the best so far. Allocates basis + count + some vectors meanwhile: 1.5 basis + count / 2 + 2
 * of them. FUR_INVALID if A is not square, the count is larger than A, the basis smaller than count
 * + 2 and than A, or a vector does not fit. Memory on failure: nothing is kept, and the results are
 * undefined. */
FUR_API fur_status fur_eigs(const fur_operator *a, const fur_eigs_options *options, double *values,
                            double *residuals, fur_vector *const *vectors, fur_eigs_report *report);

#define FUR_LOBPCG_MOST_COUNT 50
#define FUR_LOBPCG_MOST_BLOCK 85

typedef struct fur_lobpcg_options {
    size_t size; /* sizeof(fur_lobpcg_options) */
    int count;   /* eigenvalues, with their multiplicities; 0: 6, or all of a smaller matrix */
    fur_eigs_which which; /* FUR_EIGS_SMALLEST or FUR_EIGS_LARGEST */
    /* M, Hermitian positive definite, of A's size: for the smallest M ~ A^-1, or that of A with a
     * shift. Multigrid and factors for cg are such. NULL: identity. */
    const fur_operator *preconditioner;
    /* Y: the results are those of A on vectors orthogonal to its columns, (I - Q) A (I - Q) with Q
     * the projection on them. If Y has eigenvectors they are the next ones. Columns need not be
     * orthonormal; those that depend on others count for nothing. NULL: none. */
    const fur_vectors *constraints;
    double tolerance; /* as in fur_eigs_options */
    /* In place of that: converged is ||A v - lambda v|| <= relative |lambda|, for values so small
     * beside ||A|| that an error of a share of it would be larger. 0: off */
    double relative;
    /* Vectors that are iterated on, from count on: more of them bring those that are asked for
     * closer in fewer iterations. 0: 1.25 count + 1 */
    int block;
    int64_t max_iterations; /* 0: 1000 */
    /* Called after every iteration; non-zero stops the search. NULL: none. */
    int (*monitor)(void *user, const fur_eigs_progress *progress);
    void *monitor_user;
} fur_lobpcg_options;

/* Finds options->count eigenvalues as fur_eigs, with the same values, residuals, vectors and
 * report, by the locally optimal block preconditioned conjugate gradient method (Knyazev 2001): the
 * best approximations in the space of the block X, its preconditioned residuals W and its last
 * steps P. The basis is kept orthonormal (Hetmaniuk and Lehoucq 2006), and a vector of which
 * nothing is left beside the others goes (Duersch, Shao, Yang and Gu 2018).
 *
 * With constraints Y, v is orthogonal to them and residuals[i] is ||(I - Q)(A v - lambda v)||_2.
 * Where the vectors orthogonal to Y have no more dimensions than 5 count or 3 block, all of them
 * are the basis, and one small dense problem is solved. A single vector of an eigenvalue that
 * occurs more often than the block has vectors beyond it may be missed, as by all methods.
 *
 * report->iterations counts those of the block, products A times a vector, restarts how often A X
 * was computed afresh. INDEFINITE_PRECONDITIONER: r.Mr < 0 was met. MAX_ITERATIONS and STOPPED as
 * in fur_eigs. STAGNATED: rounding allows no more, or the search made no progress: within 500
 * iterations, or max_iterations / 2 if that is more, the largest residual has not fallen to a tenth
 * and no further value has converged. A product by the operator of a matrix's plan reads the matrix
 * once for several vectors (furrow/spmm.h). Allocates 6 block + 1 vectors, those of Y and, for a
 * plan, another plan meanwhile. FUR_INVALID if A or M does not suit, if there are fewer than count
 * vectors orthogonal to Y, or a vector does not fit; memory and results on failure as in fur_eigs.
 */
FUR_API fur_status fur_lobpcg(const fur_operator *a, const fur_lobpcg_options *options,
                              double *values, double *residuals, fur_vector *const *vectors,
                              fur_eigs_report *report);

#ifdef __cplusplus
}
#endif
#endif
