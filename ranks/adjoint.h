/* A^H of a matrix of all ranks, for methods of least squares. */
#ifndef FURROW_RANKS_ADJOINT_H
#define FURROW_RANKS_ADJOINT_H

#include "matrix.h"

typedef struct adjoint {
    fur_ranks_csr *a;
    fur_ranks_csr *turned;  /* A^H, in a context of its own */
    fur_operator *operator; /* from y of A to x of A */
} adjoint;

/* Collective. A failure leaves what adjoint_destroy releases. */
fur_status adjoint_create(fur_ranks_csr *a, adjoint *out);
void adjoint_destroy(adjoint *t);

#endif
