/* Batches of systems: the struct behind the handle, and checks of blocks that go with it. */
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

/* FUR_INVALID unless the block has the batch's context, value type and number of systems, that many
 * rows, and is row-major. */
fur_status fur_batch_check_block(const fur_batch *batch, const char *name, const fur_vectors *v,
                                 int64_t rows);

#endif
