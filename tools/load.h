/* Reading a subcommand's matrices and vectors, from Matrix Market or binary files. */
#ifndef FURROW_LOAD_H
#define FURROW_LOAD_H

#include "command.h"

typedef struct loaded_matrix {
    fur_csr *matrix;
    fur_mtx_header header;
    double seconds; /* what reading took */
} loaded_matrix;

/* What a file says about itself. */
fur_status load_header(fur_context *context, const char *path, fur_mtx_header *out);

/* The matrix of a file, expanded. */
fur_status load_matrix(fur_context *context, const command_common *common, const char *path,
                       loaded_matrix *out);

/* The vector of a file, which must have `size` entries; with path NULL a vector of ones. */
fur_status load_vector(fur_context *context, const char *path, fur_value value, int64_t size,
                       fur_vector **out);

/* The vector of a file, of any size, in the value type given or, with value NULL, in its own.
 * header: NULL or filled. */
fur_status load_any_vector(fur_context *context, const char *path, const fur_value *value,
                           fur_mtx_header *header, fur_vector **out);

#endif
