/* Positions of a factorised approximate inverse that A's values decide. */
#ifndef FURROW_PRECOND_FSAI_SEARCH_H
#define FURROW_PRECOND_FSAI_SEARCH_H

#include "precond.h"

/* FUR_INVALID for steps, grow and gain out of range. */
fur_status fur_fsai_check(fur_context *context, const fur_precond_options *options);

/* The pattern; its values are anything. On a device's copy the host searches. */
fur_status fur_fsai_find(const fur_csr *a, const fur_precond_options *options, fur_csr **out);

#endif
