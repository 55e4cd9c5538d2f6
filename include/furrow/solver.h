/* Iterative solution of A x = b, or of min ||b - A x||.
 *
 *     fur_solve(a, b, x, NULL, &report);                          chooses method and preconditioner
 *     fur_outcome_solved(report.outcome);                         1 if x solves the system
 *
 *     fur_solver_create(op, &options, &solver);                   a chosen method
 *     fur_solver_solve(solver, b, x, &report);                    as often as needed
 *     fur_solver_destroy(solver);
 *
 * fur_solver_method_at lists the methods. docs/solvers.md says which method is for which matrix.
 *
 * A solver owns its workspace: fur_solver_solve allocates nothing, with three exceptions. It
 * allocates if bounds are requested. It allocates if ||A|| is above 2^200 or below 2^-200 (in f32
 * and c64: 2^50): the first solve with such an A allocates one vector, and a second vector if there
 * is a preconditioner. The method "direct" makes new factors after A's values have changed. A
 * result has the same bits for any number of threads, on the CPU and on a GPU.
 *
 * A method updates its residual by a recurrence. Rounding makes it differ from the true residual b
 * - A x. Only the true residual, computed afresh, decides about convergence. If the recurrence
 * residual meets the tolerance and the true residual does not, the method continues from the true
 * residual with a correction of x (van der Vorst and Ye 2000), as long as that helps. A solve that
 * meets the tolerance at once costs nothing more.
 *
 * If a method keeps the scalars of an iteration on the device, the host reads them from time to
 * time. If the method ends between two reads, the iterations queued after its end do not change x.
 */
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

/* A solver. Use it in one thread at a time, as its context.
 *
 * It owns the vectors of its method: five for cg. */
typedef struct fur_solver fur_solver;

/* State after an iteration, for a monitor; iteration 0 is the initial guess. */
typedef struct fur_solver_progress {
    int64_t iteration; /* 0 is the initial guess */
    /* ||r||_2 / ||b||_2 of the recurrence residual. It may rise when the method starts afresh. */
    double residual;
    int64_t column;    /* fur_solver_solve_block: the right-hand side; otherwise 0 */
    const void *solve; /* for fur_solver_iterate */
} fur_solver_progress;

/* Largest default of max_iterations.
 *
 * It is 2.5 times the number of iterations to 1e-10 of the slowest of 126 published symmetric
 * matrices that converge at all. */
#define FUR_SOLVER_MAX_ITERATIONS 50000
/* Largest value of `restart`. */
#define FUR_SOLVER_MAX_RESTART 10000

/* How the iterations of a solve reach the device. The bits are the same. */
typedef enum fur_execution {
    FUR_EXECUTION_AUTO,     /* the fastest way that is available */
    FUR_EXECUTION_PLAIN,    /* call by call */
    FUR_EXECUTION_RECORDED, /* recorded and replayed, on a GPU and if the operators allow it */
    /* Whole iterations by one kernel that stays on the GPU. It needs a matrix of up to about
     * 100,000 rows with a kernel in the exact order, and a diagonal preconditioner or none. Keeps a
     * copy of A during a solve. */
    FUR_EXECUTION_PERSISTENT
} fur_execution;

