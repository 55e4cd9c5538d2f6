/* Preconditioners M ~ A^-1 from any square CSR matrix, applied as z = M r. fur_precond_at lists the
 * kinds; docs/preconditioners.md says which is for what.
 *
 * Set-up and application have the same bits for any number of threads and on a GPU
 * (docs/numerics.md), but for "direct", complete factors by a library of SuiteSparse: CHOLMOD
 * (Chen, Davis, Hager and Rajamanickam 2008) for Hermitian positive definite matrices, KLU (Davis
 * and Palamadai Natarajan 2010) for those with very few operations an entry of the factors, or
 * UMFPACK (Davis 2004). They are looked for when factors are made, FUR_UNSUPPORTED where none is
 * there, take their own memory, and have their own bits; the report says which was taken and why.
 * The method "direct" of fur_solver is a direct solve with refinement. All value types and both
 * widths of offsets are taken, unless a kind says otherwise. All kinds work in a CUDA context. */
#ifndef FURROW_PRECOND_H
#define FURROW_PRECOND_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context, and for one application at a time. Keeps what its
 * kind needs; fur_precond_describe says how much that is. */
typedef struct fur_precond fur_precond;

/* Options by kind. In every struct a 0 stands for the default. */

/* "ic0", "ilu0" and "ilu". */
typedef struct fur_factor_options {
    size_t size;  /* sizeof(fur_factor_options) */
    int fill;     /* "ilu" only: levels of fill. Default 1, from 1 to 100 */
    double shift; /* factors A with its diagonal times 1 + shift. Default 0, up to 1000 */
    int modified; /* 1 subtracts from the diagonal what the factors leave out. Default 0 */
    /* 1 factors the rows by colours of the graph. The factors are others, their solves have a level
     * a colour, and fur_precond_update allocates. Default 0 */
    int coloured;
} fur_factor_options;

/* "ilut". */
typedef struct fur_ilut_options {
    size_t size; /* sizeof(fur_ilut_options) */
    int fill;    /* entries of a row of either factor beyond A's. Default 10, from 1 to 10000 */
    double
        drop; /* leaves out entries below drop times the 2-norm of A's row. Default 1e-3, below 1 */
    double shift;  /* factors A with its diagonal times 1 + shift. Default 0, up to 1000 */
    int unmatched; /* 1 keeps the order of the rows: no matching, no scales. Default 0 */
} fur_ilut_options;

/* "fsai". With steps, positions are searched row by row (Janna and Ferronato 2011): each step adds
 * the positions where the gradient of the row's part of the Kaporin number is largest, for A scaled
 * to a diagonal of ones. fur_precond_update keeps the positions. */
typedef struct fur_fsai_options {
    size_t size; /* sizeof(fur_fsai_options) */
    int fill;    /* takes the positions of A^(fill + 1). Default 0, up to 3. Not with steps */
    int steps;   /* searches positions in this number of steps. Default 0: no search, up to 255 */
    int grow;    /* positions that a step adds to a row. Default 1; steps times grow is up to 255 */
    /* A row ends with a step that lessens its part by less than gain times. Default 1e-2, below 1
     */
    double gain;
} fur_fsai_options;

/* "spai". */
typedef struct fur_spai_options {
    size_t size;  /* sizeof(fur_spai_options) */
    int diagonal; /* 1 takes the positions of the diagonal only. Default 0: those of A */
} fur_spai_options;

/* "chebyshev". */
typedef struct fur_chebyshev_options {
    size_t size; /* sizeof(fur_chebyshev_options) */
    int degree;  /* steps of the iteration. Default 3, from 1 to 100 */
} fur_chebyshev_options;

/* "bjacobi". */
typedef struct fur_bjacobi_options {
    size_t size; /* sizeof(fur_bjacobi_options) */
    /* Rows of a block, up to 32. Default 0: neighbouring rows with entries in the same columns */
    int64_t block;
    /* 1 keeps each inverse in half, single or full precision, by the condition of its block (Anzt,
     * Dongarra, Flegar and Quintana-Orti 2019), scaled by a power of two. Default 0 */
    int narrow;
} fur_bjacobi_options;

/* "schwarz". */
typedef struct fur_schwarz_options {
    size_t size;   /* sizeof(fur_schwarz_options) */
    int64_t block; /* consecutive rows of a block. Default 1024 */
    int apart;     /* 1 removes the overlap between blocks. Default 0 */
    /* 1 takes factors of "ic0" and adds the results of all blocks: M is Hermitian where A is.
     * Default 0: factors of "ilu0", and a row has the result of its own block. */
    int symmetric;
    double shift; /* of the factors. Default 0, up to 1000 */
    int modified; /* of the factors. Default 0 */
} fur_schwarz_options;

