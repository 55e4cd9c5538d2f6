/* The structs of the basic handles: contexts and their memory, vectors, permutations, scalars in
 * the device's memory, and operators. Also the lists of objects that were made from other
 * objects. */
#ifndef FURROW_CORE_CORE_H
#define FURROW_CORE_CORE_H

#include <furrow/author/context.h>
#include <furrow/author/operator.h>
#include <furrow/author/scalars.h>
#include <furrow/author/sharing.h>
#include <furrow/context.h>
#include <furrow/operator.h>
#include <furrow/reorder.h>
#include <furrow/vector.h>

#include "arguments.h"
#include "dependents.h"
#include "env.h"
#include "kernel.h"

#include <string.h>

struct fur_context {
    fur_env env; /* first, so that its address is the context's */
    const fur_backend *backend;
    /* The destination of results that are fetched together: own_results, or memory that both a
     * device and the host can access. */
    fur_results *results;
    fur_results own_results;
    fur_context *host; /* the companion on the CPU; on the CPU the context itself */
    fur_file_watcher watcher;
    struct fur_machine
        *machine[FUR_VALUE_COUNT]; /* src/product/spmv/machine.h; NULL: not measured */
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
    int32_t *order; /* where the context's kernels work, like the next */
    int32_t *position;
};

/* y = d x */
typedef struct fur_scaling {
    fur_vector *d;
    bool is_constant; /* all entries of d equal `constant` */
    fur_scalar constant;
    const fur_csr_view *inverted; /* the matrix whose Jacobi preconditioner this is; NULL: none */
} fur_scaling;

struct fur_operator {
    fur_context *context;
    fur_operator_definition definition;
    fur_dependent dependent;
    const fur_scaling *scaling; /* NULL: the operator is not a scaling */
    /* y = A x in the order of FUR_ROW_SEGMENT; NULL: not a matrix */
    const fur_csr_view *matrix;
    const fur_csr *csr;              /* the matrix with this view, or NULL */
    const fur_stencil_view *stencil; /* a stencil that all rows belong to, or NULL */
};

/* Makes an operator that depends on another object, as `dependent` describes. It is registered with
 * the source. */
fur_status fur_operator_derive(fur_context *context, const fur_operator_definition *definition,
                               const fur_dependent *dependent, const fur_dependents *source,
                               fur_operator **out);

/* Returns whether m is Jacobi's preconditioner of a, or of the matrix that a multiplies by. m may
 * be made from any operator of this matrix. It must follow the matrix's new values. */
bool fur_operator_is_jacobi_of(const fur_operator *m, const fur_operator *a);

/* Returns FUR_INVALID with the reason if the operator cannot be used. Call this before reading the
 * operator. */
static inline fur_status fur_operator_check(const fur_operator *op)
{
    return fur_dependent_check(&op->context->env, &op->dependent);
}

/* Opens the device that the options name, or the first of the list. */
fur_status fur_backend_find(fur_env *env, const fur_context_options *options,
                            const fur_backend **out);

/* Opens the data for reductions of shared vectors in env->shared. Does nothing if sharing is
 * NULL. */
fur_status fur_shared_open(fur_context *context, const fur_sharing *sharing);
void fur_shared_close(fur_env *env);
/* The size of the whole vector of which this rank's part has `size` entries, and the number of the
 * part's first entry in it. */
int64_t fur_shared_size(const fur_context *context, int64_t size);
int64_t fur_shared_begin(const fur_context *context);

/* Memory where the context's kernels work: like fur_env_allocate and fur_env_release, and copies
 * between any two places that the host or the context's device can access. */
fur_status fur_memory_allocate(fur_context *context, int64_t count, size_t size, void *out);
void fur_memory_release(fur_context *context, void *memory);
fur_status fur_memory_copy(fur_context *context, void *to, const void *from, int64_t bytes);

/* The services of the context's device. If a service is NULL, the host does the work on memory from
 * fur_memory_to_host. If the host can access the device's memory, all services are NULL. */
const fur_remote *fur_services(const fur_context *context);

/* *out = memory for the host to work on: the memory itself if the host can access it, else a copy.
 * Every call is followed by one of two calls: fur_memory_from_host writes the copy back,
 * fur_memory_drop does not. NULL stays NULL. */
