/* The foundation of all other parts: contexts and their memory, vectors, permutations, scalars that
 * stay on the device, operators, and what was made from what. The structs behind these handles. */
#ifndef FURROW_CORE_CORE_H
#define FURROW_CORE_CORE_H

#include <furrow/author/operator.h>
#include <furrow/author/scalars.h>
#include <furrow/author/sharing.h>
#include <furrow/context.h>
#include <furrow/operator.h>
#include <furrow/permutation.h>
#include <furrow/vector.h>

#include "arguments.h"
#include "dependents.h"
#include "env.h"
#include "kernel.h"

#include <string.h>

struct fur_context {
    fur_env env; /* first: the context is found by it */
    const fur_backend *backend;
    /* Where kernels store results that are fetched at once: own_results, or memory that a device
     * and the host both reach. */
    fur_results *results;
    fur_results own_results;
    fur_context *host; /* the companion on the CPU; the context itself there */
    fur_file_watcher watcher;
    struct fur_machine
        *machine[FUR_VALUE_COUNT]; /* src/product/spmv/machine.h; NULL: not asked for */
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

/* y = d x */
typedef struct fur_scaling {
    fur_vector *d;
    bool is_constant; /* d is, and this is its entry: */
    fur_scalar constant;
    const fur_csr_view *inverted; /* the matrix that it is Jacobi's preconditioner of; NULL: none */
} fur_scaling;

struct fur_operator {
    fur_context *context;
    fur_operator_definition definition;
    fur_dependent dependent;
    const fur_scaling *scaling;      /* NULL: another operator */
    const fur_csr_view *matrix;      /* of y = A x in the order of FUR_ROW_SEGMENT; NULL: another */
    const fur_csr *csr;              /* the matrix with that view; NULL: another */
    const fur_stencil_view *stencil; /* the same of a stencil, all of whose rows are its own */
};

/* An operator that is made from another object, where `dependent` says how; it is listed as made
 * from the source. */
fur_status fur_operator_derive(fur_context *context, const fur_operator_definition *definition,
                               const fur_dependent *dependent, const fur_dependents *source,
                               fur_operator **out);

/* Whether m is Jacobi's preconditioner of a, or of the matrix that a multiplies by, made from
 * whichever operator of it, and takes over its new values. */
bool fur_operator_is_jacobi_of(const fur_operator *m, const fur_operator *a);

/* FUR_INVALID with the reason if the operator cannot be used, before anything else is read of it.
 */
static inline fur_status fur_operator_check(const fur_operator *op)
{
    return fur_dependent_check(&op->context->env, &op->dependent);
}

/* Opens the device of the options; the first of the list if they name none. */
fur_status fur_backend_find(fur_env *env, const fur_context_options *options,
                            const fur_backend **out);

/* What reductions of shared vectors need, in env->shared; nothing without a sharing. */
fur_status fur_shared_open(fur_context *context, const fur_sharing *sharing);
void fur_shared_close(fur_env *env);
/* The entries of the whole vector of which one has `size`, and the number of its first in it. */
int64_t fur_shared_size(const fur_context *context, int64_t size);
int64_t fur_shared_begin(const fur_context *context);

/* Memory where the context's kernels work: as fur_env_allocate and fur_env_release, and bytes moved
 * between any two places that the host or the context's device reaches. */
fur_status fur_memory_allocate(fur_context *context, int64_t count, size_t size, void *out);
void fur_memory_release(fur_context *context, void *memory);
fur_status fur_memory_copy(fur_context *context, void *to, const void *from, int64_t bytes);

/* The services of the context's device. One that is NULL the host does itself, on the memory that
 * fur_memory_to_host gives it. All are NULL where the host reaches the device's memory. */
const fur_remote *fur_services(const fur_context *context);

/* *out = the memory for the host to work on: the memory itself if the host reaches it, else a copy.
 * fur_memory_from_host ends the work and writes the copy back; fur_memory_drop ends it and does
 * not. NULL stays NULL. */
fur_status fur_memory_to_host(fur_context *context, const void *memory, int64_t bytes, void *out);
fur_status fur_memory_from_host(fur_context *context, void *memory, void *near, int64_t bytes);
void fur_memory_drop(fur_context *context, const void *memory, void *near);

/* FUR_INVALID unless the context's kernels reach the memory, which is to be borrowed, and it is
 * aligned to elements of that size. */
fur_status fur_memory_check_borrowed(fur_context *context, const void *memory, size_t size);

/* Whether the context's objects lie in the memory of a device, out of the host's reach. */
static inline bool fur_is_remote(const fur_context *context)
{
    return context->backend->remote != NULL;
}

/* The vector itself if the host reaches it, else a copy in the companion. */
fur_status fur_vector_to_host(const fur_vector *x, const fur_vector **view, fur_vector **copy);

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

/* A permutation with its own, uninitialised arrays. */
fur_status fur_permutation_allocate(fur_context *context, int64_t size, fur_permutation **out);

/* A coefficient as kernels read it. FUR_INVALID if a slot is none, or in another context. */
fur_status fur_scalars_ratio(fur_context *context, const fur_coefficient *coefficient,
                             fur_ratio *out);

/* Where kernels store to a slot. FUR_INVALID if there is none, or in another context. */
fur_status fur_scalars_slot(fur_context *context, const fur_scalars *scalars, int slot,
                            fur_slot *out);

/* The scalars of a device as they are at this place in the order of work, without waiting for it:
 * for fur_scalars_seen, which waits for no more than that. One peek of a context at a time. */
fur_status fur_scalars_peek(const fur_scalars *scalars);
fur_status fur_scalars_seen(const fur_scalars *scalars, fur_scalars_state *out);

/* FUR_INVALID unless x and y have the same context, value type and size. */
fur_status fur_vector_match(const fur_vector *x, const fur_vector *y);
/* out[k] = sum_i conj(x[k]_i) y[k]_i, each with the bits of fur_dot, for 1 <= count <=
 * FUR_MANY_MAX: in one pass where the backend has it, and so in one gather where the vectors are
 * shared. */
fur_status fur_dot_pairs(int count, const fur_vector *const *x, const fur_vector *const *y,
                         fur_scalar *out);
/* The same for an element-wise result y, which may be x but not a part of it. */
fur_status fur_vector_match_result(const fur_vector *x, const fur_vector *y);

bool fur_vector_overlap(const fur_vector *x, const fur_vector *y);
/* FUR_INVALID if the vectors of these names have memory in common. */
fur_status fur_vector_check_apart(const fur_vector *x, const char *x_name, const fur_vector *y,
                                  const char *y_name);

/* y_i = x_from[i] for y's entries; y_to[i] = x_i, with no number twice, for x's. The numbers lie
 * where the context's kernels work. */
fur_status fur_vector_gather(const fur_vector *x, const int32_t *from, fur_vector *y);
fur_status fur_vector_scatter(const fur_vector *x, const int32_t *to, fur_vector *y);

/* out_i = in_i in another value type. Returns the first entry whose imaginary part would be lost,
 * -1 if there is none. */
int64_t fur_convert_values(const fur_env *env, int64_t count, fur_value_type from, const void *in,
                           fur_value_type to, void *out);

/* Entry i of an array of the value type. */
fur_scalar fur_scalar_at(fur_value_type value, const void *array, int64_t i);

#endif