/* Options of fur_solver_create. Errors: FUR_INVALID if one is out of range. */
typedef struct fur_solver_options {
    size_t size; /* sizeof(fur_solver_options) */
    /* A method of fur_solver_method_at. NULL: "cg". "direct" computes complete factors of A
     * (`matrix`, or the matrix of A's plan) and refines. It factors again after A's values have
     * changed. */
    const char *method;
    /* M ~ A^-1, applied as z = M r. For least squares: a Hermitian M of cols x cols such that A M
     * is well conditioned. NULL: the identity; for "direct", factors that the solver makes. */
    const fur_operator *preconditioner;
    double rtol; /* converged if ||b - A x|| <= rtol ||b||. Default 1e-10; 1e-5 for f32 and c64 */
    double atol; /* or if ||b - A x|| <= atol. Default 0: off */
    /* Largest number of iterations. Default 10 rows + 100, but at most FUR_SOLVER_MAX_ITERATIONS.
     * In exact arithmetic cg needs at most one iteration a row. */
    int64_t max_iterations;
    /* Called when the host reads the scalars and finds a new iteration. If it returns non-zero, the
     * solve stops. NULL: none. */
    int (*monitor)(void *user, const fur_solver_progress *progress);
    void *monitor_user; /* passed to `monitor` */
    /* Iterations between two reads of the scalars by the host. The result does not depend on it,
     * unless a monitor stops the solve. After the end operators may be applied up to check_every
     * times in vain. Default 0: 1 on the CPU; on a GPU an eighth of the iterations so far, at least
     * 1 and at most 16. Methods other than cg read the scalars after every iteration. */
    int64_t check_every;
    /* A^H, which least-squares methods ("lsqr", "lsmr", "cgnr") require: for example the operator
     * of a plan with FUR_OP_H. NULL: none. */
    const fur_operator *adjoint;
    /* gmres and fgmres: directions kept before a restart, default 30. idrs: shadow vectors, default
     * 4. Up to FUR_SOLVER_MAX_RESTART. Other methods ignore it. */
    int restart;
    /* Least squares: minimises ||b - A x||^2 + damp^2 ||x - x0||^2, where x0 is the initial guess.
     * Default 0: plain least squares. With a preconditioner only cgnr supports it; otherwise
     * FUR_UNSUPPORTED. */
    double damp;
    fur_execution
        execution; /* cg: how iterations run; if a way is not available, another is used */
    /* 1: no red-black reduction. Default 0: if the rows of A have two colours, cg works on the rows
     * of one colour, in half the iterations. Rows have two colours if no entry off the diagonal
     * joins two rows of one colour, as in 5- and 7-point matrices. x has all unknowns. The
     * reduction needs the operator of a plan with an exact kernel or of a product, and no
     * preconditioner or Jacobi's of A. The solver stores A once more, and 4 bytes an entry. */
    int no_reduction;
    /* 1: the report has residual_bound and error_a_norm. x and the rest of the report do not
     * change. Default 0.
     *
     * residual_bound takes the host the time of about ten products, and 8 bytes for each part of an
     * entry of b. On a GPU it also takes copies of A, b and x. error_a_norm takes more iterations
     * of cg, until the residual falls to a tenth, at most 512. It also takes the host the time of
     * about twenty products, and 32 bytes a row. */
    int bounds;
    /* A as a matrix, which must outlive the solver. Both bounds and the report's residual_scaled
     * and backward_error_rows require it. NULL: the matrix of A, if A is the operator of a plan
     * with an exact kernel. */
    const fur_csr *matrix;
    /* Vectors n with A n = 0 and A^H n = 0, as columns of A's value type and context. Read by
     * fur_solver_create only. Their components are removed from b, from x and from the
     * preconditioner's results. If b has such a component above half of the tolerance, and x solves
     * the system without it, the outcome is FUR_OUTCOME_LEAST_SQUARES, and the report's `outside`
     * is the size of the component. For square systems; FUR_UNSUPPORTED for least-squares methods.
     * NULL: none. */
    const fur_vectors *null_space;
    /* 1: the constant vector belongs to null_space, as for a pure Neumann problem. Default 0 */
    int null_constant;
} fur_solver_options;

/* How a solve ended.
 *
 * x holds the last iterate of the last pass that lowered the true residual; for cg and least
 * squares, the last iterate of the last pass. */
