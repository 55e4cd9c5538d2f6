/* A matrix from pieces: each rank has some entries of it, of any rows. */
#ifndef FURROW_RANKS_PIECES_H
#define FURROW_RANKS_PIECES_H

#include "matrix.h"

typedef struct pieces {
    int64_t rows; /* of the whole matrix, as the next; the same on all ranks */
    int64_t cols;
    fur_value_type value;
    const fur_csr_view
        *own;              /* this rank's piece, as large; kept duplicates in order. NULL: empty */
    const int64_t *bounds; /* NULL: balanced */
    bool refuses_duplicates; /* a matrix with some is not made */
    /* Called when `own` is not needed any more. NULL: nothing is to be done. */
    void (*done)(void *user);
    void *user;
} pieces;

/* The matrix, in which entries at one position are added in the order of ranks and, of one rank, of
 * its piece. *out = NULL and FUR_OK if it has duplicates that are refused. Collective, without an
 * agreement. */
fur_status matrix_from_pieces(fur_ranks *g, const pieces *p, fur_ranks_csr **out);

#endif
