/* The contract between the library and a backend's kernels for products of two matrices. */
#ifndef FURROW_KERNEL_SPGEMM_KERNEL_H
#define FURROW_KERNEL_SPGEMM_KERNEL_H

#include <furrow/csr.h>

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is counted before C has memory. */
typedef struct fur_spgemm_size {
    int64_t entries;  /* of C */
    int64_t products; /* a_ik b_kj that make them up; at most INT64_MAX */
} fur_spgemm_size;

/* C = alpha A B in three steps, of which the last is repeated for new values of A and B. All
 * matrices have one value type; columns of A and B rise along each row, and may repeat. A view
 * gives the arrays where the backend's kernels work. */
typedef struct fur_spgemm_kernels {
    /* Counts the rows of C and prepares *state. Reads offsets and columns of A and B.
     * FUR_UNSUPPORTED, on a device with memory of its own, for what the companion does better. */
    fur_status (*count)(fur_env *env, const fur_csr_view *a, const fur_csr_view *b, void **state,
                        fur_spgemm_size *size);
    /* Sets the offsets and the columns of C in arrays that are there, and prepares for values. */
    fur_status (*fill)(fur_env *env, void *state, const fur_csr_view *a, const fur_csr_view *b,
                       const fur_csr_view *c);
    /* Sets the values of C in the order of docs/numerics.md. Allocates nothing. May ask whether to
     * stop, and then leaves them half done. */
    fur_status (*apply)(fur_env *env, const void *state, const fur_csr_view *a,
                        const fur_csr_view *b, fur_scalar alpha, const fur_csr_view *c,
                        void *values);
    void (*release)(fur_env *env, void *state);
} fur_spgemm_kernels;

/* C = R (A P) once, without A P, of matrices as above. */
typedef struct fur_triple_kernels {
    /* Computes C and tells how many entries it has. FUR_UNSUPPORTED where two products are better.
     */
    fur_status (*compute)(fur_env *env, const fur_csr_view *r, const fur_csr_view *a,
                          const fur_csr_view *p, void **state, int64_t *entries);
    /* Moves it to the arrays of C, which are there. */
    void (*take)(fur_env *env, void *state, const fur_csr_view *c, void *values);
    void (*release)(fur_env *env, void *state);
} fur_triple_kernels;

#ifdef __cplusplus
}
#endif
#endif
