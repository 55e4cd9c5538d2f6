/* Preconditioners M ~ A^-1 from any square CSR matrix, applied as z = M r. fur_precond_at lists the
 * kinds; docs/preconditioners.md says which is for what.
 *
 * Set-up and application have the same bits for any number of threads and on a GPU
 * (docs/numerics.md), but for "direct", complete factors by a library of SuiteSparse: CHOLMOD
 * (Chen, Davis, Hager and Rajamanickam 2008) for Hermitian positive definite matrices, KLU (Davis
 * and Palamadai Natarajan 2010) for those with very few operations an entry of the factors, or
 * UMFPACK (Davis 2004). They are looked for when factors are made, FUR_UNSUPPORTED where none is
 * there, take their own memory, and have their own bits; the report says which was taken and why.
 * "direct" with the method "richardson" is a direct solve with refinement. All value types and both
 * widths of offsets are taken, unless a kind says otherwise. All kinds work in a CUDA context. */
#ifndef FURROW_PRECOND_H
#define FURROW_PRECOND_H

#include <furrow/amg.h>
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

/* The levels of "amg", for pictures and fur_amg_share; NULL for other kinds. They live as long as
 * the preconditioner. */
FUR_API fur_amg *fur_precond_hierarchy(const fur_precond *p);

/* Kind 0, 1, 2 ...: its name, and one sentence; NULL past the last. */
FUR_API const fur_method_info *fur_precond_at(int index);

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
