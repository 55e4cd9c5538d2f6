/* A folder for large files that live as long as the program: in $TMPDIR, else in memory. */
#ifndef FURROW_TOOLS_SCRATCH_H
#define FURROW_TOOLS_SCRATCH_H

#include <furrow/context.h>

#include <limits.h>
#include <sys/types.h>

typedef struct scratch {
    char folder[PATH_MAX];
    pid_t remover; /* a child that outlives this process, however that ends */
    int alive;     /* what tells it */
} scratch;

/* Makes the folder. It goes with all that is in it at scratch_end, or when the program ends. */
fur_status scratch_begin(fur_context *context, scratch *out);

/* Does nothing if the folder was not made. */
void scratch_end(scratch *s);

#endif
