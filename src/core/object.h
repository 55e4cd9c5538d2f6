/* The structs behind the public handles. */
#ifndef FURROW_CORE_OBJECT_H
#define FURROW_CORE_OBJECT_H

#include <furrow/furrow.h>

#include "arguments.h"
#include "dependents.h"
#include "env.h"
#include "kernel.h"

#include <string.h>

struct fur_context {
    fur_env env;
    const fur_backend *backend;
    /* Where kernels store results that are fetched at once: own_results, or memory that a device
     * and the host both reach. */
    fur_scalars_state *results;
    fur_scalars_state own_results;
    fur_context *host; /* the companion on the CPU; the context itself there */
    fur_file_watcher watcher;
};

struct fur_vector {
    fur_context *context;
    fur_value_type value_type;
    int64_t size;
    void *data;
    bool owned;
};

struct fur_permutation {
    fur_context *context;
    int64_t size;
    int32_t *order; /* where the context's kernels work, as the next */
    int32_t *position;
};

struct fur_csr {
    fur_context *context;
    fur_csr_view view;
    bool owns_pattern;
    bool owns_values;
    void (*release)(void *user); /* of what borrowed arrays lie in, or NULL */
    void *user;
    fur_dependents made; /* from the matrix */
    /* Taken when a matrix arrives on a device, so that a plan need not wait for it. */
    bool profiled;
    fur_spmv_profile profile;
};

/* A kernel that was chosen. */
typedef struct fur_stencil_choice {
    const fur_stencil_kernel *kernel;
    void *state; /* the kernel's */
    const char *reason;
} fur_stencil_choice;

struct fur_stencil {
    fur_context *context;
    fur_stencil_view view; /* its three arrays are the stencil's own */
    fur_stencil_choice product;
    fur_stencil_choice sweep; /* kernel NULL: one product after the other */
    fur_dependent dependent;  /* on the matrix that it was recognised in */
    fur_stencil_report report;
};

struct fur_operator {
    fur_context *context;
    fur_operator_definition definition;
    fur_dependent dependent;
};

/* An operator that is made from another object, where `dependent` says how; it is listed as made
 * from the source. */
fur_status fur_operator_derive(fur_context *context, const fur_operator_definition *definition,
                               const fur_dependent *dependent, const fur_dependents *source,
                               fur_operator **out);

/* Opens the device of the options; the first of the list if they name none. */
fur_status fur_backend_find(fur_env *env, const fur_context_options *options,
                            const fur_backend **out);

/* Memory where the context's kernels work: as fur_env_allocate and fur_env_release, and bytes moved
 * between any two places that the host or the context's device reaches. */
fur_status fur_memory_allocate(fur_context *context, int64_t count, size_t size, void *out);
void fur_memory_release(fur_context *context, void *memory);
fur_status fur_memory_copy(fur_context *context, void *to, const void *from, int64_t bytes);

/* FUR_INVALID unless the context's kernels reach the memory, which is to be borrowed, and it is
 * aligned to elements of that size. */
fur_status fur_memory_check_borrowed(fur_context *context, const void *memory, size_t size);

/* Whether the context's objects lie in the memory of a device, out of the host's reach. */
static inline bool fur_is_remote(const fur_context *context)
{
    return context->backend->remote != NULL;
}

/* A matrix algorithm of the host, for a matrix that lies elsewhere: runs it on a copy in the
 * context's companion and moves what it makes to the matrix's context. */
typedef fur_status (*fur_csr_algorithm)(const fur_csr *a, const void *arguments, fur_csr **out);
fur_status fur_csr_on_host(const fur_csr *a, fur_csr_algorithm algorithm, const void *arguments,
                           fur_csr **out);

/* The matrix itself if the host reaches it, else a copy in the companion. */
fur_status fur_csr_to_host(const fur_csr *a, const fur_csr **view, fur_csr **copy);

/* Hands on the sentence of a failure in another context. */
static inline fur_status fur_context_pass_on(const fur_context *from, fur_context *to,
                                             fur_status status)
{
    if (status != FUR_OK && from != to) {
        memcpy(to->env.error, from->env.error, sizeof to->env.error);
        to->env.failures++;
    }
    return status;
}

/* FUR_INVALID for a value outside the enumeration. */
fur_status fur_ownership_check(fur_context *context, fur_ownership ownership);

/* A matrix with its own, uninitialised arrays. */
fur_status fur_csr_allocate(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                            fur_value_type value, fur_offset_type offset, fur_csr **out);

/* A permutation with its own, uninitialised arrays. */
fur_status fur_permutation_allocate(fur_context *context, int64_t size, fur_permutation **out);

/* Sets the offsets of a matrix that is being made. */
void fur_csr_set_offsets(fur_csr *a, const int64_t *starts);

void fur_csr_figures(const fur_env *env, const fur_csr_view *a, fur_csr_statistics *out);

/* Sets T's values, T having the pattern of A^T, to those of A^T or A^H. */
fur_status fur_csr_transpose_values(const fur_csr *a, bool conjugate, fur_csr *t);

/* d_i = A(i, i), into a vector of min(rows, cols) entries that is there. */
fur_status fur_csr_read_diagonal(const fur_csr *a, fur_vector *d);
fur_status fur_stencil_read_diagonal(const fur_stencil *stencil, fur_vector *d);

/* The checks of fur_csr_check that read no array. */
fur_status fur_csr_check_shape(fur_env *env, const fur_csr_view *a);

/* Sweeps that one pass over memory makes, at most. */
static inline int fur_stencil_depth(const fur_stencil *stencil)
{
    return stencil->sweep.kernel ? stencil->sweep.kernel->info.depth : 1;
}

/* Sets constant coefficients, given in the value type. On failure the stencil is of no use until
 * the call succeeds. */
fur_status fur_stencil_set_coefficients(fur_stencil *stencil, const void *coefficients);

/* FUR_INVALID unless the vector, which sentences call `name`, is one of the stencil's grid. */
fur_status fur_stencil_check_vector(const fur_stencil *stencil, const char *name,
                                    const fur_vector *v);

/* What fur_stencil_apply asks of its vectors. */
fur_status fur_stencil_check(const fur_stencil *stencil, const fur_vector *x, const fur_vector *y);

/* FUR_INVALID unless x and y have the same context, value type and size. */
fur_status fur_vector_match(const fur_vector *x, const fur_vector *y);
/* The same for an element-wise result y, which may be x but not a part of it. */
fur_status fur_vector_match_result(const fur_vector *x, const fur_vector *y);

bool fur_vector_overlap(const fur_vector *x, const fur_vector *y);
/* FUR_INVALID if the vectors of these names have memory in common. */
fur_status fur_vector_check_apart(const fur_vector *x, const char *x_name, const fur_vector *y,
                                  const char *y_name);

/* out_i = in_i in another value type. Returns the first entry whose imaginary part would be lost,
 * -1 if there is none. */
int64_t fur_convert_values(const fur_env *env, int64_t count, fur_value_type from, const void *in,
                           fur_value_type to, void *out);

/* The narrowest offsets for that many entries. */
static inline fur_offset_type fur_offset_for(int64_t entries)
{
    return entries <= INT32_MAX ? FUR_I32 : FUR_I64;
}

/* Position of the first entry of a row that is not before `column`, by bisection; the row's end
 * without one. The host must reach the arrays. */
static inline int64_t fur_csr_find(const fur_csr_view *a, int64_t row, int64_t column)
{
    int64_t low = fur_offset_at(a, row);
    int64_t high = fur_offset_at(a, row + 1);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
