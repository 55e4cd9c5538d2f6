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
#ifndef FURROW_AMG_H
#define FURROW_AMG_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context, and for one cycle at a time. Keeps the matrices of
 * all levels but the first, what new values need, and four vectors a level: report.bytes. */
typedef struct fur_amg fur_amg;

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

/* The hierarchy of a square matrix, which must outlive it. New values of A (fur_csr_set_values)
 * reach it in place, and allocate nothing: aggregates, patterns and near-nullspace stay, all values
 * are computed again. (With "gauss-seidel", in a CUDA context of classical or damped levels, and if
 * A is a stencil with constant coefficients, they take memory meanwhile.) FUR_INVALID for a matrix
 * that is not square or whose rows are not whole nodes, for options out of range, for a
 * near-nullspace of another shape or type, and for an entry of A that is not finite;
 * FUR_UNSUPPORTED for classical coarsening of a complex matrix. In a CUDA context all steps run on
 * the device, but for colours, classical prolongations, one-sided strong edges, a near-nullspace
 * that is given and rows that are damped, which pass through the host. */
FUR_API fur_status fur_amg_create(const fur_csr *a, const fur_amg_options *options, fur_amg **out);

typedef struct fur_amg_prediction {
    size_t size;                /* sizeof(fur_amg_prediction) */
    int64_t bytes;              /* what report.bytes of the hierarchy will be */
    double operator_complexity; /* the same */
    int64_t rows;               /* of the part of A that was looked at */
} fur_amg_prediction;

/* The memory that fur_amg_create with these options will keep, before it is taken: a hierarchy of
 * some 60,000 rows around one in the middle of A is made, on the host, and its memory times the
 * part that their entries are of all. So it is exact for small matrices, and for others as good as
 * the part is like the rest, and as the products on its levels have the same form: docs/amg.md.
 * Takes the memory of that hierarchy and a byte a row meanwhile, in a CUDA context also a copy of A
 * on the host. Failures as of fur_amg_create. */
FUR_API fur_status fur_amg_predict(const fur_csr *a, const fur_amg_options *options,
                                   fur_amg_prediction *out);

/* Destroys a hierarchy. */
FUR_API void fur_amg_destroy(fur_amg *amg);

/* x = M b: one cycle from x = 0, for b and x of A's size and value type, which must not overlap.
 * With V and W cycles M is symmetric up to rounding, and positive definite if A is. Rows without
 * entries get x_i = 0. Allocates nothing. */
FUR_API fur_status fur_amg_apply(fur_amg *amg, const fur_vector *b, fur_vector *x);

/* The operator x = M b, a preconditioner for "cg"; the hierarchy must outlive it. Like that, it
 * takes over new values. */
FUR_API fur_status fur_operator_from_amg(fur_amg *amg, fur_operator **out);

/* Cycles of several contexts of the CPU, which must all have made the hierarchy of the same matrix
 * with the same options: from now on each works on its rows, and b and x of fur_amg_apply are its
 * parts. Of the first level these are the rows of `sharing`, of others as many in proportion;
 * levels of at most `whole` rows are whole in every context. All contexts apply it together; the
 * bits are those of one. The contexts themselves have no sharing. For V and W cycles with chebyshev
 * or jacobi, in the matrix's own precision, else FUR_UNSUPPORTED, as where no level but the last
 * has more rows than `whole`. A takes no new values afterwards. After another failure the hierarchy
 * can only be destroyed. */
FUR_API fur_status fur_amg_share(fur_amg *amg, const fur_sharing *sharing, int64_t whole);

typedef struct fur_amg_report {
    size_t size; /* of the library's struct */
    int levels;
    int64_t coarsest;           /* rows of the last level */
    double operator_complexity; /* entries of all levels over those of A */
    double grid_complexity;     /* rows of all levels over those of A */
    double bytes_cycle;         /* compulsory traffic of one cycle; of W and K at most */
    int64_t bytes;              /* that the hierarchy keeps, A not counted */
    double seconds_setup;       /* of fur_amg_create, or of the last new values */
    const char *smoother;       /* "chebyshev", "jacobi" or "gauss-seidel" */
    int dense;                  /* 1: the last level has an inverse; 0: it is only smoothed */
} fur_amg_report;

/* What was made; lives as long as the hierarchy. For NULL all numbers are 0 and strings "". */
FUR_API const fur_amg_report *fur_amg_describe(const fur_amg *amg);

/* A level, for pictures and tests. */
typedef struct fur_amg_level {
    size_t size;      /* of the library's struct */
    const fur_csr *a; /* the matrix; of the first level the caller's, or that in single precision */
    const fur_csr *p; /* prolongation from the next level; NULL on the last */
    int block;        /* rows of a node */
    int64_t nodes;
    int64_t aggregates; /* nodes of the next level; 0 on the last */
    /* The aggregate of each node; -1: in none, as it is coupled to nothing. NULL on the last, and
     * on classical levels. In a
     * CUDA context it lies on the device. */
    const int32_t *aggregate;
    double gershgorin; /* largest sum of moduli of a row of D^-1 A: bounds its eigenvalues */
    double largest;    /* the estimate of the largest of them that is used; at most gershgorin */
} fur_amg_level;

/* Level 0, the finest, 1, 2, ...; NULL past the last. Lives as long as the hierarchy. */
FUR_API const fur_amg_level *fur_amg_level_at(const fur_amg *amg, int index);

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
