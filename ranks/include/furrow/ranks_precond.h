/* Preconditioners for several ranks (furrow/precond.h, furrow/ranks.h), on the matrix's device. */
#ifndef FURROW_RANKS_PRECOND_H
#define FURROW_RANKS_PRECOND_H

#include <furrow/precond.h>
#include <furrow/ranks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A preconditioner of all ranks. */
typedef struct fur_ranks_precond fur_ranks_precond;

/* Options of fur_ranks_precond_create. */
typedef struct fur_ranks_precond_options {
    size_t size; /* sizeof(fur_ranks_precond_options) */
    /* The kind and its options, the same on all ranks. Default NULL: "jacobi" */
    const fur_precond_options *precond;
    /* 0: block Jacobi with one block per rank. M is made from the rows and columns of each rank,
     * and applied without messages. Its bits and the iterations depend on the bounds, except for
     * "jacobi".
     * 1: every rank gets the whole matrix and makes the preconditioner of one rank, with the same
     * bits. Set-up and application take the memory and time of one rank. Each application gathers r
     * once. Default 0 */
    int whole;
    /* "amg" with `whole` only. Every rank makes the whole hierarchy. In a cycle each rank works
     * only on its own rows of a level, if the level has more than this number of rows. Default 0:
     * 20000. With "gauss-seidel", K cycles or `single`, every rank computes the whole cycle. */
    int64_t whole_rows;
} fur_ranks_precond_options;

/* Collective. Makes the preconditioner of a square matrix, which must outlive it. options: NULL for
 * the defaults.
 *
 * Errors: FUR_UNSUPPORTED for a near-nullspace; otherwise those of fur_precond_create. Row numbers
 * in messages count from the first row of the block. */
FUR_API fur_status fur_ranks_precond_create(const fur_ranks_csr *a,
                                            const fur_ranks_precond_options *options,
                                            fur_ranks_precond **out);

/* Releases the preconditioner; NULL is ignored. */
FUR_API void fur_ranks_precond_destroy(fur_ranks_precond *p);

/* Returns the operator z = M r on the parts, for fur_ranks_solve.
 *
 * It belongs to the matrix's context. Applying it is collective. */
FUR_API const fur_operator *fur_ranks_precond_operator(const fur_ranks_precond *p);

/* Returns figures of this rank's block, or of the whole. NULL for a rank without rows. */
FUR_API const fur_precond_report *fur_ranks_precond_describe(const fur_ranks_precond *p);

/* Returns 1 if M is Hermitian on this rank. The kind must be "jacobi" with real entries, or a
 * symmetric kind whose matrix or block is Hermitian. Reads all entries of that matrix. */
FUR_API int fur_ranks_precond_hermitian(const fur_ranks_precond *p);

/* Returns 1 if results do not depend on the bounds. */
FUR_API int fur_ranks_precond_exact(const fur_ranks_precond *p);

#ifdef __cplusplus
}
#endif
#endif
