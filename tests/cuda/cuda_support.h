/* Shared by the tests of a GPU, in addition to support.h: device memory that is counted and can
 * fail, and kernels that refuse a matrix. */
#ifndef FURROW_TESTS_CUDA_SUPPORT_H
#define FURROW_TESTS_CUDA_SUPPORT_H

#include "support.h"

#include <cuda_runtime_api.h>

/* Asserts that a call into CUDA succeeds. */
#define ck_cuda(call)                                                                              \
    do {                                                                                           \
        cudaError_t ck_error = (call);                                                             \
        ck_assert_msg(ck_error == cudaSuccess, "%s: %s", #call, cudaGetErrorString(ck_error));     \
    } while (0)

/* A GPU context on a stream of the test. Its allocators of host and device memory count their calls
 * and can be made to fail. */
typedef struct counted {
    memory host;
    memory device;
    cudaStream_t stream;
    fur_context *context;
} counted;

/* counted_open opens such a context. counted_options returns its options and makes the stream. */
void counted_open(counted *c);
fur_context_options counted_options(counted *c);
/* Checks that all memory was released, and closes the context. */
void counted_close(counted *c);

fur_kernel_info kernel_info(fur_context *context, int kernel);

/* Returns whether the kernel is another library's, which promises less about its bits. */
bool kernel_is_foreign(const char *name);

/* Returns a plan for the kernel, or NULL if the kernel refuses the matrix. A refusal must be
 * FUR_UNSUPPORTED with a message, and the reference kernel must not refuse. */
fur_spmv *plan_or_refusal(const fur_csr *a, fur_op op, int kernel);

/* Returns alpha op(A) x + beta y, computed by the CPU's reference kernel; the caller frees it. */
void *reference_product(fur_context *host, const fur_csr_view *a, fur_op op, fur_scalar alpha,
                        const void *x, fur_scalar beta, const void *y);

#endif
