/* A matrix from pieces: each rank has some of its entries, from any rows. */
#ifndef FURROW_RANKS_PIECES_H
#define FURROW_RANKS_PIECES_H

#include "matrix.h"

typedef struct pieces {
    int64_t rows; /* rows and cols of the whole matrix; the same on all ranks */
    int64_t cols;
    fur_value_type value;
    const fur_csr_view *own; /* this rank's piece; duplicates are in order. NULL: empty */
    const int64_t *bounds;   /* NULL: balanced */
    bool refuses_duplicates; /* a matrix with duplicates is not made */
    /* Called when `own` is no longer needed. NULL: nothing to do. */
    void (*done)(void *user);
    void *user;
} pieces;

/* Makes the matrix. Duplicates are added in the order of ranks, and within a rank in the order of
 * its piece. If the matrix has duplicates that are refused, *out = NULL and the result is FUR_OK.
 * Collective, but ends without an agreement. */
fur_status matrix_from_pieces(fur_ranks *g, const pieces *p, fur_ranks_csr **out);

#endif
