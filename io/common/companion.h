/* Files are read and written on the host: for a context of another device in its companion. */
#ifndef FURROW_IO_COMPANION_H
#define FURROW_IO_COMPANION_H

#include <furrow/csr.h>
#include <furrow/vector.h>

/* Hands on the sentence of a failure in the companion to the context where the caller looks. */
static inline fur_status fur_from_companion(fur_context *context, fur_status status)
{
    fur_context *host = fur_context_host(context);
    return status == FUR_OK || host == context
               ? status
               : fur_context_fail(context, status, "%s", fur_context_error(host));
}

/* For an object that the host does not reach: *a becomes a copy in the companion, which is also
 * *copy, to be destroyed. *copy is NULL if the host reaches *a, and on failure. */
fur_status fur_csr_to_companion(const fur_csr **a, fur_csr **copy);
fur_status fur_vector_to_companion(const fur_vector **x, fur_vector **copy);

#endif
