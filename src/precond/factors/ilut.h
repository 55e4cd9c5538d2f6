/* Incomplete LU factors by thresholds, of a matrix that the host reaches. */
#ifndef FURROW_PRECOND_ILUT_H
#define FURROW_PRECOND_ILUT_H

#include "csr.h"

/* What is asked for. */
typedef struct fur_ilut_limits {
    int64_t fill; /* entries of a row of L, and of U, beyond those of A's */
    double drop;  /* times the norm of a row of A: what is smaller is left out */
    double shift; /* the least that is tried */
} fur_ilut_limits;

/* What is found. */
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

/* A ~ L U as one matrix, L's diagonal of ones not stored. For fur_csr_on_host, with a
 * fur_ilut_call. FUR_INVALID, without a sentence, if no shift gives all rows usable pivots
 * and factors that do not grow. */
fur_status fur_ilut_factor(const fur_csr *a, const void *arguments, fur_csr **out);

#endif
