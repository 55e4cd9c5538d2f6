/* A context whose vectors are shared by the ranks of a group. */
#ifndef FURROW_RANKS_SPACE_H
#define FURROW_RANKS_SPACE_H

#include "group.h"

#include <furrow/author/operator.h>
#include <furrow/author/sharing.h>

/* Its address must not change while the context exists. */
typedef struct space {
    fur_ranks *group;
    fur_context *context;
    struct device_seat *seat; /* on a GPU */
    struct space *next;       /* in the group's list */
} space;

/* Returns the sharing of a context before it is made, with the messages of the group. */
fur_sharing space_sharing(space *s, const int64_t *bounds);

/* Finds the link of a group on GPUs, once. Collective, but ends without an agreement. */
fur_status space_join(fur_ranks *g);

/* Makes the context for vectors with these bounds, on the device of the group's options.
 * Collective, but ends without an agreement. */
fur_status space_open(fur_ranks *g, const int64_t *bounds, space *s);
/* Call this after all objects of the context are destroyed. */
void space_close(space *s);

/* Passes a failure of the group to the context. */
fur_status space_pass(const space *s, fur_status status);

#endif
