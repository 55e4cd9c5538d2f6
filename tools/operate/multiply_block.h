/* furrow multiply --by: C = A B for a block of vectors B, given as the columns of an array file. */
#ifndef FURROW_TOOLS_MULTIPLY_BLOCK_H
#define FURROW_TOOLS_MULTIPLY_BLOCK_H

#include "command.h"
#include "save.h"

typedef struct multiply_block_options {
    const command_common *common; /* its operand is A */
    const char *by;               /* the file of B, an array */
    const save_target *out;       /* for C */
    int64_t repeat;               /* number of timed products; 0: chosen to fill 0.2 seconds */
    bool transpose;               /* C = A^T B */
} multiply_block_options;

/* Multiplies, measures time, saves and prints. */
fur_status multiply_block(fur_context *context, const multiply_block_options *options);

#endif
