/* Code that products with blocks of vectors share. */
#ifndef FURROW_SPMM_BLOCKS_H
#define FURROW_SPMM_BLOCKS_H

#include "csr.h"
#include "vectors.h"

/* Returns FUR_INVALID unless the block has this context, the matrix's value type and `rows` rows.
 * Error sentences call it `name`. */
fur_status fur_spmm_check_block(fur_context *context, const fur_csr_view *a, const char *name,
                                const fur_vectors *v, int64_t rows);

#endif
