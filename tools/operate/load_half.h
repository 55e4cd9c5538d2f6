/* The lower triangle and the diagonal of a symmetric or Hermitian matrix in a file. */
#ifndef FURROW_TOOLS_LOAD_HALF_H
#define FURROW_TOOLS_LOAD_HALF_H

#include "load.h"

/* Reads half of a matrix and tells its symmetry. FUR_INVALID if the matrix is neither symmetric nor
 * Hermitian. If the header of a Matrix Market file says symmetric, the matrix is never expanded. */
fur_status load_half(fur_context *context, const command_common *common, const char *path,
                     loaded_matrix *out, fur_half *half);

/* Returns "symmetric" or "Hermitian"; NULL for FUR_HALF_NONE. */
const char *half_name(fur_half half);

#endif