typedef enum fur_outcome {
    FUR_OUTCOME_UNSOLVED = 0, /* no solve has ended, or the last one returned a failure */
    /* ||b - A x|| <= max(rtol ||b||, atol) for the true residual, and only then. */
    FUR_OUTCOME_CONVERGED,
    FUR_OUTCOME_MAX_ITERATIONS, /* max_iterations was reached */
    /* v.Av <= 0, computed afresh: A is not positive definite. */
    FUR_OUTCOME_INDEFINITE,
    FUR_OUTCOME_INDEFINITE_PRECONDITIONER, /* r.Mr < 0: M is not positive definite */
    /* A or M is not symmetric (Hermitian). The residual is not below the first residual. p'.Ap of
     * successive directions, 0 in theory, is larger than a tenth of its terms, far more than
     * rounding allows. Checked after 16, 32, 64, ... iterations. Two vectors u and v prove it: u.Av
     * is not the conjugate of v.Au, or the same for M. */
    FUR_OUTCOME_ASYMMETRIC,
    FUR_OUTCOME_BREAKDOWN, /* a NaN or infinity occurred, or a divisor of the method became 0 */
    FUR_OUTCOME_STOPPED,   /* the monitor stopped the solve */
    /* The residual no longer falls. Either the recurrence residual met the tolerance, the true
     * residual did not, and corrections did not halve it, because rounding in the value type allows
     * no more. Or a whole restart brought nothing. */
    FUR_OUTCOME_STAGNATED,
    /* No x has a residual that meets the tolerance, but this x is a least-squares solution: ||A^H r
     * - damp^2 x|| <= 10 rtol ||A|| max(||r||, damp ||x||), computed afresh, with an estimate of
     * ||A|| from below. If A has no more rows than columns and damp is 0, r must prove that A is
     * rank deficient: ||A^H r|| is at most 8 epsilon ||A|| (||A|| ||x|| + ||b||) and sqrt(epsilon)
     * ||A|| ||r||. Returned by lsqr, lsmr and cgnr, and if b has a component in null_space. */
    FUR_OUTCOME_LEAST_SQUARES,
    /* A is singular as far as the method can tell. Either b is not in its range, or the method
     * cannot reach the solution. */
    FUR_OUTCOME_SINGULAR,
    FUR_OUTCOME_DIVERGED, /* the residual grew above the first by more than rounding explains */
    /* The value type cannot reach the tolerance, and x is as exact as the type allows. The normwise
     * backward error ||b - A x|| / (||A|| ||x|| + ||b||) (Rigal and Gaches 1967) is at most 8
     * epsilon. A success. ||A|| is an estimate from below, so the true error is smaller. If ||b - A
     * x|| > sqrt(epsilon) ||b||, a correction of x by the method must also be small. */
    FUR_OUTCOME_WORKING_PRECISION,
    /* ||b - A x|| meets the tolerance, but ||R (b - A x)|| does not, where R are the scales of the
     * rows. The norm of b hides all rows but the largest. A failure. Only of fur_solve. */
    FUR_OUTCOME_SMALL_ROWS
} fur_outcome;

/* Returns a phrase such as "converged" or "indefinite matrix". Never NULL. */
FUR_API const char *fur_outcome_name(fur_outcome outcome);

/* Returns 1 if x solves the system, otherwise 0.
 *
 * It is 1 for FUR_OUTCOME_CONVERGED and FUR_OUTCOME_WORKING_PRECISION. */
FUR_API int fur_outcome_solved(fur_outcome outcome);

/* Returns one sentence that says what to try next. Never NULL.
 *
 * It is "" after success. */
FUR_API const char *fur_outcome_advice(fur_outcome outcome);

/* Report of a solve. Unknown members are 0, or NaN where stated. */
typedef struct fur_solver_report {
    size_t size;                /* sizeof(fur_solver_report) */
    fur_outcome outcome;        /* how the solve ended */
    int64_t iterations;         /* number of iterations */
    double residual_recurrence; /* ||r||_2 / ||b||_2 of the recurrence residual */
    double residual;            /* ||b - A x||_2 / ||b||_2 of the final x, computed afresh */
    double seconds;             /* duration of the solve, with new factors of "direct" */
    const char *method;         /* name of the method */
    int64_t products;           /* products with A or A^H, also for true residuals */
    /* Estimate, from below, of the condition of M A (least squares: of A), from the coefficients of
     * cg, lsqr, ... The estimates of cg, minres and chebyshev hold for a Hermitian A only. */
    double condition;
    double norm;             /* estimate of ||A||_2 or ||M A||_2, from the same coefficients */
    fur_execution execution; /* how the iterations were run */
    double bytes;            /* bytes moved in an iteration, as counted by the method */
    double normal_residual;  /* least squares: ||A^H r - damp^2 x||, computed afresh */
    int reduced;             /* 1: cg worked on the rows of one of two colours */
    /* ||b - A x||_2 / ||b||_2 is at most this, whatever rounding did: the bound trusts no part of x
     * or of the computed residual. NaN if not known or not asked for (options.bounds). */
    double residual_bound;
    /* cg: the error ||x' - x||_A / ||x'||_A of x is at least this, where A x' = b, ||v||_A^2 =
     * v.Av, and A is Hermitian positive definite. It holds whatever rounding did. NaN as above. */
    double error_a_norm;
    /* ||b - A x||_2 / (||A||_2 ||x||_2 + ||b||_2), with an estimate of ||A||_2 from below. Known if
     * ||b - A x|| missed the tolerance; otherwise NaN. */
    double backward_error;
    /* ||R (b - A x)||_2 / ||R b||_2, where R(i, i) = 2^-k with 2^k <= max_j |A(i, j)| < 2^(k + 1)
     * and |z| = |re z| + |im z|. It is large if the norm of b hides rows of small scale. NaN if the
     * solver does not know A as a matrix (options.matrix). */
    double residual_scaled;
    /* max_i |b - A x|_i / (|A| |x| + |b|)_i (Oettli and Prager 1964): the largest relative change
     * of entries that makes x exact. It may be large without harm where x decays to nothing. NaN as
     * above. */
    double backward_error_rows;
    /* How fur_solve scaled A: "none", "rows", "symmetric" or "rows and columns". */
    const char *scale;
    /* ||N^H b|| / ||b||: the component of b outside the range of A, if a null space N is known. The
     * residual includes it. */
    double outside;
} fur_solver_report;

