/* Times repeated computations for subcommands, and prints their time, the machine, and norms. */
#ifndef FURROW_REPEAT_H
#define FURROW_REPEAT_H

#include "output.h"

/* The largest value of --repeat. */
#define REPEAT_MAX 100000

typedef struct repeat {
    fur_status (*compute)(void *job);
    void *job;
    int64_t count;  /* number of computations; 0: chosen to fill 0.2 seconds */
    double seconds; /* median time of one computation. On a GPU waiting takes longer than a small
                       product, so batches of 100 are timed */
} repeat;

/* Computes twice without timing, because of cold caches, sleeping threads and kernels that are not
 * loaded. Then computes and times `count` times. */
fur_status repeat_timed(fur_context *context, repeat *r);

/* Prints device, instruction set and threads. */
void repeat_put_machine(output *out, fur_context *context);

/* Prints norms of `count` entries, computed in the context. `what` names the entries for people. */
fur_status repeat_put_norms(output *out, fur_context *context, fur_value_type value, int64_t count,
                            const void *entries, const char *what);

#endif
