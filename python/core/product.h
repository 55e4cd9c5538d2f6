/* Plans for products with a matrix, for vectors and for blocks of vectors. */
#ifndef FURROW_PYTHON_PRODUCT_H
#define FURROW_PYTHON_PRODUCT_H

#include "csr.h"

/* A vector at an address on the device, kept for the next product that uses this address. */
struct vector_at {
    std::uintptr_t address = 0;
    std::int64_t size = -1;
    furrow::vector vector;
};

/* An array of CuPy that is known to be a plain vector. It keeps its address while it exists. */
struct known_array {
    nb::object weak; /* a weak reference, or nothing */
    std::uintptr_t address = 0;
    std::int64_t size = 0;
};

/* A product with vectors in A's order; the plan's own order may differ. Members are destroyed from
 * the last to the first. */
struct ordered_product {
    furrow::product product;
    furrow::linear_operator permuted; /* NULL: the plan uses A's order */
    std::int64_t bytes;               /* traffic of a product */
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
