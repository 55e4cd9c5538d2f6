/* Hierarchies of algebraic multigrid as objects, and preconditioners that are chosen by a text. */
#ifndef FURROW_AUTHOR_PRECOND_H
#define FURROW_AUTHOR_PRECOND_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/precond.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A hierarchy. Use it in one thread at a time, as its context.
 *
 * It runs one cycle at a time. It owns the matrices of all levels but the first, the data for new
 * values, and four vectors a level: report.bytes. */
typedef struct fur_amg fur_amg;

/* Makes the hierarchy of a square matrix. The caller destroys *out.
 *
 * - a: the matrix, which must outlive the hierarchy. New values of A (fur_csr_set_values) reach it
 *   in place: aggregates, patterns and near-nullspace stay, and all values are computed again.
 * - options: NULL means all defaults.
 *
 * New values allocate nothing, with these exceptions: "gauss-seidel", classical or damped levels in
 * a CUDA context, and an A that is a stencil with constant coefficients. In a CUDA context all
 * steps run on the device except these, which use the host: colours, classical prolongations,
 * one-sided strong edges, a given near-nullspace, and damped rows.
 *
 * Errors: FUR_INVALID if
 * - A is not square, or its rows are not whole nodes,
 * - an option is out of range,
 * - the near-nullspace has another shape, type or context,
 * - an entry of A is nonfinite.
 *
 * FUR_UNSUPPORTED for classical coarsening of a complex matrix. */
FUR_API fur_status fur_amg_create(const fur_csr *a, const fur_amg_options *options, fur_amg **out);

/* Expected memory of a hierarchy. */
typedef struct fur_amg_prediction {
    size_t size;                /* sizeof(fur_amg_prediction) */
    int64_t bytes;              /* expected report.bytes of the hierarchy */
    double operator_complexity; /* expected report.operator_complexity of the hierarchy */
    int64_t rows;               /* rows of the part of A that was used */
} fur_amg_prediction;

/* Predicts the memory of fur_amg_create with these options.
 *
 * Makes a hierarchy of about 60,000 rows from the middle of A, on the host. Multiplies its memory
 * by the ratio of the entries. So the prediction is exact for small matrices. For others it is as
 * good as this part represents the rest, and as the products on its levels have the same form
 * (docs/amg.md). Allocates that hierarchy and a byte a row meanwhile, in a CUDA context also a copy
 * of A on the host.
 *
 * Errors: as fur_amg_create. */
FUR_API fur_status fur_amg_predict(const fur_csr *a, const fur_amg_options *options,
                                   fur_amg_prediction *out);

/* Destroys a hierarchy; NULL does nothing. */
FUR_API void fur_amg_destroy(fur_amg *amg);

/* Computes x = M b: one cycle from x = 0. Allocates nothing.
 *
 * b and x have A's size and value type and must not overlap. With V and W cycles M is symmetric up
 * to rounding, and positive definite if A is. Rows without entries get x_i = 0. */
FUR_API fur_status fur_amg_apply(fur_amg *amg, const fur_vector *b, fur_vector *x);

/* Makes the operator x = M b, a preconditioner for "cg". The caller destroys *out.
 *
 * The hierarchy must outlive it. It uses new values, as the hierarchy does. */
FUR_API fur_status fur_operator_from_amg(fur_amg *amg, fur_operator **out);

/* Shares the cycles of a hierarchy among several contexts of the CPU.
 *
 * - amg: each context has made the hierarchy of the same matrix with the same options, and calls
 *   this function. The contexts themselves have no sharing.
 * - sharing: the rows of the first level for each context. Other levels are divided in proportion.
 * - whole: levels of at most `whole` rows are whole in every context.
 *
 * From then on each context works on its rows, and b and x of fur_amg_apply are its parts. All
 * contexts apply the hierarchy together. The bits are those of one context. A accepts no new values
 * afterwards. After a failure other than FUR_UNSUPPORTED the hierarchy can only be destroyed.
 *
 * Errors: FUR_UNSUPPORTED for K cycles, "gauss-seidel", a precision other than the matrix's, or if
 * only the last level has more rows than `whole`. FUR_INVALID if the sharing is not complete, or
 * the hierarchy is already shared. */
FUR_API fur_status fur_amg_share(fur_amg *amg, const fur_sharing *sharing, int64_t whole);

/* Report of fur_amg_describe. */
typedef struct fur_amg_report {
    size_t size;                /* of the library's struct */
    int levels;                 /* number of levels */
    int64_t coarsest;           /* rows of the last level */
    double operator_complexity; /* entries of all levels over those of A */
    double grid_complexity;     /* rows of all levels over those of A */
    double bytes_cycle;         /* compulsory traffic of one cycle; for W and K an upper bound */
    int64_t bytes;              /* memory of the hierarchy in bytes, without A */
    double seconds_setup;       /* duration of fur_amg_create, or of the last new values */
    const char *smoother;       /* "chebyshev", "jacobi" or "gauss-seidel" */
    int dense;                  /* 1: the last level has an inverse; 0: it is only smoothed */
} fur_amg_report;

/* Returns the size and cost of the hierarchy.
 *
 * The report is valid as long as the hierarchy. For NULL all numbers are 0 and strings "". */
FUR_API const fur_amg_report *fur_amg_describe(const fur_amg *amg);

/* A level of a hierarchy, for pictures and tests. */
typedef struct fur_amg_level {
    size_t size; /* of the library's struct */
    /* The matrix. On the first level it is the caller's, or its copy in single precision. */
    const fur_csr *a;
    const fur_csr *p;   /* prolongation from the next level; NULL on the last */
    int block;          /* rows of a node */
    int64_t nodes;      /* number of nodes; block times nodes are the rows */
    int64_t aggregates; /* nodes of the next level; 0 on the last */
    /* The aggregate of each node; -1 for a node in no aggregate, because it is coupled to no other
     * node. NULL on the last level and on classical levels. In a CUDA context it lies on the
     * device. */
    const int32_t *aggregate;
    /* Largest sum of moduli in a row of D^-1 A: an upper bound of its eigenvalues. */
    double gershgorin;
    /* The estimate of the largest eigenvalue that is used; at most gershgorin. */
    double largest;
} fur_amg_level;

/* Returns level 0 (the finest), 1, 2, ...; NULL after the last.
 *
 * It is valid as long as the hierarchy. */
FUR_API const fur_amg_level *fur_amg_level_at(const fur_amg *amg, int index);

/* Returns the hierarchy of "amg", for pictures and fur_amg_share; otherwise NULL.
 *
 * It is valid as long as the preconditioner; do not destroy it. */
FUR_API fur_amg *fur_precond_hierarchy(const fur_precond *p);

/* Returns the kind of a text such as "ilut" or "ilut:fill=20"; NULL if unknown. */
FUR_API const fur_method_info *fur_precond_find(const char *text);

/* Returns option 0, 1, 2, ... of the kind of a text; NULL after the last.
 *
 * It is also NULL for an unknown kind. */
FUR_API const fur_option *fur_precond_option_at(const char *text, int index);

/* Checks the kind and the options of a text, without a matrix.
 *
 * Errors: FUR_UNSUPPORTED if the kind is unknown. FUR_INVALID if an option is unknown or out of
 * range. fur_context_error(NULL) returns the sentence. */
FUR_API fur_status fur_precond_check(const char *text);

#ifdef __cplusplus
}
#endif
#endif
