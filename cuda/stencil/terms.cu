// Copies a stencil's terms to the device for all kernels.
#include "stencil.cuh"

namespace
{

// *out = a copy of the terms on the device.
fur_status upload(fur_env *env, const void *terms, int64_t bytes, void **out)
{
    void *memory;
    FUR_TRY(fur_cuda_allocate(env, bytes, 1, &memory));
    fur_status status = fur_cuda_copy(env, memory, terms, bytes);
    if (status == FUR_OK)
        *out = memory;
    else
        fur_cuda_release(env, memory);
    return status;
}

} // namespace

// *out = the list of a stencil's terms on the device.
fur_status fur_cuda_stencil_terms(fur_env *env, const fur_stencil_view *s, void **out)
{
    return fur_with_value(s->value_type, [&](auto value) {
        fur_stencil_term<decltype(value)> *terms;
        FUR_TRY(fur_env_allocate(env, s->points, sizeof *terms, &terms));
        fur_list_terms(s, terms);
        fur_status status = upload(env, terms, s->points * int64_t(sizeof *terms), out);
        fur_env_release(env, terms);
        return status;
    });
}
