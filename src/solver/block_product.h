/* Y = A X for blocks of vectors in columns: by a plan for blocks (furrow/spmm.h), which reads A
 * once for several columns, where the operator is that of a matrix's plan, else column by column.
 * The bits are the same. */
#ifndef FURROW_SOLVER_BLOCK_PRODUCT_H
#define FURROW_SOLVER_BLOCK_PRODUCT_H

#include "vectors.h"

#include <furrow/operator.h>
#include <furrow/spmm.h>

typedef struct fur_block_product {
    const fur_operator *a;
    fur_spmm *plan; /* NULL: column by column */
} fur_block_product;

/* The operator must outlive it. On failure nothing is to be released. */
fur_status fur_block_product_make(const fur_operator *a, fur_block_product *out);
void fur_block_product_release(fur_block_product *product);

/* Whether a product with several columns reads A less often than products with each. */
bool fur_block_product_shares(const fur_block_product *product);

/* X and Y are in columns, do not overlap, and have as many of them. */
fur_status fur_block_product_apply(const fur_block_product *product, const fur_vectors *x,
                                   fur_vectors *y);

#endif
