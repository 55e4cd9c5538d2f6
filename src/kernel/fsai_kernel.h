/* The interface between factorised approximate inverses and their kernels. */
#ifndef FURROW_KERNEL_FSAI_KERNEL_H
#define FURROW_KERNEL_FSAI_KERNEL_H

#include <furrow/csr.h>

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the values of G with G A G^H ~ I. Row i has columns J, the last of which is i. Its
 * values are conj(y), where L^H y = e for the last unit vector e, and A(J, J) = L L^H. */
typedef struct fur_fsai_call {
    const fur_env *env;
    const fur_csr_view *a; /* rows sorted */
    const fur_csr_view *g; /* the pattern */
    void *values;          /* values of g, computed */
    int lanes;             /* lanes that share the rows */
    int64_t longest;       /* longest row of g */
    void *work;            /* lanes x (longest^2 + longest) values */
} fur_fsai_call;

/* Returns the first row whose A(J, J) is not positive definite, or -1. After a failure returns -1
 * minus its status. */
typedef int64_t fur_fsai(const fur_fsai_call *call);

/* The most positions of a row of G left of its diagonal. The row's dense matrix takes their
 * square. */
#define FUR_FSAI_MAX 255

/* Finds the positions of G row by row (Janna and Ferronato 2011). For row i, g with g_i = 1 has the
 * least g A g^H for the positions found so far. A step adds the columns left of i where the
 * gradient g A is largest, for A scaled to a diagonal of ones. If gradients are equal, the first
 * column is taken.
 *
 * A row ends after `steps` steps, or if the gradient is 0. It also ends with a step that reduces g
 * A g^H by less than `gain` times its value before the step. */
typedef struct fur_fsai_search_call {
    const fur_env *env;
    const fur_csr_view *a; /* square, rows sorted */
    int64_t steps;
    int64_t grow; /* positions that a step adds */
    double gain;
    int lanes;       /* lanes that share the rows */
    double *scale;   /* computed: 1 / sqrt(a_jj), or 0 if that is not usable */
    void *sums;      /* lanes x rows zeros, on return too */
    int32_t *places; /* lanes x rows numbers -1, on return too */
    int32_t *seen;   /* lanes x rows */
    void *dense;     /* lanes x (m^2 + 2 m) values, for m = steps x grow, at most FUR_FSAI_MAX */
    /* computed, m + 1 places a row: its positions in rising order, then the row itself */
    int32_t *columns;
    int64_t *lengths; /* computed: the number of positions of each row */
} fur_fsai_search_call;

typedef void fur_fsai_search(const fur_fsai_search_call *call);

#ifdef __cplusplus
}
#endif
#endif
