/* Two colours for the rows of a square matrix of all ranks, by the rules of src/csr/colours.h. */
#ifndef FURROW_RANKS_COLOURING_H
#define FURROW_RANKS_COLOURING_H

#include "own_rows.h"

typedef struct colouring {
    int64_t *red;   /* number of red rows in each rank */
    int32_t *order; /* rows of this rank, red before black, both ascending */
    int64_t *place; /* of each row of this rank in that order */
    int64_t *far;   /* of each halo column in the order of its rank */
} colouring;

/* Collective, but ends without an agreement. usable: false if this rank has a reason against two
 * colours. *found is the same on all ranks. colouring_release is required even after a failure.
 * Takes two messages to each neighbour and five gathers, for any graph. */
fur_status colouring_find(fur_ranks_csr *m, const own_rows *rows, bool usable, colouring *out,
                          bool *found);
void colouring_release(const fur_ranks_csr *m, colouring *c);

/* Returns the rank of a column of the halo. */
int colouring_owner(const fur_ranks_csr *m, int64_t halo_column);

#endif
