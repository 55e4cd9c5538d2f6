/* Inverses of blocks along the diagonal of a matrix, by the host. */
#ifndef FURROW_PRECOND_INVERSES_H
#define FURROW_PRECOND_INVERSES_H

#include "csr.h"
#include "dense_blocks_kernel.h"

typedef struct fur_inverses {
    bool narrow; /* each is kept in the form that its condition allows */
    int64_t count;
    int64_t *begin;          /* the first row of each, and one past the last */
    int64_t *squares;        /* entries before each, and of all */
    void *values;            /* in full, column after column, block after block */
    fur_dense_block *blocks; /* what kernels are told */
    int64_t singular;        /* the first block without an inverse, or count */
} fur_inverses;

/* Says where each block begins once all are in their forms, and returns the bytes of all: where all
 * are in full those of the values, never more. */
int64_t fur_inverses_place(fur_value_type type, const fur_inverses *v);

/* Puts them there. */
void fur_inverses_pack(const fur_env *env, fur_value_type type, const fur_inverses *v, void *out);

#endif
