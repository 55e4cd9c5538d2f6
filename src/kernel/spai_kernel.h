/* The interface between sparse approximate inverses and their kernel. */
#ifndef FURROW_KERNEL_SPAI_KERNEL_H
#define FURROW_KERNEL_SPAI_KERNEL_H

#include <furrow/csr.h>

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the values of M with the least ||M A - I|| in the Frobenius norm. Row m with columns J
 * minimises ||m A(J, :) - e|| (Grote and Huckle 1997), in the order of docs/numerics.md. Each lane
 * has its own rows and its own memory: the dense matrix of a row and its right-hand side, the
 * columns of A in it, and the places of these columns. All places are -1 between two rows. */
typedef struct fur_spai_call {
    fur_env *env;
    bool asks; /* tests at times whether to stop; if it stops, values are incomplete */
    const fur_csr_view *a;
    const fur_csr_view *m; /* the pattern */
    void *values;          /* values of m, computed */
    int lanes;
    int64_t room;    /* values of a row's matrix */
    int64_t longest; /* values of a right-hand side */
    void *dense;     /* lanes x (room + longest) values */
    int32_t *columns;
    int32_t *places; /* lanes x rows */
} fur_spai_call;

/* Returns the first row without a usable result, or the number of rows if there is none. Returns -1
 * if it was stopped. */
typedef int64_t fur_spai(const fur_spai_call *call);

#ifdef __cplusplus
}
#endif
#endif
