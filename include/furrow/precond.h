/* Preconditioners M ~ A^-1 from any square CSR matrix, applied as z = M r.
 *
 *     fur_precond_options o = FUR_DEFAULT(fur_precond_options);
 *     o.kind = "ilut:fill=20";
 *     fur_precond_create(a, &o, &p);
 *     fur_operator_from_precond(p, &m);                  for fur_solver_options.preconditioner
 *
 * fur_precond_at lists the kinds. docs/preconditioners.md says which kind is for which matrix. All
 * kinds accept all value types and both widths of offsets, and work in a CUDA context, unless
 * stated.
 *
 * Set-up and application have the same bits for any number of threads and on a GPU
 * (docs/numerics.md). "direct" is the exception. It computes complete factors by a library of
 * SuiteSparse:
 * - CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008) for Hermitian positive definite matrices,
 * - KLU (Davis and Palamadai Natarajan 2010) for matrices with very few operations an entry of the
 *   factors,
 * - UMFPACK (Davis 2004) for other matrices.
 *
 * The libraries are looked for when factors are made. If none is installed, the call returns
 * FUR_UNSUPPORTED. They allocate their own memory and have their own bits. The report says which
 * library was taken and why. The method "direct" of fur_solver is a direct solve with refinement.
 */
#ifndef FURROW_PRECOND_H
#define FURROW_PRECOND_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A preconditioner. Use it in one thread at a time, as its context.
 *
 * It runs one application at a time. fur_precond_describe says how much memory its kind needs. */
typedef struct fur_precond fur_precond;

/* Options by kind. 0 means the default. A value out of range is FUR_INVALID. */

/* Options of "ic0", "ilu0" and "ilu". */
typedef struct fur_factor_options {
    size_t size;  /* sizeof(fur_factor_options) */
    int fill;     /* "ilu" only: levels of fill-in. Default 1, from 1 to 100 */
    double shift; /* factors A with its diagonal times 1 + shift. Default 0, up to 1000 */
    int modified; /* 1 subtracts the entries that the factors drop from the diagonal. Default 0 */
    /* 1 factors the rows by colours of the graph. The factors then differ, their solves have one
     * level a colour, and fur_precond_update allocates. Default 0 */
    int coloured;
} fur_factor_options;

/* Options of "ilut". */
typedef struct fur_ilut_options {
    size_t size; /* sizeof(fur_ilut_options) */
    int fill; /* entries of a row of each factor in addition to A's. Default 10, from 1 to 10000 */
    /* Drops entries below drop times the 2-norm of A's row. Default 1e-3, below 1 */
    double drop;
    double shift;    /* factors A with its diagonal times 1 + shift. Default 0, up to 1000 */
    int no_matching; /* 1 keeps the order of the rows: no matching, no scales. Default 0 */
} fur_ilut_options;

/* Options of "fsai".
 *
 * With `steps`, positions are searched row by row (Janna and Ferronato 2011). Each step adds the
 * positions where the gradient of the row's part of the Kaporin number is largest, for A scaled to
 * a diagonal of ones. fur_precond_update keeps the positions. grow and gain need steps. */
typedef struct fur_fsai_options {
    size_t size; /* sizeof(fur_fsai_options) */
    int fill;    /* uses the positions of A^(fill + 1). Default 0, up to 3. Not with steps */
    int steps;   /* number of steps of the search for positions. Default 0: no search, up to 255 */
    int grow; /* positions that a step adds to a row. Default 1; steps times grow is at most 255 */
    /* The search in a row ends when a step reduces the row's part by less than gain times its
     * value. Default 1e-2, below 1 */
    double gain;
} fur_fsai_options;

/* Options of "spai". */
typedef struct fur_spai_options {
    size_t size;  /* sizeof(fur_spai_options) */
    int diagonal; /* 1 uses the positions of the diagonal only. Default 0: the positions of A */
} fur_spai_options;

/* Options of "chebyshev". */
typedef struct fur_chebyshev_options {
    size_t size; /* sizeof(fur_chebyshev_options) */
    int degree;  /* steps of the iteration. Default 3, from 1 to 100 */
} fur_chebyshev_options;

