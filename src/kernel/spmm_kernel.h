/* Products of a matrix and a block of vectors, for kernels. */
#ifndef FURROW_KERNEL_SPMM_KERNEL_H
#define FURROW_KERNEL_SPMM_KERNEL_H

#include <furrow/csr.h>

#include "block_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One product Y = alpha A X + beta Y of any layouts and strides. Y has at least one row and one
 * column. For A^T and A^H the library passes the transpose. */
typedef struct fur_spmm_call {
    fur_env *env;
    const fur_csr_view *a;
    const void *state; /* made by plan */
    fur_scalar alpha;
    fur_scalar beta;
    const fur_vectors_view *x;
    const fur_vectors_view *y;
} fur_spmm_call;

/* A kernel that is `exact` adds the products of a row in the order of FUR_ROW_SEGMENT. The last
 * kernel of a list is exact. */
typedef struct fur_spmm_kernel {
    fur_kernel_info info;
    /* Prepares *state. plan, refresh and release may be NULL: nothing to do. Returns
     * FUR_UNSUPPORTED if the kernel does not suit A. */
    fur_status (*plan)(fur_env *env, const fur_csr_view *a, void **state);
    /* Updates the state when A has other values. Allocates nothing. */
    fur_status (*refresh)(fur_env *env, const fur_csr_view *a, void *state);
    fur_status (*apply)(const fur_spmm_call *call);
    void (*release)(fur_env *env, void *state);
} fur_spmm_kernel;

#ifdef __cplusplus
}
#endif
#endif
