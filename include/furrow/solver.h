/* Iterative solution of A x = b, or of min ||b - A x||, by one of the methods that
 * fur_solver_method_at lists; docs/solvers.md says which method is for what.
 *
 * A solver owns its workspace: fur_solver_solve allocates nothing, unless bounds are asked for or
 * ||A|| is above 2^200 or below 2^-200 (in f32 and c64: 2^50). The first solve with such an A
 * allocates a vector, and another one if there is a preconditioner. A result has the same bits for
 * any number of threads, and on a GPU those of the CPU.
 *
 * A method updates its residual by a recursion. Rounding makes it differ from the true residual
 * b - A x, and only the true one, computed afresh, decides about convergence: if the recursive one
 * meets the tolerance and the true one does not, the method goes on from the true residual with a
 * correction of x (van der Vorst and Ye 2000), as long as that helps. A solve that meets the
 * tolerance at once costs nothing more.
 *
 * Where a method keeps the scalars of an iteration on the device, the host looks at them now and
 * then. When the method has ended between two looks, the iterations queued after its end do not
 * change x. */
#ifndef FURROW_SOLVER_H
#define FURROW_SOLVER_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/precond.h>
#include <furrow/product.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context. Keeps the vectors of its method: five for cg. */
typedef struct fur_solver fur_solver;

/* State after an iteration; iteration 0 is the initial guess. */
typedef struct fur_solver_progress {
    int64_t iteration;
    /* ||r||_2 / ||b||_2 of the recursively updated residual; it may rise where it starts afresh */
    double residual;
    int64_t column;    /* of fur_solver_solve_block: which right-hand side; else 0 */
    const void *solve; /* for fur_solver_iterate */
} fur_solver_progress;

/* The largest default of max_iterations: two and a half times the iterations to 1e-10 of the
 * slowest of 126 published symmetric matrices, of those that converge at all. */
#define FUR_SOLVER_MOST_ITERATIONS 50000
#define FUR_SOLVER_MOST_RESTART 10000

/* How the iterations of a solve reach the device. The bits are the same. */
typedef enum fur_execution {
    FUR_EXECUTION_AUTO,     /* the fastest that can be had */
    FUR_EXECUTION_PLAIN,    /* call by call */
    FUR_EXECUTION_RECORDED, /* recorded and replayed, on a GPU and where the operators allow it */
    /* Whole iterations by one kernel of a GPU that stays: for a matrix of up to some 100,000 rows,
     * of a kernel in the exact order, and a diagonal preconditioner or none. Keeps a copy of A
     * during a solve. */
    FUR_EXECUTION_PERSISTENT
} fur_execution;

