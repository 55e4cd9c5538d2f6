/* Blocks of consecutive rows of A, each with the rows that its own need or without, as one matrix
 * with the blocks along its diagonal: rows that several blocks have are there several times. */
#ifndef FURROW_PRECOND_EXPANSION_H
#define FURROW_PRECOND_EXPANSION_H

#include "csr.h"

typedef struct fur_expansion {
    int64_t block;    /* A's rows of a block; the last may have fewer */
    bool overlaps;    /* blocks have the rows that theirs have entries of */
    int64_t count;    /* of blocks */
    int64_t *begin;   /* the first row of each in the new matrix, and one past the last */
    int32_t *numbers; /* of the rows in A, rising in each block; on the host */
} fur_expansion;

/* Both for fur_csr_on_host, with the address of a fur_expansion: sets what it lacks and makes the
 * matrix; then the matrix of ones that adds up what rows of A have in all blocks, or has each from
 * its own block alone. */
fur_status fur_expansion_make(const fur_csr *a, const void *arguments, fur_csr **out);
fur_status fur_expansion_add_up(const fur_csr *a, const void *arguments, fur_csr **out);
fur_status fur_expansion_pick(const fur_csr *a, const void *arguments, fur_csr **out);

/* For fur_csr_fill_on_host: the values of the matrix. */
void fur_expansion_fill(const fur_csr *a, const void *arguments, fur_csr *e);

void fur_expansion_release(fur_env *env, fur_expansion *x);

#endif