/* Makes a solver for A x = b.
 *
 * - a: A. It must outlive the solver, and so must the operators and the matrix of the options. If
 *   one of them is destroyed, the solver refuses to solve: FUR_INVALID.
 * - options: NULL means all defaults: "cg" without a preconditioner.
 * - out: the solver; the caller destroys it.
 *
 * Errors: FUR_UNSUPPORTED if the method is unknown, or lacks damping or a null_space that the
 * options ask for. FUR_INVALID if
 * - the method does not suit the shape of A, or an option is out of range,
 * - A does not map null_space to 0 up to sqrt(epsilon) ||A||,
 * - the preconditioner, the adjoint or the matrix has another size, value type or context,
 * - a least-squares method has no adjoint, or "direct" has neither a matrix nor a preconditioner.
 */
FUR_API fur_status fur_solver_create(const fur_operator *a, const fur_solver_options *options,
                                     fur_solver **out);

/* Destroys a solver; NULL does nothing. */
FUR_API void fur_solver_destroy(fur_solver *solver);

/* Solves A x = b from the initial guess in x. It may be called any number of times.
 *
 * - b: right-hand side, of A's rows. b = 0 gives x = 0, and residuals are then absolute.
 * - x: the initial guess, of A's columns; replaced by the solution. b and x must not overlap.
 * - report: NULL, or filled.
 *
 * Returns FUR_OK if the method ran; report->outcome says how it ended. A and b may have any
 * magnitude: a solve multiplies residuals, A and the preconditioner by powers of two if they are
 * far from 1. If the guess is 0, the first product is A b, which tells the magnitude of A.
 *
 * Errors: FUR_INVALID if b, the guess or A times the guess has a nonfinite entry (the sentence
 * names it), or if the vectors do not fit. Otherwise only the failures of an operator; x is then
 * the last iterate. A failure sets report->outcome to FUR_OUTCOME_UNSOLVED, and the rest of the
 * report is unchanged. */
FUR_API fur_status fur_solver_solve(fur_solver *solver, const fur_vector *b, fur_vector *x,
                                    fur_solver_report *report);

/* Stores the current iterate in x. Only a monitor may call it.
 *
 * - progress: the argument of the monitor.
 * - x: a vector of A's columns, context and type, in memory that the solve does not use. It
 *   receives the iterate whose residual the monitor sees.
 *
 * Errors: FUR_INVALID if x does not fit or no solve runs. FUR_UNSUPPORTED after iteration 0 for cg,
 * cg_single, gmres and fgmres, because their x lags behind the residual. */
FUR_API fur_status fur_solver_iterate(const fur_solver_progress *progress, fur_vector *x);

/* Solves A X = B, column j from the initial guess in column j of X.
 *
 * - b, x: blocks of the same number of columns, which must not overlap. Layouts may differ; columns
 *   for both are fastest.
 * - reports: NULL, or one report for each column of B, all with their size set.
 *
 * x_j and reports[j] are the results of fur_solver_solve, bit for bit, except `execution` and
 * `seconds`, which begins with the call and ends with the column. cg, for the operator of a plan
 * with an exact kernel, solves up to 16 columns together. Then a product reads the matrix once for
 * several columns (furrow/spmm.h). Each column has its own scalars and stops by itself, and
 * finished columns are not multiplied any more. Columns are solved one after the other in these
 * cases: other methods and operators, systems that one kernel solves (FUR_EXECUTION_PERSISTENT),
 * and on the CPU matrices whose compressed form saves more traffic than the block does.
 *
 * The first solve of several columns together allocates a plan for products and 4 vectors for each
 * of these columns, with blocks in rows up to 6. The solver keeps them. A monitor's stop ends one
 * column.
 *
 * Errors: FUR_INVALID as for fur_solver_solve, and if the blocks differ in columns or overlap.
 * Columns before the failing column may have been solved. */