typedef struct fur_solver_options {
    size_t size; /* sizeof(fur_solver_options) */
    /* Of fur_solver_method_at; NULL: "cg". "direct" makes complete factors of A, of `matrix` or of
     * the matrix of A's plan, and refines; it makes them anew after A's values have changed. */
    const char *method;
    /* M ~ A^-1 applied as z = M r; of least squares a Hermitian M of cols x cols such that A M is
     * well conditioned. NULL: identity, or for "direct" factors that the solver makes. */
    const fur_operator *preconditioner;
    double rtol; /* converged: ||b - A x|| <= rtol ||b||; 0: 1e-10, for f32, c64 1e-5 */
    double atol; /* or ||b - A x|| <= atol; 0: off */
    /* 0: 10 rows + 100, but at most FUR_SOLVER_MOST_ITERATIONS. Without rounding cg needs at most
     * one iteration a row. */
    int64_t max_iterations;
    /* Called whenever the host looks at the scalars and finds a new iteration; non-zero stops the
     * solve. NULL: none. */
    int (*monitor)(void *user, const fur_solver_progress *progress);
    void *monitor_user;
    /* Iterations between two looks of the host at the scalars. The result does not depend on it,
     * except for where a monitor stops; after the end operators may be applied this number of times
     * in vain. 0: 1 on the CPU, else an eighth of the iterations so far, at least 1, at most 16.
     * Methods other than cg look after every iteration. */
    int64_t check_every;
    /* A^H, for methods of least squares ("lsqr", "lsmr", "cgnr"), which need it; for example the
     * operator of a plan with FUR_OP_H. NULL: none. */
    const fur_operator *adjoint;
    /* Directions that gmres and fgmres keep before they restart (0: 30), shadow vectors of idrs (0:
     * 4); other methods ignore it. */
    int restart;
    /* Least squares: minimises ||b - A x||^2 + damp^2 ||x - x0||^2, x0 the guess. 0: plain least
     * squares. With a preconditioner only cgnr has it. */
    double damp;
    fur_execution execution; /* of cg; a way that cannot be had falls back to another */
    /* 1: no red-black reduction. 0: where the rows of A have two colours, so that no entry off the
     * diagonal joins two of one colour, as in 5- and 7-point matrices, cg without a preconditioner
     * or with A's Jacobi works on the rows of one colour, in half the iterations; x has all
     * unknowns. Of the operator of a plan with an exact kernel or of a product, with Jacobi's of
     * any operator of A or of fur_precond; the solver keeps A once more, and 4 bytes an entry. */
    int whole;
    /* 1: the report has residual_bound and error_a_norm; x and the rest of the report are as
     * without them. The first takes the host the time of some ten products and 8 bytes for each
     * part of an entry of b, from a GPU also copies of A, b and x. The second takes more iterations
     * of cg, as many as bring the residual down to a tenth, at most 512, and the host the time of
     * some twenty products and 32 bytes a row. */
    int bounds;
    /* A as a matrix, for what the report says of rows and for both bounds, which need them; it must
     * outlive the solver. NULL: that of A if A is the operator of a plan with an exact kernel. */
    const fur_csr *matrix;
    /* Vectors n with A n = 0 and A^H n = 0, as columns of A's value type and context; read by
     * fur_solver_create only. Their part of b, of x and of what the preconditioner gives is
     * removed. If b has such a part above half of the tolerance, and x solves the system without
     * it, the outcome is FUR_OUTCOME_LEAST_SQUARES, and the report says how large the part is
     * (`outside`). For square systems. NULL: none. */
    const fur_vectors *null_space;
    /* 1: the constant vector belongs to null_space, as for a pure Neumann problem. */
    int null_constant;
} fur_solver_options;

/* How a solve ended. In every case x holds the last iterate of the last pass that lowered the true
 * residual; of cg and least squares that of the last pass. */
typedef enum fur_outcome {
    FUR_OUTCOME_UNSOLVED = 0, /* no solve has ended, or the last one returned a failure */
    /* ||b - A x|| <= max(rtol ||b||, atol) of the true residual, and only then. */
    FUR_OUTCOME_CONVERGED,
    FUR_OUTCOME_MAX_ITERATIONS,
    /* v.Av <= 0, computed afresh: A is not positive definite. */
    FUR_OUTCOME_INDEFINITE,
    FUR_OUTCOME_INDEFINITE_PRECONDITIONER, /* r.Mr < 0 was met: M is not */
    /* A or M is not symmetric (Hermitian): the residual is not below the first, and p'.Ap of
     * successive directions, 0 in theory, is larger than a tenth of its terms, far more than
     * rounding makes it. Checked after 16, 32, 64, ... iterations. Two vectors u and v prove it:
     * u.Av is not the conjugate of v.Au, or the same of M. */
    FUR_OUTCOME_ASYMMETRIC,
    FUR_OUTCOME_BREAKDOWN, /* a NaN or infinity occurred, or a divisor of the method became 0 */
    FUR_OUTCOME_STOPPED,   /* by the monitor */
    /* The residual no longer falls: the recursive one met the tolerance, the true one did not, and
     * corrections did not halve it, as rounding in the value type allows no more; or a whole
     * restart brought nothing. */
    FUR_OUTCOME_STAGNATED,
    /* No x has a residual as small as asked, but this one is a least-squares solution:
     * ||A^H r - damp^2 x|| <= 10 rtol ||A|| max(||r||, damp ||x||), computed afresh, with an
     * estimate of ||A|| from below. If A has no more rows than columns and damp is 0, r must prove
     * that the rank is less:
     * ||A^H r|| is no more than rounding, at most 8 epsilon ||A|| (||A|| ||x|| + ||b||) and
     * sqrt(epsilon) ||A|| ||r||. Returned by lsqr, lsmr and cgnr. */
    FUR_OUTCOME_LEAST_SQUARES,
    /* A is singular as far as the method can tell, and either b is not in its range or the solution
     * is out of the method's reach. */
    FUR_OUTCOME_SINGULAR,
    FUR_OUTCOME_DIVERGED, /* the residual grew above the first by more than rounding forgives */
    /* The tolerance is out of reach of the value type, and x is as exact as the type allows: the
     * normwise backward error ||b - A x|| / (||A|| ||x|| + ||b||) (Rigal and Gaches 1967) is at
     * most 8 epsilon. A success. ||A|| is an estimate from below, so that the true error is
     * smaller. If ||b - A x|| > sqrt(epsilon) ||b||, a correction of x by the method must be small.
     */
    FUR_OUTCOME_WORKING_PRECISION,
    /* ||b - A x|| meets the tolerance, ||R (b - A x)|| does not, R being the scales of the rows:
     * the norm of b hides all rows but the largest. A failure. Only of fur_solve. */
    FUR_OUTCOME_SMALL_ROWS
} fur_outcome;

