/* Dense blocks along the diagonal of a matrix, for kernels. */
#ifndef FURROW_KERNEL_DENSE_BLOCKS_KERNEL_H
#define FURROW_KERNEL_DENSE_BLOCKS_KERNEL_H

#include <furrow/csr.h>

#include "anywhere.h"
#include "env.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most rows of a block. */
#define FUR_DENSE_BLOCK_MAX 32

/* The storage of the parts of a block's entries. */
typedef enum fur_dense_form {
    FUR_DENSE_FULL = 0, /* in the precision of the value type */
    FUR_DENSE_SINGLE,   /* as f32 */
    FUR_DENSE_HALF      /* in the format of fur_half_value */
} fur_dense_form;

typedef struct fur_dense_block {
    int64_t start;    /* bytes before its entries, which are stored by columns; parts are aligned */
    int32_t first;    /* first row and column */
    int16_t exponent; /* entries are the stored numbers times 2^exponent, from -1000 to 1000; for
                       * single types from -100 to 100 */
    int8_t rows;
    int8_t form;
} fur_dense_block;

typedef struct fur_dense_blocks {
    fur_value_type value_type;
    int64_t rows;
    int64_t count;
    const fur_dense_block *blocks; /* in order; together they cover all rows */
    const void *entries;
    const int32_t *block_of; /* the block of each row; NULL on the CPU */
} fur_dense_blocks;

/* y = M x; x and y do not overlap. */
typedef fur_status fur_dense_blocks_apply(fur_env *env, const fur_dense_blocks *m, const void *x,
                                          void *y);

/* Blocks along the diagonal of A that are inverted, in the order of docs/numerics.md. */
typedef struct fur_invert_call {
    const fur_env *env;
    const fur_csr_view *a;
    bool adaptive; /* each block gets the form that its condition allows */
    int64_t count;
    const int64_t *begin;    /* the first row of each block, and one past the last */
    const int64_t *squares;  /* entries before each block, and the total */
    void *values;            /* computed: in full precision, by columns, block after block */
    fur_dense_block *blocks; /* forms and exponents are computed if adaptive */
} fur_invert_call;

/* Returns the first block that has no inverse, or `count` if all have one. */
typedef int64_t fur_dense_blocks_invert(const fur_invert_call *call);

/* 2^exponent for exponents from -1000 to 1000. */
FUR_ANYWHERE double fur_power_of_two(int exponent)
{
    int64_t bits = ((int64_t)exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#ifdef __cplusplus
}
#endif
#endif