fur_status fur_memory_to_host(fur_context *context, const void *memory, int64_t bytes, void *out);
fur_status fur_memory_from_host(fur_context *context, void *memory, void *near, int64_t bytes);
void fur_memory_drop(fur_context *context, const void *memory, void *near);

/* Returns FUR_INVALID unless the context's kernels can access memory that will be borrowed. It must
 * be aligned to elements of this size. */
fur_status fur_memory_check_borrowed(fur_context *context, const void *memory, size_t size);

/* Returns whether the context's objects are in memory of a device that the host cannot access. */
static inline bool fur_is_remote(const fur_context *context)
{
    return context->backend->remote != NULL;
}

/* The vector itself if the host can read it, else a copy in the companion. */
fur_status fur_vector_to_host(const fur_vector *x, const fur_vector **view, fur_vector **copy);

/* Copies the error sentence of a failure in another context. */
static inline fur_status fur_context_pass_on(const fur_context *from, fur_context *to,
                                             fur_status status)
{
    if (status != FUR_OK && from != to) {
        memcpy(to->env.error, from->env.error, sizeof to->env.error);
        to->env.failures++;
    }
    return status;
}

/* Returns FUR_INVALID if the value is not in the enumeration. */
fur_status fur_ownership_check(fur_context *context, fur_ownership ownership);

/* Makes a permutation with its own, uninitialised arrays. */
fur_status fur_permutation_allocate(fur_context *context, int64_t size, fur_permutation **out);

/* A coefficient for kernels. Returns FUR_INVALID if a slot does not exist, or is in another
 * context. */
fur_status fur_scalars_ratio(fur_context *context, const fur_coefficient *coefficient,
                             fur_ratio *out);

/* The destination in a slot, for kernels. Returns FUR_INVALID if the slot does not exist, or is in
 * another context. */
fur_status fur_scalars_slot(fur_context *context, const fur_scalars *scalars, int slot,
                            fur_slot *out);

/* fur_scalars_peek copies the scalars of a device at this place in the order of work, without
 * waiting. fur_scalars_seen waits for this copy only, and returns it. A context can have one peek
 * at a time. */
fur_status fur_scalars_peek(const fur_scalars *scalars);
fur_status fur_scalars_seen(const fur_scalars *scalars, fur_scalars_state *out);

/* Returns FUR_INVALID unless x and y have the same context, value type and size. */
fur_status fur_vector_match(const fur_vector *x, const fur_vector *y);
/* Computes out[k] = sum_i conj(x[k]_i) y[k]_i for 1 <= count <= FUR_MANY_MAX. Each has the bits
 * of fur_dot. If the backend supports it, one pass computes all. Shared vectors then need one
 * gather. */
fur_status fur_dot_pairs(int count, const fur_vector *const *x, const fur_vector *const *y,
                         fur_scalar *out);
/* As fur_vector_match, for an element-wise result y. y may be x, but must not overlap it
 * otherwise. */
fur_status fur_vector_match_result(const fur_vector *x, const fur_vector *y);

bool fur_vector_overlap(const fur_vector *x, const fur_vector *y);
/* Returns FUR_INVALID if the two vectors overlap. Error sentences use these names. */
fur_status fur_vector_check_apart(const fur_vector *x, const char *x_name, const fur_vector *y,
                                  const char *y_name);

/* gather: y_i = x_from[i] for all entries of y. scatter: y_to[i] = x_i for all entries of x, where
 * all numbers differ. The numbers are in the memory where the context's kernels work. */
fur_status fur_vector_gather(const fur_vector *x, const int32_t *from, fur_vector *y);
fur_status fur_vector_scatter(const fur_vector *x, const int32_t *to, fur_vector *y);

/* out_i = in_i in another value type. Returns the first entry whose imaginary part is lost, or
 * -1. */
int64_t fur_convert_values(const fur_env *env, int64_t count, fur_value_type from, const void *in,
                           fur_value_type to, void *out);

/* Entry i of an array of the value type. */
fur_scalar fur_scalar_at(fur_value_type value, const void *array, int64_t i);

#endif
