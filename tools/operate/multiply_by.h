/* furrow multiply --by: C = A B for two sparse matrices. */
#ifndef FURROW_TOOLS_MULTIPLY_BY_H
#define FURROW_TOOLS_MULTIPLY_BY_H

#include "command.h"
#include "save.h"

typedef struct multiply_by_options {
    const command_common *common; /* its operand is A */
    const char *by;               /* the file of B */
    const save_target *out;       /* for C */
    int64_t repeat;               /* number of timed products; 0: chosen to fill 0.2 seconds */
} multiply_by_options;

/* Multiplies, measures time, saves and prints. */
fur_status multiply_by(fur_context *context, const multiply_by_options *options);

#endif
