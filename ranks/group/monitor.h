/* Monitors of all ranks (fur_solver_options), which stop a solve on all ranks together. */
#ifndef FURROW_RANKS_MONITOR_H
#define FURROW_RANKS_MONITOR_H

#include "group.h"

typedef struct monitor {
    fur_ranks *group;
    /* NULL: only other ranks have a monitor */
    int (*own)(void *user, const fur_solver_progress *progress);
    void *user;
    char *stops; /* answers of all ranks */
} monitor;

/* Collective. Puts one monitor into the options of all ranks, if any rank has a monitor. `m` must
 * live as long as the options. */
fur_status monitor_join(fur_ranks *g, fur_solver_options *options, monitor *m);

void monitor_release(monitor *m);

#endif
