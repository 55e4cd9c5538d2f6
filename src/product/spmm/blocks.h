/* What products with blocks of vectors share. */
#ifndef FURROW_SPMM_BLOCKS_H
#define FURROW_SPMM_BLOCKS_H

#include "csr.h"
#include "vectors.h"

/* FUR_INVALID unless the block, which sentences call `name`, has the context, the value type of the
 * matrix and so many rows. */
fur_status fur_spmm_check_block(fur_context *context, const fur_csr_view *a, const char *name,
                                const fur_vectors *v, int64_t rows);

#endif
