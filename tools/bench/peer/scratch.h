/* A folder for large files that exists as long as the program: in $TMPDIR, or else in memory. */
#ifndef FURROW_TOOLS_SCRATCH_H
#define FURROW_TOOLS_SCRATCH_H

#include <furrow/context.h>

#include <limits.h>
#include <sys/types.h>

typedef struct scratch {
    char folder[PATH_MAX];
    pid_t remover; /* a child process that outlives this process in every case */
    int alive;     /* the pipe that tells it when this process ends */
} scratch;

/* Makes the folder. It is removed with its contents by scratch_end, or when the program ends. */
fur_status scratch_begin(fur_context *context, scratch *out);

/* Does nothing if the folder was not made. */
void scratch_end(scratch *s);

#endif
