/* How long the machine takes for what the CPU's kernels do: measured by their products of a few
 * small matrices, once for a context and a value type, and fitted to what the kernels count
 * (fur_spmv_work). It takes some milliseconds. */
#ifndef FURROW_SPMV_MACHINE_H
#define FURROW_SPMV_MACHINE_H

#include "spmv.h"

/* Powers of two of a matrix's bytes. */
#define FUR_MACHINE_SIZES 48

/* Times of one thread, in ns. */
typedef struct fur_kernel_speed {
    double part[FUR_WORK_PARTS]; /* for each of the things that the kernel counts */
    double far;                  /* for each entry whose x comes from afar, on top */
    double plan;                 /* for each entry, to make the plan; 0: it makes none */
    double waking;               /* what a plan takes by all threads on top of their shares */
} fur_kernel_speed;

typedef struct fur_machine {
    fur_kernel_speed kernel[FUR_SPMV_KERNELS];
    double fresh; /* ns for a byte of memory that was not used before, by all threads */
    /* Bytes a ns at which all threads read a matrix of 2^k bytes and more; 0: none has been met. */
    double rate[FUR_MACHINE_SIZES];
} fur_machine;

/* The machine as the context's kernels see it, for values of one type; measured when first asked
 * for. The context keeps it. */
fur_status fur_machine_of(fur_context *context, fur_value_type value, fur_machine **out);

/* Bytes a ns at which all threads read an array, at the best of some tries. */
double fur_machine_rate(const fur_env *env, const void *array, int64_t bytes);

/* The ns that a byte of new memory takes all threads before they can write to it. */
fur_status fur_machine_fresh(fur_env *env, double *ns);

/* The cost of a product of A by kernel `index` of the context's device and that of its plan. */
fur_spmv_cost fur_machine_cost(fur_machine *m, const fur_context *context, int index,
                               const fur_csr_view *a, const fur_spmv_profile *profile);

#endif
