/* Positions of a factorised approximate inverse that A's values decide. */
#ifndef FURROW_PRECOND_FSAI_SEARCH_H
#define FURROW_PRECOND_FSAI_SEARCH_H

#include "precond.h"

/* Makes the pattern. Its values are undefined. For a matrix of a device the host searches, on a
 * copy. */
fur_status fur_fsai_find(const fur_csr *a, const fur_fsai_options *options, fur_csr **out);

#endif
