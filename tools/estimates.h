/* What "auto" expects of each kernel for a matrix, beside what they take. */
#ifndef FURROW_TOOLS_ESTIMATES_H
#define FURROW_TOOLS_ESTIMATES_H

#include "output.h"

/* Races all kernels but the reference, briefly, and prints what was expected of each and what it
 * took: a table for people, the list "estimates" in JSON. */
fur_status estimates_put(output *out, const fur_csr *a, fur_op op);

#endif
