/* Copies of objects in the companion of their context. */
#include "companion.h"
#include "try.h"

fur_status fur_csr_to_companion(const fur_csr **a, fur_csr **copy)
{
    fur_context *context = fur_csr_context(*a);
    fur_context *host = fur_context_host(context);
    *copy = NULL;
    if (host == context)
        return FUR_OK;
    FUR_TRY(fur_csr_transfer(*a, host, copy));
    *a = *copy;
    return FUR_OK;
}

fur_status fur_vector_to_companion(const fur_vector **x, fur_vector **copy)
{
    fur_context *context = fur_vector_context(*x);
    fur_context *host = fur_context_host(context);
    fur_vector *near = NULL;
    *copy = NULL;
    if (host == context)
        return FUR_OK;
    FUR_TRY(fur_from_companion(
        context, fur_vector_create(host, fur_vector_value_type(*x), fur_vector_size(*x), &near)));
    fur_status status = fur_vector_copy(*x, near);
    if (status != FUR_OK) {
        fur_vector_destroy(near);
        return status;
    }
    *x = *copy = near;
    return FUR_OK;
}
