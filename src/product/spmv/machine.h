/* The time that the machine needs for the work of the CPU's kernels. It is measured by products
 * with a few small matrices, once for a context and a value type, in some milliseconds. It is then
 * fitted to the work that the kernels count (fur_spmv_work). */
#ifndef FURROW_SPMV_MACHINE_H
#define FURROW_SPMV_MACHINE_H

#include "spmv.h"

/* Powers of two for the bytes of a matrix. */
#define FUR_MACHINE_SIZES 48

/* Times of one thread, in ns. */
typedef struct fur_kernel_speed {
    double part[FUR_WORK_PARTS]; /* for each part that the kernel counts */
    /* additional time for each entry whose x is not in the near caches */
    double far;
    double plan;   /* to make the plan, for each entry; 0: no plan */
    double waking; /* additional time of a plan with all threads */
} fur_kernel_speed;

typedef struct fur_machine {
    fur_kernel_speed kernel[FUR_SPMV_KERNELS];
    double fresh; /* ns for a byte of memory that was not used before, with all threads */
    /* Bytes a ns at which all threads read a matrix of at least 2^k bytes. 0: not measured yet. */
    double rate[FUR_MACHINE_SIZES];
} fur_machine;

/* The speed of the machine for the context's kernels and values of one type. It is measured at the
 * first call. The context owns it. */
fur_status fur_machine_of(fur_context *context, fur_value_type value, fur_machine **out);

/* Bytes a ns at which all threads read an array: the best of several tries. */
double fur_machine_rate(const fur_env *env, const void *array, int64_t bytes);

/* The ns that all threads need to get a byte of new memory. */
fur_status fur_machine_fresh(fur_env *env, double *ns);

/* The cost of a product of A by kernel `index` of the context's device, and the cost of its
 * plan. */
fur_spmv_cost fur_machine_cost(fur_machine *m, const fur_context *context, int index,
                               const fur_csr_view *a, const fur_spmv_profile *profile);

#endif
