/* Properties of contexts and matrices for bindings and for libraries on top of Furrow. */
#ifndef FURROW_AUTHOR_CONTEXT_H
#define FURROW_AUTHOR_CONTEXT_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defined in furrow/batch.h, operator.h and reorder.h. */
typedef struct fur_batch fur_batch;
typedef struct fur_operator fur_operator;
typedef struct fur_permutation fur_permutation;

/* Returns the context on the CPU to which objects can be moved to read them.
 *
 * For a context on the CPU this is the context itself. For a context on a GPU it is its companion
 * on the CPU, with the same allocator and threads. It is valid as long as the context; do not
 * destroy it. Its objects keep both contexts alive. */
FUR_API fur_context *fur_context_host(fur_context *context);

/* Returns the instruction set in use.
 *
 * It is "portable", "avx2" or "avx512"; for a GPU a name such as "sm_90". */
FUR_API const char *fur_context_isa(const fur_context *context);

/* Returns the watcher of the context's options. */
FUR_API fur_file_watcher fur_context_watcher(const fur_context *context);

/* Returns the context of a matrix; NULL for NULL. */
FUR_API fur_context *fur_csr_context(const fur_csr *matrix);
/* Returns the context of a vector; NULL for NULL. */
FUR_API fur_context *fur_vector_context(const fur_vector *vector);
/* Returns the context of a block of vectors; NULL for NULL. */
FUR_API fur_context *fur_vectors_context(const fur_vectors *x);
/* Returns the context of an operator's y; NULL for NULL. */
FUR_API fur_context *fur_operator_context(const fur_operator *op);
/* Returns the context of a permutation; NULL for NULL. */
FUR_API fur_context *fur_permutation_context(const fur_permutation *permutation);
/* Returns the context of a batch; NULL for NULL. */
FUR_API fur_context *fur_batch_context(const fur_batch *batch);

/* Transfers the owner of borrowed arrays to a matrix.
 *
 * - release: fur_csr_destroy calls release(user) once, when the device no longer reads the arrays.
 * - user: passed to `release`; may be NULL.
 *
 * Matrices made from this matrix do not share its arrays.
 *
 * Errors: FUR_INVALID if `release` is NULL, or for a second call. */
FUR_API fur_status fur_csr_on_destroy(fur_csr *matrix, void (*release)(void *user), void *user);

/* Checks that arrays are a valid matrix as furrow/csr.h defines it.
 *
 * Errors: FUR_INVALID if they are not; the sentence names the first wrong row and the column.
 * FUR_OVERFLOW if rows or cols exceed 2^31-1, or the entries do not fit the offsets. */
FUR_API fur_status fur_csr_check(fur_context *context, const fur_csr_view *arrays);

#ifdef __cplusplus
}
#endif
#endif
