/* Reads the matrices and vectors of a subcommand from Matrix Market or binary files. Long reading
 * draws a bar, and warnings of the reader go to standard error, unless --quiet is given. */
#ifndef FURROW_LOAD_H
#define FURROW_LOAD_H

#include "command.h"

typedef struct loaded_matrix {
    fur_csr *matrix;
    fur_mtx_header header;
    bool triangle;  /* only half of a symmetric matrix was read, as common->reading requests */
    double seconds; /* time to read */
} loaded_matrix;

/* Reads the matrix of a file with both triangles. */
fur_status load_matrix(fur_context *context, const command_common *common, const char *path,
                       loaded_matrix *out);

/* The vector to read, and its required properties. */
typedef struct vector_request {
    const char *path;   /* NULL: a vector of ones */
    const char *member; /* file in an archive, as in fur_mtx_read_options; NULL: name.mtx */
    fur_value_type value;
    int64_t size;
} vector_request;

fur_status load_vector(fur_context *context, const command_common *common,
                       const vector_request *request, fur_vector **out);

/* Reads the right-hand side from an archive of the SuiteSparse collection after its matrix. *out
 * stays NULL if request->path is not an archive or has no right-hand side. */
fur_status load_archived_b(fur_context *context, const command_common *common,
                           const vector_request *request, fur_vector **out);

/* Makes x_i = the fractional part of i times the golden ratio, from i = 1. These numbers lie in
 * (0, 1), and no simple matrix maps the vector to 0. */
fur_status load_fractions(fur_context *context, fur_value_type value, int64_t size,
                          fur_vector **out);

#endif
