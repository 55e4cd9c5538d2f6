/* Stencils: the matrix-free operator, the choice of its kernels for products and for repeated
 * sweeps, and its matrix. */
#ifndef FURROW_STENCIL_STENCIL_H
#define FURROW_STENCIL_STENCIL_H

#include <furrow/stencil.h>

#include "csr.h"

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

/* Checks the vectors of a product. */
fur_status fur_stencil_check(const fur_stencil *stencil, const fur_vector *x, const fur_vector *y);

/* d_p = c_k(p) of the offset 0, summed where several terms meet, into a vector that is there. */
fur_status fur_stencil_read_diagonal(const fur_stencil *stencil, fur_vector *d);

/* A stencil's view with its fields where the host works on them, as fur_memory_to_host has it. */
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

/* A list of a backend's. */
typedef struct fur_stencil_registry {
    const char *noun;   /* of one of its kernels, for sentences */
    const char *always; /* names beside those of kernels */
    const fur_stencil_kernel *const *kernels;
    int count;
} fur_stencil_registry;

fur_stencil_registry fur_stencil_products(const fur_context *context);
fur_stencil_registry fur_stencil_sweeps(const fur_context *context);

/* Sets kernel and reason, by name if it is neither NULL nor "auto". "auto" takes the last kernel
 * that suits and leaves *out alone without one. FUR_UNSUPPORTED for a name that there is not, or
 * whose kernel does not suit. */
fur_status fur_stencil_choose(fur_context *context, const fur_stencil_view *s,
                              const fur_stencil_registry *from, const char *name,
                              fur_stencil_choice *out);

/* The chosen kernel's plan, if there is one, and its release. */
fur_status fur_stencil_plan(fur_env *env, const fur_stencil_view *s, fur_stencil_choice *choice);
void fur_stencil_drop(fur_env *env, const fur_stencil_choice *choice);

/* A term of a row: c_k(p) in a column. */
typedef struct fur_stencil_term {
    int64_t column;
    int k;
} fur_stencil_term;

/* Whether all neighbours of point p are inside: its row then has a term for each offset, in their
 * order. */
bool fur_stencil_is_inner(const fur_stencil_view *s, int64_t p);

/* The terms of row p of a stencil, by column and then in the order of the offsets: at boundaries
 * several may have the same column. Returns how many there are. */
int fur_stencil_row(const fur_stencil_view *s, int64_t p,
                    fur_stencil_term terms[FUR_STENCIL_POINTS]);

#endif
