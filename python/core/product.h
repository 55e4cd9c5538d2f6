/* Plans of products by a matrix: of vectors, and of blocks of vectors. */
#ifndef FURROW_PYTHON_PRODUCT_H
#define FURROW_PYTHON_PRODUCT_H

#include "csr.h"

/* A vector at an address of the device, kept for the next product with the same. */
struct vector_at {
    std::uintptr_t address = 0;
    std::int64_t size = -1;
    furrow::vector vector;
};

/* An array of CuPy that was found to be a plain vector. Where it lies cannot change while it lives.
 */
struct known_array {
    nb::object weak; /* a weak reference, or nothing */
    std::uintptr_t address = 0;
    std::int64_t size = 0;
};

/* A product with vectors in the order of A, whatever its own. Members go from the last to the
 * first. */
struct ordered_product {
    furrow::product product;
    furrow::linear_operator permuted; /* NULL: the order is that of A */
    std::int64_t bytes;               /* of a product */
    vector_at x = {};
    vector_at y = {};
    known_array from = {};
    known_array to = {};
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
