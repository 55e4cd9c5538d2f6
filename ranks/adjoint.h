/* A^H of a matrix of all ranks, for least-squares methods. */
#ifndef FURROW_RANKS_ADJOINT_H
#define FURROW_RANKS_ADJOINT_H

#include "matrix.h"

typedef struct adjoint {
    fur_ranks_csr *a;
    fur_ranks_csr *turned;  /* A^H, in a separate context */
    fur_operator *operator; /* maps y of A to x of A */
} adjoint;

/* Collective. After a failure, adjoint_destroy releases the parts that were made. */
fur_status adjoint_create(fur_ranks_csr *a, adjoint *out);
void adjoint_destroy(adjoint *t);

#endif
