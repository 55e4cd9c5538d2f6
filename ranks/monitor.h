/* Monitors of all ranks (fur_solver_options), which end a solve together. */
#ifndef FURROW_RANKS_MONITOR_H
#define FURROW_RANKS_MONITOR_H

#include "group.h"

typedef struct monitor {
    fur_ranks *group;
    int (*own)(void *user, const fur_solver_progress *progress); /* NULL: of other ranks alone */
    void *user;
    char *stops; /* of all ranks */
} monitor;

/* Collective. Puts one monitor in the options of all ranks, if any rank has one. `m` must live as
 * long as the options. */
fur_status monitor_join(fur_ranks *g, fur_solver_options *options, monitor *m);

void monitor_release(monitor *m);

#endif