/* "converged", "indefinite matrix", ...: one phrase. Never NULL. */
FUR_API const char *fur_outcome_name(fur_outcome outcome);

/* 1 if x solves the system: FUR_OUTCOME_CONVERGED and FUR_OUTCOME_WORKING_PRECISION; else 0. */
FUR_API int fur_outcome_solved(fur_outcome outcome);

/* What to try after this outcome, one sentence; "" after success. Never NULL. */
FUR_API const char *fur_outcome_advice(fur_outcome outcome);

/* What is not known is 0. */
typedef struct fur_solver_report {
    size_t size; /* sizeof(fur_solver_report) */
    fur_outcome outcome;
    int64_t iterations;
    double residual_recursive; /* ||r||_2 / ||b||_2 by the method's recursion */
    double residual;           /* ||b - A x||_2 / ||b||_2 of the final x, computed afresh */
    double seconds;
    const char *method;      /* the method's name */
    int64_t products;        /* with A or A^H, the true residuals' among them */
    double condition;        /* estimate, from below, of the condition of M A or, of least squares,
                                of A, from the coefficients of cg, lsqr, ...; those of cg, minres
                                and chebyshev hold for a Hermitian A only */
    double norm;             /* estimate of ||A||_2 or ||M A||_2, in the same way */
    fur_execution execution; /* how the iterations were run */
    double bytes;            /* moved in an iteration, counted; as the method counts them */
    double normal_residual;  /* ||A^H r - damp^2 x|| of least squares, computed afresh */
    int reduced;             /* 1: cg worked on the rows of one of two colours */
    /* These two are NaN where they are not known or not asked for. ||b - A x||_2 / ||b||_2 is at
     * most residual_bound, whatever rounding did: no part of x or of this number is trusted. */
    double residual_bound;
    /* Of cg: the error ||x' - x||_A / ||x'||_A of x is at least this, where A x' = b, ||v||_A^2 =
     * v.Av, and A is Hermitian and positive definite. It holds whatever rounding did. */
    double error_a_norm;
    /* These are NaN if they are not known. The first: ||b - A x||_2 / (||A||_2 ||x||_2 + ||b||_2),
     * with an estimate of ||A||_2 from below; known if ||b - A x|| missed the tolerance. */
    double backward_error;
    /* The next two are known if the solver knows A as a matrix (options.matrix). The first:
     * ||R (b - A x)||_2 / ||R b||_2, R(i, i) = 2^-k with 2^k <= max_j |A(i, j)| < 2^(k + 1)
     * and |z| = |re z| + |im z|. It is
     * large where the norm of b hides rows of small scale. */
    double residual_scaled;
    /* max_i |b - A x|_i / (|A| |x| + |b|)_i (Oettli and Prager 1964): the largest relative change
     * of entries that makes x exact. It may be large without harm where x decays to nothing. */
    double backward_error_rows;
    /* How fur_solve has scaled A: "none", "rows", "symmetric" or "rows and columns". */
    const char *scale;
    /* ||N^H b|| / ||b||: the part of b outside the range of A, if a null space N is known. The
     * residual includes it. */
    double outside;
} fur_solver_report;

