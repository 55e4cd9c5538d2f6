/* The contract between sparse approximate inverses and their kernel. */
#ifndef FURROW_KERNEL_SPAI_KERNEL_H
#define FURROW_KERNEL_SPAI_KERNEL_H

#include <furrow/csr.h>

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of M with the least ||M A - I|| in the norm of Frobenius: row m with columns J has the
 * least ||m A(J, :) - e|| (Grote and Huckle 1997), in the order of docs/numerics.md. Lanes have
 * rows of their own, and memory: the dense matrix of a row and its right-hand side, the columns of
 * A that it has, and their places, -1 between two rows. */
typedef struct fur_spai_call {
    fur_env *env;
    bool asks; /* now and then whether to stop; then values are left half done */
    const fur_csr_view *a;
    const fur_csr_view *m; /* the pattern */
    void *values;          /* of m, to be computed */
    int lanes;
    int64_t room;    /* of a matrix */
    int64_t longest; /* of a right-hand side */
    void *dense;     /* lanes x (room + longest) values */
    int32_t *columns;
    int32_t *places; /* lanes x rows */
} fur_spai_call;

/* Returns the first row without a usable result; the number of rows: all have one; -1: it was told
 * to stop. */
typedef int64_t fur_spai(const fur_spai_call *call);

#ifdef __cplusplus
}
#endif
#endif
