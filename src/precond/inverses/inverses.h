/* Inverses of blocks along the diagonal of a matrix, by the host. */
#ifndef FURROW_PRECOND_INVERSES_H
#define FURROW_PRECOND_INVERSES_H

#include "csr.h"
#include "dense_blocks_kernel.h"

typedef struct fur_inverses {
    bool adaptive; /* each is stored in the precision that its condition allows */
    int64_t count;
    int64_t *begin;          /* the first row of each, and one past the last */
    int64_t *squares;        /* entries before each, and of all */
    void *values;            /* in full, column after column, block after block */
    fur_dense_block *blocks; /* descriptions for the kernels */
    int64_t singular;        /* the first block without an inverse, or count */
} fur_inverses;

/* Sets where each block begins when all are in their precisions. Returns the bytes of all blocks:
 * at most the bytes in full precision. */
int64_t fur_inverses_place(fur_value_type type, const fur_inverses *v);

/* Writes the blocks there. */
void fur_inverses_pack(const fur_env *env, fur_value_type type, const fur_inverses *v, void *out);

#endif
