/* Products of two blocks of vectors at the entries of a matrix, for kernels. */
#ifndef FURROW_KERNEL_SDDMM_KERNEL_H
#define FURROW_KERNEL_SDDMM_KERNEL_H

#include <furrow/csr.h>

#include "block_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of X and Y go to this many lanes in turn. */
#define FUR_SDDMM_LANES 8

/* values[e] = alpha sum_t X(i, t) conj(Y(j, t)) + beta a->values[e] for each entry e, at (i, j), of
 * a matrix that has entries. X and Y are row-major. `values` may be A's. */
typedef struct fur_sddmm_call {
    fur_env *env;
    const fur_csr_view *a;
    fur_scalar alpha;
    fur_scalar beta;
    const fur_vectors_view *x;
    const fur_vectors_view *y;
    void *values;
} fur_sddmm_call;

typedef fur_status fur_sddmm(const fur_sddmm_call *call);

#ifdef __cplusplus
}
#endif
#endif
