/* The contract between factorised approximate inverses and their kernels. */
#ifndef FURROW_KERNEL_FSAI_KERNEL_H
#define FURROW_KERNEL_FSAI_KERNEL_H

#include <furrow/csr.h>

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of G with G A G^H ~ I: for row i with columns J, which end with i, conj(y) where L^H y = e
 * for the last unit vector e and A(J, J) = L L^H. */
typedef struct fur_fsai_call {
    const fur_env *env;
    const fur_csr_view *a; /* rows sorted */
    const fur_csr_view *g; /* the pattern */
    void *values;          /* of g, to be computed */
    int lanes;             /* that share the rows */
    int64_t longest;       /* row of g */
    void *work;            /* lanes x (longest^2 + longest) values */
} fur_fsai_call;

/* Returns the first row whose A(J, J) is not positive definite, or -1, or -1 less the status of a
 * failure. */
typedef int64_t fur_fsai(const fur_fsai_call *call);

/* Positions that a row of G may have left of its diagonal: its dense matrix takes their square. */
#define FUR_FSAI_MOST 255

/* Positions of G that are found row by row (Janna and Ferronato 2011). Of row i, g with g_i = 1 has
 * the least g A g^H for the positions found so far; a step adds those of the columns left of i
 * where the gradient, g A, is largest for A scaled to a diagonal of ones, of equal ones the first.
 * A row ends after so many steps, where the gradient is 0, or with a step that has lessened
 * g A g^H by less than `gain` times what it was. */
typedef struct fur_fsai_search_call {
    const fur_env *env;
    const fur_csr_view *a; /* square, rows sorted */
    int64_t steps;
    int64_t grow; /* positions that a step adds */
    double gain;
    int lanes;        /* that share the rows */
    double *scale;    /* to be computed: 1 / sqrt(a_jj), 0 where that is of no use */
    void *sums;       /* lanes x rows zeros; on return as well */
    int32_t *places;  /* lanes x rows times -1; on return as well */
    int32_t *seen;    /* lanes x rows */
    void *dense;      /* lanes x (m^2 + 2 m) values, for m = steps x grow, at most FUR_FSAI_MOST */
    int32_t *columns; /* to be computed, m + 1 places a row: its positions, rising, and itself */
    int64_t *lengths; /* to be computed: how many those are */
} fur_fsai_search_call;

typedef void fur_fsai_search(const fur_fsai_search_call *call);

#ifdef __cplusplus
}
#endif
#endif
