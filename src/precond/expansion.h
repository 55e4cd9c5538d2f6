/* Blocks of consecutive rows of A, with or without overlap, as one matrix with the blocks along its
 * diagonal. With overlap a block also has the rows that its own rows have entries of. A row of
 * several blocks is in the matrix several times. */
#ifndef FURROW_PRECOND_EXPANSION_H
#define FURROW_PRECOND_EXPANSION_H

#include "csr.h"

typedef struct fur_expansion {
    int64_t block;    /* A's rows in a block, without overlap; the last may have fewer */
    bool overlaps;    /* blocks also have the rows that their rows have entries of */
    int64_t count;    /* number of blocks */
    int64_t *begin;   /* the first row of each in the new matrix, and one past the last */
    int32_t *numbers; /* of the rows in A, rising in each block; on the host */
} fur_expansion;

/* Functions for fur_csr_on_host, with the address of a fur_expansion. The first sets the missing
 * members and makes the matrix. The second makes the matrix of ones that adds up the entries of A's
 * rows in all blocks, or takes each row from its own block alone. */
fur_status fur_expansion_make(const fur_csr *a, const void *arguments, fur_csr **out);
fur_status fur_expansion_add_up(const fur_csr *a, const void *arguments, fur_csr **out);
fur_status fur_expansion_pick(const fur_csr *a, const void *arguments, fur_csr **out);

/* Fills the values of the matrix, for fur_csr_fill_on_host. */
void fur_expansion_fill(const fur_csr *a, const void *arguments, fur_csr *e);

void fur_expansion_release(fur_env *env, fur_expansion *x);

#endif
