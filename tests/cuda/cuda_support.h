/* Shared by the tests of a GPU, in addition to support.h: device memory that is counted and can
 * fail, and the sentences of kernels that refuse a matrix. */
#ifndef FURROW_TESTS_CUDA_SUPPORT_H
#define FURROW_TESTS_CUDA_SUPPORT_H

#include "support.h"

#include <cuda_runtime_api.h>

/* The call into CUDA succeeds. */
#define ck_cuda(call)                                                                              \
    do {                                                                                           \
        cudaError_t ck_error = (call);                                                             \
        ck_assert_msg(ck_error == cudaSuccess, "%s: %s", #call, cudaGetErrorString(ck_error));     \
    } while (0)

/* A GPU context on a stream of the test's own, with an allocator for each side that counts and can
 * be made to fail. */
typedef struct counted {
    memory host;
    memory device;
    cudaStream_t stream;
    fur_context *context;
} counted;

/* Options for such a context; the stream is made first. */
void counted_open(counted *c);
fur_context_options counted_options(counted *c);
/* Everything was given back. */
void counted_close(counted *c);

fur_kernel_info kernel_info(fur_context *context, int kernel);

/* Returns whether the kernel is another library's, which promises less about its bits. */
bool kernel_is_foreign(const char *name);

/* A plan for the kernel, or NULL if it refuses the matrix with FUR_UNSUPPORTED and a sentence,
 * which the reference must not. */
fur_spmv *plan_or_refusal(const fur_csr *a, fur_op op, int kernel);

/* alpha op(A) x + beta y by the CPU's reference, in memory of malloc. */
void *reference_product(fur_context *host, const fur_csr_view *a, fur_op op, fur_scalar alpha,
                        const void *x, fur_scalar beta, const void *y);

#endif
