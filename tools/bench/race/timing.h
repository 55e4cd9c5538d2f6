/* The timing tools of racing commands: a job's context, a stream shared with it on a GPU, and the
 * measurement of the device's memory. */
#ifndef FURROW_TOOLS_TIMING_H
#define FURROW_TOOLS_TIMING_H

#include "command.h"
#include "output.h"
#include "race.h"

typedef struct timing {
    fur_context *context;
    void *stream;       /* on a GPU, the context's stream; otherwise NULL */
    race_reader reader; /* on the CPU, after timing_prepare */
    struct gpu *gpu;    /* on a GPU, after timing_prepare; otherwise NULL */
} timing;

/* Runs a job like command_run, with a timing of the device that the options name. */
int timing_run(const command_common *common, fur_status (*job)(timing *t, const void *options),
               const void *options);

/* Allocates the memory for flushing the caches. */
fur_status timing_prepare(timing *t);

/* Writes the fields about the device. On a GPU there are more after timing_prepare. */
void timing_put(output *out, const timing *t);

/* Returns the bytes that can be allocated on the context's device, or infinity if this is
 * unknown. */
fur_status timing_free_memory(const timing *t, double *bytes);

#endif