FUR_API fur_status fur_solver_solve_block(fur_solver *solver, const fur_vectors *b, fur_vectors *x,
                                          fur_solver_report *reports);

/* Makes a preconditioner z = M r ~ A^-1 r from a solver. The caller destroys *out.
 *
 * - solver: must outlive the operator, and must not be in a solve when the operator is applied.
 *   Each application is a solve from 0 by its options, whatever its outcome.
 * - value: value type of r and z, real or complex as the solver's.
 *
 * A solver of type f32 as an operator of type f64 is the inner solve of iterative refinement
 * (method "richardson"). It scales and converts r on the host. A method that is not linear needs a
 * flexible method around it ("fgmres", "richardson").
 *
 * Errors: FUR_UNSUPPORTED for a least-squares method. FUR_INVALID if one type is real and the other
 * complex. */
FUR_API fur_status fur_operator_from_solver(fur_solver *solver, fur_value_type value,
                                            fur_operator **out);

/* Returns method 0, 1, 2, ...; NULL after the last. */
FUR_API const fur_method_info *fur_solver_method_at(int index);

/* Solving without options.
 *
 * fur_solve examines A, begins with the method and preconditioner that an expert would choose, and
 * tries others if they fail. The command furrow solve works in this way. docs/solvers.md has the
 * reasons for each choice. */

/* Properties of a matrix that fur_csr_examine finds.
 *
 * Rows and columns count from 0; -1 means that there is none. */
typedef struct fur_csr_traits {
    size_t size; /* sizeof(fur_csr_traits) */
    int64_t rows;
    int64_t cols;
    int64_t entries;
    int64_t nonfinite_row; /* row of the first nonfinite entry */
    int64_t nonfinite_col; /* column of the first nonfinite entry */
    int64_t empty_rows;    /* rows without a nonzero entry */
    /* Entries on the diagonal that are real and > 0. This and the next members are set for square
     * matrices only; otherwise they are 0 or -1. */
    int64_t diagonal_positive;
    int64_t diagonal_negative; /* entries on the diagonal that are real and < 0 */
    int64_t diagonal_zero; /* entries on the diagonal that are 0, not stored, or too small to divide
                              by */
    int64_t zero_row;      /* first row with such an entry */
    int64_t dominant_rows; /* rows with |A(i, i)| >= sum of the other |A(i, j)| */
    /* Number of pairs with A(i, j) != conj A(j, i), where an entry that is not stored is 0. 0: A is
     * Hermitian (symmetric) to the last bit. */
    int64_t asymmetric_pairs;
    /* The pair with the largest difference: A(row, col) is stored. */
    int64_t row;
    int64_t col;         /* column of this pair; both count from 0 */
    fur_scalar entry;    /* A(row, col) */
    fur_scalar opposite; /* A(col, row) */
    /* Largest difference of a pair, relative to the largest entry of row i and column i. */
    double asymmetry;
    int hermitian; /* 1 if A is Hermitian up to rounding (16 epsilon) */
    /* A row that proves that a Hermitian A is not positive definite: it belongs to a small
     * principal submatrix that is not, or has a diagonal entry <= 0. All 2 x 2 submatrices with an
     * entry are checked (|A(i, j)|^2 > A(i, i) A(j, j)), and Cholesky factors of up to 64
     * submatrices with up to 32 rows. */
    int64_t indefinite_row;
    int64_t blocks; /* number of submatrices on which Cholesky's factorization was tried */
} fur_csr_traits;

/* Finds the properties of a matrix that decide how to solve with it.
 *
 * Makes two passes over the entries and the transpose, on the host. Allocates the transpose
 * meanwhile. It stops early if A has a nonfinite entry. */
FUR_API fur_status fur_csr_examine(const fur_csr *a, fur_csr_traits *out);

/* One way to solve. */
typedef struct fur_choice {
    size_t size;        /* sizeof(fur_choice) */
    const char *method; /* a method of fur_solver_method_at; NULL: nothing is left to try */
    /* "none", "norms", a kind of fur_precond_options with its options, or the caller's name of its
     * preconditioner. */
    const char *precond;
    int restart;      /* 0: the method's default */
    int place;        /* index in the list of choices for such a matrix */
    int last;         /* 1: nothing follows */
    char reason[256]; /* why this is tried, one clause */
    int64_t trial;    /* iterations before the next choice is tried; 0: no limit */
    /* For fur_solve_options.watch, after an attempt and during the call: the preconditioner that
     * was made from the matrix. NULL: none was made. */
    fur_precond *made;
} fur_choice;

