/* Products by a subcommand's matrix: the options --kernel and --reorder, and what is said of
 * the library's choice. */
#ifndef FURROW_TOOLS_PRODUCT_H
#define FURROW_TOOLS_PRODUCT_H

#include "command.h"
#include "output.h"

#define PRODUCT_KERNEL_DOC                                                                         \
    "Kernel for the products: stencil, or a kernel of furrow kernels (default: auto, the fastest)"
#define PRODUCT_VALUES_DOC "Values of A: exact (default), or f32, rounded to single precision"
#define PRODUCT_ORDER_DOC                                                                          \
    "Order for the products: none (default), auto, or a method of furrow reorder"

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
