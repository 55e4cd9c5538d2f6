/* furrow multiply --by: C = A B for two sparse matrices. */
#ifndef FURROW_TOOLS_MULTIPLY_BY_H
#define FURROW_TOOLS_MULTIPLY_BY_H

#include "command.h"
#include "save.h"

typedef struct multiply_by_options {
    const command_common *common; /* whose operand A is */
    const char *by;               /* the file of B */
    const save_target *out;       /* for C */
    int64_t repeat;               /* products to be timed; 0: as many as fill a moment */
} multiply_by_options;

/* Multiplies, times, saves and prints. */
fur_status multiply_by(fur_context *context, const multiply_by_options *options);

#endif
