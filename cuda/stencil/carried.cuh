// The memory from which a kernel reads a stencil's terms, for kernels that read all of them.
#ifndef FURROW_CUDA_STENCIL_CARRIED_CUH
#define FURROW_CUDA_STENCIL_CARRIED_CUH

#include "stencil.cuh"

// The most terms that are passed as arguments of a launch, in constant memory. Longer lists are
// read through the caches.
#define FUR_CARRIED 32

// Returns whether the terms fit among a kernel's arguments.
static inline bool fur_is_carried(const fur_stencil_view *s)
{
    return s->points <= FUR_CARRIED;
}

// Terms in the arguments of a kernel, for small stencils.
template <class Value> struct fur_carried_terms {
    fur_stencil_term<Value> list[FUR_CARRIED];

    fur_carried_terms(const fur_stencil_view *s, const void *)
    {
        fur_list_terms(s, list);
    }

    __device__ const fur_stencil_term<Value> &operator[](int k) const
    {
        return list[k];
    }
};

// Terms in device memory, from fur_cuda_stencil_terms, for large stencils.
template <class Value> struct fur_planned_terms {
    const fur_stencil_term<Value> *list;

    fur_planned_terms(const fur_stencil_view *, const void *planned)
        : list(static_cast<const fur_stencil_term<Value> *>(planned))
    {
    }

    __device__ const fur_stencil_term<Value> &operator[](int k) const
    {
        return list[k];
    }
};

#endif
