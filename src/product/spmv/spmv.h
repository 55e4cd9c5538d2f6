/* Products of a matrix and a vector: the plan, what is measured of a matrix for it, and how "auto"
 * settles on its kernel. */
#ifndef FURROW_SPMV_SPMV_H
#define FURROW_SPMV_SPMV_H

#include <furrow/spmv.h>

#include "csr.h"

/* Kernels of a device that are looked at, at most. */
#define FUR_SPMV_KERNELS 32
/* What stays in the second-level cache. */
#define FUR_NEAR_BYTES (1 << 20)

struct fur_spmv {
    fur_context *context;
    const fur_csr *a;
    fur_op op;
    fur_half half;
    const fur_csr *operand; /* op(A): a, transpose or rounded */
    fur_csr *transpose;     /* NULL for op N; its values rounded, if that is asked for */
    bool rounds;            /* values to single precision */
    fur_csr *rounded;       /* NULL for another op, or exact values */
    const fur_spmv_kernel *kernel;
    void *state;            /* the kernel's */
    double seconds_prepare; /* the chosen kernel's own part, when measured */
    char reason[256];
    fur_dependent dependent; /* on the matrix */
    fur_spmv_report report;
};

static inline int fur_spmv_kernel_count(const fur_backend *backend)
{
    return backend->spmv_count < FUR_SPMV_KERNELS ? backend->spmv_count : FUR_SPMV_KERNELS;
}

/* The kernel's state for this plan's operand, and its release. */
fur_status fur_spmv_prepare(fur_spmv *plan, const fur_spmv_kernel *kernel,
                            const fur_spmv_profile *profile, void **state);
void fur_spmv_drop(fur_spmv *plan, const fur_spmv_kernel *kernel, void *state);

/* Measures what the choice rests on, reading offsets and samples of the columns. */
fur_status fur_spmv_measure(const fur_csr *a, fur_spmv_profile *out);

/* The same for a matrix that the host reaches. */
void fur_spmv_profile_of(const fur_env *env, const fur_csr_view *a, fur_spmv_profile *out);

/* Why a kernel cannot run; NULL if it can. */
const char *fur_spmv_refusal(const fur_spmv_kernel *kernel, const fur_csr_view *a,
                             const fur_spmv_profile *profile);
/* What kernel `index`, which has an estimate, takes for products with A. */
fur_status fur_spmv_estimate_cost(const fur_csr *a, int index, const fur_spmv_profile *profile,
                                  fur_spmv_cost *out);

/* Set kernel, state and reason. Only exact kernels are considered: the choice may depend on timing
 * or on the machine, the result of a product may not. */
fur_status fur_spmv_choose_estimated(fur_spmv *plan, const fur_spmv_profile *profile, int64_t uses);
fur_status fur_spmv_choose_measured(fur_spmv *plan, const fur_spmv_profile *profile, int64_t uses);

#endif
