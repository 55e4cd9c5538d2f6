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

/* Used by one thread at a time, as its context, and for one cycle at a time. Keeps the matrices of
 * all levels but the first, what new values need, and four vectors a level: report.bytes. */
typedef struct fur_amg fur_amg;

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

/* The levels of "amg", for pictures and fur_amg_share; NULL for other kinds. They live as long as
 * the preconditioner. */
FUR_API fur_amg *fur_precond_hierarchy(const fur_precond *p);

/* The kind of a text such as "ilut" or "ilut:fill=20"; NULL if there is none. */
FUR_API const fur_method_info *fur_precond_find(const char *text);

/* Option 0, 1, 2 ... of the kind of a text; NULL past the last and for an unknown kind. */
FUR_API const fur_option *fur_precond_option_at(const char *text, int index);

/* Checks the kind and the options of a text, without a matrix. Errors: FUR_UNSUPPORTED for an
 * unknown kind, FUR_INVALID for its options; fur_context_error(NULL) has the sentence. */
FUR_API fur_status fur_precond_check(const char *text);

#ifdef __cplusplus
}
#endif
#endif
