/* The contract between incomplete factorisations and their kernel. */
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
    FUR_FACTOR_HERMITIAN, /* the same of a Hermitian A: pivots are real and positive */
    FUR_FACTOR_CHOLESKY   /* A ~ L L^H, of A's lower triangle alone */
} fur_factor_form;

/* Values of the factors in a pattern: rows sorted, no entry twice, the diagonal in every row, and,
 * of Cholesky, nothing right of it. */
typedef struct fur_factor_call {
    fur_env *env;
    const fur_csr_view *a;
    const fur_csr_view *f;
    void *values;            /* of f, to be computed */
    const int64_t *diagonal; /* where the diagonal's entries stand in f */
    void *inverse;           /* of complex pivots, to be computed; NULL: real ones, or Cholesky's */
    fur_trsv_tasks *tasks;   /* of f's lower triangle; a device does not need them */
    const int32_t *order;    /* the row at each place; NULL: rows rise, not on a device */
    fur_factor_form form;
    bool modified; /* what the pattern leaves out goes to the diagonal of its row; not Cholesky's */
    double shift;  /* A's diagonal is taken times 1 + shift */
} fur_factor_call;

/* Returns the first row without a usable pivot, or -1, or -1 less the status of a failure. */
typedef int64_t fur_factor(const fur_factor_call *call);

#ifdef __cplusplus
}
#endif
#endif