/* Algebraic multigrid by smoothed aggregation: a preconditioner for symmetric (Hermitian) positive
 * definite matrices, such as those of elliptic equations on grids and meshes of any kind, and for
 * such with convection, made from the matrix alone (Vanek, Mandel and Brezina 1996).
 *
 * On each level rows that are strongly coupled are gathered in aggregates, each a root and its
 * neighbours, the roots being a maximal independent set at distance 2 that is found by hashes of
 * their numbers (Bell, Dalton and Olson 2012; Kelley and Rajamanickam 2022). The tentative
 * prolongation T has the near-nullspace, orthonormal on each aggregate, and
 *
 *     P = (I - 4 / (3 rho) D^-1 A') T,  A_c = P^H A P
 *
 * where A' is A with its weak entries moved to the diagonal, D the diagonal of A' and rho an
 * estimate of the largest eigenvalue of D^-1 A. Vectors of the near-nullspace that A does not
 * nearly turn into 0 are relaxed before (Brezina et al. 2005). The coarsest level is solved by a
 * dense inverse.
 *
 * Classical multigrid (Ruge and Stueben 1987), whose coarse levels have some of the rows of the
 * fine ones, is there as well.
 *
 * Hierarchy and cycle have the same bits for any number of threads and on a GPU (docs/numerics.md).
 * docs/amg.md says which options are for what. */

/* The order in which a cycle visits the levels. */
typedef enum fur_amg_visits {
    FUR_AMG_V = 0, /* down to the coarsest and up again */
    FUR_AMG_W,     /* each level twice as often as the one above */
    /* Each level by one or two steps of conjugate gradients with the levels below (Notay and
     * Vassilevski 2008): the second if the first leaves more than a quarter of the residual. Not
     * quite linear: best in "fgmres". */
    FUR_AMG_K
} fur_amg_visits;

/* For options where 0 stands for the default. */
#define FUR_AMG_NONE (-1)
#define FUR_AMG_LOOK (-1) /* of nonsymmetric */

typedef struct fur_amg_options {
    size_t size; /* sizeof(fur_amg_options) */
    /* Vectors that A nearly turns into 0, and that the coarse levels have to represent: a row for
     * each of A's, of A's value type and in its context. NULL: the constant; with block > 1 one
     * constant for each unknown of a node. For elasticity fur_amg_rigid_modes. Read by
     * fur_amg_create only. */
    const fur_vectors *near_nullspace;
    int block; /* unknowns of a node, in neighbouring rows, which stay together. Default 1, up to 16
                */
    /* The entry, or the block, at (i, j) is strong if |a_ij|^2 > theta^2 |a_ii| |a_jj|, in the norm
     * of Frobenius. Default FUR_AMG_THETA, or FUR_AMG_THETA_CLASSICAL; below 1. FUR_AMG_NONE: every
     * entry that is not 0. */
    double theta;
    int levels;       /* most levels. Default 0: until `coarsest` */
    int64_t coarsest; /* coarsening ends at a level of at most this number of rows. Default 300 */
    /* "chebyshev": a polynomial in D^-1 A, the smallest on the upper part of its spectrum.
     * "jacobi": sweeps by the sums of the moduli of the rows, which need no eigenvalue (Baker,
     * Falgout, Kolev and Yang 2011). Both before and after the coarse level, and so symmetric.
     * "gauss-seidel": sweeps by colours of the rows, forwards before the coarse level and backwards
     * after it, and so symmetric. Default "chebyshev", or "gauss-seidel" with nonsymmetric. */
    const char *smoother;
    int sweeps; /* degree of the polynomial, or number of sweeps. Default 2, from 1 to 16 */
    fur_amg_visits cycle; /* order of the levels; in texts "V", "W" or "K". Default V */
    /* 1: levels and cycle are in single precision for an A in double precision. Half the memory and
     * traffic; vectors are scaled to norm 1 before they are rounded. The bits are those for A
     * rounded. Default 0 */
    int single;
    /* 1: A is not nearly symmetric. The restriction is then what P^H would be for A^H: R = T^H (I -
     * 4 / (3 rho) A' D^-1) (Sala and Tuminaro 2008), with rho of Gershgorin; A_c = R A P. For
     * "gmres", "bicgstab" and their like. 0: R = P^H. FUR_AMG_LOOK: 0 if A is Hermitian up to
     * rounding, else 1, which costs a look at its entries (fur_csr_examine). Default 0 */
    int nonsymmetric;
    /* "aggregation": smoothed aggregation. "classical": some rows are the next level's, chosen by
     * PMIS (De Sterck, Yang and Heys 2006), the others are interpolated from up to four of these by
     * extended+i interpolation (De Sterck, Falgout, Nolting and Yang 2008), and R = P^T. For real
     * types, without near_nullspace and block. Row i depends on j if -a_ij is at least theta times
     * the largest -a_ik (for a_ii > 0). Levels are made on the host. Default "aggregation" */
    const char *coarsening;
    /* "classical" only: number of finest levels that coarsen twice (De Sterck, Yang and Heys 2006),
     * interpolated in two stages (Yang 2010): fewer entries of all levels, more iterations.
     * Default 0 */
    int aggressive;
} fur_amg_options;

