/* The tools by which racing commands measure time: a job's context, on a GPU with a stream that
 * both share, and what measures the device's memory. */
#ifndef FURROW_TOOLS_TIMING_H
#define FURROW_TOOLS_TIMING_H

#include "command.h"
#include "output.h"
#include "race.h"

typedef struct timing {
    fur_context *context;
    void *stream;       /* on a GPU that of the context; else NULL */
    race_reader reader; /* on the CPU, once prepared */
    struct gpu *gpu;    /* on a GPU, once prepared; else NULL */
} timing;

/* Runs a job as command_run does, with a timing of the device that the options ask for. */
int timing_run(const command_common *common, fur_status (*job)(timing *t, const void *options),
               const void *options);

/* Takes the memory that is to pass the caches. */
fur_status timing_prepare(timing *t);

/* The fields about the device; of a GPU more once prepared. */
void timing_put(output *out, const timing *t);

/* Bytes that could be allocated on the context's device; infinity if the system does not say. */
fur_status timing_free_memory(const timing *t, double *bytes);

#endif
