/* Preconditioners of several ranks (furrow/precond.h, furrow/ranks.h), where the matrix is. */
#ifndef FURROW_RANKS_PRECOND_H
#define FURROW_RANKS_PRECOND_H

#include <furrow/precond.h>
#include <furrow/ranks.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fur_ranks_precond fur_ranks_precond;

typedef struct fur_ranks_precond_options {
    size_t size; /* sizeof(fur_ranks_precond_options) */
    /* The kind and its options, the same on all ranks; NULL: "jacobi". "amg" with `amg` NULL has
     * FUR_AMG_LOOK. */
    const fur_precond_options *precond;
    /* 0: block Jacobi with one block a rank: M is made from the rows and columns of each rank
     * alone, and applied without messages. Its bits, and the iterations, depend on the bounds, but
     * for "jacobi". 1: from the whole matrix, which every rank gets: set-up and application are
     * those of one rank, with its bits, on every rank, and take its memory and time; one gather of
     * r for each application. */
    int whole;
    /* Of "amg" with `whole`: every rank makes the whole hierarchy, but in a cycle each works on its
     * rows of levels with more than this number of rows; 0: 20000. (All of a cycle on every rank:
     * with "gauss-seidel", K cycles and `single`.) */
    int64_t whole_rows;
} fur_ranks_precond_options;

/* Collective. The preconditioner of a square matrix, which must outlive it. options: NULL:
 * defaults. FUR_UNSUPPORTED for a near-nullspace; else as fur_precond_create, in whose
 * sentences rows count from the first of the block. */
FUR_API fur_status fur_ranks_precond_create(const fur_ranks_csr *a,
                                            const fur_ranks_precond_options *options,
                                            fur_ranks_precond **out);

FUR_API void fur_ranks_precond_destroy(fur_ranks_precond *p);

/* z = M r on the parts, in the context of the matrix: for fur_ranks_solve. Applying it is
 * collective. */
FUR_API const fur_operator *fur_ranks_precond_operator(const fur_ranks_precond *p);

/* Of this rank's block, or of the whole; a rank without rows has none. */
FUR_API const fur_precond_report *fur_ranks_precond_describe(const fur_ranks_precond *p);

/* 1: M is Hermitian on this rank: the kind is "jacobi" with real entries, or it is a symmetric kind
 * and its matrix (or block) is Hermitian. Looks at all entries of that matrix. */
FUR_API int fur_ranks_precond_hermitian(const fur_ranks_precond *p);

/* 1: results do not depend on the bounds. */
FUR_API int fur_ranks_precond_exact(const fur_ranks_precond *p);

#ifdef __cplusplus
}
#endif
#endif
