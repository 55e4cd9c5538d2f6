/* The contract between factorised approximate inverses and their kernel. */
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

#ifdef __cplusplus
}
#endif
#endif
