/* The structs behind the public handles. */
#ifndef FURROW_CORE_OBJECT_H
#define FURROW_CORE_OBJECT_H

#include <furrow/furrow.h>

#include "env.h"
#include "kernel.h"

struct fur_context {
    fur_env env;
    const fur_backend *backend;
};

struct fur_vector {
    fur_context *context;
    fur_value value;
    int64_t size;
    void *data;
    bool owned;
};

struct fur_csr {
    fur_context *context;
    fur_csr_view view;
    bool owned;
};

/* The backend of a device by name; NULL: the first of the list. */
fur_status fur_backend_named(fur_env *env, const char *device, const char *isa,
                             const fur_backend **out);

/* FUR_INVALID for a value outside the enumeration. */
fur_status fur_ownership_check(fur_context *context, fur_ownership ownership);

/* A matrix with its own, uninitialised arrays. */
fur_status fur_csr_allocate(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                            fur_value value, fur_offset offset, fur_csr **out);

/* Sets the offsets of a matrix that is being made. */
void fur_csr_set_offsets(fur_csr *a, const int64_t *starts);

void fur_csr_figures(const fur_csr_view *a, int threads, fur_csr_statistics *out);

/* FUR_INVALID unless x and y have the same context, value type and size. */
fur_status fur_vector_match(const fur_vector *x, const fur_vector *y);

/* out_i = in_i in another value type. Returns the first entry whose imaginary part would be lost,
 * -1 if there is none. */
int64_t fur_convert_values(int threads, int64_t count, fur_value from, const void *in, fur_value to,
                           void *out);

/* The narrowest offsets for that many entries. */
static inline fur_offset fur_offset_for(int64_t entries)
{
    return entries <= INT32_MAX ? FUR_I32 : FUR_I64;
}

/* The arrays of a matrix that is being made. */
static inline int32_t *fur_csr_columns(fur_csr *a)
{
    return (int32_t *)(uintptr_t)a->view.columns;
}
static inline void *fur_csr_offsets(fur_csr *a)
{
    return (void *)(uintptr_t)a->view.offsets;
}
static inline void *fur_csr_values(fur_csr *a)
{
    return (void *)(uintptr_t)a->view.values;
}

#endif