/* Options of "bjacobi". */
typedef struct fur_bjacobi_options {
    size_t size; /* sizeof(fur_bjacobi_options) */
    /* Rows of a block, up to 32. Default 0: neighbouring rows with entries in the same columns */
    int64_t block;
    /* 1 stores each inverse in half, single or full precision, by the condition of its block,
     * scaled by a power of two (Anzt, Dongarra, Flegar and Quintana-Orti 2019). Default 0 */
    int adaptive;
} fur_bjacobi_options;

/* Options of "schwarz". */
typedef struct fur_schwarz_options {
    size_t size;    /* sizeof(fur_schwarz_options) */
    int64_t block;  /* consecutive rows of a block. Default 1024 */
    int no_overlap; /* 1 removes the overlap between blocks. Default 0 */
    /* 1 uses factors of "ic0" and adds the results of all blocks: M is Hermitian if A is. Default
     * 0: factors of "ilu0", and each row takes the result of its own block. */
    int symmetric;
    double shift; /* as in fur_factor_options. Default 0, up to 1000 */
    int modified; /* as in fur_factor_options. Default 0 */
} fur_schwarz_options;

/* Algebraic multigrid by smoothed aggregation (Vanek, Mandel and Brezina 1996).
 *
 * It is a preconditioner made from the matrix alone. It is for symmetric (Hermitian) positive
 * definite matrices, such as matrices of elliptic equations on grids and meshes of any kind, and
 * for such equations with convection.
 *
 * On each level strongly coupled rows are gathered in aggregates. An aggregate is a root and its
 * neighbours. The roots are a maximal independent set at distance 2, found by hashes of their
 * numbers (Bell, Dalton and Olson 2012; Kelley and Rajamanickam 2022). The columns of the tentative
 * prolongation T are the near-nullspace vectors, orthonormalised on each aggregate. Then
 *
 *     P = (I - 4 / (3 rho) D^-1 A') T,  A_c = P^H A P
 *
 * A' is A with its weak entries moved to the diagonal. D is the diagonal of A', and rho is an
 * estimate of the largest eigenvalue of D^-1 A. Vectors of the near-nullspace that A does not
 * nearly map to 0 are relaxed first (Brezina et al. 2005). The coarsest level is solved by a dense
 * inverse.
 *
 * Classical multigrid (Ruge and Stueben 1987) is also available. Its coarse levels consist of some
 * rows of the fine levels.
 *
 * Hierarchy and cycle have the same bits for any number of threads and on a GPU (docs/numerics.md).
 * docs/amg.md recommends options for each kind of matrix. */

/* Order in which a cycle visits the levels. */
typedef enum fur_amg_visits {
    FUR_AMG_V = 0, /* down to the coarsest level and up again */
    FUR_AMG_W,     /* each level twice as often as the next finer level */
    /* Each level is solved by one or two steps of conjugate gradients, preconditioned by the
     * coarser levels (Notay and Vassilevski 2008). The second step runs if the first leaves more
     * than a quarter of the residual. The cycle is not quite linear: best in "fgmres". */
    FUR_AMG_K
} fur_amg_visits;

/* Value of `theta` that makes every nonzero entry strong. */
#define FUR_AMG_NONE (-1)
/* Value of `nonsymmetric` that asks for a check of the entries. */
#define FUR_AMG_AUTO (-1)

