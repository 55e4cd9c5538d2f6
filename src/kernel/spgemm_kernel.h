/* The interface between the library and a backend's kernels for products of two matrices. */
#ifndef FURROW_KERNEL_SPGEMM_KERNEL_H
#define FURROW_KERNEL_SPGEMM_KERNEL_H

#include <furrow/csr.h>

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes that are counted before C has memory. */
typedef struct fur_spgemm_size {
    int64_t entries;  /* entries of C */
    int64_t products; /* number of products a_ik b_kj; at most INT64_MAX */
} fur_spgemm_size;

/* C = alpha A B in three steps. The last step is repeated for new values of A and B. All matrices
 * have the same value type. Columns of A and B rise along each row, and may repeat. The arrays of a
 * view are in the memory where the backend's kernels work. */
typedef struct fur_spgemm_kernels {
    /* Counts the rows of C and prepares *state. Reads offsets and columns of A and B. A device with
     * its own memory may return FUR_UNSUPPORTED: the companion is then faster. */
    fur_status (*count)(fur_env *env, const fur_csr_view *a, const fur_csr_view *b, void **state,
                        fur_spgemm_size *size);
    /* Sets the offsets and columns of C in allocated arrays, and prepares for values. */
    fur_status (*fill)(fur_env *env, void *state, const fur_csr_view *a, const fur_csr_view *b,
                       const fur_csr_view *c);
    /* Sets the values of C in the order of docs/numerics.md. Allocates nothing. It may test whether
     * to stop; if it stops, values are incomplete. */
    fur_status (*apply)(fur_env *env, const void *state, const fur_csr_view *a,
                        const fur_csr_view *b, fur_scalar alpha, const fur_csr_view *c,
                        void *values);
    void (*release)(fur_env *env, void *state);
} fur_spgemm_kernels;

/* C = R (A P), without storing A P, for matrices as above. */
typedef struct fur_triple_kernels {
    /* Computes C, and returns its number of entries. FUR_UNSUPPORTED if two products are better. */
    fur_status (*compute)(fur_env *env, const fur_csr_view *r, const fur_csr_view *a,
                          const fur_csr_view *p, void **state, int64_t *entries);
    /* Moves the result to the allocated arrays of C. */
    void (*take)(fur_env *env, void *state, const fur_csr_view *c, void *values);
    void (*release)(fur_env *env, void *state);
} fur_triple_kernels;

#ifdef __cplusplus
}
#endif
#endif
