/* Products of a matrix and a vector: the plan, the figures that are measured for it, and the choice
 * of its kernel by "auto". */
#ifndef FURROW_SPMV_SPMV_H
#define FURROW_SPMV_SPMV_H

#include <furrow/spmv.h>

#include "csr.h"

/* The most kernels of a device that are considered. */
#define FUR_SPMV_KERNELS 32
/* Bytes that stay in the second-level cache. */
#define FUR_NEAR_BYTES (1 << 20)

struct fur_spmv {
    fur_context *context;
    const fur_csr *a;
    fur_op op;
    fur_half half;
    const fur_csr *operand; /* op(A): a, transpose or rounded */
    fur_csr *transpose;     /* NULL for op N; values are rounded if asked for */
    bool rounds;            /* values are rounded to single precision */
    fur_csr *rounded;       /* NULL for another op, or for exact values */
    const fur_spmv_kernel *kernel;
    void *state;            /* state of the kernel */
    double seconds_prepare; /* seconds that the chosen kernel's own preparation took, if measured */
    char reason[256];
    fur_dependent dependent; /* on the matrix */
    fur_spmv_report report;
};

static inline int fur_spmv_kernel_count(const fur_backend *backend)
{
    return backend->spmv_count < FUR_SPMV_KERNELS ? backend->spmv_count : FUR_SPMV_KERNELS;
}

/* Makes and releases the kernel's state for this plan's operand. */
fur_status fur_spmv_prepare(fur_spmv *plan, const fur_spmv_kernel *kernel,
                            const fur_spmv_profile *profile, void **state);
void fur_spmv_drop(fur_spmv *plan, const fur_spmv_kernel *kernel, void *state);

/* Measures the figures for the choice. It reads offsets and samples of the columns. */
fur_status fur_spmv_measure(const fur_csr *a, fur_spmv_profile *out);

/* As above, for a matrix that the host can read. */
void fur_spmv_profile_of(const fur_env *env, const fur_csr_view *a, fur_spmv_profile *out);

/* The reason why a kernel cannot run, or NULL if it can. */
const char *fur_spmv_refusal(const fur_spmv_kernel *kernel, const fur_csr_view *a,
                             const fur_spmv_profile *profile);
/* The cost of products with A by kernel `index`, which has an estimate. */
fur_status fur_spmv_estimate_cost(const fur_csr *a, int index, const fur_spmv_profile *profile,
                                  fur_spmv_cost *out);

/* Set kernel, state and reason. Only exact kernels are considered. The choice may depend on timing
 * or on the machine, but the result of a product may not. */
fur_status fur_spmv_choose_estimated(fur_spmv *plan, const fur_spmv_profile *profile, int64_t uses);
fur_status fur_spmv_choose_measured(fur_spmv *plan, const fur_spmv_profile *profile, int64_t uses);

#endif
