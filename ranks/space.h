/* A context whose vectors the ranks of a group share. */
#ifndef FURROW_RANKS_SPACE_H
#define FURROW_RANKS_SPACE_H

#include "group.h"

#include <furrow/author/operator.h>
#include <furrow/author/sharing.h>

/* Stays where it is while the context lives. */
typedef struct space {
    fur_ranks *group;
    fur_context *context;
    struct device_seat *seat; /* on a GPU */
    struct space *next;       /* of the group's */
} space;

/* The sharing of a context that is about to be made, and which messages of the group serve. */
fur_sharing space_sharing(space *s, const int64_t *bounds);

/* Finds the link of a group on GPUs, once. Collective without an agreement. */
fur_status space_join(fur_ranks *g);

/* The context for vectors with these bounds, on the device of the group's options. Collective
 * without an agreement. */
fur_status space_open(fur_ranks *g, const int64_t *bounds, space *s);
/* After all objects of the context are gone. */
void space_close(space *s);

/* Hands a failure of the group to the context. */
fur_status space_pass(const space *s, fur_status status);

#endif
