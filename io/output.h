/* A file that appears under its name only when it is complete. */
#ifndef FURROW_IO_OUTPUT_H
#define FURROW_IO_OUTPUT_H

#include "failure.h"

#include <stdbool.h>

typedef struct fur_output {
    fur_context *context;
    const char *path; /* as given, for sentences */
    char *target;     /* where the file is to appear, links resolved */
    char *temporary;  /* where it is until then; NULL if written in place */
    int descriptor;
} fur_output;

/* Starts a file that will replace path. Pipes, devices and the like are written to in place; "-" is
 * standard output. FUR_IO if it cannot be created or an existing file must not be written. */
fur_status fur_output_open(fur_context *context, const char *path, fur_output *out);

/* Appends bytes; from any thread, one call at a time. */
fur_status fur_output_write(const fur_output *output, const void *bytes, size_t size,
                            fur_failure *failure);

/* Ends the file. With status FUR_OK it gets its name; else, or if that fails, nothing is left of it
 * and what was there before stays as it was. sync: its bytes are on the disk before it gets its
 * name. Returns status, or what went wrong. */
fur_status fur_output_close(fur_output *output, fur_status status, bool sync);

#endif
