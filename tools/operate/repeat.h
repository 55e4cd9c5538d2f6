/* What subcommands say of a computation that they repeat: its time, the machine, norms. */
#ifndef FURROW_REPEAT_H
#define FURROW_REPEAT_H

#include "output.h"

/* The most that --repeat takes. */
#define REPEAT_MOST 100000

typedef struct repeat {
    fur_status (*compute)(void *job);
    void *job;
    int64_t count;  /* of computations; 0: as many as fill 0.2 seconds */
    double seconds; /* of one, the median; on a GPU, where waiting takes longer than a small
                       product, that of batches of 100 */
} repeat;

/* Computes twice, which meets cold caches, sleeping threads and kernels not loaded yet, and then
 * `count` times. */
fur_status repeat_timed(fur_context *context, repeat *r);

/* Device, instruction set, threads. */
void repeat_put_machine(output *out, fur_context *context);

/* Norms of `count` entries where the context computes; `what` has them, for people. */
fur_status repeat_put_norms(output *out, fur_context *context, fur_value_type value, int64_t count,
                            const void *entries, const char *what);

#endif
