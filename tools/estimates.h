/* Compares the times that "auto" expects for each kernel with measured times. */
#ifndef FURROW_TOOLS_ESTIMATES_H
#define FURROW_TOOLS_ESTIMATES_H

#include "output.h"

/* Times all kernels except the reference briefly, and prints expected and measured times. People
 * get a table, JSON gets the list "estimates". */
fur_status estimates_put(output *out, const fur_csr *a, fur_op op);

#endif
