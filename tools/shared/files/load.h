/* Reading a subcommand's matrices and vectors, from Matrix Market or binary files. Long reading
 * draws a bar, and what the reader warns of is printed on standard error, unless --quiet. */
#ifndef FURROW_LOAD_H
#define FURROW_LOAD_H

#include "command.h"

typedef struct loaded_matrix {
    fur_csr *matrix;
    fur_mtx_header header;
    bool triangle;  /* of a symmetric one, as common->reading asks for: half of its entries */
    double seconds; /* what reading took */
} loaded_matrix;

/* The matrix of a file, expanded. */
fur_status load_matrix(fur_context *context, const command_common *common, const char *path,
                       loaded_matrix *out);

/* Which vector is meant, and what it must be. */
typedef struct vector_request {
    const char *path;   /* NULL: a vector of ones */
    const char *member; /* of an archive, as in fur_mtx_read_options; NULL: name.mtx */
    fur_value_type value;
    int64_t size;
} vector_request;

fur_status load_vector(fur_context *context, const command_common *common,
                       const vector_request *request, fur_vector **out);

/* The right-hand side that an archive of the SuiteSparse collection may have beside its matrix,
 * which has been read. *out stays NULL if request->path is no archive, or has none. */
fur_status load_archived_b(fur_context *context, const command_common *common,
                           const vector_request *request, fur_vector **out);

/* x_i = the fractional part of i times the golden ratio, from i = 1 on: numbers in (0, 1) that no
 * simple matrix maps to 0. */
fur_status load_fractions(fur_context *context, fur_value_type value, int64_t size,
                          fur_vector **out);

#endif
