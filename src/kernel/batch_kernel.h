/* The interface between batches of systems and a backend's kernels for them. */
#ifndef FURROW_KERNEL_BATCH_KERNEL_H
#define FURROW_KERNEL_BATCH_KERNEL_H

#include <stdbool.h>

#include <furrow/batch.h>

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The systems. Blocks are row-major: a row has an entry for each system. */
typedef struct fur_batch_view {
    const fur_csr_view *pattern;    /* its values and value type are not used */
    const fur_vectors_view *values; /* pattern->entries x count */
} fur_batch_view;

/* A product y = alpha A x + beta y of all systems. There is at least one row and one system. */
typedef struct fur_batch_call {
    fur_env *env;
    fur_batch_view a;
    fur_scalar alpha;
    fur_scalar beta;
    const fur_vectors_view *x;
    const fur_vectors_view *y;
} fur_batch_call;

typedef enum fur_batch_method { FUR_BATCH_CG = 0, FUR_BATCH_BAND } fur_batch_method;

/* How the systems are solved. */
typedef struct fur_batch_form {
    fur_batch_method method;
    double rtol; /* tolerances of cg */
    double atol;
    int64_t max_iterations;
    int range;     /* passes work on residuals with a norm between 2^-range and 2^range */
    int64_t lower; /* "band": diagonals below and above the main diagonal */
    int64_t upper;
} fur_batch_form;

/* A x = b for all systems. There is at least one row and one system. */
typedef struct fur_batch_solve_call {
    fur_env *env;
    fur_batch_view a;
    const fur_batch_form *form;
    void *state; /* made by plan */
    const fur_vectors_view *b;
    const fur_vectors_view *x;
    fur_batch_result *results; /* on the host */
} fur_batch_solve_call;

typedef struct fur_batch_kernels {
    fur_status (*apply)(const fur_batch_call *call);
    /* Allocates the memory of solves. */
    fur_status (*plan)(fur_env *env, const fur_batch_view *a, const fur_batch_form *form,
                       void **state);
    fur_status (*solve)(const fur_batch_solve_call *call);
    void (*release)(fur_env *env, void *state);
} fur_batch_kernels;

#ifdef __cplusplus
}
#endif
#endif
