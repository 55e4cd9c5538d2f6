/* How to solve A x = b, or min ||b - A x||, for a matrix that nobody has said anything about: a
 * look at A, the method and preconditioner that an expert would begin with, and what to try next
 * where that fails. The command furrow solve works in this way; docs/solvers.md has the reasons. */
#ifndef FURROW_SOLVE_H
#define FURROW_SOLVE_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/precond.h>
#include <furrow/product.h>
#include <furrow/solver.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a look at a matrix shows. Rows and columns count from 0; -1: there is none. */
typedef struct fur_csr_traits {
    size_t size; /* sizeof(fur_csr_traits) */
    int64_t rows;
    int64_t cols;
    int64_t entries;
    int64_t wild_row; /* of the first entry that is NaN or infinite */
    int64_t wild_col;
    int64_t empty_rows; /* without an entry other than 0 */
    /* Of a square matrix; else 0 or -1. */
    int64_t diagonal_positive; /* entries on the diagonal that are real and > 0 */
    int64_t diagonal_negative; /* real and < 0 */
    int64_t diagonal_zero;     /* 0, not stored, or too small to divide by */
    int64_t zero_row;          /* of the first of those */
    int64_t dominant_rows;     /* rows with |A(i, i)| >= sum of the other |A(i, j)| */
    /* Pairs with A(i, j) != conj A(j, i), what is not stored being 0; the one with the largest
     * difference, where A(row, col) is stored. 0: A is Hermitian (symmetric) to the last bit. */
    int64_t asymmetric_pairs;
    int64_t row;
    int64_t col;
    fur_scalar entry;    /* A(row, col) */
    fur_scalar opposite; /* A(col, row) */
    /* The largest difference of a pair, relative to the largest entry of row i and column i. */
    double asymmetry;
    int hermitian; /* 1: the asymmetry is no more than rounding: at most 16 epsilon */
    /* A proof that a Hermitian A is not positive definite: a row of a small principal submatrix
     * that is not, or of a diagonal entry <= 0. All 2 x 2 submatrices with an entry are looked at
     * (|A(i, j)|^2 > A(i, i) A(j, j)) and Cholesky factors of up to 64 with up to 32 rows. */
    int64_t indefinite_row;
    int64_t blocks; /* how many submatrices Cholesky's factorization was tried on */
} fur_csr_traits;

/* Looks at the values of a matrix: two passes over its entries and its transpose, on the host, and
 * the memory of the transpose meanwhile. A matrix with a NaN or infinity is looked at no further.
 */
FUR_API fur_status fur_csr_examine(const fur_csr *a, fur_csr_traits *out);

/* One way to solve. */
typedef struct fur_choice {
    size_t size;        /* sizeof(fur_choice) */
    const char *method; /* of fur_solver_method_at; NULL: nothing is left to try */
    /* "none", "norms", a kind of fur_precond_options with its options, or what the caller calls its
     * own. */
    const char *precond;
    int restart;      /* 0: the method's default */
    int place;        /* in the list of what suits such a matrix */
    int last;         /* 1: nothing follows */
    char reason[256]; /* why this is tried, one clause */
    int64_t trial;    /* after so many iterations the next has its turn; 0: no trial */
    /* For fur_solve_options.watch, after an attempt and for the time of the call: the preconditioner
     * that was made from the matrix; NULL: none was. */
    fur_precond *made;
} fur_choice;

/* The first choice for a matrix with these traits, or, after the previous choice has come to this
 * outcome, the next; FUR_OUTCOME_UNSOLVED: its preconditioner could not be made. For an outcome
 * that nothing else would change the method is NULL. previous may be NULL. */
FUR_API fur_status fur_choose(const fur_csr_traits *traits, const fur_choice *previous,
                              fur_outcome outcome, fur_choice *out);

/* Scales of rows and columns: R A C y = R b is solved, x = C y. All scales are powers of two that
 * bring the largest entry of each row and column near 1 (Ruiz 2001). */
typedef enum fur_scale {
    /* If the largest entries of rows, or of columns, differ by more than 1e3: SYMMETRIC for a
     * Hermitian A, else rows and columns. None if the caller gives a method or a preconditioner,
     * for least squares, and if A is not square. */
    FUR_SCALE_AUTO = 0,
    FUR_SCALE_NONE,
    FUR_SCALE_ROWS,     /* C = I */
    FUR_SCALE_SYMMETRIC /* C = R */
} fur_scale;

typedef struct fur_solve_options {
    size_t size; /* sizeof(fur_solve_options) */
    /* As for fur_solver_create, NULL: all defaults. A method other than NULL and "auto" is the only
     * one that is tried; so is a preconditioner. max_iterations is for all attempts together; 0: an
     * attempt that others follow gets a quarter of what is left of the default, unless it is by cg
     * or minres and no trial. The adjoint is made where a method needs it. */
    const fur_solver_options *solver;
    /* NULL or "auto": chosen; "none"; "jacobi", which divides by the diagonal, for minres by its
     * moduli; "norms", which divides by the norms of the columns, for Hermitian A and least
     * squares; another kind of fur_precond_options, with its options, as "ilut:fill=20". "amg" is
     * nonsymmetric if A is not Hermitian and the options do not say. With solver->preconditioner,
     * which then is M ~ A^-1 in the order of the products: its name, for the choices and reports.
     * Methods of least squares go without such an M. */
    const char *precond;
    /* Products with A; b and x are in its order. NULL: that of fur_product_create. */
    const fur_product *product;
    const fur_csr_traits *traits; /* of A, if they are known; NULL: fur_csr_examine */
    /* Called before an attempt, with report NULL, and after it with its report; if its
     * preconditioner could not be made, that of FUR_OUTCOME_UNSOLVED, with a residual of NaN, and
     * the next choice says why. NULL: none. */
    void (*watch)(void *user, const fur_choice *choice, const fur_solver_report *report);
    void *watch_user;
    /* A scaled system is solved only if ||b - A x|| / ||b|| and the report's residual_scaled both
     * meet the tolerance: FUR_OUTCOME_SMALL_ROWS if the second does not. An error row by row within
     * 8 epsilon (backward_error_rows) is a success, too. */
    fur_scale scale;
} fur_solve_options;

/* Solves from the initial guess in x: looks at A, chooses, solves, and chooses again while that
 * fails and something else is worth a try, each time from the same guess. In the end x is the
 * iterate with the least true residual, and the report that of the attempt which found it, with the
 * iterations, products and seconds of all. Up to 16 connected components of A whose rows and
 * columns sum to 0 give null_space its vectors, unless the caller does. If no iterate has a smaller
 * residual than the guess, x is the guess and the report has its residual. The status is as that of
 * fur_solver_solve; FUR_INVALID also if A has an entry that is not finite, for "jacobi" if the
 * diagonal has a zero, for a restart or damping without a method that has one; each with a
 * sentence. report may be NULL.
 */
FUR_API fur_status fur_solve(const fur_csr *a, const fur_vector *b, fur_vector *x,
                             const fur_solve_options *options, fur_solver_report *report);

#ifdef __cplusplus
}
#endif
#endif