/* Options of "amg". */
typedef struct fur_amg_options {
    size_t size; /* sizeof(fur_amg_options) */
    /* Vectors that A nearly maps to 0, which the coarse levels have to represent: one row for each
     * row of A, of A's value type and context, 1 to 16 columns. NULL: the constant vector; with
     * block > 1, one constant for each unknown of a node. For elasticity use fur_amg_rigid_modes.
     * Read by the create function only. */
    const fur_vectors *near_nullspace;
    /* Unknowns of a node, in neighbouring rows, which stay together. Default 1, up to 16 */
    int block;
    /* The entry (or block) at (i, j) is strong if |a_ij|^2 > theta^2 |a_ii| |a_jj|, in the
     * Frobenius norm. Default FUR_AMG_THETA, or FUR_AMG_THETA_CLASSICAL; below 1. FUR_AMG_NONE:
     * every nonzero entry. */
    double theta;
    int levels;       /* largest number of levels. Default 0: until `coarsest` */
    int64_t coarsest; /* coarsening ends at a level of at most `coarsest` rows. Default 300 */
    /* "chebyshev": a polynomial in D^-1 A that is smallest on the upper part of the spectrum.
     * "jacobi": sweeps scaled by the sums of the moduli of the rows, which need no eigenvalue
     * (Baker, Falgout, Kolev and Yang 2011). Both run before and after the coarse level, so they
     * are symmetric. "gauss-seidel": sweeps by colours of the rows, forwards before the coarse
     * level and backwards after it, so it is symmetric. Default "chebyshev", or "gauss-seidel" with
     * nonsymmetric. */
    const char *smoother;
    int sweeps; /* degree of the polynomial, or number of sweeps. Default 2, from 1 to 16 */
    fur_amg_visits cycle; /* order of the levels; in texts "V", "W" or "K". Default V */
    /* 1: levels and cycle are in single precision if A is in double precision. This halves memory
     * and traffic. Vectors are scaled to norm 1 before they are rounded. The bits are those for the
     * rounded A. Default 0 */
    int single;
    /* 1: A is not nearly symmetric. The restriction is R = T^H (I - 4 / (3 rho) A' D^-1), the
     * adjoint of the prolongation of A^H (Sala and Tuminaro 2008), with rho of Gershgorin, and A_c
     * = R A P. For "gmres", "bicgstab" and similar methods. 0: R = P^H. FUR_AMG_AUTO: 0 if A is
     * Hermitian up to rounding, otherwise 1; this reads the entries of A (fur_csr_examine). Default
     * 0 */
    int nonsymmetric;
    /* "aggregation": smoothed aggregation. "classical": PMIS (De Sterck, Yang and Heys 2006)
     * chooses the rows of the next level. The other rows are interpolated from up to four of these
     * rows by extended+i interpolation (De Sterck, Falgout, Nolting and Yang 2008), and R = P^T.
     * Row i depends on j if -a_ij is at least theta times the largest -a_ik (for a_ii > 0).
     * "classical" is for real types, without near_nullspace and block, and makes its levels on the
     * host. Default "aggregation" */
    const char *coarsening;
    /* "classical" only: number of finest levels that coarsen twice (De Sterck, Yang and Heys 2006)
     * and interpolate in two stages (Yang 2010). The levels have fewer entries, and solves take
     * more iterations. Default 0 */
    int aggressive;
} fur_amg_options;

/* Default of `theta` for "aggregation". */
#define FUR_AMG_THETA 0.02
/* Default of `theta` for "classical". */
#define FUR_AMG_THETA_CLASSICAL 0.25
/* Largest value of `sweeps`. */
#define FUR_AMG_SWEEPS_MAX 16
/* Largest value of `block`. */
#define FUR_AMG_BLOCK_MAX 16
/* Largest number of columns of `near_nullspace`. */
#define FUR_AMG_MODES_MAX 16

/* Options of fur_precond_create. */
typedef struct fur_precond_options {
    size_t size; /* sizeof(fur_precond_options) */
    /* A kind of fur_precond_at, such as "ilut", or a kind with options, such as
     * "ilut:fill=20,drop=1e-4,no_matching". fur_precond_option_at lists the names of the options.
     * Options in the text replace members of the kind's struct. NULL: "jacobi". */
    const char *kind;
    const fur_factor_options *factors; /* "ic0", "ilu0" and "ilu"; NULL: all defaults. Pointers of
                                          other kinds must be NULL */
    const fur_ilut_options *ilut;      /* "ilut" */
    const fur_fsai_options *fsai;      /* "fsai" */
    const fur_spai_options *spai;      /* "spai" */
    const fur_chebyshev_options *chebyshev; /* "chebyshev" */
    const fur_bjacobi_options *bjacobi;     /* "bjacobi" */
    const fur_schwarz_options *schwarz;     /* "schwarz" */
    const fur_amg_options *amg; /* "amg"; NULL: nonsymmetric is FUR_AMG_AUTO, the rest defaults */
} fur_precond_options;

