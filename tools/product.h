/* Products by a subcommand's matrix: the options --kernel and --reorder, and what is said of
 * the library's choice. */
#ifndef FURROW_TOOLS_PRODUCT_H
#define FURROW_TOOLS_PRODUCT_H

#include "command.h"
#include "output.h"

#define PRODUCT_KERNEL_DOC                                                                         \
    "Kernel for the products: one of furrow kernels, or stencil, which fails unless the matrix "   \
    "is one on a grid (default: the best)"
#define PRODUCT_VALUES_DOC                                                                         \
    "Values of A to multiply by: exact (default), or f32, rounded to single precision; vectors "   \
    "and additions stay as they are"
#define PRODUCT_ORDER_DOC                                                                          \
    "Order of rows and columns to work in: that of a method of furrow reorder, none (default), "   \
    "or auto, which is rcm if products are faster in it. x, y and b keep the order of FILE"

/* FUR_INVALID, a misuse, unless --kernel took NULL or the name of what may multiply. */
fur_status product_check_kernel(fur_context *context, const char *kernel);

/* The names that --reorder takes. */
command_names product_order;

/* The names that --values takes; the form of that one, exact for NULL. */
command_names product_values;
fur_stored product_stored(const char *name);

/* Replace a vector in the order of the file by the same in the product's order, and back. */
fur_status product_enter(const fur_product *p, fur_vector **x);
fur_status product_leave(const fur_product *p, fur_vector **x);

/* The fields about the order; about recognition, if a stencil was looked for. */
void product_put_order(output *out, const fur_product_report *report);
void product_put_recognition(output *out, const fur_product_report *report);

#endif
