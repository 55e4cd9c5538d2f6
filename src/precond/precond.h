/* What all preconditioners share. A kind is one file with a descriptor, and one line in kinds.def.
 */
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
    FUR_PRECOND_FACTORED  /* there, if its backend has kernels for factors */
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
    bool follows;   /* takes A's new values over when they come; else fur_precond_update does */
    bool symmetric; /* M is Hermitian where A is */
    /* Makes p->state, and sets what it knows of p->report and p->scaling. p->a is square. options:
     * the kind's struct with defaults for zeros, for this call. What a failure leaves is
     * release's. */
    fur_status (*create)(fur_precond *p, const void *options);
    /* Takes A's values over, and sets the report's figures that depend on them. */
    fur_status (*update)(fur_precond *p);
    /* z = M r; r and z fit and are apart. */
    fur_status (*apply)(fur_precond *p, const fur_vector *r, fur_vector *z);
    /* Takes p->state down; it may be NULL. */
    void (*release)(fur_precond *p);
    /* Its levels; NULL: it has none. */
    fur_amg *(*hierarchy)(const fur_precond *p);
} fur_precond_kind;

struct fur_precond {
    fur_context *context;
    const fur_csr *a;
    const fur_precond_kind *kind;
    void *state;                /* of the kind */
    const fur_scaling *scaling; /* NULL: M is no diagonal matrix */
    bool waits;                 /* an application does, so that it cannot be recorded */
    fur_dependent dependent;    /* on the matrix */
    fur_precond_report report;
};

#endif
