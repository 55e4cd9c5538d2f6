/* The lower triangle and the diagonal of a symmetric or Hermitian matrix in a file. */
#ifndef FURROW_TOOLS_LOAD_HALF_H
#define FURROW_TOOLS_LOAD_HALF_H

#include "load.h"

/* Reads it, and says of what it is half. FUR_INVALID for a matrix that is neither. A Matrix Market
 * file whose header says it is symmetric is never made whole. */
fur_status load_half(fur_context *context, const command_common *common, const char *path,
                     loaded_matrix *out, fur_half *half);

/* "symmetric" or "Hermitian"; NULL for FUR_HALF_NONE. */
const char *half_name(fur_half half);

#endif
