/* Reading a subcommand's matrices and vectors. */
#ifndef FURROW_LOAD_H
#define FURROW_LOAD_H

#include "command.h"

typedef struct loaded_matrix {
    fur_csr *matrix;
    fur_mtx_header header;
    double seconds; /* what reading took */
} loaded_matrix;

/* The matrix of a file, expanded. */
fur_status load_matrix(fur_context *context, const command_common *common, const char *path,
                       loaded_matrix *out);

/* The vector of a file, which must have `size` entries; with path NULL a vector of ones. */
fur_status load_vector(fur_context *context, const char *path, fur_value value, int64_t size,
                       fur_vector **out);

#endif