/* A solver for A x = b. The operators of the options, its matrix and A must outlive it: without one
 * of them it refuses to solve, FUR_INVALID. FUR_INVALID for a method that does not suit the shape
 * of A, for a null_space that A does not turn into 0 up to sqrt(epsilon) ||A||, for a
 * preconditioner or adjoint of another size or value type, or for a method of least squares without
 * an adjoint; FUR_UNSUPPORTED for an unknown method. */
FUR_API fur_status fur_solver_create(const fur_operator *a, const fur_solver_options *options,
                                     fur_solver **out);

/* Destroys a solver. */
FUR_API void fur_solver_destroy(fur_solver *solver);

/* Solves from the initial guess in x. Returns FUR_OK whenever the method ran; report->outcome says
 * how it ended. b = 0 gives x = 0. b and x must not overlap. With ||b|| = 0 residuals are absolute.
 * A and b of any magnitude work: a solve multiplies residuals, A and the preconditioner by powers
 * of two if they are far from 1. If the guess is 0, the first product is A b, which tells the
 * magnitude of A. FUR_INVALID if b, the guess or A times the guess has an entry that is not finite,
 * which the sentence names. Otherwise fails only if an operator fails or the vectors do not fit; x
 * is then the last iterate. A failure sets report->outcome to FUR_OUTCOME_UNSOLVED, so that the
 * outcome of an earlier solve is not taken for this one's, and leaves the rest of the report
 * untouched. report may be NULL. */
FUR_API fur_status fur_solver_solve(fur_solver *solver, const fur_vector *b, fur_vector *x,
                                    fur_solver_report *report);

/* Called by a monitor: x = the iterate whose residual it is told, cols entries of A's context and
 * type, in memory that the solve does not use. FUR_INVALID if x does not fit; FUR_UNSUPPORTED after
 * the guess if x lags behind the residual: cg, cg_single, gmres, fgmres. */
FUR_API fur_status fur_solver_iterate(const fur_solver_progress *progress, fur_vector *x);

/* Solves A X = B, column j from the guess in column j of X: x_j and reports[j] are what
 * fur_solver_solve would give, bit for bit, but for `seconds`, which begin with the call and end
 * with the column, and `execution`. cg, for the operator of a plan with an exact kernel, solves up
 * to 16 columns together: a product reads the matrix once for several (furrow/spmm.h), each column
 * has its own scalars and stops by itself, and what has ended is not multiplied any more. Other
 * methods and operators, systems that one kernel solves (FUR_EXECUTION_PERSISTENT), and on the CPU
 * matrices of which a compressed form moves less than that saves, take one column after the other.
 * reports: of as many as B has columns, all with their size; or NULL.
 *
 * Layouts may differ; fastest are columns for both. The first solve together allocates 4 vectors
 * for each column of those, with blocks in rows up to 6, and a plan for products; the solver keeps
 * them. FUR_INVALID as in fur_solver_solve, for different numbers of columns and for blocks that
 * overlap; columns before that one may have been solved. A monitor's stop is of one column. */
FUR_API fur_status fur_solver_solve_block(fur_solver *solver, const fur_vectors *b, fur_vectors *x,
                                          fur_solver_report *reports);

/* A solver as a preconditioner z = M r ~ A^-1 r, of any value type of the same kind, real or
 * complex: a solve from 0 by its options, whatever its outcome. A solver of type f32 as an operator
 * of type f64 is the inner solve of iterative refinement (method "richardson"), which scales and
 * converts r on the host; a method that is not linear wants a flexible one around it ("fgmres",
 * "richardson"). The solver must outlive the operator, and not be in a solve when it is applied.
 * FUR_UNSUPPORTED for a method of least squares, FUR_INVALID for real and complex. */
FUR_API fur_status fur_operator_from_solver(fur_solver *solver, fur_value_type value,
                                            fur_operator **out);

/* Method 0, 1, 2 ...; NULL past the last. */
FUR_API const fur_method_info *fur_solver_method_at(int index);

/* How to solve A x = b, or min ||b - A x||, for a matrix that nobody has said anything about: a
 * look at A, the method and preconditioner that an expert would begin with, and what to try next
 * where that fails. The command furrow solve works in this way; docs/solvers.md has the reasons. */

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
    /* For fur_solve_options.watch, after an attempt and for the time of the call: the
     * preconditioner that was made from the matrix; NULL: none was. */
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
