/* furrow multiply --by: C = A B for a block of vectors B, the columns of an array file. */
#ifndef FURROW_TOOLS_MULTIPLY_BLOCK_H
#define FURROW_TOOLS_MULTIPLY_BLOCK_H

#include "command.h"
#include "save.h"

typedef struct multiply_block_options {
    const command_common *common; /* whose operand A is */
    const char *by;               /* the file of B, an array */
    const save_target *out;       /* for C */
    int64_t repeat;               /* products to be timed; 0: as many as fill a moment */
    bool transpose;               /* C = A^T B */
} multiply_block_options;

/* Multiplies, times, saves and prints. */
fur_status multiply_block(fur_context *context, const multiply_block_options *options);

#endif
