/* The interface between incomplete factorisations and their kernel. */
#ifndef FURROW_KERNEL_FACTOR_KERNEL_H
#define FURROW_KERNEL_FACTOR_KERNEL_H

#include <furrow/csr.h>

#include "env.h"
#include "triangular_kernel.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fur_factor_form {
    FUR_FACTOR_LU,        /* A ~ L U, L with ones on its diagonal */
    FUR_FACTOR_HERMITIAN, /* LU of a Hermitian A: pivots are real and positive */
    FUR_FACTOR_CHOLESKY   /* A ~ L L^H from the lower triangle of A */
} fur_factor_form;

/* Values of the factors in a given pattern. The rows of the pattern are sorted and have no entry
 * twice. Every row has a diagonal entry. The pattern of Cholesky has nothing right of the
 * diagonal. */
typedef struct fur_factor_call {
    fur_env *env;
    const fur_csr_view *a;
    const fur_csr_view *f;
    void *values;            /* values of f, computed */
    const int64_t *diagonal; /* positions of the diagonal entries in f */
    /* computed inverses of complex pivots; NULL for real pivots, and for Cholesky */
    void *inverse;
    fur_trsv_tasks *tasks; /* tasks of f's lower triangle; not used on a device */
    const int32_t *order;  /* the row at each place; NULL: rows in order, not on a device */
    fur_factor_form form;
    /* entries outside the pattern are added to the diagonal of their row; not for Cholesky */
    bool modified;
    double shift; /* A's diagonal is multiplied by 1 + shift */
} fur_factor_call;

/* Returns the first row without a usable pivot, or -1. After a failure returns -1 minus its
 * status. */
typedef int64_t fur_factor(const fur_factor_call *call);

#ifdef __cplusplus
}
#endif
#endif
