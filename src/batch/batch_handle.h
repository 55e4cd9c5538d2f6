/* Batches of systems: the struct of the handle, and the checks of blocks for it. */
#ifndef FURROW_BATCH_BATCH_HANDLE_H
#define FURROW_BATCH_BATCH_HANDLE_H

#include <furrow/batch.h>

#include "csr.h"
#include "vectors.h"

struct fur_batch {
    fur_context *context;
    const fur_csr *pattern;
    const fur_vectors *values;
    fur_dependent dependent; /* on the pattern */
};

static inline fur_batch_view fur_batch_view_of(const fur_batch *batch)
{
    return (fur_batch_view){&batch->pattern->view, &batch->values->view};
}

/* Returns FUR_INVALID unless the block is row-major with `rows` rows, and has the batch's context,
 * value type and number of systems. */
fur_status fur_batch_check_block(const fur_batch *batch, const char *name, const fur_vectors *v,
                                 int64_t rows);

#endif
