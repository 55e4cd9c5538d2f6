/* What bindings and libraries on top of Furrow ask of contexts and matrices. */
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

/* For a context on the CPU the context itself; for one on a GPU its companion on the CPU, with the
 * same allocator and threads, to which objects can be moved to look at them. It lives as long as
 * the context, and its objects keep both alive. */
FUR_API fur_context *fur_context_host(fur_context *context);

/* The instruction set in use: "portable", "avx2" or "avx512"; for a GPU such as "sm_90". */
FUR_API const char *fur_context_isa(const fur_context *context);

/* The watcher of the options. */
FUR_API fur_file_watcher fur_context_watcher(const fur_context *context);

/* The context of an object; NULL for NULL. */
FUR_API fur_context *fur_csr_context(const fur_csr *matrix);
FUR_API fur_context *fur_vector_context(const fur_vector *vector);
FUR_API fur_context *fur_vectors_context(const fur_vectors *x);
FUR_API fur_context *fur_operator_context(const fur_operator *op);
FUR_API fur_context *fur_permutation_context(const fur_permutation *permutation);
FUR_API fur_context *fur_batch_context(const fur_batch *batch);

/* Hands over the owner of borrowed arrays: fur_csr_destroy calls release(user) once, when the
 * device has stopped reading them. user may be NULL. Matrices made from this one do not share its
 * arrays. FUR_INVALID if release is NULL, and for a second call. */
FUR_API fur_status fur_csr_on_destroy(fur_csr *matrix, void (*release)(void *user), void *user);

/* Whether arrays are a valid matrix as furrow/csr.h defines it. FUR_INVALID or FUR_OVERFLOW with a
 * sentence that names the first row at fault and the column; FUR_OK otherwise. */
FUR_API fur_status fur_csr_check(fur_context *context, const fur_csr_view *arrays);

#ifdef __cplusplus
}
#endif
#endif
