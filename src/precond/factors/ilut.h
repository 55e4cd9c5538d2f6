/* Incomplete LU factors by thresholds, of a matrix that the host reaches. */
#ifndef FURROW_PRECOND_ILUT_H
#define FURROW_PRECOND_ILUT_H

#include "csr.h"

/* Limits of the factors. */
typedef struct fur_ilut_limits {
    int64_t fill; /* entries of a row of L, and of U, in addition to A's */
    double drop;  /* entries below this times the norm of A's row are dropped */
    double shift; /* the smallest shift that is tried */
} fur_ilut_limits;

/* Result of the factorization. */
typedef struct fur_ilut_outcome {
    double shift;
    int64_t raised; /* pivots that were too small */
    int64_t failed; /* the first row without a usable pivot, or -1 */
    double growth;  /* of the last factors, see ilut_growth.h */
} fur_ilut_outcome;

typedef struct fur_ilut_call {
    const fur_ilut_limits *limits;
    fur_ilut_outcome *outcome;
} fur_ilut_call;

/* Makes A ~ L U as one matrix, without L's diagonal of ones. For fur_csr_on_host, with a
 * fur_ilut_call. FUR_INVALID, without a sentence, if with every shift some row has no usable pivot,
 * or the factors grow. */
fur_status fur_ilut_factor(const fur_csr *a, const void *arguments, fur_csr **out);

#endif
