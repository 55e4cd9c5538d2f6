/* Kernels of a device: their names, and the times that "auto" expects. */
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

/* Returns kernel 0, 1, 2, ... of fur_spmv_plan; NULL after the last.
 *
 * Kernels of the context's device are in registry order. Kernel 0 is the readable reference. */
FUR_API const fur_kernel_info *fur_spmv_kernel_at(const fur_context *context, int index);
/* Returns kernel 0, 1, 2, ... of fur_spmm_plan; NULL after the last.
 *
 * They are kernels of the CPU if the device has none. */
FUR_API const fur_kernel_info *fur_spmm_kernel_at(const fur_context *context, int index);
/* Returns kernel 0, 1, 2, ... for stencils; NULL after the last. */
FUR_API const fur_kernel_info *fur_stencil_kernel_at(const fur_context *context, int index);
/* Returns kernel 0, 1, 2, ... for sweeps of stencils; NULL after the last.
 *
 * A device may have none. */
FUR_API const fur_kernel_info *fur_stencil_sweep_kernel_at(const fur_context *context, int index);

/* Expected times of a kernel. */
typedef struct fur_spmv_estimate {
    size_t size; /* sizeof(fur_spmv_estimate) */
    /* Duration of one product. 0: the kernel has no estimate, because "auto" never takes it. */
    double seconds_product;
    double seconds_plan; /* duration of the kernel's part of the analysis */
    const char *refusal; /* why it cannot multiply by the matrix; NULL if it can */
} fur_spmv_estimate;

/* Stores the times that "auto" expects of kernel `index` for products by A.
 *
 * - index: as for fur_spmv_kernel_at.
 *
 * On the CPU estimates are made from times of the machine. The context measures these once, in some
 * milliseconds, when they are first needed, and keeps them (docs/kernels.md).
 *
 * Errors: FUR_INVALID if there is no kernel `index`. */
FUR_API fur_status fur_spmv_estimate_at(const fur_csr *a, int index, fur_spmv_estimate *out);

/* Returns the matrix of a plan; NULL after it has been destroyed. */
FUR_API const fur_csr *fur_spmv_matrix(const fur_spmv *plan);
/* Returns the operation of a plan. */
FUR_API fur_op fur_spmv_op(const fur_spmv *plan);

#ifdef __cplusplus
}
#endif
#endif
