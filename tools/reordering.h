/* Reordering as the subcommands do it: found, applied and timed, and products raced before and
 * after. */
#ifndef FURROW_TOOLS_REORDERING_H
#define FURROW_TOOLS_REORDERING_H

#include "load.h"
#include "output.h"

/* What is asked for. */
typedef struct reordering_request {
    const char *method; /* of fur_reorder */
    bool allow_worse;
    int64_t repeat; /* how often it is timed; the least counts */
} reordering_request;

typedef struct reordering {
    fur_permutation *order;
    fur_csr *matrix; /* A in that order */
    fur_reorder_report found;
    double seconds_order;
    double seconds_permute;
    double seconds_before; /* of one product; 0: not raced */
    double seconds_after;
} reordering;

fur_status reordering_create(const loaded_matrix *a, const reordering_request *request,
                             reordering *out);
void reordering_destroy(reordering *r);

/* Times products of A and of the reordered matrix by turns, each made by product_create with these
 * options. */
fur_status reordering_race(const fur_csr *a, const fur_spmv_options *options, reordering *r);

/* Whether every component stayed as it was. */
bool reordering_is_identity(const reordering *r);

/* Products after which ordering and permuting have paid back, (order + permute) / (before - after);
 * infinite if they never do. */
double reordering_pays_after(const reordering *r);

/* The option --reorder of the subcommands that read and write in the order of the file, but may
 * work in another. */
typedef struct reordering_choice {
    const char *asked;  /* NULL or "none", "auto", or a method */
    const char *used;   /* the method, or "none" */
    const char *reason; /* NULL if nothing was asked */
    reordering r;       /* what was found; its order is NULL if none is used, its matrix always */
} reordering_choice;

#define REORDERING_DOC                                                                             \
    "Work in another order of rows and columns: that of a method of furrow reorder, or auto: rcm " \
    "if products then measure faster. What is read and written stays in the order of FILE"

/* The argument of --reorder, or a usage error. */
const char *reordering_parse(struct argp_state *state, const char *text);

/* The names of methods, as a command_names. */
const char *reordering_method(fur_context *context, int index);

/* Replaces the matrix by the reordered one as asked. auto times products with these options, and
 * leaves a matrix that is not square as it is. */
fur_status reordering_choose(loaded_matrix *a, const fur_spmv_options *options,
                             reordering_choice *choice);

/* Replace a vector in the order of the file by the same in the order used, and back. */
fur_status reordering_enter(const reordering_choice *choice, fur_vector **x);
fur_status reordering_leave(const reordering_choice *choice, fur_vector **x);

/* Replaces the number of a row in the order used by that in the file; both count from 0. */
fur_status reordering_original(const reordering_choice *choice, int64_t *row);

void reordering_put(output *out, const reordering_choice *choice);

#endif
