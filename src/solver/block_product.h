/* Y = A X for column-major blocks of vectors. If the operator comes from a plan of a matrix, a plan
 * for blocks (furrow/spmm.h) reads A once for several columns. Otherwise columns are multiplied one
 * by one. The bits are the same. */
#ifndef FURROW_SOLVER_BLOCK_PRODUCT_H
#define FURROW_SOLVER_BLOCK_PRODUCT_H

#include "vectors.h"

#include <furrow/operator.h>
#include <furrow/spmm.h>

typedef struct fur_block_product {
    const fur_operator *a;
    fur_spmm *plan; /* NULL: column by column */
} fur_block_product;

/* The operator must outlive the product. After a failure nothing must be released. */
fur_status fur_block_product_make(const fur_operator *a, fur_block_product *out);
void fur_block_product_release(fur_block_product *product);

/* Returns whether a product with several columns reads A less often than separate products. */
bool fur_block_product_shares(const fur_block_product *product);

/* X and Y are column-major, do not overlap, and have equally many columns. */
fur_status fur_block_product_apply(const fur_block_product *product, const fur_vectors *x,
                                   fur_vectors *y);

#endif
