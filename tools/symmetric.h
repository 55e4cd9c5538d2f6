/* Matrices that must be symmetric. */
#ifndef FURROW_TOOLS_SYMMETRIC_H
#define FURROW_TOOLS_SYMMETRIC_H

#include "command.h"

/* FUR_INVALID, naming a pair of entries, unless the square matrix has the symmetry that `who`
 * needs. */
fur_status symmetric_check(const fur_csr *a, fur_symmetry symmetry, const char *who);

#endif
