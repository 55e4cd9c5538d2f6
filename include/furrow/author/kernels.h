/* The kernels of a device: their names, the times that "auto" expects. */
#ifndef FURROW_AUTHOR_KERNELS_H
#define FURROW_AUTHOR_KERNELS_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/spmm.h>
#include <furrow/spmv.h>
#include <furrow/stencil.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kernel 0, 1, 2 ... of the context's device, in registry order; 0 is the readable reference. NULL
 * past the last. */
FUR_API const fur_kernel_info *fur_spmv_kernel_at(const fur_context *context, int index);
/* The same for products with blocks (furrow/spmm.h), of the CPU if the device has none. */
FUR_API const fur_kernel_info *fur_spmm_kernel_at(const fur_context *context, int index);
/* The same for stencils. */
FUR_API const fur_kernel_info *fur_stencil_kernel_at(const fur_context *context, int index);
/* The same for sweeps of stencils. A device may have none. */
FUR_API const fur_kernel_info *fur_stencil_sweep_kernel_at(const fur_context *context, int index);

typedef struct fur_spmv_estimate {
    size_t size;            /* sizeof(fur_spmv_estimate) */
    double seconds_product; /* of one product; 0: the kernel has no estimate, as "auto" never takes
                               it */
    double seconds_plan;    /* of its own part of the analysis */
    const char *refusal;    /* why it cannot multiply by the matrix; NULL if it can */
} fur_spmv_estimate;

/* What "auto" expects of kernel `index` (fur_spmv_kernel_at) for products with A. On the CPU the
 * estimate is made of times that the context takes of its machine when they are first asked for, in
 * some milliseconds, and keeps (docs/kernels.md). FUR_INVALID if there is no such kernel. */
FUR_API fur_status fur_spmv_estimate_at(const fur_csr *a, int index, fur_spmv_estimate *out);

/* The matrix the plan was made for; NULL once it has been destroyed. */
FUR_API const fur_csr *fur_spmv_matrix(const fur_spmv *plan);
/* The operation it was made for. */
FUR_API fur_op fur_spmv_op(const fur_spmv *plan);

#ifdef __cplusplus
}
#endif
#endif