/* Chooses the first way to solve, or the next way after a failed attempt.
 *
 * - traits: the properties of the matrix.
 * - previous: the previous choice, or NULL for the first.
 * - outcome: how the previous attempt ended. FUR_OUTCOME_UNSOLVED: its preconditioner could not be
 *   made.
 * - out: the choice. Its method is NULL if no other choice would change the outcome. */
FUR_API fur_status fur_choose(const fur_csr_traits *traits, const fur_choice *previous,
                              fur_outcome outcome, fur_choice *out);

/* Scaling of rows and columns: fur_solve solves R A C y = R b, x = C y.
 *
 * All scales are powers of two that bring the largest entry of each row and column near 1 (Ruiz
 * 2001). */
typedef enum fur_scale {
    /* If the largest entries of rows, or of columns, differ by more than 1e3: SYMMETRIC for a
     * Hermitian A, otherwise rows and columns. None if the caller gives a method or a
     * preconditioner, for least squares, and if A is not square. */
    FUR_SCALE_AUTO = 0,
    FUR_SCALE_NONE,     /* R = C = I */
    FUR_SCALE_ROWS,     /* C = I */
    FUR_SCALE_SYMMETRIC /* C = R */
} fur_scale;

/* Options of fur_solve. */
typedef struct fur_solve_options {
    size_t size; /* sizeof(fur_solve_options) */
    /* Options of the solver, as for fur_solver_create. NULL: all defaults. If the method is not
     * NULL or "auto", only this method is tried, and the same holds for a preconditioner.
     * max_iterations limits all attempts together. Default 0: an attempt that others follow gets a
     * quarter of the rest of the default, unless it is by cg or minres and is not a trial. The
     * adjoint is made if a method needs it. */
    const fur_solver_options *solver;
    /* The preconditioner. NULL or "auto": chosen. "none": the identity. "jacobi": divides by the
     * diagonal, for minres by its moduli. "norms": divides by the norms of the columns, for
     * Hermitian A and least squares. Other texts: a kind of fur_precond_options with its options,
     * such as "ilut:fill=20". "amg" is nonsymmetric if A is not Hermitian and the options do not
     * say. With solver->preconditioner, which is then M ~ A^-1 in the order of the products, this
     * is its name in choices and reports. Least-squares methods ignore such an M. */
    const char *precond;
    /* Products with A; b and x are in its order. NULL: fur_solve makes one by fur_product_create.
     */
    const fur_product *product;
    const fur_csr_traits *traits; /* properties of A, if known; NULL: fur_csr_examine */
    /* Called before each attempt, with report NULL, and after it with its report. If its
     * preconditioner could not be made, the report has FUR_OUTCOME_UNSOLVED and a residual of NaN,
     * and the next choice says why. NULL: none. */
    void (*watch)(void *user, const fur_choice *choice, const fur_solver_report *report);
    void *watch_user; /* passed to `watch` */
    /* Scaling of A. Default FUR_SCALE_AUTO. A scaled system is solved only if ||b - A x|| / ||b||
     * and the report's residual_scaled both meet the tolerance. If the second does not, the outcome
     * is FUR_OUTCOME_SMALL_ROWS. An error row by row within 8 epsilon (backward_error_rows) is also
     * a success. */
    fur_scale scale;
} fur_solve_options;

/* Solves A x = b, or min ||b - A x||, and chooses how.
 *
 * - b: right-hand side, of A's rows.
 * - x: the initial guess, of A's columns; replaced by the solution.
 * - options: NULL means all defaults.
 * - report: NULL, or filled. Its iterations, products and seconds are sums over all attempts. The
 *   rest is from the attempt that found x.
 *
 * Examines A, chooses a method and preconditioner, and solves. If the attempt fails, it tries the
 * next choice from the same guess. In the end x is the iterate with the least true residual. If no
 * iterate has a smaller residual than the guess, x is the guess and the report has its residual. Up
 * to 16 connected components of A whose rows and columns sum to 0 add their vectors to null_space,
 * unless the caller gives one.
 *
 * Errors: as fur_solver_solve. FUR_INVALID also if A has a nonfinite entry, if the diagonal has a
 * zero and "jacobi" is asked for, for a restart or damping that the method does not have, and for a
 * scale that would change the solution. */
FUR_API fur_status fur_solve(const fur_csr *a, const fur_vector *b, fur_vector *x,
                             const fur_solve_options *options, fur_solver_report *report);

#ifdef __cplusplus
}
#endif
#endif
