/* What multiplies by a subcommand's matrix: a plan or, where it pays, the stencil that the matrix
 * is.
 */
#ifndef FURROW_TOOLS_PRODUCT_H
#define FURROW_TOOLS_PRODUCT_H

#include "command.h"
#include "output.h"

typedef struct product {
    fur_operator *op; /* of one of the next two, the other is NULL */
    fur_spmv *plan;
    fur_recognised *stencil;
    bool asked; /* whether a stencil was looked for */
    fur_recognise_report found;
    int64_t csr_bytes; /* of a product with the matrix as it is */
} product;

#define PRODUCT_KERNEL_DOC                                                                         \
    "Kernel for the products, one of furrow kernels, or stencil, which fails unless the matrix "   \
    "is "                                                                                          \
    "one on a grid; without it the best is chosen"

/* FUR_INVALID, a misuse, unless --kernel took NULL or the name of what may multiply. */
fur_status product_check_kernel(fur_context *context, const char *kernel);

/* Chooses what multiplies as the options' kernel says. Without one, or with auto, a matrix that is
 * recognised as a stencil is multiplied as one if that measures faster than the plan. */
fur_status product_create(const fur_csr *a, const fur_spmv_options *options, product *out);
void product_destroy(product *p);

/* Of either, as of a plan; valid as long as *p stays where it is. */
fur_spmv_report product_describe(const product *p);

/* The fields about recognition, if a stencil was looked for. */
void product_put(output *out, const product *p);

/* Seconds of one of `count` products y = op(A) x that are waited for together. */
fur_status product_time(const product *p, const fur_vector *x, fur_vector *y, int64_t count,
                        double *seconds);

#endif
