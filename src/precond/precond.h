/* Common parts of all preconditioners. A kind is one file with a descriptor, and one line in
 * kinds.def. */
#ifndef FURROW_PRECOND_PRECOND_H
#define FURROW_PRECOND_PRECOND_H

#include <furrow/author/precond.h>
#include <furrow/precond.h>

#include "csr.h"
#include "option_table.h"

/* Where a kind works. */
typedef enum fur_precond_place {
    FUR_PRECOND_HOST = 0,
    FUR_PRECOND_ANYWHERE, /* also in a context whose memory the host does not reach */
    FUR_PRECOND_FACTORED  /* in such a context, if its backend has kernels for factors */
} fur_precond_place;

/* Options of a kind: a table, the kind's struct, and the pointer to it in fur_precond_options. */
typedef struct fur_precond_table {
    const fur_option *options; /* NULL: the kind has none */
    const char *type;
    size_t size;
    size_t at;
} fur_precond_table;

#define FUR_PRECOND_TABLE(list, struct_type, pointer)                                              \
    {                                                                                              \
        list, #struct_type, sizeof(struct_type), offsetof(fur_precond_options, pointer)            \
    }

typedef struct fur_precond_kind {
    fur_method_info info;
    fur_precond_place place;
    fur_precond_table table;
    bool follows;   /* uses A's new values at once; otherwise fur_precond_update does */
    bool symmetric; /* M is Hermitian if A is */
    /* Sets options whose default differs if the caller gives no struct. NULL: there are none. */
    void (*preset)(void *options);
    /* Checks options that depend on each other. Each is in its range, and 0 means its default. The
     * context may be NULL. NULL: options are independent. */
    fur_status (*check)(fur_context *context, const void *options);
    /* Makes p->state, and sets the members of p->report and p->scaling that it knows. p->a is
     * square. `options` is the kind's struct, with defaults for zeros, for this call. After a
     * failure `release` frees the state. */
    fur_status (*create)(fur_precond *p, const void *options);
    /* Uses A's new values, and sets the members of the report that depend on them. */
    fur_status (*update)(fur_precond *p);
    /* Computes z = M r. r and z fit and do not overlap. */
    fur_status (*apply)(fur_precond *p, const fur_vector *r, fur_vector *z);
    /* Frees p->state, which may be NULL. */
    void (*release)(fur_precond *p);
    /* Returns the hierarchy. NULL: the kind has no hierarchy. */
    fur_amg *(*hierarchy)(const fur_precond *p);
} fur_precond_kind;

struct fur_precond {
    fur_context *context;
    const fur_csr *a;
    const fur_precond_kind *kind;
    void *state;                /* of the kind */
    const fur_scaling *scaling; /* NULL: M is no diagonal matrix */
    bool waits;                 /* 1: an application waits, so that it cannot be recorded */
    fur_dependent dependent;    /* on the matrix */
    fur_precond_report report;
};

#endif