/* Makes the preconditioner of a square matrix A.
 *
 * - a: the matrix, which must outlive the preconditioner. After A is destroyed the preconditioner
 *   refuses to be used: FUR_INVALID.
 * - options: NULL means "jacobi" with all defaults.
 * - out: the preconditioner; the caller destroys it.
 *
 * Errors: FUR_INVALID if A is not square, if an option is unknown, out of range or of another kind,
 * or if the kind cannot use a row (the sentence names the row). FUR_UNSUPPORTED if the kind is
 * unknown or not for this matrix or device. */
FUR_API fur_status fur_precond_create(const fur_csr *a, const fur_precond_options *options,
                                      fur_precond **out);

/* Destroys a preconditioner; NULL does nothing. */
FUR_API void fur_precond_destroy(fur_precond *p);

/* Computes the preconditioner again for new values of A (fur_csr_set_values).
 *
 * Data that depend on the pattern alone are kept. "jacobi", "ssor", "chebyshev" and "amg" update
 * themselves when A's values change. The other kinds keep their values until this call: an old
 * preconditioner is often good enough for a few more solves. "ilut" makes new factors in the order
 * and with the scales of the first factors, and allocates: capture graphs again. "direct" and
 * "grid" make everything again.
 *
 * Errors: as fur_precond_create. After a failure the preconditioner refuses to be used, FUR_INVALID
 * with the reason, until a call succeeds. */
FUR_API fur_status fur_precond_update(fur_precond *p);

/* Computes z = M r. Allocates nothing.
 *
 * r and z have A's rows and value type and must not overlap.
 *
 * Errors: FUR_INVALID if the vectors do not fit or overlap, if A has been destroyed, or if the last
 * update failed. */
FUR_API fur_status fur_precond_apply(fur_precond *p, const fur_vector *r, fur_vector *z);

/* Makes the operator z = M r, for solvers. The caller destroys *out.
 *
 * The preconditioner must outlive it. The operator of "jacobi" knows that it is a scaling
 * (fur_operator_scaling). */
FUR_API fur_status fur_operator_from_precond(fur_precond *p, fur_operator **out);

/* Report of fur_precond_describe. Unknown members are 0. */
typedef struct fur_precond_report {
    size_t size;          /* of the library's struct */
    const char *kind;     /* name of the kind */
    int64_t entries;      /* stored entries of M or its factors */
    double bytes;         /* compulsory traffic of one application */
    double seconds_setup; /* duration of fur_precond_create, or of the last fur_precond_update */
    double shift;         /* factors: A with its diagonal times 1 + shift was factored */
    int64_t levels;       /* levels of the solve with the lower factor, or of grids */
    int symmetric;        /* 1: M is Hermitian if A is, as "cg" and "minres" need it */
    int64_t raised;       /* "ilut": number of pivots that were too small and were raised */
    char note[128];       /* "direct": the library and why; "": nothing */
    double spread;        /* "grid": the largest coupling along an axis over the smallest */
} fur_precond_report;

/* Returns the size, cost and kind of the preconditioner.
 *
 * The report is valid as long as the preconditioner. For NULL all numbers are 0 and the name is "".
 */
FUR_API const fur_precond_report *fur_precond_describe(const fur_precond *p);

/* Returns kind 0, 1, 2, ...: its name and one sentence; NULL after the last. */
FUR_API const fur_method_info *fur_precond_at(int index);

/* Makes the rigid body modes of points: the near-nullspace of elasticity.
 *
 * - points: n points, one in each row, with 2 or 3 real coordinates. A context of the CPU.
 * - out: a block of 2 n rows and 3 columns, or 3 n rows and 6 columns. The caller destroys it.
 *
 * The displacements of a point are in neighbouring rows (block 2 or 3). In 2 dimensions the modes
 * are (1, 0), (0, 1), (-y, x). In 3 dimensions they are the three translations, then the rotations
 * (0, -z, y), (z, 0, -x), (-y, x, 0). Coordinates count from the mean of the points.
 *
 * Errors: FUR_INVALID for another number of coordinates or a complex type. FUR_UNSUPPORTED in a
 * CUDA context: use fur_context_host. */
FUR_API fur_status fur_amg_rigid_modes(const fur_vectors *points, fur_vectors **out);

#ifdef __cplusplus
}
#endif
#endif
