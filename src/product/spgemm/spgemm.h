/* Products of two matrices: the plan. */
#ifndef FURROW_SPGEMM_SPGEMM_H
#define FURROW_SPGEMM_SPGEMM_H

#include <furrow/spgemm.h>

#include "csr.h"
#include "pattern.h"

/* The product in the companion, for a context whose backend has no kernels for it. */
typedef struct fur_spgemm_companion {
    fur_csr *a;
    fur_csr *b; /* equals a if both operands are one matrix */
    fur_spgemm *plan;
} fur_spgemm_companion;

struct fur_spgemm {
    fur_context *context;
    const fur_csr *a;
    const fur_csr *b;
    const fur_spgemm_kernels *kernels;
    void *state; /* state of the kernels */
    fur_spgemm_companion near;
    fur_csr_pattern *pattern; /* pattern of C */
    fur_dependent from_a;
    fur_dependent from_b;
    fur_spgemm_report report;
};

/* Returns FUR_INVALID unless A B is a product: the same context, the same value type, and fitting
 * shapes. */
fur_status fur_spgemm_check(const fur_csr *a, const fur_csr *b);

/* Makes the plan's companion, and takes the pattern of C from it. */
fur_status fur_spgemm_plan_near(fur_spgemm *plan, const fur_spgemm_options *options);
/* Sets the values of C, which are in the memory of the plan's context. */
fur_status fur_spgemm_apply_near(const fur_spgemm *plan, fur_scalar alpha, void *values);
void fur_spgemm_release_near(fur_spgemm *plan);

#endif
