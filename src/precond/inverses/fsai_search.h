/* Positions of a factorised approximate inverse that A's values decide. */
#ifndef FURROW_PRECOND_FSAI_SEARCH_H
#define FURROW_PRECOND_FSAI_SEARCH_H

#include "precond.h"

/* The pattern; its values are anything. On a device's copy the host searches. */
fur_status fur_fsai_find(const fur_csr *a, const fur_fsai_options *options, fur_csr **out);

#endif
