/* Stencils: the matrix-free operator, the choice of its kernels for products and for repeated
 * sweeps, and its matrix. */
#ifndef FURROW_STENCIL_STENCIL_H
#define FURROW_STENCIL_STENCIL_H

#include <furrow/stencil.h>

#include "csr.h"

#include <stdlib.h>

/* A kernel that was chosen. */
typedef struct fur_stencil_choice {
    const fur_stencil_kernel *kernel;
    void *state; /* the kernel's */
    const char *reason;
} fur_stencil_choice;

struct fur_stencil {
    fur_context *context;
    fur_stencil_view view; /* its three arrays belong to the stencil */
    fur_stencil_choice product;
    fur_stencil_choice sweep; /* kernel NULL: one product after the other */
    fur_dependent dependent;  /* on the matrix in which it was recognised */
    fur_stencil_report report;
};

/* The most sweeps in one pass over memory. */
static inline int fur_stencil_depth(const fur_stencil *stencil)
{
    return stencil->sweep.kernel ? stencil->sweep.kernel->info.depth : 1;
}

/* Sets constant coefficients, given in the value type. After a failure the stencil cannot be used
 * until a call succeeds. */
fur_status fur_stencil_set_coefficients(fur_stencil *stencil, const void *coefficients);

/* Returns FUR_INVALID unless the vector is on the stencil's grid. Error sentences call it
 * `name`. */
fur_status fur_stencil_check_vector(const fur_stencil *stencil, const char *name,
                                    const fur_vector *v);

/* Checks the vectors of a product. */
fur_status fur_stencil_check(const fur_stencil *stencil, const fur_vector *x, const fur_vector *y);

/* d_p = c_k(p) for the offset 0, into an existing vector. If several terms have the same column,
 * d_p is their sum. */
fur_status fur_stencil_read_diagonal(const fur_stencil *stencil, fur_vector *d);

/* A stencil's view with its fields readable by the host, as from fur_memory_to_host. */
typedef struct fur_stencil_on_host {
    fur_stencil_view view;
    void *fields[FUR_STENCIL_POINTS];
} fur_stencil_on_host;
fur_status fur_stencil_to_host(fur_context *context, const fur_stencil_view *s,
                               fur_stencil_on_host *out);
fur_status fur_stencil_from_host(fur_context *context, const fur_stencil_view *s,
                                 fur_stencil_on_host *near);
void fur_stencil_drop_copies(fur_context *context, const fur_stencil_view *s,
                             fur_stencil_on_host *near);

/* A list of a backend's kernels. */
typedef struct fur_stencil_registry {
    const char *noun;   /* word for one of its kernels, for error sentences */
    const char *always; /* names in addition to the kernels' names */
    const fur_stencil_kernel *const *kernels;
    int count;
} fur_stencil_registry;

fur_stencil_registry fur_stencil_products(const fur_context *context);
fur_stencil_registry fur_stencil_sweeps(const fur_context *context);

/* Sets kernel and reason. If name is neither NULL nor "auto", the kernel has this name. "auto"
 * takes the last kernel that suits; if none suits, *out is unchanged. Returns FUR_UNSUPPORTED if
 * the name does not exist, or if its kernel does not suit. */
fur_status fur_stencil_choose(fur_context *context, const fur_stencil_view *s,
                              const fur_stencil_registry *from, const char *name,
                              fur_stencil_choice *out);

/* Plans the chosen kernel, if there is one, and releases the plan. */
fur_status fur_stencil_plan(fur_env *env, const fur_stencil_view *s, fur_stencil_choice *choice);
void fur_stencil_drop(fur_env *env, const fur_stencil_choice *choice);

/* A term of a row: c_k(p) in a column. */
typedef struct fur_stencil_term {
    int64_t column;
    int k;
} fur_stencil_term;

/* Returns whether all neighbours of point p are inside. Its row then has one term for each offset,
 * in the offsets' order. */
bool fur_stencil_is_inner(const fur_stencil_view *s, int64_t p);

/* Lists the terms of row p of a stencil, by column and then in the order of the offsets. At
 * boundaries several terms may have the same column. Returns the number of terms. */
int fur_stencil_row(const fur_stencil_view *s, int64_t p,
                    fur_stencil_term terms[FUR_STENCIL_POINTS]);

/* Widens the radius by an offset. */
static inline void fur_stencil_widen(int radius[3], fur_stencil_offset o)
{
    const int32_t distance[3] = {o.x, o.y, o.z};
    for (int axis = 0; axis < 3; axis++)
        if (abs(distance[axis]) > radius[axis])
            radius[axis] = abs(distance[axis]);
}

#endif
