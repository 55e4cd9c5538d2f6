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

/* Zero stands for the default of the kind; a kind ignores the members of others. */
typedef struct fur_precond_options {
    size_t size;      /* sizeof(fur_precond_options) */
    const char *kind; /* of fur_precond_at; NULL: "jacobi" */
    /* Of "ilu": levels of fill, 0: 1, at most 100. Of "ilut": entries of a row of either factor
     * beyond those of A's, 0: 10, at most 10000. Of "fsai": the positions are those of A^(fill +
     * 1), fill up to 3. */
    int fill;
    double shift; /* of factors: that of A with its diagonal times 1 + shift is factored */
    int modified; /* of factors: 1: what is left out is subtracted from the diagonal */
    /* Of "ic0", "ilu0" and "ilu": 1: rows by colours of the graph, which makes other factors, whose
     * solves have as many levels as there are colours; update then allocates. */
    int coloured;
    int degree;                 /* of "chebyshev": steps, 0: 3 */
    const fur_amg_options *amg; /* of "amg": furrow/amg.h; NULL: the defaults */
    /* Of "ilut": entries below drop times the 2-norm of A's row are left out, 0: 1e-3, below 1. */
    double drop;
    int unmatched; /* of "ilut": 1: without a matching before, unscaled */
    /* Of "bjacobi": rows of a block, at most 32, 0: neighbouring rows with entries in the same
     * columns. Of "schwarz": consecutive rows of a block, 0: 1024. */
    int64_t block;
    int diagonal; /* of "spai": 1: positions on the diagonal alone */
    int apart;    /* of "schwarz": 1: blocks without the rows that their own have entries of */
    /* Of "schwarz": 1: factors are those of "ic0", and what overlaps is added, so that M is
     * Hermitian where A is; 0: of "ilu0", and a row's result is that of its own block. shift and
     * modified are those of the factors. */
    int symmetric;
    /* Of "fsai": positions are searched row by row (Janna and Ferronato 2011): each of `steps`
     * steps adds those `grow` positions, 0: 1, where the gradient of the row's part of the Kaporin
     * number, of A scaled to a diagonal of ones, is largest; a row ends early with a step that has
     * lessened its part by less than `gain` times what it was, 0: 1e-2, below 1. steps times grow
     * is at most 255; 0 steps: fill decides. fur_precond_update keeps the positions. */
    int steps;
    int grow;
    double gain;
    /* Of "bjacobi": 1: each inverse in half, single or full precision, by its block's condition
     * (Anzt, Dongarra, Flegar and Quintana-Orti 2019), scaled by a power of two. */
    int narrow;
} fur_precond_options;

/* The preconditioner of A, which must outlive it. Without A it refuses to be used, FUR_INVALID.
 * FUR_INVALID unless A is square, for an option out of range, and for a row that the kind cannot
 * use, which the sentence names; FUR_UNSUPPORTED for an unknown kind. */
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

/* The levels of "amg", for pictures; NULL for other kinds. They live as long as the preconditioner.
 */
FUR_API const fur_amg *fur_precond_hierarchy(const fur_precond *p);

/* Kind 0, 1, 2 ...: its name, and one sentence; NULL past the last. */
FUR_API const fur_method_info *fur_precond_at(int index);

#ifdef __cplusplus
}
#endif
#endif
