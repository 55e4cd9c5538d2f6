/* Plans of products by a matrix: of vectors, and of blocks of vectors. */
#ifndef FURROW_PYTHON_PRODUCT_H
#define FURROW_PYTHON_PRODUCT_H

#include "csr.h"

/* A product with vectors in the order of A, whatever its own. Members go from the last to the
 * first. */
struct ordered_product {
    furrow::product product;
    furrow::linear_operator permuted; /* NULL: the order is that of A */
    std::int64_t bytes;               /* of a product */
    const fur_operator *as_operator() const
    {
        return permuted ? permuted.get() : product.as_operator();
    }
};

void destroy(ordered_product *p);

using Product = Held<ordered_product, destroy>;
using BlockProduct = Held<fur_spmm, fur_spmm_destroy>;

void bind_product(nb::module_ &m);

#endif