#define FUR_AMG_THETA 0.02
#define FUR_AMG_THETA_CLASSICAL 0.25
#define FUR_AMG_SWEEPS_MOST 16
#define FUR_AMG_BLOCK_MOST 16
#define FUR_AMG_MODES_MOST 16

typedef struct fur_precond_options {
    size_t size; /* sizeof(fur_precond_options) */
    /* A kind of fur_precond_at, as "ilut", or with options, as "ilut:fill=20,drop=1e-4,unmatched".
     * fur_precond_option_at lists their names. They replace members of the kind's struct.
     * NULL: "jacobi". */
    const char *kind;
    /* Options of the kind; NULL: all defaults. Those of other kinds must be NULL. */
    const fur_factor_options *factors;
    const fur_ilut_options *ilut;
    const fur_fsai_options *fsai;
    const fur_spai_options *spai;
    const fur_chebyshev_options *chebyshev;
    const fur_bjacobi_options *bjacobi;
    const fur_schwarz_options *schwarz;
    const fur_amg_options *amg;
} fur_precond_options;

/* The preconditioner of A, which must outlive it. Without A it refuses to be used, FUR_INVALID.
 * FUR_INVALID unless A is square, for an option that is unknown, out of range or of another kind,
 * and for a row that the kind cannot use, which the sentence names; FUR_UNSUPPORTED for an unknown
 * kind. */
FUR_API fur_status fur_precond_create(const fur_csr *a, const fur_precond_options *options,
                                      fur_precond **out);

/* Destroys a preconditioner. */
FUR_API void fur_precond_destroy(fur_precond *p);

/* Takes over new values of A (fur_csr_set_values); what follows from the pattern is kept. "jacobi",
 * "ssor", "chebyshev" and "amg" have done so already when A's values changed. The others keep the
 * values they were made of until this call: an old preconditioner is often good enough for a few
 * more solves. "ilut" makes new factors in the order and with the scales of the first ones, and
 * allocates; capture graphs again. "direct" and "grid" make all anew. If it fails, the
 * preconditioner refuses to be used, FUR_INVALID with the reason, until it succeeds. */
FUR_API fur_status fur_precond_update(fur_precond *p);

/* z = M r. r and z have A's rows and value type and must not overlap. Allocates nothing. */
FUR_API fur_status fur_precond_apply(fur_precond *p, const fur_vector *r, fur_vector *z);

/* The operator z = M r, for the solvers; the preconditioner must outlive it. That of "jacobi" knows
 * that it is a scaling (fur_operator_scaling). */
FUR_API fur_status fur_operator_from_precond(fur_precond *p, fur_operator **out);

/* What is not known is 0. */
typedef struct fur_precond_report {
    size_t size;          /* of the library's struct */
    const char *kind;     /* its name */
    int64_t entries;      /* that it keeps of M or its factors */
    double bytes;         /* compulsory traffic of one application */
    double seconds_setup; /* of fur_precond_create, or the last fur_precond_update */
    double shift;         /* of factors: that of A with its diagonal times 1 + shift is factored */
    int64_t levels;       /* of the solve with the lower factor, or of grids */
    int symmetric;        /* 1: M is Hermitian where A is, as "cg" and "minres" need it */
    int64_t raised;       /* of "ilut": pivots that were too small and were raised */
    char note[128];       /* of "direct": the library and why; "": nothing */
    double spread;        /* of "grid": the largest coupling along an axis over the smallest */
} fur_precond_report;

/* What was made: the report lives as long as the preconditioner. For NULL all numbers are 0 and the
 * name is "". */
FUR_API const fur_precond_report *fur_precond_describe(const fur_precond *p);

/* Kind 0, 1, 2 ...: its name, and one sentence; NULL past the last. */
FUR_API const fur_method_info *fur_precond_at(int index);

/* The rigid body modes of points in 2 or 3 dimensions, a row of `points` each, of a real type: the
 * near-nullspace of elasticity, with the displacements of a point in neighbouring rows (block 2 or
 * 3). 3 modes of 2 rows a point: (1, 0), (0, 1), (-y, x); 6 of 3 rows a point: the three
 * translations, then the rotations (0, -z, y), (z, 0, -x), (-y, x, 0). Coordinates count from the
 * mean of the points. FUR_INVALID for other dimensions and for a complex type. */
FUR_API fur_status fur_amg_rigid_modes(const fur_vectors *points, fur_vectors **out);

#ifdef __cplusplus
}
#endif
#endif
